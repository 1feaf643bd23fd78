"""Pages that were kept and could not be read are read again, by the next crawl and by every build.

The archive has what was fetched, so nothing is asked for. A crawl follows the links too, which a build leaves to it:
the note about a page goes with the commit in which they came in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gossamer.errors import Damaged
from gossamer.frontier import Frontier
from gossamer.model import URL, Capture, Page
from gossamer.store.archive import Archive
from gossamer.store.versions import Version


def take_up(
    archive: Archive, frontier: Frontier, read: Callable[[Capture], Page], keep: Callable[[Capture, Page], None]
) -> Iterator[URL]:
    """At the start of a crawl. `keep` is for what is made of a page. Gives each first; then may be committed."""
    for url, note in list(archive.unread.all()):
        yield url
        entry, version = frontier.ledger.get(url), archive.versions.at(url, note.began)
        if entry is None or version is None:
            archive.unread.clear(url)  # it was removed
            continue
        page = archive.page(url, version)
        built = page is not None and not page.unread
        if not built:
            page = None if note.hopeless else again(archive, read, url, version)
        if page is None:
            continue
        capture = replace(archive.capture(url, version), visit=entry.visit(url))
        if not built:
            keep(capture, page)
        archive.unread.clear(url)
        frontier.reread(capture, page)


def again(archive: Archive, read: Callable[[Capture], Page], url: URL, version: Version) -> Page | None:
    """What a version says, now kept; None when it cannot be read today either."""
    try:
        page = read(archive.capture(url, version))
    except Damaged:
        return None
    if page.unread:
        archive.unread.note(url, version.began, page)
        return None
    page = replace(page, copy_of=version.copy_of, near_copy_of=version.near_copy_of)
    archive.read_again(url, version, page)
    return page
