"""How are the members of a ZIP or TAR file read as files of their own?

The readers are those of documents, which trust no archive: they have limits for the members and for what they unpack
to, and a member that is damaged costs only itself. The directory of a ZIP file has dates and checksums, which are the
validator; a TAR file has none, so each run reads it through and sums up what its members say. One that is packed as a
whole is unpacked first, into a file without a name.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from struct import error as Malformed
from threading import Lock
from typing import Protocol

from gossamer.convert.files.kinds import packed_as
from gossamer.convert.files.tar import headers
from gossamer.convert.files.tar.packed import WAYS, unpacked
from gossamer.convert.files.zip import zipped
from gossamer.convert.source import Allowance
from gossamer.convert.type.sniff import media_type as sniffed
from gossamer.fetch.local.elsewhere import About
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain, opened
from gossamer.files.holes import data_after
from gossamer.printable import log

SEARCHED_FIRST, SEARCHED = 1 << 12, 1 << 20
"""Bytes of a file that are looked through at once: what is looked for often stands near."""
UNPACKED_MOST = 4 << 30
"""Bytes that a TAR file which is packed may take on the disk while it is read."""


class _Archive(Protocol):
    """Members with their validators."""

    problem: str
    is_whole: bool

    def names(self) -> Iterator[str]:
        """Of all files in it."""

    def about(self, name: str) -> About:
        """NotPlain where it may not be read."""

    def read(self, name: str, most: int) -> bytes:
        """How a member begins."""


class ArchivePlace:
    """The members of an archive of this machine, for one run. Their paths are addresses without escapes."""

    def __init__(self, root: bytes, scratch: Path | None = None) -> None:
        """`scratch` is the folder for what is unpacked."""
        self._root = root
        self._scratch = scratch
        self._lock = Lock()
        self._file: _File | None = None
        self._archive: _Archive | None = None
        self._names: dict[bytes, str] = {}
        """What the archive calls a member, by its path below the root."""

    def require(self) -> None:
        """Nothing else is needed."""

    def files(
        self, start: bytes, ignoring: Ignoring, unlisted: Callable[[bytes, Exception], None]
    ) -> Iterator[tuple[bytes, str]]:
        """The members at or below a path with their validators, in the order of their names. `unlisted` hears why
        nothing is known of them, or not of all."""
        try:
            archive = self._open()
        except (OSError, NotPlain) as error:
            unlisted(self._root, error)
            return
        if not archive.is_whole:
            unlisted(self._root, NotPlain(archive.problem))
        elif archive.problem:
            log.warning("%s: %s", os.fsdecode(self._root), archive.problem)
        base = self._root.rstrip(b"/")
        for name, called in sorted(self._names.items()):
            path = base + b"/" + name
            is_below = path == start or path.startswith(start.rstrip(b"/") + b"/")
            if is_below and not ignoring.reason_for(self._root, path):
                yield path, archive.about(called).validator

    def about(self, path: bytes) -> About:
        """FileNotFoundError when there is no such member, NotPlain when it may not be read."""
        archive = self._open()
        return archive.about(self._called(path))

    def read(self, path: bytes, most: int) -> bytes:
        """How a member begins."""
        archive = self._open()
        with self._lock:
            return archive.read(self._called(path), most)

    def close(self) -> None:
        """No more reading."""
        if self._file is not None:
            self._file.close()

    def _called(self, path: bytes) -> str:
        called = self._names.get(path[len(self._root.rstrip(b"/")) + 1 :])
        if called is None:
            raise FileNotFoundError
        return called

    def _open(self) -> _Archive:
        with self._lock:
            if self._archive is None:
                kind, _, path = self._root.partition(b"://")
                with opened(path) as handle:
                    self.close()
                    self._file = _File(os.dup(handle))
                self._archive = self._zipped(self._file) if kind == b"zip" else self._tarred(self._file)
                for called in self._archive.names():
                    steps = [step for step in called.split("/") if step not in ("", ".")]
                    self._names.setdefault("/".join(steps).encode(), called)
                self._names.pop(b"", None)
            return self._archive

    def _zipped(self, file: _File) -> _Archive:
        try:
            return _Zipped(file)
        except Malformed:
            raise NotPlain("not a ZIP archive") from None

    def _tarred(self, file: _File) -> _Archive:
        head, problems = file[: headers.BLOCK], list[str]()
        kind = packed_as(head) or sniffed(head).essence
        if kind in WAYS:
            with tempfile.TemporaryFile(dir=self._scratch) as whole:
                for piece in unpacked(file, kind, UNPACKED_MOST, problems):
                    whole.write(piece)
                whole.flush()
                file.close()
                self._file = file = _File(os.dup(whole.fileno()))
        return _Tarred(file, *problems[:1])


class _Zipped:
    """What the directory of a ZIP file tells."""

    def __init__(self, file: _File) -> None:
        self._file = file
        self._allowance = Allowance()
        self._archive = zipped.Archive(file, self._allowance)
        self.problem, self.is_whole = self._archive.problem, self._archive.is_whole

    def names(self) -> Iterator[str]:
        return (member.name for member in self._archive.members.values() if member.is_plain)

    def about(self, name: str) -> About:
        member = self._archive.members[name]
        mark = f'"{member.crc:08x}-{member.changed:x}-{member.size:x}"'
        return About(member.size, _stamp(member.changed), mark)

    def read(self, name: str, most: int) -> bytes:
        member = self._archive.members[name]
        if member.is_encrypted:
            raise NotPlain("encrypted")
        self._allowance.octets, self._archive.problem = most, ""
        try:
            found = self._archive.read(name, most)
        except Malformed:  # its end is gone
            found = b""
        self._file.require_unchanged()
        if not found and member.size:
            raise NotPlain(self._archive.problem or "damaged")
        return found


class _Tarred:
    """What the headers of a TAR file tell."""

    def __init__(self, file: _File, problem: str = "") -> None:
        self._file = file
        self._archive = headers.Archive(file)
        self._members = {
            name: member for name, member in self._archive.members.items() if member.start + member.size <= len(file)
        }
        self._sums: dict[str, str] = {}
        self.is_whole = self._archive.is_whole and not problem
        self.problem = problem or self._archive.problem

    def names(self) -> Iterator[str]:
        return iter(self._members)

    def about(self, name: str) -> About:
        member = self._members[name]
        if name not in self._sums:
            self._sums[name] = self._file.sum(member.start, member.start + member.size)
        mark = f'"{member.changed:.3f}-{member.size:x}-{self._sums[name]}"'
        return About(member.size, member.changed, mark)

    def read(self, name: str, most: int) -> bytes:
        if self._members[name].is_sparse:
            raise NotPlain("sparse")
        found = self._archive.read(name, most)
        self._file.require_unchanged()
        return found


class _File:
    """The bytes of a file, as far as they are looked at: it may be large, and may be cut off meanwhile."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._when, self._size = self._stands()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        return os.pread(self._handle, max(stop - start, 0), start)

    def find(self, mark: bytes, start: int) -> int:
        at, searched = data_after(self._handle, max(start, 0)), SEARCHED_FIRST
        while at is not None and at < self._size:  # no mark begins with a zero, so none begins in a hole
            found = self[at : at + searched + len(mark) - 1].find(mark)
            if found >= 0:
                return at + found
            at, searched = data_after(self._handle, at + searched), min(2 * searched, SEARCHED)
        return -1

    def rfind(self, mark: bytes, start: int) -> int:
        """Asked for the end of the file alone."""
        found = self[start : self._size].rfind(mark)
        return start + found if found >= 0 else -1

    def sum(self, start: int, end: int) -> str:
        """Of what stands between two places, but for holes."""
        found, at = blake2b(digest_size=8), data_after(self._handle, start)
        while at is not None and at < end and (piece := self[at : min(at + SEARCHED, end)]):
            found.update(piece)
            at = data_after(self._handle, at + len(piece))
        return found.hexdigest()

    def require_unchanged(self) -> None:
        """OSError when somebody has written to it: what was read may be a piece of anything."""
        if self._stands() != (self._when, self._size):
            raise OSError(None, "the archive has changed meanwhile")

    def _stands(self) -> tuple[int, int]:
        about = os.fstat(self._handle)
        return about.st_mtime_ns, about.st_size

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _stamp(packed: int) -> float | None:
    """Seconds since 1970 of a date as archives have it, in the time of this machine; None for what is no date."""
    date, time = packed >> 16, packed & 0xFFFF
    try:
        found = datetime(1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, 2 * (time & 31))
        return found.timestamp()
    except (ValueError, OverflowError):
        return None
