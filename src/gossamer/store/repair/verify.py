"""Is every row backed by a record, and every record known to a row that says the same?

One pass over the WARC files checks each record's digest and compares it with its row (`agreement`). Rows that the pass
did not meet are then asked for one by one, so that a sound archive is read once, from front to back. Texts are checked
the same way, but one that no row knows is no fault: a build that was killed may leave some. The lines of a CDXJ index
are made from the rows, one for each, and sorted on the way: with the rows it is complete. What is not seen: a bit that
only fills up a byte of a compressed stream, and says nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gossamer import files
from gossamer.errors import Damaged
from gossamer.model import URL, status_in
from gossamer.printable import counted
from gossamer.store.archive import Archive
from gossamer.store.repair import agreement
from gossamer.store.versions import NOT_MODIFIED, TextPlace, Version
from gossamer.store.warc.gzip_members import HEADER_LENGTH, is_ours
from gossamer.store.warc.reader import records, whole_captures
from gossamer.store.warc.warc import RESOURCE, Place, Record, id_of, payload_digest, warc_files


class Gap(NamedTuple):
    """Bytes of a file that are no whole record."""

    file: str
    start: int
    end: int


@dataclass
class Checked:
    """What was looked at, and what is wrong with it."""

    records: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    """In files of captures. What else is wrong there is in the next two."""
    ill: set[str] = field(default_factory=set)
    """Files of captures that have to be written again."""
    unbacked: list[tuple[URL, Version]] = field(default_factory=list)
    unknown: list[Place] = field(default_factory=list)
    """Captures without a row."""
    untrue: list[tuple[URL, float]] = field(default_factory=list)
    """Versions whose rows say something else than their records, which are whole: address and date."""
    texts_ill: bool = False
    unread: list[str] = field(default_factory=list)
    """Pages that were kept and could not be read; no damage, and nothing that a repair could mend."""
    notes: list[str] = field(default_factory=list)
    """What should be known and is no damage: captures that wait to be taken in, or cannot be."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Records by their types."""
    digests: int = 0
    """Records whose block was compared with its digest; those of older files have none."""
    passed: Callable[[int], None] = field(default=lambda octets: None, repr=False, compare=False)
    """Called with the length of each record, once it was read."""

    def add(self, other: Checked) -> None:
        """One archive more."""
        self.records += other.records
        self.kinds += other.kinds
        self.digests += other.digests
        self.rows += other.rows
        self.problems += other.problems
        self.unread += other.unread
        self.notes += other.notes


def octets(archive: Archive) -> int:
    """How much there is to read."""
    return sum(length for _, length in (*archive.files.all(), *archive.texts.files()))


def verify_archive(
    archive: Archive,
    removed: Callable[[URL], bool] = lambda url: False,
    passed: Callable[[int], None] = lambda octets: None,
) -> Checked:
    """Check all WARC files against all rows. What was `removed` needs no row; `passed` hears how much was read."""
    checked = Checked(passed=passed)
    met = 0
    checked.problems += [f"{name}: is missing" for name in archive.files.missing()]
    for path, length in archive.files.all():
        met += _check_file(archive, path, length, checked, removed)
    worded = _check_texts(archive, checked)
    texts = 0
    for url, version in archive.versions.all():
        checked.rows += 1
        texts += version.text is not None
        if version.original is not None and archive.versions.at(version.original, version.original_began) is None:
            checked.problems.append(f"{url}: the capture of {version.original} that has its payload is missing")
            checked.unbacked.append((url, version))
    if checked.rows != met:
        _check_rows(archive, checked)
    if texts != worded:
        _check_words(archive, checked)
    checked.unread += [f"{url}: {note.problem}" for url, note in archive.not_read()]
    checked.notes += [f"{url}: {reason}" for url, reason in archive.passed.all()]
    checked.notes += _wasted(archive)
    checked.notes += _ahead(archive)
    return checked


def _wasted(archive: Archive) -> Iterator[str]:
    """What was pruned and lies in files of which most is of use."""
    if count := archive.pruned.count():
        yield f"{counted(count, 'record')} of old versions that are kept no longer; `gossamer prune DIR` takes them out"


def _ahead(archive: Archive) -> Iterator[str]:
    """What a crawl that was killed has left past the committed length."""
    name, length = archive.files.committed()
    for path in warc_files(archive.folder):
        end = start = length if path.name == name else 0
        size = files.size(path)
        if path.name < name or size <= start:
            continue
        count = 0
        for group in whole_captures(path, start):
            end, count = group.end, count + 1
        if count:
            more = counted(count, "capture")
            yield f"{path.name}: the next crawl takes in {more} from byte {start} on, which no commit has"
        if end < size:
            yield f"{path.name}: the next crawl cuts off bytes {end} to {size}, which are no whole capture"


def _check_file(archive: Archive, path: Path, length: int, checked: Checked, removed: Callable[[URL], bool]) -> int:
    """How many records of a file were met that a row points at."""
    met, gaps, row = 0, len(checked.gaps), None
    with files.open(path, buffering=0) as file:
        for record in _contiguous(path, length, checked):
            problem = _odd_header(file.fileno(), record.place.offset) or wrong_digest(record)
            if problem is None and is_capture(record):
                problem = _unaccounted(archive, record, checked, removed)
                row = None if problem else _known(archive, record)
                met += row is not None
                _compare(archive, record, row, checked)
            elif record.type == "metadata" and not record.is_aside:
                _compare(archive, record, row, checked)
            elif problem is None and record.is_aside and not archive.asides.has(record):
                problem = f"no row knows this {record.type} record of {record.url}"
            if problem:
                checked.problems.append(f"{path.name} at {record.place.offset}: {problem}")
                checked.ill.add(path.name)
    if len(checked.gaps) > gaps:
        checked.ill.add(path.name)
    return met


def _contiguous(path: Path, length: int, checked: Checked) -> Iterator[Record]:
    position = 0
    for record in records(path, end=length):
        place = record.place
        if place.offset != position:
            _gap(Gap(path.name, position, place.offset), checked)
        position = place.offset + place.length
        checked.records += 1
        checked.kinds[record.type] += 1
        checked.digests += record.field("warc-block-digest") is not None
        checked.passed(place.length)
        yield record
    if position < length:
        _gap(Gap(path.name, position, length), checked)


def _gap(gap: Gap, checked: Checked) -> None:
    checked.gaps.append(gap)
    checked.problems.append(f"{gap.file}: bytes {gap.start} to {gap.end} are not a whole record")


def _odd_header(file: int, offset: int) -> str | None:
    """Bytes that no reader looks at are damaged too when they are not as they were written."""
    header = os.pread(file, HEADER_LENGTH, offset)
    return None if is_ours(header) else "the header of its gzip member is not as it was written; the record is whole"


def wrong_digest(record: Record) -> str | None:
    """What is wrong when the payload or the block is another one than the record says."""
    told = record.field("warc-payload-digest") if not record.is_aside else None
    if record.type == "response" and told and told != payload_digest(record.payload):
        return f"the payload of {record.url} does not have its digest"
    return None if record.is_as_written else f"the {record.type} record of {record.url} does not have its digest"


def is_capture(record: Record) -> bool:
    """Has it a row? A 304 has none: it is no version, also where there is nothing before it that could still hold."""
    if record.is_aside:
        return False
    return record.type in ("response", "revisit", RESOURCE) and status_in(record.head) != NOT_MODIFIED


def row_of(archive: Archive, record: Record) -> Version | None:
    """The version of that address and moment."""
    url = record.url or ""
    return archive.versions.at(url, record.began) if "://" in url else None


def _unaccounted(archive: Archive, record: Record, checked: Checked, removed: Callable[[URL], bool]) -> str | None:
    row = row_of(archive, record)
    if row is None:
        passed = archive.passed.reason(record.url or "", record.began) is not None
        if (
            passed
            or archive.pruned.has(record.url or "", record.began)
            or removed(record.url or "")
            or _has_lost_its_original(archive, record)
        ):
            return None
        checked.unknown.append(record.place)
        return f"no row knows this capture of {record.url}"
    misplaced = row.record == record.place.record and _place(row) != record.place
    if misplaced and not lies_elsewhere(archive, record):
        return f"the row of {record.url} says that it lies in {row.file} at {row.offset}"
    return None


def _known(archive: Archive, record: Record) -> Version | None:
    """The row that points at it."""
    row = row_of(archive, record)
    return row if row is not None and _place(row) == record.place else None


def _compare(archive: Archive, record: Record, row: Version | None, checked: Checked) -> None:
    """A capture, or the metadata behind it, with its row."""
    if row is None:
        return
    if record.type != "metadata":
        words = agreement.of_capture(archive, record, row)
    elif record.field("warc-concurrent-to") == id_of(row.record):
        words = agreement.of_circumstances(record, row)
    else:
        return
    _disagree(record.url or "", row, words, checked)


def _disagree(url: URL, row: Version, words: str | None, checked: Checked) -> None:
    if words:
        checked.problems.append(f"{url}: {words}")
        checked.untrue.append((url, row.began))


def lies_elsewhere(archive: Archive, record: Record) -> bool:
    """It is a second copy, as when a file was restored that had been written again: its row has the other one."""
    row = row_of(archive, record)
    if row is None or row.record != record.place.record or row.file == record.place.file:
        return False
    try:
        archive.record(row)
    except Damaged:
        return False
    return True


def _has_lost_its_original(archive: Archive, record: Record) -> bool:
    """A revisit of what is gone has nothing to show, and no row."""
    original = record.original
    return original is not None and archive.versions.at(original.url, original.began) is None


def _place(version: Version) -> Place:
    return Place(version.file, version.offset, version.length, version.record)


def _check_rows(archive: Archive, checked: Checked) -> None:
    for url, version in archive.versions.all():
        try:
            record = archive.record(version)
            if not agreement.is_of(record, url, version):
                raise Damaged(f"its row points at a capture of {record.url}")
        except Damaged as error:
            checked.problems.append(f"{url}: {error}")
            checked.unbacked.append((url, version))


# ----------------------------------------------------------------------- texts


def _check_texts(archive: Archive, checked: Checked) -> int:
    """How many texts were met that a row points at."""
    met, apart = 0, Checked(passed=checked.passed)
    for path, length in archive.texts.files():
        row = None
        for record in _contiguous(path, length, apart):
            if problem := wrong_digest(record):
                apart.problems.append(f"{path.name} at {record.place.offset}: {problem}")
            if record.type == "metadata" and row is not None and row.text and _ends_at(row.text, record.place):
                met += 1
                _disagree(record.url or "", row, agreement.of_text(record, row), checked)
            elif record.type == "conversion" and not (row and row.text and _goes_on_at(row.text, record.place)):
                row = row_of(archive, record)
                row = row if row and row.text and _is_at(row.text, record.place) else None
    checked.texts_ill = bool(apart.problems)
    checked.add(apart)
    return met


def _is_at(text: TextPlace, place: Place) -> bool:
    return (text.file, text.offset, text.html, text.record) == (place.file, place.offset, place.length, place.record)


def _goes_on_at(text: TextPlace, place: Place) -> bool:
    return (text.file, text.offset + text.html, text.plain) == (place.file, place.offset, place.length)


def _ends_at(text: TextPlace, place: Place) -> bool:
    offset = text.offset + text.html + text.plain
    return (text.file, offset, text.said) == (place.file, place.offset, place.length)


def _check_words(archive: Archive, checked: Checked) -> None:
    for url, version in archive.versions.all():
        try:
            if version.text and not agreement.is_of(archive.texts.records(url, version.text)[0], url, version):
                _disagree(url, version, "its row points at the text of another page", checked)
        except Damaged as error:
            checked.problems.append(f"{url}: {error}")
            checked.texts_ill = True
