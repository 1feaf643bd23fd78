"""Is every row backed by a record, and every record known to a row?

One pass over the WARC files checks each record's digest and looks for its row. Rows that the pass did not meet are
then asked for one by one, so that a sound archive is read once, from front to back. Texts are checked the same way,
but one that no row knows is no fault: a build that was killed may leave some.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gossamer.errors import Damaged
from gossamer.store.archive import NOT_MODIFIED, Archive
from gossamer.store.versions import Version
from gossamer.store.warc import Record, payload_digest
from gossamer.store.warcreader import records, status_of


class Checked:
    """What was looked at, and what is wrong with it."""

    def __init__(self) -> None:
        self.records = 0
        self.rows = 0
        self.problems: list[str] = []

    def add(self, other: Checked) -> None:
        """One archive more."""
        self.records += other.records
        self.rows += other.rows
        self.problems += other.problems


def verify_archive(archive: Archive) -> Checked:
    """Check all WARC files against all rows."""
    checked = Checked()
    met = 0
    for path, length in archive.files():
        for record in _contiguous(path, length, checked):
            checked.records += 1
            met += _check(archive, record, checked)
    worded = _check_texts(archive, checked)
    texts = 0
    for _, version in archive.versions.all():
        checked.rows += 1
        texts += version.text is not None
    if checked.rows != met:
        checked.problems += _unbacked(archive)
    if texts != worded:
        checked.problems += _wordless(archive)
    return checked


def _check_texts(archive: Archive, checked: Checked) -> int:
    """How many texts were met that a row points at."""
    met = 0
    for path, length in archive.texts.files():
        for record in _contiguous(path, length, checked):
            checked.records += 1
            if record.type == "conversion" and record.url is not None:
                versions = archive.versions.of(record.url, until=record.began)
                met += any(version.text and version.text.record == record.place.record for version in versions)
    return met


def _contiguous(path: Path, length: int, checked: Checked) -> Iterator[Record]:
    position = 0
    for record in records(path):
        place = record.place
        if place.offset >= length:
            break
        if place.offset != position:
            checked.problems.append(f"{path.name}: bytes {position} to {place.offset} are not a whole record")
        position = place.offset + place.length
        yield record
    if position < length:
        checked.problems.append(f"{path.name}: bytes {position} to {length} are not a whole record")


def _check(archive: Archive, record: Record, checked: Checked) -> int:
    """1 when a row points at this record."""
    if record.type not in ("response", "revisit"):
        return 0
    where = f"{record.place.file} at {record.place.offset}"
    told = record.field("warc-payload-digest")
    if record.type == "response" and told and told != payload_digest(record.payload):
        checked.problems.append(f"{where}: the payload of {record.url} does not have its digest")
    if record.type == "revisit" and status_of(record.head) == NOT_MODIFIED:
        return 0
    if any(version.record == record.place.record for version in _rows(archive, record)):
        return 1
    checked.problems.append(f"{where}: no row knows this capture of {record.url}")
    return 0


def _rows(archive: Archive, record: Record) -> Iterator[Version]:
    return archive.versions.of(record.url or "", until=record.began) if record.url else iter(())


def _unbacked(archive: Archive) -> Iterator[str]:
    for url, version in archive.versions.all():
        try:
            archive.record(version)
        except Damaged as error:
            yield f"{url}: {error}"


def _wordless(archive: Archive) -> Iterator[str]:
    for url, version in archive.versions.all():
        try:
            if version.text:
                archive.texts.read(url, version.text)
        except Damaged as error:
            yield f"{url}: {error}"
