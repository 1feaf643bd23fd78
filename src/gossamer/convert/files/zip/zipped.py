"""Opens every ZIP file that is read, and trusts none of it.

The directory at the end of the file says where its members lie; a file that was cut off has none, and then the heads
of the members themselves are followed, so that what came is read. Members are inflated a piece at a time, against the
allowance of the whole document, and stop at the limits with what there is so far. Nothing is ever written to a disk,
so names that climb out of the archive can do no harm; but whoever wrote them meant it, and they are left out.
"""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, Protocol

from gossamer.convert.source import Allowance

MEMBERS_MOST = 20_000
NAME_MOST = 4_096
"""Characters of a name. No path of a system is longer, and a directory can have a gigabyte of them."""
MEMBER_MOST = 128 << 20
"""Bytes of one member, unpacked."""
_RATIO_MOST = 400
"""Of unpacked bytes to packed ones. Repetitive sheets come to 100; deflate can be driven to 1,032."""
_RATIO_FROM = 8 << 20
"""Bytes, unpacked, from which on the ratio counts."""
_CHUNK = 1 << 16

_LOCAL = Struct("<4sHHHHHIIIHH")
_CENTRAL = Struct("<4sHHHHHHIIIHHHHHII")
_END = Struct("<4sHHHHIIH")
_END_64 = Struct("<4sQHHIIQQQQ")
_LOCATOR_64 = Struct("<4sIQI")
TAIL = _END.size + 0xFFFF + _LOCATOR_64.size + _END_64.size
"""Bytes at the end of a file in which it is said where the directory is."""
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_ALL_ONES = 0xFFFFFFFF
_ENCRYPTED, _SIZE_COMES_LATER, _UTF_8 = 1, 8, 0x800
_STORED, _DEFLATED = 0, 8
_UNIX = 3
"""The system that an archive was made on."""
_CLIMBS = re.compile(r"(?:^|/)\.\.(?:/|$)|^/|^[A-Za-z]:/")


class Octets(Protocol):
    """What an archive is read from: bytes, or a file that is read where it is looked at."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...

    def find(self, mark: bytes, start: int, /) -> int:
        """See `bytes`."""

    def rfind(self, mark: bytes, start: int, /) -> int:
        """See `bytes`."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file in the archive."""

    name: str
    flags: int
    method: int
    packed: int
    """Bytes; None of these numbers is to be relied on."""
    size: int
    offset: int
    """Of its local head."""
    crc: int = 0
    changed: int = 0
    """Date and time, as the format packs them."""
    mode: int = 0
    """What a Unix system says of it, where the archive is of one."""

    @property
    def is_encrypted(self) -> bool:
        return bool(self.flags & _ENCRYPTED)

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")

    @property
    def is_plain(self) -> bool:
        """It is a file, and no folder, link or device."""
        return not self.is_folder and stat.S_IFMT(self.mode) in (0, stat.S_IFREG)


class Archive:
    """The members of a ZIP file, by name. What was wrong with it is in `problem`, the first thing only."""

    def __init__(self, data: Octets, allowance: Allowance | None = None) -> None:
        self._data = data
        self._allowance = allowance or Allowance()
        self.problem = ""
        self.is_whole = True
        """Its directory was read to its end."""
        self.members: dict[str, Member] = {}
        for member in self._listed():
            self._add(member)

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str, most: int = MEMBER_MOST) -> bytes:
        """All of a member that can be had, up to `most` bytes; nothing, if it is not there."""
        return b"".join(self.pieces(name, most))

    def pieces(self, name: str, most: int = MEMBER_MOST) -> Iterator[bytes]:
        """The same, a piece at a time."""
        member = self.members.get(name)
        if member is None:
            return
        for piece in self._unpacked(member):
            room = min(most, self._allowance.octets)
            if len(piece) > room:
                self.note(f"{_quoted(name)} unpacks to more than is read; the rest was left out")
                piece = piece[:room]
            most -= len(piece)
            self._allowance.octets -= len(piece)
            yield piece
            if len(piece) == room:
                return

    def note(self, problem: str) -> None:
        """What was found to be wrong. The first counts, because the others may follow from it."""
        self.problem = self.problem or problem

    def _add(self, member: Member) -> None:
        if _CLIMBS.search(member.name):
            self.note(f"a member is called {_quoted(member.name)}, which leads out of the archive")
        elif len(member.name) > NAME_MOST:
            self.note(f"a name is longer than {NAME_MOST:,} characters; its member was not read")
        elif member.name in self.members:
            self.note(f"two members are called {_quoted(member.name)}; the first was read")
        else:
            self.members[member.name] = member

    def _listed(self) -> list[Member]:
        found = _by_directory(self._data)
        if not found:
            found = list(_by_heads(self._data))
            self.is_whole = False
            self.note("the archive has no directory at its end: cut off or damaged" if found else "not a ZIP archive")
        if len(found) > MEMBERS_MOST:
            self.is_whole = False
            self.note(f"the archive has more than {MEMBERS_MOST:,} members; the rest was not read")
        if _overlap(found):
            self.is_whole = False
            self.note("members of the archive overlap, as in a bomb; it was not read")
            return []
        return found[:MEMBERS_MOST]

    def _unpacked(self, member: Member) -> Iterator[bytes]:
        start = _start(self._data, member)
        if start is None:
            self.note(f"{_quoted(member.name)} is not where the directory says")
        elif member.is_encrypted:
            self.note(f"{_quoted(member.name)} is encrypted")
        elif member.method == _STORED:
            yield from _pieces_of(self._data, start, min(start + member.packed, len(self._data)))
        elif member.method == _DEFLATED:
            yield from self._inflated(member, start)
        else:
            self.note(f"{_quoted(member.name)} is packed by method {member.method}, which is not known here")

    def _inflated(self, member: Member, start: int) -> Iterator[bytes]:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        end = min(start + member.packed, len(self._data))
        taken, given = start, 0
        waiting = b""
        while not stream.eof and (waiting or taken < end):
            if not waiting:
                waiting, taken = self._data[taken : min(taken + _CHUNK, end)], min(taken + _CHUNK, end)
            try:
                piece = stream.decompress(waiting, _CHUNK)
            except zlib.error:
                self.note(f"{_quoted(member.name)} is damaged")
                return
            waiting = stream.unconsumed_tail
            given += len(piece)
            if given > _RATIO_FROM and given > _RATIO_MOST * (taken - start - len(waiting)):
                self.note(f"{_quoted(member.name)} unpacks to more than {_RATIO_MOST} times its size, as in a bomb")
                return
            yield piece
        if not stream.eof:
            self.note(f"{_quoted(member.name)} ends early")


def _pieces_of(data: Octets, start: int, end: int) -> Iterator[bytes]:
    """Taken as they are asked for: a head may say that a member has terabytes, and a file with holes may have them."""
    return (data[at : min(at + _CHUNK, end)] for at in range(start, end, _CHUNK))


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 100 else name[:100] + "...")


def directory_size(tail: bytes) -> int:
    """How long the directory is said to be, by the last `TAIL` bytes of a file; 0 where none is named."""
    end = tail.rfind(_END_MARK)
    if end < 0 or end + _END.size > len(tail):
        return 0
    *_, size, offset, _ = _at(tail, end, _END)
    return _wider(tail, end, size, offset)[1]


def _by_directory(data: Octets) -> list[Member]:
    """Members as the directory lists them, one more than are read; none, if there is no directory."""
    end = data.rfind(_END_MARK, max(0, len(data) - _END.size - 0xFFFF))
    if end < 0 or end + _END.size > len(data):
        return []
    *_, size, offset, _ = _at(data, end, _END)
    end, size, offset = _wider(data, end, size, offset)
    before = end - size - offset  # bytes before the archive, as in one that unpacks itself
    at = offset + before
    found: list[Member] = []
    while len(found) <= MEMBERS_MOST and 0 <= at <= end - _CENTRAL.size and _begins(data, at, _CENTRAL_MARK):
        member, at = _central(data, at, before)
        found.append(member)
    return found


def _at(data: Octets, place: int, record: Struct) -> tuple[Any, ...]:
    return record.unpack(data[place : place + record.size])


def _begins(data: Octets, place: int, mark: bytes) -> bool:
    return data[place : place + len(mark)] == mark


def _wider(data: Octets, end: int, size: int, offset: int) -> tuple[int, int, int]:
    """The same three of an archive whose numbers need 64 bits."""
    locator = end - _LOCATOR_64.size
    if locator < 0 or not _begins(data, locator, b"PK\x06\x07"):
        return end, size, offset
    place = locator - _END_64.size
    if place < 0 or not _begins(data, place, b"PK\x06\x06"):
        return end, size, offset
    *_, size, offset = _at(data, place, _END_64)
    return place, size, offset


def _central(data: Octets, at: int, before: int) -> tuple[Member, int]:
    fields = _at(data, at, _CENTRAL)
    flags, method, packed, size = fields[3], fields[4], fields[8], fields[9]
    name_size, extra_size, comment_size, offset = fields[10], fields[11], fields[12], fields[16]
    at += _CENTRAL.size
    name = _name(data, at, name_size, flags)
    extra = data[at + name_size : at + name_size + extra_size]
    if _ALL_ONES in (packed, size, offset):
        size, packed, offset = _from_extra(extra, size, packed, offset)
    changed = fields[6] << 16 | fields[5]
    mode = fields[15] >> 16 if fields[1] >> 8 == _UNIX else 0
    member = Member(name, flags, method, packed, size, offset + before, fields[7], changed, mode)
    return member, at + name_size + extra_size + comment_size


def _from_extra(extra: bytes, *numbers: int) -> list[int]:
    """The extra field with the tag 1 has those of the numbers, in this order, that do not fit into 32 bits."""
    at, wide = 0, b""
    while at + 4 <= len(extra):
        tag, length = int.from_bytes(extra[at : at + 2], "little"), int.from_bytes(extra[at + 2 : at + 4], "little")
        if tag == 1:
            wide = extra[at + 4 : at + 4 + length]
        at += 4 + length
    result = []
    for number in numbers:
        if number == _ALL_ONES and len(wide) >= 8:
            number, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        result.append(number)
    return result


def _by_heads(data: Octets) -> Iterator[Member]:
    """Members of an archive without a directory, from one head to the next."""
    at = data.find(_LOCAL_MARK, 0)
    for _ in range(MEMBERS_MOST):
        if at < 0 or at + _LOCAL.size > len(data):
            return
        _, _, flags, method, _, _, _, packed, size, name_size, extra_size = _at(data, at, _LOCAL)
        start = at + _LOCAL.size + name_size + extra_size
        name = _name(data, at + _LOCAL.size, name_size, flags)
        after = data.find(_LOCAL_MARK, start + (0 if flags & _SIZE_COMES_LATER else packed))
        if flags & _SIZE_COMES_LATER or packed == _ALL_ONES:
            packed = (after if after >= 0 else len(data)) - start
        if start <= len(data):
            yield Member(name, flags, method, packed, size, at)
        at = after


def _name(data: Octets, at: int, size: int, flags: int) -> str:
    """Backslashes are from programs that never read the specification."""
    raw = data[at : at + min(size, NAME_MOST + 1)]
    try:
        name = raw.decode("utf-8" if flags & _UTF_8 or not raw.isascii() else "ascii")
    except UnicodeDecodeError:
        name = raw.decode("cp437")
    return name.replace("\\", "/").replace("\0", "")


def _start(data: Octets, member: Member) -> int | None:
    """Where the bytes of a member begin."""
    at = member.offset
    if at < 0 or at + _LOCAL.size > len(data) or not _begins(data, at, _LOCAL_MARK):
        return None
    name_size, extra_size = _at(data, at, _LOCAL)[-2:]
    return at + _LOCAL.size + int(name_size) + int(extra_size)


def _overlap(members: list[Member]) -> bool:
    """Whether bytes of the file belong to two members. So a small file can unpack to as much as one likes."""
    end = 0
    for member in sorted(members, key=lambda each: each.offset):
        if member.offset < end:
            return True
        end = member.offset + _LOCAL.size + member.packed
    return False
