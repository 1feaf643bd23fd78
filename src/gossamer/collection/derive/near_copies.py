"""Near copies while a crawl goes on: every page that is kept is looked up among those that came before it.

A page is measured when it is kept: then its words are at hand. It is looked up with the next commit, together with
all others of that commit, which is cheaper, and is part of that commit: after a kill the lookup knows exactly the pages
that the table has. Pages of other shards are met at the end of a crawl; see `copy_marks`.

Of the pages that resemble it, only one that says the same to a reader stands for it: see `sameness`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from msgspec.structs import replace

from gossamer.collection.folder import PRINTS as FOLDER
from gossamer.dedupe import Print, print_of
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.dedupe.groups import COMPARED
from gossamer.dedupe.judge import LEAST_WORDS
from gossamer.dedupe.lookup import Lookup, Met, Near
from gossamer.dedupe.pages import Pages, packed
from gossamer.dedupe.subjects import Said, Subject, say_the_same
from gossamer.frontier.holding import is_page
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Kind, Page
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import tells

BATCH = 500
"""Pages for each commit, when all are measured again."""
CHOICE = 8
"""Near copies of a page that are looked at to find one that is no copy itself, and steps from copy to original."""
KEPT = 64
"""Pages whose texts are kept ready: the first of a template is compared with all others."""
_CURE = "`gossamer build DIR` makes it again"

Fold = Callable[[URL, URL], None]
Site = Callable[[str], str]


class Prints:
    """The prints of a shard while it is written to."""

    def __init__(self, shard: Path, table: Table, archive: Archive, site: Site) -> None:
        self._table = table
        self._archive = archive
        self._site = site
        self._fresh: dict[URL, Print | None] = {}
        self._folder = shard / FOLDER
        self._lookup = Lookup(table, self._folder)
        if not any(archive.versions.all()) and not any(self._lookup.pages.addresses()):
            self._lookup.pages.complete()  # it will have all from the first page on

    def keep(self, capture: Capture, page: Page) -> None:
        """A page was kept: measure what it says."""
        if capture.visit.kind is Kind.PAGE and tells(capture.status) and capture.visit.method != "HEAD":
            self._fresh[capture.visit.url] = print_of(page.content) if _is_page(capture.status) else None

    def prepare(self, ledger: Ledger, fold: Fold) -> None:
        """Before a commit: look up what is new, and mark what is a copy. `fold` is told of it and of its original."""
        sameness = Sameness(lambda url: self._archive)  # and no longer than this: pages change
        for url, near in self._met():
            entry = ledger.get(url) if near else None
            if entry is None or not is_page(entry) or entry.copy:
                continue
            original = self._original(url, near[:CHOICE], ledger, sameness)
            if original is not None:
                self._archive.mark(url, near_copy_of=original)
                ledger.put(url, replace(entry, near=True), entry)
                fold(url, original)
        self._lookup.prepare()

    def close(self) -> None:
        """No more."""
        self._lookup.close()

    @property
    def whole(self) -> bool:
        """It has all pages: it was there from the first, or was made again to the end."""
        return self._lookup.pages.whole

    def remake(self) -> Iterator[int]:
        """Measure all pages again, by their texts. Gives the number of pages so far, after each commit.

        Where all pages have a print, each is replaced by the new one, and readers have one or the other meanwhile.
        """
        if self.whole or self._lookup.pages.stale:
            self._table.put(PRINTS, WHOLE, STALE)
        else:
            self._forget()
        done = 0
        for done, (url, page) in enumerate(_pages(self._archive), 1):
            self._fresh[url] = print_of(page.content)
            if done % BATCH == 0:
                self._commit()
                yield done
        self._fresh.update(dict.fromkeys(self._gone()))
        self._lookup.pages.complete()
        self._commit()
        yield done

    def _gone(self) -> Iterator[URL]:
        """What has a print, and is no page any more."""
        for url, _ in self._lookup.pages.addresses():
            version = self._archive.versions.current(url)
            if version is None or not _is_page(version.status):
                yield url

    def _forget(self) -> None:
        """Until all is there again, it is not whole: a build that was killed begins anew."""
        for _ in self._lookup.pages.clear():
            self._table.commit()
        self._lookup.close()
        self._lookup = Lookup(self._table, self._folder)

    def _commit(self) -> None:
        for _ in self._met():
            pass
        self._lookup.prepare()
        self._table.commit()

    def _met(self) -> Iterator[tuple[URL, list[Near]]]:
        met = []
        for url, found in self._fresh.items():
            if found is None:
                self._lookup.remove(url)
            else:
                met.append(Met(url, self._site(url), found))
        self._fresh.clear()
        for page, near in zip(met, self._lookup.meet(met), strict=True):
            yield page.url, near

    def _original(self, url: URL, near: Sequence[Near], ledger: Ledger, sameness: Sameness) -> URL | None:
        """One that says the same and is no copy itself, the most alike; or else one whose original is not this page."""
        names = [each.url for each in near]
        entries = zip(names, ledger.get_many(names), strict=True)
        firsts = [
            name
            for name, entry in entries
            if entry is not None and is_page(entry) and not entry.copy and not entry.near
        ]
        others = (name for name in names if name not in firsts and url not in self._originals(name))
        compared = islice(chain(firsts, others), COMPARED)
        return next((name for name in compared if sameness.holds(url, name)), None)

    def _originals(self, url: URL) -> Iterator[URL]:
        """What stands for a page, and what for that, and so on."""
        for _ in range(CHOICE):
            latest = self._archive.versions.current(url)
            original = latest and (latest.copy_of or latest.near_copy_of)
            if not original:
                return
            url = original
            yield url


def check(table: Table, archive: Archive, site: Site) -> Iterator[str]:
    """What is wrong with the prints of a shard, once they are whole: each page has its own, and no other has any.

    A copy that has no text of its own may have been read a little differently: then its print is not compared.
    """
    pages = Pages(table)
    if PRINTS not in table.families or not pages.whole:
        return  # `build` makes them
    unmet = dict(pages.addresses())
    for url, version in archive.versions.pages():
        number = unmet.pop(url, None)
        page = archive.page(url, version) if _is_page(version.status) else None
        if version.text_of is None or number is None:
            yield from _compared(url, page, pages.rows([number]).get(number) if number is not None else None, site)
    yield from (f"{url}: has a print, but is no page; {_CURE}" for url in unmet)


def _compared(url: URL, page: Page | None, row: bytes | None, site: Site) -> Iterator[str]:
    found = print_of(page.content) if page is not None else None
    wanted = found is not None and found.words >= LEAST_WORDS
    if wanted != (row is not None):
        yield f"{url}: {'has no print' if wanted else 'has a print, but says nothing'}; {_CURE}"
    elif found is not None and row is not None and not row.startswith(packed(found, site(url))):
        yield f"{url}: its print is not that of its text; {_CURE}"


def _is_page(status: int) -> bool:
    return 200 <= status < 300


def _pages(archive: Archive) -> Iterator[tuple[URL, Page]]:
    for url, version in archive.versions.pages():
        if _is_page(version.status) and (page := archive.page(url, version)) is not None:
            yield url, page


class Sameness:
    """Do two pages of a collection say the same to a reader? Their texts are read for it, of near copies only."""

    def __init__(self, archive: Callable[[URL], Archive]) -> None:
        """`archive` has the pages of the shard that an address belongs to."""
        self._archive = archive
        self._subject = lru_cache(KEPT)(self._read)

    def holds(self, one: URL, other: URL) -> bool:
        """Whether one may stand for the other. A page whose text cannot be read stands for itself."""
        first, second = self._subject(one), self._subject(other)
        return first is not None and second is not None and say_the_same(first, second)

    def _read(self, url: URL) -> Subject | None:
        archive = self._archive(url)
        version = archive.versions.current(url)
        text = archive.content(url, version) if version is not None else ""
        return Subject(Said(url, version.title, text)) if version is not None and text else None
