"""Which addresses of the collection may be meant by one that is not in it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

from gossamer.collection import Collection
from gossamer.errors import InvalidURL, NotFound
from gossamer.frontier.why import AddressAnswer

ABOVE_MOST = 5
"""Folders above an address that are tried."""


def near(web: Collection, text: str) -> list[str]:
    """Those that are there, the likeliest first."""
    found = []
    for url in dict.fromkeys(_variants(web.meant(text))):
        with suppress(NotFound, InvalidURL):
            answer = web.why(url)
            found += [answer.url] if isinstance(answer, AddressAnswer) else []
    return found


def _variants(url: str) -> Iterator[str]:
    """By another scheme, with and without `www.`, a slash at the end and a query, and the folders above."""
    parts = urlsplit(url)
    host = parts.netloc
    hosts = (host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")
    for scheme in ("https", "http"):
        for netloc in hosts:
            for path in _paths(parts.path):
                yield urlunsplit((scheme, netloc, path, parts.query, ""))
                yield urlunsplit((scheme, netloc, path, "", ""))
    for scheme in ("https", "http"):
        for netloc in hosts:
            for path in _above(parts.path):
                yield urlunsplit((scheme, netloc, path, "", ""))


def _paths(path: str) -> Iterable[str]:
    return (path, path.rstrip("/") or "/", f"{path.rstrip('/')}/")


def _above(path: str) -> list[str]:
    steps = path.rstrip("/").split("/")[:-1]
    return ["/".join(steps[:number]) + "/" for number in range(len(steps), 0, -1)][:ABOVE_MOST]
