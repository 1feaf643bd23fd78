"""All captures of an archive, in the order they were written, for a shard that has lost its rows: also beside damage.

Unlike the tail that a kill leaves (`whole_captures`), which ends where something is not whole, what lies behind a gap
counts here, and a response whose request or metadata are gone is still a capture.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gossamer.model import Capture, Kind
from gossamer.store.archive import Archive
from gossamer.store.warc.reader import group_of, part, records
from gossamer.store.warc.warc import RESOURCE, Record, id_of, warc_files

_RESPONSES = ("response", "revisit", RESOURCE)


class Replayed(NamedTuple):
    """A capture, or what is left of it."""

    response: Record
    rest: tuple[Record, ...]
    """Request and metadata, those that are there."""

    @property
    def end(self) -> tuple[str, int]:
        """The file, and the offset after it."""
        last = (self.response, *self.rest)[-1].place
        return last.file, last.offset + last.length

    def capture(self, archive: Archive) -> Capture:
        """With what its metadata tell of the visit, where they are."""
        found = {part(record): record for record in self.rest}
        if "metadata" in found:
            return archive.restored(group_of(self.response, found))
        url = self.response.url or ""
        return archive.decoded(self.response, url, Kind.ROBOTS if url.endswith("/robots.txt") else Kind.PAGE)


def captures(folder: Path, after: tuple[str, int] = ("", 0)) -> Iterator[Replayed]:
    """Every capture behind a place in the files."""
    name, offset = after
    for path in warc_files(folder):
        if path.name >= name:
            yield from _together(records(path, offset if path.name == name else 0))


def _together(found: Iterator[Record]) -> Iterator[Replayed]:
    response: Record | None = None
    rest: list[Record] = []
    for record in found:
        if record.is_aside:
            continue
        if record.type in _RESPONSES:
            if response is not None:
                yield Replayed(response, tuple(rest))
            response, rest = record, []
        elif response is not None and record.field("warc-concurrent-to") == id_of(response.place.record):
            rest.append(record)
    if response is not None:
        yield Replayed(response, tuple(rest))
