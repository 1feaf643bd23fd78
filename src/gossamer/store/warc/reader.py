"""Read WARC files back, also those that a crash has cut short or a disk has damaged.

Which bytes are whole members is decided here, by their checksums, since fastwarc hands out the
beginning of a record that was cut as if it were one. What stands in a whole member is read by
fastwarc: the fastest reader there is, and it knows the oddities of other people's headers.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from errno import ENOSPC
from io import BytesIO
from itertools import accumulate
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.model import URL, Capture, Headers, Kind, Provenance, Visit, status_in
from gossamer.store.warc.gzip_members import RECORD_MOST, InflateError, inflating, members, unpacked_at_once
from gossamer.store.warc.warc import (
    HEAD_END,
    JPEG,
    OUR_FIELDS,
    RESOURCE,
    Circumstances,
    Place,
    Record,
    date,
    id_of,
    placed,
    uuid_of,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # fastwarc 1.1 warns of old names of its own
    from fastwarc import ArchiveIterator

RENDERED, SCREENSHOT = "conversion", "screenshot"
"""What a browser has made of a page, by its type; and the one that is a picture."""
_BESIDE = (RENDERED, SCREENSHOT, "request", "metadata")
_CIRCUMSTANCES = b"gossamer-capture: "
_AGAIN = 1 << 20
_BEGINNING = 16 << 10
_OFFSET_MOST = (1 << 63) - 1
CURE = "`gossamer verify DIR --repair` saves all others, and the next crawl fetches it again"


@dataclass(frozen=True, slots=True)
class Group:
    """All records of one capture."""

    response: Record
    """Or a revisit."""
    request: Record | None
    """A file that was imported need not have it."""
    metadata: Record
    rendered: Record | None = None
    """What a browser has made of the page."""
    screenshot: Record | None = None
    """What that looked like."""
    asides: tuple[Record, ...] = ()
    """Records between it and the capture before, which an import has kept."""

    @property
    def start(self) -> int:
        """The offset in the file of the first of them."""
        return (*self.asides, self.response)[0].place.offset

    @property
    def end(self) -> int:
        """The offset in the file after it."""
        return self.metadata.place.offset + self.metadata.place.length

    def capture(self) -> Capture:
        """The capture as it was, but for `body`, which is not decoded here. A revisit has no `wire`."""
        told = circumstances(self.metadata)
        return replace(
            capture_of(self.response, told.visit.url, told.visit.kind),
            visit=told.visit,
            seconds=told.seconds,
            request=self.request.block if self.request else b"",
            decoding=told.decoding,
            failure=told.failure,
            source=told.source,
            rendered=self.rendered.block if self.rendered else b"",
            screenshot=self.screenshot.block if self.screenshot else b"",
        )


def capture_of(response: Record, url: URL, kind: Kind) -> Capture:
    """What one record tells of a capture: the answer, but not how it was asked for or decoded."""
    response = with_head(response)
    head, began = response.head, response.began
    return Capture(
        visit=Visit(url, kind),
        began=began,
        seconds=0.0,
        status=status_in(head),
        headers=http_fields(head),
        head=head,
        wire=response.payload,
        address=response.field("warc-ip-address"),
        truncated=response.field("warc-truncated"),
        provenance=_provenance(response, began),
    )


def with_head(record: Record) -> Record:
    """A resource has no HTTP head, so it gets the one that a server would have sent; all others stay as they are."""
    if record.type != RESOURCE:
        return record
    media_type = " ".join((record.field("content-type") or "application/octet-stream").split())
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(record.block)}\r\n\r\n"
    fields = (("content-type", "application/http"), *record.fields)
    return replace(record, fields=fields, block=head.encode("latin-1", "replace") + record.block)


def _provenance(response: Record, began: float) -> Provenance | None:
    """What we would not have written."""
    told = response.field("warc-date") or ""
    moment = told if told != date(began) else ""
    further = tuple(field for field in response.fields if field[0] not in OUR_FIELDS)
    kind = RESOURCE if response.type == RESOURCE else ""
    return Provenance("", moment, further, kind) if further or moment or kind else None


def read(folder: Path, place: Place) -> Record:
    """The record at a place that was kept in mind."""
    (record,) = read_together(placed(folder, place.file), place.offset, [place.length]) or (None,)
    if record is None or record.place != place:
        where = f"{folder / place.file}: record {place.record} is not whole at offset {place.offset}"
        raise Damaged(f"{where}; {CURE}")
    return record


def read_head(folder: Path, place: Place) -> bytes:
    """The HTTP head of a record. Where it is not in what the record begins with, all of it is unpacked."""
    data = read_bytes(placed(folder, place.file), place.offset, [min(place.length, _BEGINNING)])
    try:
        begins: bytes = inflating().decompress(data, _BEGINNING)
    except InflateError:
        begins = b""
    header, _, block = begins.partition(b"\r\n\r\n")
    end = HEAD_END.search(block) if b"WARC-Type: resource\r\n" not in header else None
    return block[: end.end()] if end else with_head(read(folder, place)).head


def read_together(path: Path, offset: int, lengths: Sequence[int]) -> list[Record]:
    """The records of those lengths that lie one behind the other; none where one of them is not whole."""
    data = read_bytes(path, offset, lengths)
    found = []
    for start, length in zip(accumulate(lengths, initial=0), lengths, strict=False):
        member = unpacked_at_once(data[start : start + length])
        record = _record(path.name, offset + start, length, member) if member else None
        if record is None:
            return []
        found.append(record)
    return found


def read_bytes(path: Path, offset: int, lengths: Sequence[int]) -> bytes:
    """What lies there of records that are so long, as it is."""
    _require_lengths(path, offset, lengths)
    try:
        return files.read_at(path, sum(lengths), offset)
    except FileNotFoundError as error:
        raise Damaged(f"{path}: is missing; restore it from a copy, or {CURE}") from error
    except OSError as error:
        raise files.unreadable(error, path) from error


def _require_lengths(path: Path, offset: int, lengths: Sequence[int]) -> None:
    """A row may come from anybody, and room for what it says is made before a byte is read."""
    if not 0 <= offset <= _OFFSET_MOST - sum(lengths) or not all(0 <= length <= RECORD_MOST for length in lengths):
        where = f"{path}: a row says {sum(lengths)} bytes at offset {offset}"
        raise Damaged(f"{where}, and no record is like that; {CURE}")


def records(path: Path, start: int = 0, end: int | None = None, *, unbroken: bool = False) -> Iterator[Record]:
    """Every whole record from `start` on that begins before `end`. Where bytes are damaged, the next one begins after a
    gap; `unbroken` records end there."""
    for member in members(path, start, end, unbroken=unbroken):
        record = _record(path.name, member.offset, member.length, member.data)
        if record is not None:
            yield record


def whole_captures(path: Path, start: int = 0, *, asides: bool = False) -> Iterator[Group]:
    """The captures from `start` up to the first that is not whole; `asides` only where they are asked for.

    After a crash: replay them, then `cut` the file at the `end` of the last.
    """
    unbroken = (record for record in _unbroken(path, start) if record.type != "warcinfo" or record.is_aside)
    between: list[Record] = []
    for response in unbroken:
        if response.is_aside:
            between += [response] if asides else ()
            continue
        beside = id_of(response.place.record)
        found: dict[str, Record] = {}
        while "metadata" not in found:
            record = next(unbroken, None)
            if record is None or record.field("warc-concurrent-to") != beside or part(record) not in _BESIDE:
                return
            found[part(record)] = record
        if "request" not in found and not _is_imported(found["metadata"]):
            return
        yield group_of(response, found, tuple(between))
        between.clear()


def group_of(response: Record, found: Mapping[str, Record], asides: tuple[Record, ...] = ()) -> Group:
    """A response with what was found behind it, by what each is to it."""
    beside = (found.get("request"), found["metadata"], found.get(RENDERED), found.get(SCREENSHOT))
    return Group(response, *beside, asides)


def part(record: Record) -> str:
    """What a record is to its capture: its type, but of two conversions one is a picture."""
    return SCREENSHOT if record.type == RENDERED and record.field("content-type") == JPEG else record.type


def _is_imported(metadata: Record) -> bool:
    try:
        return circumstances(metadata).source is not None
    except Damaged:
        return False


def is_made_of(record: Record, response: str, kind: str) -> bool:
    """Is it what a browser has made of the response with this UUID, and of this kind?"""
    return part(record) == kind and uuid_of(record.field("warc-refers-to") or "") == response


def cut(path: Path, length: int) -> None:
    """Drop what comes after `length`, for good."""
    try:
        with files.open(path, "r+b", buffering=0) as file:
            file.truncate(length)
            os.fsync(file.fileno())
    except OSError as error:
        raise files.told(error, path) from error


def forget_cached(path: Path, start: int) -> None:
    """What is read from `start` on comes from the disk, where the system can do that."""
    if hasattr(os, "posix_fadvise"):
        with files.open(path) as file:
            os.posix_fadvise(file.fileno(), start, 0, os.POSIX_FADV_DONTNEED)


def write_again(path: Path, start: int, end: int) -> None:
    """Put bytes where they are already, and sync them: pages that the kernel takes for written count as changed."""
    if end <= start:
        return
    try:
        with files.open(path, "r+b", buffering=0) as file:
            for position in range(start, end, _AGAIN):
                data = os.pread(file.fileno(), min(_AGAIN, end - position), position)
                if os.pwrite(file.fileno(), data, position) < len(data):
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
            os.fsync(file.fileno())
    except OSError as error:
        raise files.told(error, path) from error


def _unbroken(path: Path, start: int) -> Iterator[Record]:
    for record in records(path, start, unbroken=True):
        if record.place.offset != start:  # a member in between that is no record
            return
        yield record
        start += record.place.length


def _record(file: str, offset: int, length: int, data: bytes) -> Record | None:
    """What a member holds; None when that is no whole record."""
    try:
        parsed = next(iter(ArchiveIterator(BytesIO(data), parse_http=False)), None)
        if parsed is None:
            return None
        block = parsed.reader.read()
        fields = tuple((name.lower(), value) for name, value in parsed.headers.items())
    except (OSError, ValueError):
        return None
    if len(block) != parsed.content_length:
        return None
    named = dict(fields)
    place = Place(file, offset, length, uuid_of(named.get("warc-record-id", "")))
    return Record(place, named.get("warc-type", ""), fields, block)


def circumstances(metadata: Record) -> Circumstances:
    """What our own metadata tells; Damaged when it is not ours."""
    for line in metadata.block.splitlines():
        if line.startswith(_CIRCUMSTANCES):
            try:
                return msgspec.json.decode(line.removeprefix(_CIRCUMSTANCES), type=Circumstances)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                break
    raise Damaged(f"{metadata.place.file}: the metadata at offset {metadata.place.offset} is not ours")


def http_fields(head: bytes) -> Headers:
    """Names in lower case, and values."""
    lines = (line.partition(":") for line in head.decode("latin-1").split("\n")[1:])
    return tuple((name.strip().lower(), value.strip()) for name, colon, value in lines if colon)
