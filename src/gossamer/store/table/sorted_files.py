"""Is every byte of a sorted file as RocksDB wrote it? Each of its blocks ends with a checksum: all are looked at here.

Reading all rows checks the blocks that hold rows, but filters and properties are not read with them, and silently done
without. The format is that of block-based tables, version 6: blocks one behind the other, each followed by the kind of
its compression and a checksum (XXH3) that depends on its place; then the list of the blocks that hold no rows; then a
footer. What is of another version is left to RocksDB itself.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gossamer import files
from gossamer.urls import keys

_FOOTER = struct.Struct("<B4s3I24xI8s")
_FOOTER_LENGTH = 53
_EXTENDED, _MAGIC, _VERSION, _XXH3 = b"\x3e\x00\x7a\x00", bytes.fromhex("f7cff485b741e288"), 6, 4
_TRAILER = struct.Struct("<BI")
_PLAIN, _LZ4 = 0, 4
_LOWER = (1 << 32) - 1
_LAST_BYTE = 0x6B9083D9
"""What the kind of compression adds to a checksum."""
_LOG_BLOCK, _RECORD = 32 << 10, struct.Struct("<IHB")
_NOTHING, _FULL, _LAST = 0, 1, 4
LIST_MOST = 32 << 20
"""Bytes of a list of files. RocksDB begins another one long before that: see `table`."""
_SIZE_LENGTH = 10
_BLOCK_MOST = 256 << 20
"""Bytes of a block: it ends with the row that fills it, and filters and indexes come in parts."""
_INDEX_MOST = 4 << 20
"""Bytes of a part of an index, unpacked."""
ROW_MOST = 64 << 20
"""Bytes of a row, unpacked. The largest of ours, the pages that killed a shard, has 8 MiB."""
_USUAL_BLOCK = 16 << 10
"""Bytes that a block holds besides a row that is larger; see `table`."""
_FILTER, _INDEX, _PROPERTIES = b"partitionedfilter.", b"rocksdb.index", b"rocksdb.properties"
_RAW, _COUNT = (b"rocksdb.raw.key.size", b"rocksdb.raw.value.size"), b"rocksdb.num.data.blocks"
_USUAL_MOST = 100_000
_usual: set[tuple[int, ...]] = set()
"""Files in which no row is too large: nobody changes a sorted file, and the time of its last change would tell."""


class _Unknown(Exception):
    """A form of file that this does not know."""


class _Broken(Exception):
    """A block is not as it was written."""


class _Swollen(_Broken):
    """A block is larger than any that we write."""


class _Handle(NamedTuple):
    offset: int
    length: int


def damage(path: Path) -> str | None:
    """Where a sorted file is damaged."""
    try:
        with files.open(path) as file:
            _check(file, os.fstat(file.fileno()).st_size)
    except (_Broken, OSError) as error:
        return f"{path.name}: {error}"
    except (_Unknown, IndexError, struct.error):
        return None
    return None


def swollen(path: Path) -> str | None:
    """Which row is larger than any of ours, as far as a look at a file tells that takes a tenth of a millisecond?

    Whoever reads such a row needs as much memory, and a few bytes may stand for it. A file says how much its rows are
    in all and how many blocks they fill: its blocks are looked at only where one of them must be large. `damage` looks
    at all of them.
    """
    try:
        with files.open(path, buffering=0) as file:
            now = os.fstat(file.fileno())
            state = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
            if state in _usual:
                return None
            blocks, listed = _opened(file, now.st_size)
            handles = {name: _handle(value, 0)[0] for name, value in _entries(blocks.read(listed))}
            told = dict(_entries(blocks.read(handles[_PROPERTIES])))
            if sum(_told(told, name) for name in _RAW) > ROW_MOST + _USUAL_BLOCK * _told(told, _COUNT):
                blocks.check_below(blocks.read(handles[_INDEX]), levels=2, look=blocks.require_size)
        if len(_usual) >= _USUAL_MOST:
            _usual.clear()
        _usual.add(state)
    except _Swollen as error:
        return f"{path.name}: {error}"
    except (_Broken, _Unknown, KeyError, IndexError, struct.error, OSError):
        return None  # RocksDB finds its own words
    return None


def _told(properties: dict[bytes, bytes], name: bytes) -> int:
    return _number(properties[name], 0)[0]


def is_torn(path: Path) -> bool:
    """Does the list of files end within a record? RocksDB takes that for its end, and forgets what came after.

    It is a log: blocks of 32 KiB with records, each behind a checksum, its length and which part of a whole it is.
    """
    data, at, part = files.read(path, LIST_MOST), 0, _FULL
    while at < len(data):
        left = _LOG_BLOCK - at % _LOG_BLOCK
        if left < _RECORD.size:
            at += left
            continue
        if at + _RECORD.size > len(data):
            return True
        _, length, part = _RECORD.unpack_from(data, at)
        if part == _NOTHING:
            return True
        at += _RECORD.size + length
    return at > len(data) or part not in (_FULL, _LAST)


def _opened(file: BinaryIO, size: int) -> tuple[_Blocks, _Handle]:
    """The blocks of a file, and where those are listed that hold no rows."""
    checksum, magic, _, base, length, version, end = _FOOTER.unpack(_at(file, size - _FOOTER_LENGTH, _FOOTER_LENGTH))
    if end != _MAGIC:
        raise _Broken("its end is missing")
    if (checksum, magic, version) != (_XXH3, _EXTENDED, _VERSION):
        raise _Unknown
    return _Blocks(file, base, size), _Handle(size - _FOOTER_LENGTH - _TRAILER.size - length, length)


def _check(file: BinaryIO, size: int) -> None:
    blocks, listed = _opened(file, size)
    for name, value in _entries(blocks.read(listed)):
        block = blocks.read(_handle(value, 0)[0])
        if name.startswith((_FILTER, _INDEX)):
            blocks.check_below(block, levels=1 if name.startswith(_FILTER) else 2, look=blocks.check)


class _Blocks:
    """The blocks of one file."""

    def __init__(self, file: BinaryIO, base: int, size: int) -> None:
        self._file = file
        self._base = base
        self._left = size
        """Bytes that there can be in blocks which were not read yet: each is listed once."""

    def check(self, handle: _Handle) -> tuple[bytes, int]:
        """A block that is as it was written, and the kind of its compression."""
        self._left -= handle.length + _TRAILER.size
        if self._left < 0:
            raise _Broken("its blocks are more than fit into it")
        data = _at(self._file, handle.offset, handle.length + _TRAILER.size)
        kind, told = _TRAILER.unpack_from(data, handle.length)
        block, place = data[: handle.length], (handle.offset & _LOWER) + (handle.offset >> 32)
        found = (keys.digest(block) ^ kind * _LAST_BYTE) + (self._base ^ place if self._base else 0)
        if found & _LOWER != told:
            raise _Broken(f"bytes {handle.offset} to {handle.offset + len(data)} are not as they were written")
        _require_size(handle, kind, block)
        return block, kind

    def require_size(self, handle: _Handle) -> None:
        """The same without its checksum, and unread."""
        (kind,) = _at(self._file, handle.offset + handle.length, 1)
        _require_size(handle, kind, _at(self._file, handle.offset, min(handle.length, _SIZE_LENGTH)))

    def read(self, handle: _Handle) -> bytes:
        """The same, unpacked."""
        block, kind = self.check(handle)
        if kind not in (_PLAIN, _LZ4):
            raise _Unknown
        return block if kind == _PLAIN else _unpacked(block)

    def check_below(self, index: bytes, levels: int, look: Callable[[_Handle], object]) -> None:
        """Look at all blocks that an index points to; with two levels, those are indexes themselves."""
        for handle in _handles(index):
            if levels > 1:
                self.check_below(self.read(handle), levels - 1, look)
            else:
                look(handle)


def _require_size(handle: _Handle, kind: int, begins: bytes) -> None:
    """What is packed begins with its size, whichever way it is packed."""
    size = handle.length if kind == _PLAIN else _number(begins, 0)[0]
    if size > ROW_MOST + _USUAL_BLOCK:
        raise _Swollen(f"the block at byte {handle.offset} has {size:,} bytes, and no row of ours is so large")


def _at(file: BinaryIO, offset: int, length: int) -> bytes:
    if offset < 0 or offset + length > os.fstat(file.fileno()).st_size:
        raise _Broken("it is too short")
    if length > _BLOCK_MOST:  # in a file with holes
        raise _Broken(f"bytes {offset} to {offset + length} are more than any block has")
    if len(data := os.pread(file.fileno(), length, offset)) < length:
        raise _Broken("it is too short")
    return data


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values; a key begins with as much of the one before as is said."""
    key, at, end = b"", 0, _end(block)
    while at < end:
        shared, at = _number(block, at)
        more, at = _number(block, at)
        length, at = _number(block, at)
        key = key[:shared] + block[at : at + more]
        yield key, block[at + more : at + more + length]
        at += more + length


def _handles(index: bytes) -> Iterator[_Handle]:
    """What the values of an index point to. They have no lengths, and each stands for itself where keys do."""
    at, end = 0, _end(index)
    while at < end:
        shared, at = _number(index, at)
        if shared:
            raise _Unknown
        more, at = _number(index, at)
        handle, at = _handle(index, at + more)
        yield handle


def _end(block: bytes) -> int:
    """Where the entries of a block end: behind them is where each restart lies, and how many there are."""
    (restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    return len(block) - 4 - 4 * int(restarts)


def _handle(data: bytes, at: int) -> tuple[_Handle, int]:
    offset, at = _number(data, at)
    length, at = _number(data, at)
    return _Handle(offset, length), at


def _number(data: bytes, at: int) -> tuple[int, int]:
    if (value := data[at]) < 128:  # nearly always
        return value, at + 1
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def _unpacked(data: bytes) -> bytes:
    """LZ4: stretches of new bytes, each followed by one that is repeated. Only indexes come here, which are small."""
    _, at = _number(data, 0)
    out = bytearray()
    while at < len(data):
        token, at = data[at], at + 1
        new, at = _long(data, at, token >> 4)
        out += data[at : at + new]
        at += new
        if at >= len(data):
            break
        back, at = int.from_bytes(data[at : at + 2], "little"), at + 2
        length, at = _long(data, at, token & 15)
        _repeat(out, back, length + 4)
    return bytes(out)


def _repeat(out: bytearray, back: int, length: int) -> None:
    """So many bytes more, each the one that lies so far back."""
    if not 0 < back <= len(out):
        raise _Broken("a part of its index cannot be unpacked")
    if len(out) + length > _INDEX_MOST:
        raise _Broken("a part of its index unpacks to more than any has")
    stretch = bytes(out[-back:])
    out += (stretch * (length // back + 1))[:length]


def _long(data: bytes, at: int, length: int) -> tuple[int, int]:
    if length == 15:
        while True:
            length, at = length + data[at], at + 1
            if data[at - 1] < 255:
                break
    return length, at
