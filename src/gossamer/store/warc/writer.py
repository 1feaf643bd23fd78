"""Write WARC 1.1 files, append-only, in one pass.

A capture goes to the file in one write, with no buffer of ours in between: once `capture` has
returned, a killed process loses nothing of it; after `sync`, neither does a power cut.
Our own writer, because all of a page's records take less here than gzip alone does in warcio.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path

from gossamer import files
from gossamer.errors import StorageError
from gossamer.model import Capture, Clock, Link
from gossamer.store.warc.gzip_members import LEVEL
from gossamer.store.warc.reader import records
from gossamer.store.warc.records import Info, Packed, group, new_record, warcinfo
from gossamer.store.warc.warc import Original, Place, warc_files

MAX_BYTES = 1 << 30


class Writer:
    """Appends captures to the last file of `folder`, and starts another when that one is full.

    After a crash the last file may end in half a capture: cut it before a writer is made. Where the last file of the
    last commit is lost, was cut or has been mended, it begins another: an older one is full, and its length is known.
    """

    def __init__(
        self,
        folder: Path,
        info: Info,
        clock: Clock,
        *,
        prefix: str = "gossamer",
        max_bytes: int = MAX_BYTES,
        level: int = LEVEL,
        committed: tuple[str, int] = ("", 0),
        daily: bool = False,
    ) -> None:
        """`committed` is the last file of the last commit, and how long it was; `daily` starts one with each day."""
        self._folder = folder
        self._info = info
        self._clock = clock
        self._prefix = prefix
        self._max_bytes = max_bytes
        self._level = level
        self._daily = daily
        self._ends = inf
        """When the day of the file is over, if that matters."""
        self._file, self._name, self._length = -1, "", 0
        self._warcinfo = ""
        self._failure: StorageError | None = None
        self._pattern = re.compile(rf"{re.escape(prefix)}-(\d{{14}})-(\d{{5,}})(-0)*\.warc\.gz")
        own = [path.name for path in warc_files(folder) if self._pattern.fullmatch(path.name)]
        last = own[-1] if own else ""
        self._open(last if self._goes_on(last, committed) else self._name_after(max(last, committed[0])))

    def capture(
        self,
        capture: Capture,
        digest: str,
        outlinks: Sequence[Link] = (),
        original: Original | None = None,
        before: Callable[[Place, Packed], None] = lambda place, records: None,
    ) -> Place:
        """Write what came back, and return where the response lies.

        `before` is told where that will be, and what is written; before anything is, and if it raises, nothing is.

        `digest` is `payload_digest(capture.wire)`. When that payload is stored already, or the server
        said that nothing changed (304), `original` is the response that has it, and only the head is kept.
        """
        info = self.ready()
        records = group(capture, digest, outlinks, original, self._level, info)
        place = Place(self._name, self._length, len(records.response), records.record)
        before(place, records)
        self._append(*records.at_once, records.request, records.metadata)
        return place

    def write(self, *records: bytes) -> tuple[str, int]:
        """Records that belong together, in one write. The name of the file, and the offset of the first."""
        self.ready()
        offset = self._append(*records)
        return self._name, offset

    def _goes_on(self, last: str, committed: tuple[str, int]) -> bool:
        found = self._pattern.fullmatch(last)
        if found is None or found[3] or last < committed[0]:
            return False
        return last > committed[0] or files.size(self._folder / last) >= committed[1]

    def ready(self) -> str:
        """Go on in another file where it is time for that. The UUID of the warcinfo record of the file that comes next;
        nothing where it cannot be read."""
        if self._length >= self._max_bytes or self._clock.wall() >= self._ends:
            self.start_another()
        self._introduce()
        return self._warcinfo

    def start_another(self) -> str:
        """Go on in a new file, whose name comes after all others. That name."""
        self.close()
        self._open(self._name_after(self._name))
        return self._name

    def sync(self) -> tuple[str, int]:
        """Make all that was written last through a power cut. The name of the file and its length.

        Once it has failed it fails for ever: the kernel forgets what it could not write, and would say yes next time.
        """
        if self._failure is not None:
            raise self._failure
        try:
            os.fsync(self._file)
        except OSError as error:
            self._failure = files.told(error, self._folder / self._name)
            raise self._failure from error
        return self._name, self._length

    def close(self) -> None:
        """Sync and give the file free."""
        if self._file >= 0:
            try:
                if self._failure is None:
                    self.sync()
            finally:
                os.close(self._file)
                self._file = -1

    def _open(self, name: str) -> None:
        path = self._folder / name
        try:
            self._file = files.descriptor(path, os.O_WRONLY | os.O_CREAT)
            self._length = os.fstat(self._file).st_size
            files.sync_folder(self._folder)
        except OSError as error:
            raise files.told(error, path) from error
        self._name = name
        self._ends = self._end_of_day(name) if self._daily else inf
        first = next(records(path, end=1), None) if self._length else None
        self._warcinfo = first.place.record if first and first.type == "warcinfo" else ""
        self._introduce()

    def _introduce(self) -> None:
        """A file begins with a warcinfo record, also when there was no room for it at first."""
        if self._length == 0:
            self._warcinfo = new_record()
            self._append(warcinfo(self._info, self._name, self._clock.wall(), self._warcinfo))

    def _append(self, *parts: bytes) -> int:
        start = self._length
        try:
            _write(self._file, parts, start)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, start)
            raise files.told(error, self._folder / self._name) from error
        self._length += sum(map(len, parts))
        return start

    def _end_of_day(self, name: str) -> float:
        """Of the day that a name tells, in UTC."""
        found = self._pattern.fullmatch(name)
        began = datetime.strptime(f"{found[1][:8]}+0000", "%Y%m%d%z") if found else datetime.fromtimestamp(0, UTC)
        return (began + timedelta(days=1)).timestamp()

    def _name_after(self, last: str) -> str:
        """A name that sorts after the last one, even when the clock was set back."""
        stamp, serial = f"{datetime.fromtimestamp(self._clock.wall(), UTC):%Y%m%d%H%M%S}", 0
        if parts := self._pattern.fullmatch(last):
            stamp, serial = max(stamp, parts[1]), int(parts[2]) + 1
        return f"{self._prefix}-{stamp}-{serial:05}.warc.gz"


def _write(file: int, parts: Sequence[bytes], start: int) -> None:
    written = os.pwritev(file, parts, start)
    if written < sum(map(len, parts)):
        rest = memoryview(b"".join(parts))
        while written < len(rest):
            written += os.pwrite(file, rest[written:], start + written)
