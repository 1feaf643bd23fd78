"""What becomes of a capture? It is read, marked if it is a copy, stored, and handed to what is made of pages.

`Stages` does that in the loop, where large captures take turns. `Keeper` is the part of it that is also done for what
the archive has already, after a kill or when the table was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from gossamer.collection.crawl.large_pages import HERE, LINKS_HERE, Lane
from gossamer.collection.crawl.page_reader import PageReader, mistaken
from gossamer.collection.crawl.recover import is_about_it
from gossamer.collection.derive.underived import Underived
from gossamer.dedupe.digest import Copies
from gossamer.fetch.memory_budget import Held
from gossamer.frontier.answer.poison_pages import PoisonPages
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import URL, Capture, Clock, Page
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.versions import Version
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.derive.derived import Derived
    from gossamer.convert.source import Source


class Keeper:
    """Keeps pages, as they come or once more."""

    def __init__(
        self,
        archive: Archive,
        derived: Derived | Underived,
        poison_pages: PoisonPages,
        stored: Callable[[Capture], None],
    ) -> None:
        """`stored` hears of every capture that the archive has."""
        self._archive = archive
        self._derived = derived
        self._poison_pages = poison_pages
        self._stored = stored
        self._copies = Copies(archive.first_url)

    def mark(self, page: Page) -> Page:
        """With what it is a copy of. A mistake in that costs only the mark."""
        try:
            return self._copies.mark(page)
        except Exception as error:
            if not is_about_it(error):
                raise
            log.warning("%s: it is not known whether it is a copy, which is a bug: %r", page.url, error)
            return page

    def keep(self, capture: Capture, page: Page) -> None:
        """Into the archive with it, and all that follows from that."""
        self.kept(capture, *self._append(capture, page))

    def _append(self, capture: Capture, page: Page) -> tuple[Page, Version | None]:
        """The page as it was stored, and what it became if that is new: should that fail, nothing was stored."""
        try:
            return page, self._archive.append(capture, page)
        except Exception as error:
            if not is_about_it(error):
                raise
            unread = mistaken(capture, error)
        try:
            return unread, self._archive.append(capture, unread)
        except Exception as error:
            if not is_about_it(error):
                raise
            self._archive.passed.note(capture.visit.url, capture.began, f"could not be stored: {error!r:.300}")
            return unread, None

    def kept(self, capture: Capture, page: Page, new: Version | None) -> None:
        """The archive has it, and gave it this version if it says something `new`: what follows from that."""
        if new is not None:
            self.derive(capture, page, new)
        if not page.unread:
            self._poison_pages.forgive(capture.visit.url)
        self._stored(capture)

    def correct(self, corrections: Iterable[Correction]) -> None:
        """What was kept and turns out to be an error is not found any more; what turns out to be none is."""
        for url, page in corrections:
            if page is None:
                self._derived.forget(url)
            else:
                self._derived.readmit(url, page)

    def derive(self, capture: Capture, page: Page, new: Version) -> None:
        """What is made of a page is compiled code too, and sees what strangers wrote."""
        with self._poison_pages.reading(capture.visit.url):
            self._derived.keep(capture, page, new)


class Stages:
    """`convert`, `mark` and `keep` as the loop in `crawl` wants them."""

    def __init__(
        self, reader: PageReader, keeper: Keeper, commits: Commits, held: Held, clock: Clock, *, take_turns: bool
    ) -> None:
        """`held` counts what is in memory. Captures that are imported need not `take_turns`: nobody waits for them."""
        self._reader = reader
        self._keeper = keeper
        self._commits = commits
        self._held = held
        self._clock = clock
        self._lane = Lane(clock.steady)
        self._take_turns = take_turns
        self._read_for = 0.0
        """Seconds that it took to read the page whose turn it is, if that was here."""
        self.mark = keeper.mark

    async def convert(self, capture: Capture) -> Page:
        """What it says; a large one is given back when it has its turn to be kept."""
        begun = self._reader.begin(capture, here=HERE)
        if isinstance(begun, Page) or begun.page:
            await self._turn(capture)
            return begun if isinstance(begun, Page) else await self._large(capture, begun)
        page = await self._reader.soon(capture, begun)
        await self._turn(capture)  # after it was read, because a file may take a minute
        return page

    async def _large(self, capture: Capture, begun: Source) -> Page:
        if begun.content is not None or begun.listing is not None or len(begun.data) > LINKS_HERE:
            return await self._reader.soon(capture, begun)
        began = self._clock.steady()
        page = self._reader.now(capture)
        self._read_for = self._clock.steady() - began
        return page

    def keep(self, capture: Capture, page: Page) -> None:
        """Nothing is committed before the frontier has taken it back too: see `Commits.begin`."""
        self._commits.begin()
        began = self._clock.steady()
        with self._commits.whole():
            self._keeper.keep(capture, page)
        self._held.free(capture.visit)
        if self._is_large(capture):
            self._lane.leave(keys.host(capture.visit.url), self._read_for + self._clock.steady() - began)
            self._read_for = 0.0
        else:
            self._lane.served()

    def hurry(self) -> None:
        """Nothing else comes: large captures need not wait any more."""
        self._lane.hurry()

    async def _turn(self, capture: Capture) -> None:
        if self._is_large(capture):
            await self._lane.enter(keys.host(capture.visit.url))

    def _is_large(self, capture: Capture) -> bool:
        return len(capture.body) > HERE and self._take_turns


def fold_copy(archive: Archive, derived: Derived | Underived, url: URL, digest: str, of: URL) -> bool:
    """What another shard knew: a page of ours is a copy. False when it has changed since."""
    marked = archive.mark_copy(url, digest, of)
    if marked:
        derived.fold(url, of)
    return marked
