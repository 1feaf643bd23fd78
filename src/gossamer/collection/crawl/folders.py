"""How do files of this machine come into the frontier? Folders are walked; what is new, has changed or is gone is due.

A folder is no visit: what a walk finds comes in as the seeds of a list do, and each file is a visit of its own. A file
whose validator is that of the last visit is not visited. One that the frontier knows and no walk has met is visited
once more, which shows that it is gone, or is not to be read any more, and takes it out of the index.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from gossamer.errors import InvalidURL, UsageError
from gossamer.fetch.local.archive import ArchivePlace
from gossamer.fetch.local.elsewhere import Place, in_words
from gossamer.fetch.local.ignoring import NAMES, Ignoring
from gossamer.fetch.local.opening import NotPlain, opened
from gossamer.fetch.local.reading import FileFetcher, root_of
from gossamer.fetch.local.walking import GONE, FoundFile, Walk
from gossamer.frontier import Frontier
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import Entry, State
from gossamer.model import URL, Clock
from gossamer.plan import Plan
from gossamer.plugins import OF_FILES
from gossamer.printable import log, repeated
from gossamer.store.commits import Commits
from gossamer.urls import keys, paths
from gossamer.urls.paths import ARCHIVES

SLICE = 500
"""Files that come in before a commit may be made and others have their turn."""


class Folders:
    """The folders of a plan, for one run."""

    def __init__(self, plan: Plan, collection: Path | None, clock: Clock) -> None:
        self._roots = tuple(map(paths.path_of, plan.folders))
        self._own = os.fsencode(collection) if collection else b""
        self._ignoring = Ignoring(self._roots, hidden=plan.hidden, heed=plan.ignore_files)
        self._scope = plan.as_scope()
        self._places = places_of(plan, collection)
        self.fetch = FileFetcher(self._scope, self._roots, self._ignoring, plan.as_limits(), clock, self._places)

    def take_in(self, frontier: Frontier, commits: Commits, only: Iterable[bytes] | None = None) -> Iterator[None]:
        """What is new, has changed or is gone: of all folders, or of some paths `only`. Others may have their turn in
        between."""
        starts = self._roots if only is None or self._rules_changed(only) else tuple(only)
        walk = Walk(self._ignoring, without=(self._own,))
        found = (file for start in starts for file in self._below(walk, start))
        met: set[int] = set()
        while some := list(islice(found, SLICE)):
            met.update(self._compare(frontier, some))
            commits.when_due()
            yield
        whole = starts is self._roots
        known = frontier.ledger.all() if whole else (row for start in starts for row in _known(frontier, start))
        gone = (each for each in known if self._is_missed(*each, met, walk.unsure))
        while some_gone := list(islice(gone, SLICE)):
            frontier.changed(some_gone)
            commits.when_due()
            yield
        commits.now()  # before the first visit: an answer counts only where it is known that somebody waits for it

    def _below(self, walk: Walk, start: bytes) -> Iterator[FoundFile]:
        root = root_of(start, self._roots)
        if root is None:
            return iter(())
        return self._elsewhere(walk, start, root) if root in self._places else walk.files(start, root)

    def _elsewhere(self, walk: Walk, start: bytes, root: bytes) -> Iterator[FoundFile]:
        def unlisted(folder: bytes, error: Exception) -> None:
            walk.unsure.append(folder)
            log.warning("%s: cannot be listed (%s)", os.fsdecode(folder), in_words(error))

        return map(FoundFile._make, self._places[root].files(start, self._ignoring, unlisted))

    def _rules_changed(self, changed: Iterable[bytes]) -> bool:
        return any(os.path.basename(path) in NAMES for path in changed)

    def _is_missed(self, url: URL, entry: Entry, met: set[int], unsure: list[bytes]) -> bool:
        """It was read, and the walk has not met it where it should have been."""
        if entry.state is not State.DONE or not paths.is_path(url) or keys.fingerprint(url) in met:
            return False
        return root_of(paths.path_of(url), tuple(unsure)) is None

    def _compare(self, frontier: Frontier, found: list[FoundFile]) -> Iterator[int]:
        """Files that are new or have changed are due. The fingerprints of those that may be in the collection."""
        urls = [paths.address_of(each.path) for each in found]
        changed: list[tuple[URL, Entry]] = []
        for url, file, entry in zip(urls, found, frontier.ledger.get_many(urls), strict=True):
            if entry is None:
                frontier.add([Found(url)])
            elif self._scope.check(url, 0) is not None:
                continue
            elif entry.state is State.FAILED or entry.etag != file.validator:
                changed.append((url, entry))
            yield keys.fingerprint(url)
        frontier.changed(changed)

    def close(self) -> None:
        """No more reading."""
        self.fetch.close()
        for place in self._places.values():
            place.close()


def places_of(plan: Plan, collection: Path | None) -> dict[bytes, Place | ArchivePlace]:
    """What is not of this machine of the folders of a plan."""
    roots = map(paths.path_of, filter(paths.is_elsewhere, plan.folders))
    return {root: _place(root, plan.as_limits().total, collection) for root in roots}


def _place(root: bytes, seconds: float, collection: Path | None = None) -> Place | ArchivePlace:
    is_archive = root.partition(b"://")[0].decode() in ARCHIVES
    return ArchivePlace(root, collection) if is_archive else Place(root, seconds)


def require_places(urls: Sequence[URL], *, watch: bool) -> None:
    """What reads them must be here; and only this machine tells what changes."""
    if urls and watch:
        raise UsageError(f"{urls[0]}: --watch hears of changes on this machine alone; leave it out, and run it again")
    for url in urls:
        _place(paths.path_of(url), 0.0).require()


def _known(frontier: Frontier, path: bytes) -> Iterator[tuple[URL, Entry]]:
    """What is known of a path and of all below it."""
    url = paths.address_of(path)
    for each, entry in frontier.ledger.all(keys.row_prefix(url)):
        if each == url or each.startswith(f"{url}/"):
            yield each, entry


def left_out(plan: Plan, url: URL) -> str | None:
    """Why a file is not read, whatever is in it; None when it would be."""
    roots = tuple(map(paths.path_of, plan.folders))
    path = paths.path_of(url)
    root = root_of(path, roots)
    if verdict := plan.as_scope().check(url, 0):
        return verdict
    ignoring = Ignoring(roots, hidden=plan.hidden, heed=plan.ignore_files)
    if paths.is_elsewhere(url):
        ignored = ignoring.reason_for(root, path) if root is not None else None
        return ignored or "it was not there when the place was listed last"
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    ignored = ignoring.reason_for(root, path, is_folder=is_folder) if root is not None else None
    return ignored or _unreadable(path)


def _unreadable(path: bytes) -> str | None:
    """Why what is at a path cannot be read as a file; None when it can."""
    try:
        with opened(path):
            return None
    except NotPlain as error:
        return "a link, and links are not followed" if os.path.islink(path) else str(error)
    except OSError as error:
        above = os.path.dirname(path)
        while above != b"/" and not os.path.lexists(above):
            above = os.path.dirname(above)
        if error.errno in GONE and os.path.isfile(above):
            return f"no file of its own: {os.fsdecode(above)} is read as one document"
        return "there is no such file" if error.errno in GONE else os.strerror(error.errno or 0).lower()


def named(path: str | os.PathLike[str], collection: Path) -> URL:
    """The address of a file or folder that somebody names. It must be there, and is resolved if it is a link; whether a
    place elsewhere is there is seen when it is listed."""
    if "://" in os.fspath(path):
        return _place_named(os.fspath(path))
    real = os.path.realpath(os.fsencode(path))
    with suppress(OSError):
        os.stat(real)
        own = os.path.realpath(os.fsencode(collection))
        if root_of(real, (own,)) is not None:
            raise UsageError(f"{os.fspath(path)}: is the collection itself, or lies in it; name a folder outside it")
        return paths.address_of(real)
    raise UsageError(f"{os.fspath(path)}: no such file or folder, or it may not be looked at; check the path")


def _place_named(text: str) -> URL:
    if not paths.is_path(text):
        known = ", ".join(sorted(OF_FILES))
        cure = "`gossamer crawl DIR SEED` reads those of the web, of FTP and of SFTP"
        raise UsageError(f"{repeated(text, 60)}: `gossamer files DIR` reads paths and addresses of {known}; {cure}")
    try:
        url = paths.canonical(text)
    except InvalidURL as error:
        raise UsageError(str(error)) from None
    scheme, _, path = paths.path_of(url).partition(b"://")
    return paths.address_of(b"%s://%s" % (scheme, os.path.realpath(path))) if scheme.decode() in ARCHIVES else url
