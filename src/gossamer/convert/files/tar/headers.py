"""Reads the headers of every TAR file that is read, and trusts none of them.

A TAR file has no directory: each member has a block of 512 bytes before it, and one has to go from block to block. All
dialects are read: that of Unix V7, ustar, that of GNU with long names, and pax, whose records come in a member of their
own. Not by `tarfile` of the standard library: sizes below zero send it round in circles, and a long row of long names
into itself.

Links, devices and folders are passed over. A sparse member, whose holes would have to be filled, is not read. Names
that climb out of the archive can do no harm, for nothing is written by them; but whoever wrote them meant it, and they
are left out. Of two members with one name the last counts, as when an archive is unpacked: programs append.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

BLOCK = 512
MEMBERS_MOST = 20_000
NAME_MOST = 4_096
"""Bytes of a name. No path of a system is longer."""
_HEADERS_MOST = 10 * MEMBERS_MOST
"""Also those of links and of records."""
_RECORDS_MOST = 1 << 20
"""Bytes of pax records that are looked at."""
_LATEST = 253_402_300_799.0
"""The last second of the year 9999."""
_FILES, _SPARSE, _LONG_NAME, _PAX, _PAX_FOR_ALL = (b"0", b"\0", b"7"), b"S", b"L", (b"x", b"X"), b"g"
_NO_BYTES = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Links, devices, folders and FIFOs: whatever size is said, the next header follows."""
_SPARSE_GOES_ON, _SPARSE_GOES_ON_FURTHER = 482, 504
"""Where the header of a sparse member says that a block with more of its map follows, and where such a block does."""
_SPARSELY, _SPARSE_NAME = b"GNU.sparse.", b"GNU.sparse.name"
_HEEDED = (b"path", b"size", b"mtime", _SPARSELY, _SPARSE_NAME)
_RECORD = re.compile(rb"([0-9]{1,7}) ([^=\n]{1,200})=")
_CLIMBS = re.compile(r"(?:^|/)\.\.(?:/|$)")


class Octets(Protocol):
    """What an archive is read from: bytes, or a file that is read where it is looked at."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One file in the archive."""

    name: str
    size: int
    start: int
    """Of its bytes."""
    changed: float
    """Seconds since 1970."""
    is_sparse: bool = False


class Damaged(Exception):
    """What follows cannot be told; says why."""


class Archive:
    """The members of a TAR file, by name. What was wrong with it is in `problem`, the first thing only."""

    def __init__(self, data: Octets) -> None:
        self._data = data
        self._for_all: dict[bytes, bytes] = {}
        self.problem = ""
        self.is_whole = True
        """It was read to its end."""
        self.members: dict[str, Member] = {}
        try:
            for member in self._listed():
                self._add(member)
        except Damaged as damage:
            self._cut(str(damage) if self.members else "not a TAR archive")

    def read(self, name: str, most: int) -> bytes:
        """How a member begins; nothing, if it is not there or is sparse."""
        member = self.members.get(name)
        if member is None or member.is_sparse:
            return b""
        return self._data[member.start : member.start + min(member.size, most)]

    def note(self, problem: str) -> None:
        """What was found to be wrong."""
        self.problem = self.problem or problem

    def _cut(self, problem: str) -> None:
        self.is_whole = False
        self.note(problem)

    def _add(self, member: Member) -> None:
        if _CLIMBS.search(member.name):
            self.note(f"a member is called {member.name[:100]!r}, which leads out of the archive")
        elif member.name in self.members or len(self.members) < MEMBERS_MOST:
            self.members.pop(member.name, None)
            self.members[member.name] = member
        else:
            raise Damaged(f"more than {MEMBERS_MOST:,} members; the others were not read")
        if member.is_sparse:
            self.note(f"{member.name[:100]!r} is sparse, and was not read")

    def _listed(self) -> Iterator[Member]:
        at, name, records = 0, b"", dict[bytes, bytes]()
        for _ in range(_HEADERS_MOST):
            header = self._data[at : at + BLOCK]
            if header and not header.strip(b"\0"):  # so it ends
                return
            _require_sum(header)
            kind, start = header[156:157], self._behind_map(header, at + BLOCK)
            said = _number(records.get(b"size"), _field(header, 124))
            at = start + (0 if kind in _NO_BYTES else -(-said // BLOCK) * BLOCK)
            if kind == _LONG_NAME:
                name = self._data[start : start + min(said, NAME_MOST + 1)].partition(b"\0")[0]
            elif kind == _PAX_FOR_ALL:
                self._for_all |= self._records(start, said)
            elif kind in _PAX:
                records = self._records(start, said)
            else:
                found = _member(header, name, self._for_all | records, start, said)
                name, records = b"", {}
                if found is not None:
                    yield found
        raise Damaged(f"more than {_HEADERS_MOST:,} headers; the others were not read")

    def _behind_map(self, header: bytes, start: int) -> int:
        """Where the bytes of a member begin: the map of a sparse one may be longer than its header."""
        goes_on = header[156:157] == _SPARSE and header[_SPARSE_GOES_ON] != 0
        while goes_on:
            block = self._data[start : start + BLOCK]
            goes_on = len(block) == BLOCK and block[_SPARSE_GOES_ON_FURTHER] != 0
            start += BLOCK
        return start

    def _records(self, start: int, size: int) -> dict[bytes, bytes]:
        """What pax says of the next member: each record begins with its own length."""
        data = self._data[start : start + min(size, _RECORDS_MOST)]
        at, found = 0, dict[bytes, bytes]()
        while record := _RECORD.match(data, at):
            end = at + int(record[1])
            if end <= record.end():
                break
            key = _SPARSELY if record[2].startswith(_SPARSELY) and record[2] != _SPARSE_NAME else record[2]
            if key in _HEEDED:
                found[key] = data[record.end() : end].removesuffix(b"\n")
            at = end
        return found


def _member(header: bytes, name: bytes, records: dict[bytes, bytes], start: int, size: int) -> Member | None:
    """What a header tells; None for what is no file."""
    kind = header[156:157]
    path = records.get(_SPARSE_NAME) or records.get(b"path") or name or _path(header)
    is_sparse = kind == _SPARSE or _SPARSELY in records
    if (kind not in _FILES and not is_sparse) or path.endswith(b"/") or len(path) > NAME_MOST:
        return None
    called = _text(path).replace("\0", "").lstrip("/")
    return Member(called, size, start, _date(records.get(b"mtime"), header), is_sparse) if called else None


def _path(header: bytes) -> bytes:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return prefix + b"/" + name if prefix else name


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _require_sum(header: bytes) -> None:
    """Each header has the sum of its bytes, which some have counted with signs."""
    if len(header) < BLOCK:
        raise Damaged("is cut short")
    others = header[:148] + b" " * 8 + header[156:]
    said, plain = _field(header, 148, 8), sum(others)
    if said != plain and said != plain - 256 * sum(octet > 127 for octet in others):
        raise Damaged("is damaged: what should be a header is none")


def _field(header: bytes, at: int, length: int = 12) -> int:
    """A number: octal digits, or bytes as they are, marked by the highest bit of the first."""
    field = header[at : at + length]
    if field[0] == 0x80:
        number = int.from_bytes(field[1:], "big")
    else:
        digits = field.replace(b"\0", b" ").split()
        try:
            number = int(digits[0], 8) if digits else 0
        except ValueError:
            number = -1
    if not 0 <= number < 1 << 63:
        raise Damaged("is damaged: a header has a number that is none")
    return number


def _number(record: bytes | None, otherwise: int) -> int:
    return int(record) if record is not None and record.isdigit() and len(record) < 19 else otherwise


def _date(record: bytes | None, header: bytes) -> float:
    try:
        changed = float(record) if record is not None else float(_field(header, 136))
    except (ValueError, Damaged):
        return 0.0
    return changed if 0 <= changed <= _LATEST else 0.0
