"""The file of files in which Office kept its documents until 2007: [MS-CFB], OLE2 or compound files.

Storages are folders and streams are files; the sectors of a stream are chained in a table, as in the FAT of DOS. Our
own reader instead of olefile's, because of hostile files: every chain is at most as long as the table, every entry of
the directory is met once, and a sector that is missing ends its stream instead of the whole document.

`read` is for compound files that no reader takes: locked ones, damaged ones, and those of other programs. The page that
it gives says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import Struct, unpack_from

from gossamer.convert.files.page import About, page_of
from gossamer.convert.source import Source
from gossamer.model import Page

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_HEADER = Struct("<8s16x5H6x9I")
_ENTRY = Struct("<64sHBBIII16xI16xIQ")
_LAST = 0xFFFFFFFA
"""From here on, numbers of sectors have a meaning of their own: end of chain, free, part of the table."""
_NONE = 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_MINI = 64
_IN_HEADER = 109
"""Sectors of the table that the header itself lists."""
_KINDS = (
    ("worddocument", "application/msword"),
    ("workbook", "application/vnd.ms-excel"),
    ("book", "application/vnd.ms-excel"),
    ("powerpoint document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)


class Broken(Exception):
    """The file is not what it says it is; the message tells a person what is wrong."""


@dataclass(slots=True)
class Entry:
    """A stream or a storage."""

    name: str
    start: int = 0
    size: int = 0
    members: dict[str, Entry] | None = None
    """Of a storage, by their names in lower case; None for a stream."""


@dataclass(slots=True)
class _Sectors:
    """Chains of sectors in a piece of memory."""

    data: bytes
    size: int
    skipped: int
    """Bytes before the first sector."""
    table: Sequence[int] = field(default=())

    def at(self, number: int) -> bytes:
        start = self.skipped + number * self.size
        return self.data[start : start + self.size]

    def chain(self, start: int, most: int) -> bytes:
        """The bytes of a chain, at most so many. One that is longer than the table is a loop."""
        parts, left, number = [], min(-(-most // self.size), len(self.table)), start
        while left > 0 and number < len(self.table):
            parts.append(self.at(number))
            number = self.table[number]
            left -= 1
        return b"".join(parts)[:most]


class Compound:
    """The directory of a file, and its streams by their path."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(SIGNATURE) or len(data) < 512:
            raise Broken("not a compound file, or cut off in its header")
        fields = _HEADER.unpack_from(data)
        shift, directory, cutoff, mini_table = fields[4], fields[8], fields[10], fields[11]
        if shift not in (9, 12):
            raise Broken("sectors of a size that does not exist")
        self._large = _Sectors(data, 1 << shift, 1 << shift)
        self._large.table = _table(self._large, data, fields[13], fields[14])
        self._cutoff = cutoff
        self.root = _tree(self._large.chain(directory, len(data)))
        small = self._large.chain(self.root.start, min(self.root.size, len(data)))
        table = self._large.chain(mini_table, len(data))
        self._small = _Sectors(small, _MINI, 0, _numbers(table))

    def storage(self, *path: str) -> dict[str, Entry]:
        """What lies in a storage, by name in lower case; nothing, if there is no such storage."""
        found = self._find(path)
        return (found.members or {}) if found else {}

    def has(self, *path: str) -> bool:
        """Is there something of this name?"""
        return self._find(path) is not None

    def stream(self, *path: str, most: int = 1 << 40) -> bytes:
        """The bytes of a stream, at most so many; none, if there is no such stream."""
        found = self._find(path)
        if found is None or found.members is not None:
            return b""
        sectors = self._small if found.size < self._cutoff else self._large
        return sectors.chain(found.start, min(found.size, most, len(self._large.data)))

    def _find(self, path: Sequence[str]) -> Entry | None:
        found: Entry | None = self.root
        for name in path:
            found = (found.members or {}).get(name.lower()) if found else None
        return found


def _numbers(data: bytes) -> tuple[int, ...]:
    count = len(data) // 4
    return unpack_from(f"<{count}I", data)


def _table(sectors: _Sectors, data: bytes, further: int, further_count: int) -> tuple[int, ...]:
    """Which sector follows which. The header lists the first sectors of the table, the rest is listed in a chain."""
    listed = list(unpack_from(f"<{_IN_HEADER}I", data, 76))
    per_sector = sectors.size // 4
    there = len(data) // sectors.size
    for _ in range(min(further_count, there // per_sector + 1)):
        if further >= _LAST:
            break
        more = _numbers(sectors.at(further))
        if len(more) < per_sector:
            break
        listed += more[:-1]
        further = more[-1]
    numbers: list[int] = []
    for number in listed:
        if number < _LAST and len(numbers) <= there:
            numbers += _numbers(sectors.at(number).ljust(sectors.size, b"\xff"))
    return tuple(numbers)


def _tree(directory: bytes) -> Entry:
    """The directory. Each storage is a search tree of its members; all that matters is that none is met twice."""
    entries = [_ENTRY.unpack_from(directory, at) for at in range(0, len(directory) - 127, 128)]
    if not entries or entries[0][2] != _ROOT:
        raise Broken("a compound file without a root")
    root = Entry("", entries[0][8], entries[0][9], {})
    todo = [(entries[0][6], root)]
    met = {0}
    while todo:
        number, parent = todo.pop()
        if number in met or number >= len(entries) or parent.members is None:
            continue
        met.add(number)
        raw, length, kind, _, left, right, child, _, start, size = entries[number]
        todo += ((left, parent), (right, parent))
        if kind in (_STORAGE, _STREAM):
            name = raw[: max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            entry = Entry(name, start, size & 0xFFFFFFFF, {} if kind == _STORAGE else None)
            parent.members.setdefault(name.lower(), entry)
            todo.append((child, entry))
    return root


def kind_of(data: bytes) -> str | None:
    """The media type of a compound file, by the streams that it has; None when they say nothing."""
    try:
        names = Compound(data).storage()
    except Broken:
        return None
    return next((kind for name, kind in _KINDS if name in names), None)


def read(source: Source) -> Page:
    """Why nothing is read."""
    try:
        locked = Compound(source.data).has("EncryptedPackage")
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))
    problem = (
        "encrypted: it can only be read with its password" if locked else "a compound file with nothing known in it"
    )
    return page_of(source, "", About(), problem=problem)
