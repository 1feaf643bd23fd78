"""What is read once more, from the archive? Pages that could not be read, and long lists, a stretch at a time.

Pages that were kept and could not be read are read again by the next crawl and by every build. The archive has what was
fetched, so nothing is asked for. A crawl follows the links too, which a build leaves to it: the note about a page goes
with the commit in which they came in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from gossamer.collection.crawl.page_reader import PageReader
from gossamer.errors import Damaged
from gossamer.frontier import Frontier
from gossamer.model import URL, Capture, Page
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.versions import Version


def take_up(
    archive: Archive,
    frontier: Frontier,
    read: Callable[[Capture], Page],
    keep: Callable[[Capture, Page, Version], None],
) -> Iterator[URL]:
    """At the start of a crawl. `keep` is for what is made of a page. Gives each first; then may be committed."""
    for url, note in list(archive.unread.all()):
        yield url
        entry, version = frontier.ledger.get(url), archive.versions.at(url, note.began)
        if entry is None or version is None:
            archive.unread.clear(url)  # it was removed
            continue
        page = archive.page(url, version)
        reread = None
        if page is None or page.unread:  # else a build has read it meanwhile
            reread = None if note.hopeless else again(archive, read, url, version)
            page = reread.page if reread else None
        if page is None:
            continue
        capture = replace(archive.capture(url, version), visit=entry.visit(url))
        if reread:
            keep(capture, *reread)
        archive.unread.clear(url)
        frontier.reread(capture, page)


class Reread(NamedTuple):
    """What a version says, and its row as it is now."""

    page: Page
    version: Version


def again(archive: Archive, read: Callable[[Capture], Page], url: URL, version: Version) -> Reread | None:
    """What a version says, now kept; None when it cannot be read today either."""
    try:
        page = read(archive.capture(url, version))
    except Damaged:
        return None
    if page.unread:
        archive.unread.note(url, version.began, page)
        return None
    page = replace(page, copy_of=version.copy_of, near_copy_of=version.near_copy_of)
    return Reread(page, archive.read_again(url, version, page))


class Lists:
    """Sitemaps that have more addresses than were taken at once: they are read on while others are served."""

    def __init__(self, archive: Archive, reader: PageReader, commits: Commits, frontier: Frontier) -> None:
        self._archive = archive
        self._reader = reader
        self._commits = commits
        self._frontier = frontier
        self._one = asyncio.Lock()  # they may be large
        self._tasks: asyncio.TaskGroup | None = None
        self._running: set[asyncio.Task[None]] = set()

    def open(self, tasks: asyncio.TaskGroup) -> None:
        """From now on lists may be read, by tasks of this group."""
        self._tasks = tasks

    def read_on(self, url: URL, then: Callable[[Page | None], None]) -> None:
        """Hand on what a list says, when it was read; None when the archive does not have it."""
        assert self._tasks is not None, "lists are read on while a crawl runs"
        reading = self._tasks.create_task(self._read_on(url, then))
        self._running.add(reading)
        reading.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        """The crawl is over."""
        for task in tuple(self._running):
            task.cancel()

    async def _read_on(self, url: URL, then: Callable[[Page | None], None]) -> None:
        async with self._one:
            page = await self._read(url)
        with self._commits.whole():
            then(page)
            self._frontier.go_on()

    async def _read(self, url: URL) -> Page | None:
        version = self._archive.versions.current(url)
        try:
            return await self._reader.list_page(self._archive.capture(url, version)) if version else None
        except Damaged as error:
            log.warning("%s: the rest of it cannot be read: %s", url, error)
            return None
