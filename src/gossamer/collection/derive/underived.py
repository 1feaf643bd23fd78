"""A crawl that only collects: nothing is made from its pages, and it is noted that something is missing.

What makes it is not even loaded: NumPy and the index would be half of the start of such a crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Page
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version

LINKS_WHOLE = b"links-whole"
"""A row of `STATE` while the log of links and the index have, or will have when they have caught up, all pages."""

PAST_WHOLE = b"past"
"""A row of `STATE` while the index of the past has all versions, or will have when it has caught up: see `past`."""


class Underived:
    """In the place of `derived.Derived`."""

    def __init__(self, shard: Path, table: Table, archive: Archive, site: Callable[[str], str]) -> None:
        leave_out(table)

    def catch_up(self) -> None: ...
    def keep(self, capture: Capture, page: Page, version: Version) -> None: ...
    def fold(self, url: URL, original: URL) -> None: ...
    def forget(self, url: URL) -> None: ...
    def readmit(self, url: URL, page: Page) -> None: ...
    def mark(self, ledger: Ledger) -> None: ...
    def prepare(self) -> None: ...
    def committed(self, now: float) -> None: ...
    def finish(self, *, hurried: bool = False) -> None: ...
    def close(self) -> None: ...


def leave_out(table: Table) -> None:
    """Pages come or have gone that log, indexes and prints do not get to see: the next build makes all of them
    again."""
    table.delete(STATE, LINKS_WHOLE)
    table.delete(STATE, PAST_WHOLE)
    table.delete(PRINTS, WHOLE)


def outdate(table: Table) -> None:
    """Texts change, or pages go: the next build makes all of it again, and what is there serves readers until then."""
    table.delete(STATE, LINKS_WHOLE)
    table.delete(STATE, PAST_WHOLE)
    if table.get(PRINTS, WHOLE) is not None:
        table.put(PRINTS, WHOLE, STALE)
