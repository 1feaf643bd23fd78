"""Is every file of captures there, as long as the table says? Whoever hands all of them on asks before it begins.

What lies in the folder does not say what should be there. The table does: the lengths at its last commit, and the rows.
Both may have been made to harm, so a file that is mostly holes is damage too: it would be copied as zeros without end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gossamer import files
from gossamer.errors import Damaged
from gossamer.files.holes import holes
from gossamer.store.archive import Archive
from gossamer.store.warc.gzip_members import RECORD_MOST
from gossamer.store.warc.warc import placed

_CURE = "`gossamer verify DIR --repair` saves what is left, and the next crawl fetches the rest again"
_CHUNK = 1 << 20


def whole_files(archive: Archive) -> list[tuple[Path, int]]:
    """All WARC files with their committed lengths, in order. One that is missing, cut or unreadable is an error."""
    found = [(placed(archive.folder, name), length) for name, length in sorted(_ends(archive).items())]
    for path, length in found:
        size, holes = _looked_at(path, length)
        if size < length:
            raise _cut(path, size, length)
        if holes > RECORD_MOST:
            raise Damaged(
                f"{path}: has {holes:,} bytes or more of holes, and no file of captures is like that; {_CURE}"
            )
    return found


def pieces(path: Path, length: int, chunk: int = _CHUNK) -> Iterator[bytes]:
    """So many bytes of a file, and not one less."""
    left = length
    with files.reading(path), files.open(path) as source:
        while left > 0 and (data := source.read(min(chunk, left))):
            yield data
            left -= len(data)
    if left > 0:
        raise _cut(path, length - left, length)


def _ends(archive: Archive) -> dict[str, int]:
    """How far each file counts."""
    ends = {path.name: length for path, length in archive.files.all()} | archive.files.lengths()
    for _, version in archive.versions.all():
        end = version.offset + version.length
        if ends.get(version.file, 0) < end:
            ends[version.file] = end
    return ends


def _looked_at(path: Path, length: int) -> tuple[int, int]:
    """The size of a file that can be opened, which alone is also known to those who may not read it; and its holes."""
    try:
        with files.open(path, buffering=0) as file:
            return os.fstat(file.fileno()).st_size, holes(file.fileno(), length, RECORD_MOST)
    except FileNotFoundError:
        raise Damaged(f"{path}: is missing; {_CURE}") from None
    except OSError as error:
        raise files.unreadable(error, path) from error


def _cut(path: Path, size: int, length: int) -> Damaged:
    return Damaged(f"{path}: ends at byte {size:,} of {length:,}; {_CURE}")
