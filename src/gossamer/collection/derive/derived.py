"""What is made from pages as they come: the log of links, the index and the prints of near copies.

All of it can be made again from the archive, so a crawl may leave it to a later build: see `underived`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.derive.near_copies import Prints
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Page
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version


class Derived:
    """Of one shard, kept as the crawl goes."""

    def __init__(self, shard: Path, table: Table, archive: Archive, site: Callable[[str], str]) -> None:
        self._table = table
        self._archive = archive
        self._findable = Indexer(shard, table, archive, site)
        self._prints = Prints(shard, table, archive, site)

    def catch_up(self) -> None:
        """What a crash has left behind."""
        for _ in self._findable.catch_up():
            pass

    def keep(self, capture: Capture, page: Page, version: Version) -> None:
        """The archive has a page that says something new, as that version."""
        if capture.source is not None and self._is_old(capture):
            self._findable.note_older(capture.visit.url)
            return
        self._findable.keep(capture, page, version)
        self._prints.keep(capture, page)

    def _is_old(self, capture: Capture) -> bool:
        """What is imported may have been captured before what is here."""
        latest = next(self._archive.versions.of(capture.visit.url), None)
        return latest is not None and latest.began > capture.began

    def fold(self, url: URL, original: URL) -> None:
        """A page turned out to be a copy."""
        self._findable.fold(url, original)

    def forget(self, url: URL) -> None:
        """A page turned out to be an error in disguise."""
        self._findable.forget(url)

    def readmit(self, url: URL, page: Page) -> None:
        """What was taken for one turned out to be a page."""
        self._findable.readmit(url, page)

    def mark(self, ledger: Ledger) -> None:
        """Before a commit, and before the archive is made ready for it: see which pages are near copies."""
        self._prints.prepare(ledger, self._findable.fold)

    def prepare(self) -> None:
        """Before a commit."""
        self._findable.prepare()

    def committed(self, now: float) -> None:
        """After it, at that steady time."""
        self._findable.committed(now)

    def finish(self, *, hurried: bool = False) -> None:
        """The crawl is over, and all is committed. Where somebody waits for the end, the parts of the index are left to
        the next crawl, which brings them together as well."""
        self._findable.finish()
        if not hurried:
            self._findable.gather()
        self._table.commit()

    def close(self) -> None:
        """No more."""
        self._findable.close()
        self._prints.close()
