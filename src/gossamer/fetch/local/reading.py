"""A visit to a file of this machine: the same question and answer as over HTTP, so that all else need not know.

| what is there                                    | answer                                        |
|--------------------------------------------------|-----------------------------------------------|
| the file, as it was at the last visit            | 304, and nothing is read                      |
| the file                                         | 200 with its bytes, up to the limit of a type |
| a kind that is not read (pictures, programs)     | 200 without bytes                             |
| nothing any more                                 | 404                                           |
| a file that is not to be read, or may not be     | 410, and the words of the status line say why |
| a fault that may pass                            | no answer, a failure                          |

So a file that is gone, or closed to us, leaves the index as a page does that is gone. The head is made up: a file has
none. Its ETag is the validator of `walking`, or of `elsewhere` for a file that is not on this machine.

Only what lies at or below a root is read, whoever asks: see `FileFetcher._refusal`.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping
from email.utils import formatdate
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from gossamer.convert.files.kinds import TAR, is_tar, likely, packed_as
from gossamer.convert.type.sniff import media_type as sniffed
from gossamer.fetch.limits import Limits
from gossamer.fetch.local.archive import ArchivePlace
from gossamer.fetch.local.elsewhere import About, Place
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain, opened
from gossamer.fetch.local.walking import CLOSED, GONE, is_at_hand, validator
from gossamer.fetch.threads import DaemonThreads
from gossamer.model import Capture, Clock, Failure, Fault, Headers, Kind, Visit
from gossamer.urls import paths
from gossamer.urls.scope import Scope

THREADS = 4
"""Files of shares that are read at once. A share that hangs holds up one of them, and nobody else."""
SNIFFED = 4_096
"""Bytes by which it is told what kind of file it is."""
RESTED = 0.05
"""Seconds since its last change after which a file is read. The clocks of file systems tick some 250 times a second:
within one tick a file may change twice and look the same."""
TRIES = 3
"""How often a file is read that changes meanwhile."""
_HTML = (".html", ".htm", ".xhtml", ".shtml")
_ENDING = re.compile(r"[^.]\.[A-Za-z][A-Za-z0-9_+-]{0,9}$")
_MAILDIR = ("cur", "new")
_SOME_BYTES = "application/octet-stream"
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How old office files begin, which are no kind of their own to a browser."""
_REASONS = {200: "OK", 304: "Not Modified", 404: "no such file"}


class _Said(NamedTuple):
    """What there is to answer."""

    status: int
    reason: str
    headers: Headers = ()
    body: bytes = b""
    cut: bool = False


class FileFetcher:
    """Reads the files of some folders, and no others."""

    def __init__(
        self,
        scope: Scope,
        roots: tuple[bytes, ...],
        ignoring: Ignoring,
        limits: Limits,
        clock: Clock,
        places: Mapping[bytes, Place | ArchivePlace] = MappingProxyType({}),
    ) -> None:
        """`places` are those of the roots that are not of this machine."""
        self._scope = scope
        self._roots = roots
        self._places = places
        self._ignoring = ignoring
        self._limits = limits
        self._clock = clock
        self._at_hand = all(map(is_at_hand, roots))
        self._threads = DaemonThreads(THREADS, "gossamer-files")

    async def __call__(self, visit: Visit) -> Capture:
        """What the file says now."""
        began, start = self._clock.wall(), self._clock.steady()
        refusal = self._refusal(visit.url)
        if refusal is not None:
            return self._captured(visit, began, start, _Said(410, refusal))
        path = paths.path_of(visit.url)
        try:
            for attempt in range(TRIES):
                said = await self._aside(self._work(visit, path, last=attempt == TRIES - 1))
                if isinstance(said, _Said):
                    return self._captured(visit, began, start, said)
                await asyncio.sleep(said)
        except TimeoutError:
            failure = Failure(Fault.UNREADABLE, f"no answer within {self._limits.total:g} s")
        except OSError as error:
            failure = Failure(Fault.UNREADABLE, error.strerror or repr(error))
        return Capture(visit, began, self._clock.steady() - start, failure=failure)

    def _work(self, visit: Visit, path: bytes, *, last: bool) -> Callable[[], _Said | float]:
        place = self._places.get(root_of(path, self._roots) or b"")
        return partial(self._read, visit, path, last=last) if place is None else partial(self._ask, visit, path, place)

    async def _aside(self, work: Callable[[], _Said | float]) -> _Said | float:
        """In a thread, unless all lies on disks of this machine: a share may take its time."""
        if self._at_hand:
            return work()
        loop = asyncio.get_running_loop()
        return await asyncio.wait_for(loop.run_in_executor(self._threads, work), self._limits.total)

    def _refusal(self, url: str) -> str | None:
        """Why it is not read, whatever it is; None when it may be."""
        if not paths.is_path(url):
            return "no file of this machine"
        path = paths.path_of(url)
        root = root_of(path, self._roots)
        if root is None or b".." in path.split(b"/") or b"\0" in path:
            return "outside the folders that were named"
        return self._scope.check(url, 0) or self._ignoring.reason_for(root, path)

    def _read(self, visit: Visit, path: bytes, *, last: bool) -> _Said | float:
        """What to answer; or for how many seconds to let it rest, because it is being written."""
        try:
            with opened(path) as handle:
                about = os.fstat(handle)
                if visit.etag == validator(about):
                    return _Said(304, _REASONS[304], (("etag", visit.etag),))
                rest = RESTED - (self._clock.wall() - about.st_mtime)
                if 0 < rest <= RESTED and not last:
                    return rest
                told = About(about.st_size, about.st_mtime, validator(about))
                said = self._contents(visit, told, partial(_read_up_to, handle))
                if validator(os.fstat(handle)) == validator(about):
                    return said
                # It is kept as it is, without a validator: the next run reads it again.
                unsure = tuple(field for field in said.headers if field[0] != "etag")
                return said._replace(headers=unsure) if last else RESTED
        except (NotPlain, OSError) as error:
            return _unread(error)

    def _ask(self, visit: Visit, path: bytes, place: Place | ArchivePlace) -> _Said:
        """The same elsewhere. What changes meanwhile has the validator of before, so the next run sees it."""
        try:
            about = place.about(path)
            if about.validator and visit.etag == about.validator:
                return _Said(304, _REASONS[304], (("etag", visit.etag),))
            return self._contents(visit, about, partial(place.read, path))
        except (NotPlain, OSError) as error:
            return _unread(error)

    def _contents(self, visit: Visit, about: About, read: Callable[[int], bytes]) -> _Said:
        """`read` gives so many bytes from the first one on."""
        head = read(SNIFFED) if about.size != 0 else b""
        said = about.size if about.size is None or len(head) <= about.size else None  # an archive may say anything
        size = len(head) if said is None and len(head) < SNIFFED else said
        seen = TAR if is_tar(head) else packed_as(head) or sniffed(head).essence
        unread = self._limits.skips(Kind.PAGE, seen) or (seen == _SOME_BYTES and not head.startswith(_COMPOUND))
        told = _told(visit.url, seen)
        most = 0 if unread else self._limits.cap(Kind.PAGE, told)
        is_more = size is None or size > most > 0
        if told in ("", "text/plain") and is_more:  # letters are text too, but whole documents
            most = self._limits.cap(Kind.PAGE, likely(head, paths.shown(visit.url)))
        whole = size is not None and size <= len(head) <= most
        body = b"" if unread else head if whole else read(most)
        size = len(body) if size is None else size
        headers = (
            *((("last-modified", formatdate(about.changed, usegmt=True)),) if about.changed is not None else ()),
            *((("etag", about.validator),) if about.validator else ()),
            *((("content-type", told),) if told else ()),
            ("content-length", str(size)),
        )
        return _Said(200, _REASONS[200], headers, body, cut=len(body) < size)

    def _captured(self, visit: Visit, began: float, start: float, said: _Said) -> Capture:
        lines = [f"HTTP/1.1 {said.status} {said.reason}", *(f"{name}: {value}" for name, value in said.headers), "", ""]
        return Capture(
            visit,
            began,
            self._clock.steady() - start,
            status=said.status,
            headers=said.headers,
            head="\r\n".join(lines).encode("utf-8", "replace"),
            wire=said.body,
            body=said.body,
            truncated="length" if said.cut else None,
        )

    def close(self) -> None:
        """No more reading. Nobody waits for a share that hangs."""
        self._threads.shutdown()


def root_of(path: bytes, roots: tuple[bytes, ...]) -> bytes | None:
    """The nearest root that a path lies at or below."""
    above = (root for root in roots if path == root or path.startswith(root.rstrip(b"/") + b"/"))
    return max(above, key=len, default=None)


def _unread(error: NotPlain | OSError) -> _Said:
    """What there is to answer where there is nothing to read. Raised again, if that may pass."""
    if isinstance(error, NotPlain):
        return _Said(410, str(error))
    if error.errno in GONE or isinstance(error, FileNotFoundError):
        return _Said(404, _REASONS[404])
    if error.errno in CLOSED or isinstance(error, PermissionError):
        return _Said(410, "permission denied")
    raise error


def _told(url: str, sniffed: str) -> str:
    """The media type that is named. The name of a file says more of it than its first lines: a program with comments is
    no Markdown. Text whose name says nothing, as those of letters in a maildir, is told by what is in it."""
    folder, _, name = paths.shown(url).rpartition("/")
    if name.lower().endswith(_HTML):
        return "text/html"
    if sniffed in ("text/plain", "text/html"):
        is_letter = folder.rpartition("/")[2] in _MAILDIR
        return "text/plain" if _ENDING.search(name) and not is_letter else ""
    return sniffed


def _read_up_to(handle: int, most: int) -> bytes:
    """From the first byte on."""
    pieces: list[bytes] = []
    read = 0
    while read < most and (piece := os.pread(handle, min(most - read, 1 << 20), read)):
        pieces.append(piece)
        read += len(piece)
    return b"".join(pieces)
