"""Every page that is kept becomes findable: its links go to the log, its words to the index of the shard.

Both are derived. The log is written before each commit, and the commit says how long it is. The index is committed less
often, right after a commit of the rows, and says up to which length of the log it has all pages; so it never has a page
that is not committed, and after a crash the log tells what it lacks.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from gossamer.errors import Damaged
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.soft404 import is_soft
from gossamer.graph.log import LinkLog, chunks
from gossamer.index.shelf import Entry, Shelf, discard
from gossamer.index.soundness import problems
from gossamer.model import URL, Capture, Kind, Page
from gossamer.store.archive import STATE, Archive
from gossamer.store.table import Table
from gossamer.store.versions import Version
from gossamer.tagged import plain
from gossamer.urls import resolve

LINKS, INDEX = "links/log", "index"
"""Where they lie in the folder of a shard."""
COMMIT_EVERY = 5_000
"""Pages for each commit of the index: it takes a tenth of a second, and larger parts are merged less often."""
COMMITS_WAITED = 30
"""Commits of the rows, of which there is about one a second, that a new page waits for at most to be found."""
CATCH_UP = 500
"""Pages that are read again between two looks at anything else."""
GONE = (404, 410)
"""A page that answers so is not found any more; any other error may pass."""
_KEY, _WHOLE = b"links", b"links-whole"
_CURE = "`gossamer build` makes it again"

log = logging.getLogger("gossamer")

_HEADING = re.compile(r"<h[1-6]>(.*?)</h[1-6]>", re.DOTALL)


class Findable:
    """The log and the index of a shard while it is written to."""

    def __init__(self, shard: Path, table: Table, archive: Archive, site: Callable[[str], str]) -> None:
        self._table = table
        self._archive = archive
        self._site = site
        self._path = shard / LINKS
        self._log = LinkLog(self._path, committed_length(table))
        self._shelf = _opened(shard / INDEX)
        self._fresh = self._waited = 0
        if not any(archive.versions.all()):
            table.put(STATE, _WHOLE, b"1")  # it will be there from the first page on

    def keep(self, capture: Capture, page: Page) -> None:
        """A page was kept: note what it points to and what it says."""
        if capture.visit.kind is not Kind.PAGE:
            return
        url = capture.visit.url
        if 300 <= capture.status < 400 and (target := _location(capture)):
            self.fold(url, target)
        elif 200 <= capture.status < 300:
            self._keep_page(url, page, capture.began)
        elif capture.status in GONE and len(list(islice(self._archive.versions.of(url), 2))) > 1:
            self.forget(url)

    def _keep_page(self, url: URL, page: Page, began: float) -> None:
        if page.copy_of:
            self.fold(url, page.copy_of)
        else:
            self._log.add(url, self._site(url), page.links)
            self._put(url, page, began)

    def fold(self, url: URL, target: URL) -> None:
        """Another address stands for this one, which is not found any more."""
        self._log.fold(url, self._site(url), target)
        self._shelf.remove(url)
        self._fresh += 1

    def forget(self, url: URL) -> None:
        """A page that was kept is gone, or an error in disguise: it is not found any more, its links do not count."""
        self._log.add(url, self._site(url), ())
        self._shelf.remove(url)
        self._fresh += 1

    def prepare(self) -> None:
        """Before a commit of the rows."""
        self._table.put(STATE, _KEY, self._log.write().to_bytes(8, "big"))

    def committed(self) -> None:
        """After it."""
        self._waited += self._fresh > 0
        if self._fresh >= COMMIT_EVERY or self._waited >= COMMITS_WAITED:
            self.finish()

    def finish(self) -> None:
        """Make all that is committed findable."""
        self._shelf.commit(committed_length(self._table))
        self._fresh = self._waited = 0

    def catch_up(self) -> Iterator[int]:
        """Index what the log has and the index lacks. Gives the number of pages so far, so that others have a turn."""
        done = 0
        for url in self._missing():
            version = next(filter(_tells, self._archive.versions.of(url)), None)
            if version is not None and (page := wanted(self._table, self._archive, url, version)):
                self._put(url, page, version.began)
            else:
                self._shelf.remove(url)
            done += 1
            if done % CATCH_UP == 0:
                yield done
        if done:
            self.finish()
            yield done

    @property
    def whole(self) -> bool:
        """The log has all pages: it was there from the first, or was made again to the end."""
        return self._table.get(STATE, _WHOLE) is not None

    def remake(self) -> Iterator[int]:
        """Make log and index again from the rows. Gives the number of pages so far, after each commit."""
        self._forget()
        done = 0
        for url, version in _newest(self._archive):
            self._keep_again(url, version)
            done += 1
            if done % CATCH_UP == 0:
                self._commit()
                yield done
        self._table.put(STATE, _WHOLE, b"1")
        self._commit()
        self.finish()
        yield done

    def _forget(self) -> None:
        """Until all is there again, it is not whole: a build that was killed begins anew."""
        self._table.delete(STATE, _WHOLE)
        self._table.put(STATE, _KEY, bytes(8))
        self._table.commit()
        self._log.close()
        self._log = LinkLog(self._path, 0)
        self._shelf.clear()
        self._shelf.commit(0)

    def _keep_again(self, url: URL, version: Version) -> None:
        if 300 <= version.status < 400:
            self.keep(self._archive.capture(url, version), Page(url))
        elif page := wanted(self._table, self._archive, url, version):
            self._keep_page(url, page, version.began)

    def _commit(self) -> None:
        self.prepare()
        self._table.commit()
        self.committed()

    def close(self) -> None:
        """No more."""
        self._log.close()
        self._shelf.close()

    def _missing(self) -> Iterator[URL]:
        covered, length = self._shelf.covered, committed_length(self._table)
        for chunk in chunks(self._path, length, covered):
            yield from dict.fromkeys(chunk.sources)

    def _put(self, url: URL, page: Page, began: float) -> None:
        if findable(page):
            self._shelf.add(entry(url, page, began, self._site(url)))
        else:
            self._shelf.remove(url)
        self._fresh += 1


def _opened(folder: Path) -> Shelf:
    """An index that is damaged is thrown away: the log says what has to be in it."""
    try:
        if folder.is_dir() and (damage := next(problems(folder), None)):
            raise Damaged(damage)
        return Shelf(folder)
    except Damaged as error:
        log.warning("%s; the index is made again", error)
        discard(folder)
        return Shelf(folder)


def committed_length(table: Table) -> int:
    """How much of the log counts."""
    return int.from_bytes(table.get(STATE, _KEY) or b"", "big")


def check(shard: Path, table: Table, archive: Archive) -> Iterator[str]:
    """What is wrong with the index, if there is one: pages that it lacks, and pages that it should not have."""
    if not (shard / INDEX).is_dir():
        return
    if damage := next(problems(shard / INDEX), None):
        yield f"{damage}; {_CURE}"
        return
    try:
        shelf = Shelf(shard / INDEX)
        indexed = set(shelf.urls())
    except (Damaged, ValueError) as error:
        yield f"{shard / INDEX}: {error}; {_CURE}"
        return
    if shelf.covered > committed_length(table):
        yield f"{shard / INDEX}: has pages that were never committed; {_CURE}"
    if shelf.covered != committed_length(table):
        return  # a crash: the next crawl or build takes in what it lacks
    for url, version in _newest(archive):
        page = wanted(table, archive, url, version)
        if (page is not None and findable(page)) != (url in indexed):
            yield f"{url}: {'should not be' if url in indexed else 'is not'} in the index; {_CURE}"


def _newest(archive: Archive) -> Iterator[tuple[URL, Version]]:
    """Of each page its last version that tells what it is."""
    last = None
    for url, version in archive.versions.all():
        if url != last and version.kind is Kind.PAGE and _tells(version):
            yield url, version
            last = url


def _tells(version: Version) -> bool:
    """An error that may pass says nothing about the page."""
    return version.status < 400 or version.status in GONE


def wanted(table: Table, archive: Archive, url: URL, version: Version) -> Page | None:
    """What a version says, unless it is none, or an error in disguise."""
    if not 200 <= version.status < 300 or is_soft_404(table, url):
        return None
    return archive.page(url, version)


def is_soft_404(table: Table, url: URL) -> bool:
    """What the frontier found out about a page: it is an error that does not say so."""
    entry = Ledger(table).get(url)
    return entry is not None and is_soft(entry.reason)


def findable(page: Page) -> bool:
    """It wants to be found, says something, and says it first."""
    return not page.noindex and page.copy_of is None and bool(page.content or page.text or page.title)


def entry(url: URL, page: Page, began: float, site: str) -> Entry:
    """What is indexed of a page."""
    return Entry(
        url,
        page.title,
        plain(" ".join(_HEADING.findall(page.html))),
        page.content or page.text,
        site,
        page.media_type,
        page.language,
        page.published or began,
    )


def _location(capture: Capture) -> URL | None:
    said = capture.header("location")
    return resolve([said], capture.visit.url)[0] if said else None
