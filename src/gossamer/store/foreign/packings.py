"""In which ways are files of archives packed? gzip, zstandard and lz4: pieces one behind the other, unpacked in slices.

zstandard, because WARC files with zstandard are written with its frames and dictionaries
(https://iipc.github.io/warc-specifications/specifications/warc-zstd/). lz4, because FastWARC writes WARC files with its
frames, and it is the only library that tells where a frame ends and unpacks no more of one than it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, Protocol

import lz4.frame
import zstandard

from gossamer.store.warc.gzip_members import InflateError, inflating

GZIP, ZSTD, DICTIONARY = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"
LZ4 = b"\x04\x22\x4d\x18"
SLICE = 1 << 20
"""Bytes that are unpacked in one go."""
ZSTD_SLICE = 512
"""Bytes of a frame that are unpacked in one go: its library knows no other limit. Four bytes make a block, and a block
up to 128 KiB, so that these make 16 MiB at the most."""
WINDOW_MOST = 128 << 20
"""What a frame may ask to be held of what was unpacked before; as much as `zstd` itself allows."""
_DICTIONARY_MOST = 64 << 20

CANNOT = (InflateError, zstandard.ZstdError, RuntimeError, MemoryError)
"""What the libraries raise for what cannot be unpacked; lz4 has nothing more particular than the third."""


class Unusable(Exception):
    """What a file begins with makes all of it unreadable."""


class Piece(Protocol):
    """One packed piece, as far as it has come."""

    is_over: bool
    holds_more: bool
    """It has taken bytes that it has not unpacked yet."""

    def unpack(self, raw: memoryview) -> tuple[bytes, int]:
        """Some of what comes next, and how many bytes of `raw` it has used; fewer than none where it gives back some of
        those that it had taken."""


class Packing(NamedTuple):
    """How a file is packed."""

    magic: bytes
    """With these bytes a piece begins."""
    begins: int
    """The offset of the first."""
    piece: Callable[[], Piece]
    """A new one."""


def packing_of(file: BinaryIO) -> Packing | None:
    """By its first bytes; None for a plain file."""
    first = file.read(4)
    if first.startswith((ZSTD, DICTIONARY)):
        dictionary = _dictionary(file)
        return Packing(ZSTD, file.tell() if dictionary else 0, lambda: _Zstandard(dictionary))
    if first.startswith(LZ4):
        return Packing(LZ4, 0, _Lz4)
    return Packing(GZIP, 0, _Gzip) if first.startswith(GZIP) else None


class _Gzip:
    def __init__(self) -> None:
        self._inflate: Any = inflating()
        self.is_over = self.holds_more = False

    def unpack(self, raw: memoryview) -> tuple[bytes, int]:
        more: bytes = self._inflate.decompress(raw, SLICE)
        self.is_over = self._inflate.eof
        left = self._inflate.unused_data if self.is_over else self._inflate.unconsumed_tail
        self.holds_more = len(more) == SLICE
        return more, len(raw) - len(left)


class _Zstandard:
    def __init__(self, dictionary: zstandard.ZstdCompressionDict | None) -> None:
        unpacking = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=WINDOW_MOST)
        self._frame = unpacking.decompressobj()
        self.is_over = self.holds_more = False

    def unpack(self, raw: memoryview) -> tuple[bytes, int]:
        some = raw[:ZSTD_SLICE]
        more: bytes = self._frame.decompress(some)
        self.is_over = self._frame.eof
        return more, len(some) - len(self._frame.unused_data)


class _Lz4:
    def __init__(self) -> None:
        self._frame: Any = lz4.frame.LZ4FrameDecompressor()
        self.is_over = self.holds_more = False

    def unpack(self, raw: memoryview) -> tuple[bytes, int]:
        some = raw[:0] if self.holds_more else raw
        more: bytes = self._frame.decompress(some, SLICE)
        self.is_over = self._frame.eof
        self.holds_more = not self._frame.needs_input or len(more) == SLICE
        return more, len(some) - (len(self._frame.unused_data or b"") if self.is_over else 0)


def _dictionary(file: BinaryIO) -> zstandard.ZstdCompressionDict | None:
    """The one that all frames of the file were packed with, if it begins with one."""
    file.seek(0)
    head = file.read(8)
    if not head.startswith(DICTIONARY):
        return None
    length = int.from_bytes(head[4:], "little")
    data = file.read(min(length, _DICTIONARY_MOST))
    if len(data) < length:
        raise Unusable("the dictionary that it begins with is not whole, or too large")
    try:
        return zstandard.ZstdCompressionDict(_plain(data) if data.startswith(ZSTD) else data)
    except (zstandard.ZstdError, MemoryError, ValueError) as error:
        raise Unusable(f"the dictionary that it begins with cannot be used: {error}") from None


def _plain(data: bytes) -> bytes:
    """A packed dictionary. What its frame says of its length is not believed."""
    with zstandard.ZstdDecompressor(max_window_size=WINDOW_MOST).stream_reader(data) as reader:
        found: bytes = reader.read(_DICTIONARY_MOST + 1)
    if len(found) > _DICTIONARY_MOST:
        raise ValueError("it is too large")
    return found
