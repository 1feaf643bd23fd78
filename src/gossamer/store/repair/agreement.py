"""Does a row say what its records say? Somebody may have written it, or a disk, with checksums that agree.

Only what the records settle is compared. Of a capture that is its status, its date (by which it was found), whether it
was cut and of what it is a copy, and the digest and size of its body; of a page what was read from it and kept with its
text, above all its media type. A body is decoded for that, so one whose coding is odd, or that was cut, proves nothing:
at another time it may have been decoded up to another place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gossamer.errors import Damaged
from gossamer.model import URL, Capture, status_in
from gossamer.store.archive import Archive
from gossamer.store.versions import Version
from gossamer.store.warc.reader import circumstances, whole_captures
from gossamer.store.warc.text_records import row_part
from gossamer.store.warc.warc import Record, payload_digest
from gossamer.urls import keys

_Told: TypeAlias = tuple[str, object, object]
"""What it is about, what the row says, and what is so."""


def is_of(record: Record, url: URL, row: Version) -> bool:
    """Is it about this version of this page?"""
    about = record.url or ""
    return "://" in about and keys.row(about) == keys.row(url) and _moment(record.began) == _moment(row.began)


def of_capture(archive: Archive, record: Record, row: Version) -> str | None:
    """Where a row differs from its response or revisit record."""
    return _first(_head(record, row)) or _first(_body(archive, record, row))


def of_circumstances(metadata: Record, row: Version) -> str | None:
    """The same, by what was noted beside the record."""
    try:
        return _first([("kind", str(row.kind), str(circumstances(metadata).visit.kind))])
    except Damaged:
        return None


def of_text(said: Record, row: Version) -> str | None:
    """The same, by what was kept with the text of a page."""
    try:
        return _first([(name, getattr(row, name), told) for name, told in row_part(said).items()])
    except Damaged as error:
        return str(error)


def _first(told: Iterable[_Told]) -> str | None:
    for name, says, is_ in told:
        if says != is_:
            return f"its row has {says!r:.80} as {name}, but it is {is_!r:.80}"
    return None


def _head(record: Record, row: Version) -> Iterator[_Told]:
    if status := status_in(record.head):
        yield "status", row.status, status
    yield "truncated", row.truncated, record.field("warc-truncated")
    original = record.original
    yield "original", row.original, original.url if original else None
    yield "date of its original", _moment(row.original_began), _moment(original.began if original else 0.0)
    if digest := record.field("warc-payload-digest"):
        yield "digest", row.payload, digest


def _body(archive: Archive, record: Record, row: Version) -> Iterator[_Told]:
    if row.original is not None:
        source = archive.versions.at(row.original, row.original_began)
        if source is None or (source.digest, source.size) == (row.digest, row.size):
            return  # the original is looked at for itself
    try:
        capture = archive.decoded(record, record.url or "", row.kind)
    except Damaged:
        return
    if row.rendered:  # its digest is that of what a browser has made
        yield "size", row.size, len(capture.body)
        return
    plain = capture.body is capture.wire
    digest = record.field("warc-payload-digest") if plain else None
    size, digest = len(capture.body), digest or payload_digest(capture.body)
    has_none = not (size or row.digest)  # what has no body need not have a digest
    if row.size == size and (row.digest == digest or has_none):
        return
    if not (_may_be_cut(row, capture, plain) or _was_faulty(archive, record, row)):
        yield "size", row.size, size
        yield "digest", row.digest, digest


def _may_be_cut(row: Version, capture: Capture, plain: bool) -> bool:
    """Was it decoded up to another place then? So it may be where something is wrong with it, or limits were others."""
    begins = capture.body[: row.size]
    is_part = len(begins) == row.size and payload_digest(begins) == row.digest
    return not plain and (capture.truncated is not None or capture.decoding is not None or is_part)


def _was_faulty(archive: Archive, record: Record, row: Version) -> bool:
    """Was something wrong with the answer, as with the frames of its body? Then what came of it is anybody's guess."""
    group = next(whole_captures(archive.path(row), record.place.offset), None)
    try:
        told = circumstances(group.metadata) if group else None
    except Damaged:
        return True
    return told is not None and (told.failure is not None or told.decoding is not None)


def _moment(seconds: float) -> int:
    """WARC dates are in milliseconds."""
    return round(seconds * 1_000)
