"""Show a collection in a browser: for itself, beside a crawl, or at the end of the demonstration; and to a language
model."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.out import complain, say, say_json
from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.collection import Progress

PATIENCE = 5.0
"""Seconds that a server beside a crawl has to end."""


def serve(options: argparse.Namespace) -> int:
    """Until Ctrl-C."""
    from gossamer.web.receiver import callback_of
    from gossamer.web.serving import Wanted, serve

    password = os.environ.get("GOSSAMER_PASSWORD") if options.public else None
    if options.mcp:
        _require_mcp()
    names = tuple(options.names or ())
    callback = callback_of(options.callback) if options.callback else ""
    hears = {"callback": callback, "pinged": options.pings}
    wanted = Wanted(options.port, options.public, options.read_only, password, names, options.mcp, **hears)
    serve(Path(options.dir), wanted, lambda address, key: _told(options, address, key))
    return 0


def replay(options: argparse.Namespace) -> int:
    """Until Ctrl-C."""
    from gossamer.web.replay import replay

    def told(there: str, first: str) -> None:
        if options.json:
            say_json({"url": there, **({"seed": first} if first else {})})
        else:
            say(f"{options.dir} is replayed at {there}ADDRESS (Ctrl-C ends it)")
            if first:
                say(f"begin with {first}")
        sys.stdout.flush()

    replay(Path(options.dir), options.port, told)
    return 0


def mcp(options: argparse.Namespace) -> int:
    """Speak the Model Context Protocol until whoever has started us ends it."""
    _require_mcp()
    from gossamer.web.mcp_tools import serve

    serve(Path(options.dir))
    return 0


def _require_mcp() -> None:
    try:
        import gossamer.web.mcp_tools  # noqa: F401  # whether it can be loaded is the question
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the Model Context Protocol needs a package of its own ({error.name} is missing):"
            " `pip install '.[mcp]'` where you cloned Gossamer brings it"
        ) from None


def _told(options: argparse.Namespace, address: str, key: str) -> None:
    if options.json:
        say_json({"url": address, **({"key": key} if key else {})})
    else:
        say(f"{options.dir} is served at {address} (Ctrl-C ends it)")
        if key:
            say(f"pings: {address}indexnow?key={key}&url=ADDRESS")
    sys.stdout.flush()


@contextmanager
def beside(folder: str, port: int | None, report: Callable[[Progress], None]) -> Iterator[Callable[[Progress], None]]:
    """Hears how a crawl goes, and passes it on. With the first report, when there is something to show, a server begins
    if a port is named, 0 for the usual one. It ends with the crawl."""
    begun: list[subprocess.Popen[bytes]] = []

    def hear(progress: Progress) -> None:
        if port is not None and not begun:
            command = (sys.executable, "-m", "gossamer.web.crawl_server", folder, *([str(port)] if port else []))
            # An interrupt of the terminal is for the crawl, which ends the server after it.
            begun.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))
        report(progress)

    try:
        yield hear
    finally:
        from gossamer.engine import proc

        for process in begun:
            proc.see_off(process, PATIENCE)
            complain(f"the server has ended with the crawl; `gossamer serve {shlex.quote(folder)}` shows it again")


def shown_in_browser(folder: Path) -> None:
    """At the end of the demonstration, for as long as somebody looks."""
    from gossamer.web.serving import Wanted, serve

    serve(folder, Wanted(), lambda address, _: say(f"look at it: {address} (Ctrl-C ends it)"))
