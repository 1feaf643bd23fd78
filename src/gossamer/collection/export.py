"""The collection in other people's formats: JSON lines, WARC, CDXJ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from gossamer.collection.documents import Document
from gossamer.store import cdx
from gossamer.store.archive import Archive
from gossamer.store.warc import Place

CHUNK = 1 << 20


def jsonl(pages: Iterable[Document], out: BinaryIO) -> int:
    """One object for each page."""
    count = 0
    for page in pages:
        out.write(json.dumps(page.as_json(), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        count += 1
    return count


def warc(archives: Sequence[Archive], out: BinaryIO) -> int:
    """All records, one file: members of gzip may simply follow each other."""
    files = [file for archive in archives for file in archive.files()]
    for path, length in files:
        with path.open("rb") as source:
            _copy(source, out, length)
    return len(files)


def cdxj(archives: Sequence[Archive], out: BinaryIO) -> int:
    """The index that replay tools read, sorted."""
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        for url, version in chain.from_iterable(archive.versions.all() for archive in archives):
            count += 1
            place = Place(version.file, version.offset, version.length, version.record)
            revisit = version.original is not None
            yield cdx.line(
                cdx.Entry(url, version.began, version.media_type, version.status, version.payload, place, revisit)
            )

    cdx.write_sorted(lines(), out)
    return count


def _copy(source: BinaryIO, out: BinaryIO, length: int) -> None:
    while length > 0 and (data := source.read(min(CHUNK, length))):
        out.write(data)
        length -= len(data)


def to_path(write: Callable[[BinaryIO], int], path: Path) -> int:
    """Write beside the target first, so that a half-written file never has its name."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as out:
            count = write(out)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return count
