"""A server beside a crawl, as a process of its own: `python -m gossamer.web.crawl_server DIR [PORT]`. It ends with the
crawl, in whatever way that ends, because then its input does."""

from __future__ import annotations

import sys
from pathlib import Path

from gossamer import printable
from gossamer.errors import GossamerError
from gossamer.web.serving import Wanted, serve


def main(folder: str, port: str = "") -> None:
    """Serve until the other end of the input is gone."""
    try:
        serve(Path(folder), Wanted(int(port) if port else None), _say, lambda: sys.stdin.buffer.read())
    except GossamerError as error:
        print(printable.line(f"gossamer: {error}"), file=sys.stderr)


def _say(address: str, _: str) -> None:
    print(f"gossamer: served at {address}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
