"""How are the members of a ZIP file read as files of their own?

The reader is that of documents, which trusts no archive: it has limits for the members and for what they unpack to, and
a member that is damaged costs only itself. Their dates and checksums in the directory of the archive are the validator.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from struct import error as Malformed
from threading import Lock

from gossamer.convert.files.zip.zipped import Archive, Member
from gossamer.convert.source import Allowance
from gossamer.fetch.local.elsewhere import About
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain, opened
from gossamer.files.holes import data_after
from gossamer.printable import log

SEARCHED = 1 << 20
"""Bytes of a file that are looked through at once."""


class ArchivePlace:
    """The members of an archive of this machine, for one run. Their paths are addresses without escapes."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._lock = Lock()
        self._allowance = Allowance()
        self._archive: Archive | None = None
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
                yield path, _about(archive.members[called]).validator

    def about(self, path: bytes) -> About:
        """FileNotFoundError when there is no such member, NotPlain when it may not be read."""
        return _about(self._member(path))

    def read(self, path: bytes, most: int) -> bytes:
        """How a member begins."""
        member = self._member(path)
        if member.is_encrypted:
            raise NotPlain("encrypted")
        with self._lock:
            self._allowance.octets = most
            try:
                return self._opened().read(member.name, most)
            except Malformed:
                raise OSError(None, "the archive has changed meanwhile") from None

    def close(self) -> None:
        """No more reading."""
        if self._archive is not None:
            self._file.close()

    def _member(self, path: bytes) -> Member:
        archive = self._open()
        called = self._names.get(path[len(self._root.rstrip(b"/")) + 1 :])
        if called is None:
            raise FileNotFoundError
        return archive.members[called]

    def _open(self) -> Archive:
        with self._lock:
            return self._opened()

    def _opened(self) -> Archive:
        if self._archive is None:
            with opened(self._root.partition(b"://")[2]) as handle:
                self._file = _File(os.dup(handle))
            try:
                archive = Archive(self._file, self._allowance)
            except Malformed:
                self._file.close()
                raise NotPlain("not a ZIP archive") from None
            for member in archive.members.values():
                if not member.is_folder:
                    steps = [step for step in member.name.split("/") if step not in ("", ".")]
                    self._names.setdefault(os.fsencode("/".join(steps)), member.name)
            self._names.pop(b"", None)
            self._archive = archive
        return self._archive


class _File:
    """The bytes of a file, as far as they are looked at: it may be large, and may be cut off meanwhile."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._size = os.fstat(handle).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        return os.pread(self._handle, max(stop - start, 0), start)

    def find(self, mark: bytes, start: int) -> int:
        at = data_after(self._handle, max(start, 0))
        while at is not None and at < self._size:  # no mark begins with a zero, so none begins in a hole
            found = self[at : at + SEARCHED + len(mark) - 1].find(mark)
            if found >= 0:
                return at + found
            at = data_after(self._handle, at + SEARCHED)
        return -1

    def rfind(self, mark: bytes, start: int) -> int:
        """Asked for the end of the file alone."""
        found = self[start : self._size].rfind(mark)
        return start + found if found >= 0 else -1

    def close(self) -> None:
        os.close(self._handle)


def _about(member: Member) -> About:
    mark = f'"{member.crc:08x}-{member.changed:x}-{member.size:x}"'
    return About(member.size, _stamp(member.changed), mark)


def _stamp(packed: int) -> float | None:
    """Seconds since 1970 of a date as archives have it, in the time of this machine; None for what is no date."""
    date, time = packed >> 16, packed & 0xFFFF
    try:
        found = datetime(1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, 2 * (time & 31))
        return found.timestamp()
    except (ValueError, OverflowError):
        return None
