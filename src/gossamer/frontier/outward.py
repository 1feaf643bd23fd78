"""What the frontier asks and tells those around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from gossamer.model import Page

Resolve: TypeAlias = Callable[[str], Awaitable[tuple[tuple[str, ...], float]]]
"""host name -> the addresses to visit it at, the best first (none when unknown), and for how many seconds they hold."""


@dataclass(frozen=True, slots=True)
class Outward:
    """Functions of whoever runs the crawl."""

    resolve: Resolve | None = None
    committed: Callable[[], None] = lambda: None
    """A commit may be made now."""
    copied: Callable[[str, str, str], bool] = lambda url, digest, of: True
    """Another shard had the body of a page of ours before: its address, the digest, and the other address. False when
    the page has changed since."""
    again: Callable[[str, Callable[[Page | None], None]], None] = lambda url, then: then(None)
    """Reads once more what a list of addresses says, from the archive, and hands it on; None when that does not have
    it. Whoever does that later calls `go_on` afterwards."""
    disguised: Callable[[str], None] = lambda url: None
    """A page that was kept turns out to be an error."""
