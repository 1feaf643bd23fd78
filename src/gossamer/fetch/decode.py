"""Undo gzip, deflate, br and zstd in a stream, with an answer for everything a server can send.

The output comes in pieces of bounded size, so that whoever takes them can stop at any moment: a
kilobyte of input may stand for gigabytes. Data that breaks off or is damaged gives what was
readable before the damage.

zlib-ng, brotli and zstandard are the fastest decoders of their kind that can be asked for a
little at a time. From brotli we take the C module, by its file: brotlipy, which pywb brings along, hides the module
above it behind a namesake that cannot limit its output, and once imported it has taken the name of the C module too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any, Protocol, cast

import zstandard
from zlib_ng import zlib_ng

_INPUT = 16 * 1024
_PIECE = 64 * 1024
_ZSTD_SLICE = 256
"""Four bytes of zstd can stand for 128 KiB and its output cannot be limited, so its input is."""
_ZSTD_WINDOW = 8 * 1024 * 1024
"""RFC 9659: no more memory than this may be asked for by a content coding."""
_MAGIC = {
    "gzip": (b"\x1f\x8b",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes((n, 0x2A, 0x4D, 0x18)) for n in range(0x50, 0x60))),
}
"""How the codings begin that have a mark of their own; a zstd frame may be one to be skipped."""
_ALIASES = {"x-gzip": "gzip"}


def _brotli_by_file() -> Any:
    """The C module of brotli, whoever has its name in `sys.modules`."""
    spec = PathFinder.find_spec("_brotli")
    if spec is None or spec.loader is None:
        raise ImportError("brotli is not installed; `pip install brotli` brings it")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_brotli = _brotli_by_file()
_DAMAGE = cast("tuple[type[Exception], ...]", (zlib_ng.error, _brotli.error, zstandard.ZstdError))


class _Layer(Protocol):
    """One coding being undone."""

    excess: bool
    """Something follows the end, and is left out."""
    members: int
    """Streams that followed the first, one after the other."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` stands for. Raises one of `_DAMAGE`."""

    @property
    def whole(self) -> bool:
        """Whether the end has come."""


class _Gzip:
    """Members one after the other."""

    def __init__(self) -> None:
        self.excess = False
        self.members = 0
        self._member = zlib_ng.decompressobj(31)

    @property
    def whole(self) -> bool:
        return self._member.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self.excess:
            if self._member.eof:
                if not _may_begin("gzip", data):
                    self.excess = True
                    return
                self._member = zlib_ng.decompressobj(31)
                self.members += 1
            yield from _inflate(self._member, data)
            data = self._member.unused_data


class _Deflate:
    """zlib as the standard asks, or the bare deflate that some servers send."""

    def __init__(self) -> None:
        self.excess = False
        self.members = 0
        self._start = b""
        self._stream = zlib_ng.decompressobj(15)

    @property
    def whole(self) -> bool:
        return self._stream.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        if len(self._start) < 2:
            data = self._start = self._start + data
            if len(data) < 2:
                return
            bare = data[0] & 15 != 8 or (data[0] << 8 | data[1]) % 31
            self._stream = zlib_ng.decompressobj(-15 if bare else 15)
        if not self._stream.eof:
            yield from _inflate(self._stream, data)
            data = self._stream.unused_data
        self.excess = self._stream.eof and (self.excess or bool(data))


class _Brotli:
    """One stream; the decoder itself takes data after the end for damage."""

    def __init__(self) -> None:
        self.excess = False
        self.members = 0
        self._stream = _brotli.Decompressor()

    @property
    def whole(self) -> bool:
        return bool(self._stream.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._stream.is_finished():
            self.excess = True
            return
        piece = self._stream.process(data, output_buffer_limit=_PIECE)
        while piece or not self._stream.can_accept_more_data():
            yield piece
            piece = self._stream.process(b"", output_buffer_limit=_PIECE)


class _Zstd:
    """Frames one after the other."""

    def __init__(self) -> None:
        self.excess = False
        self.members = 0
        self._frame = _zstd_frame()

    @property
    def whole(self) -> bool:
        return self._frame.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _ZSTD_SLICE):
            yield from self._slice(data[at : at + _ZSTD_SLICE])

    def _slice(self, data: bytes) -> Iterator[bytes]:
        while data and not self.excess:
            if self._frame.eof:
                if not _may_begin("zstd", data):
                    self.excess = True
                    return
                self._frame = _zstd_frame()
                self.members += 1
            yield self._frame.decompress(data)
            data = self._frame.unused_data


_CODINGS: dict[str, type[_Layer]] = {"gzip": _Gzip, "deflate": _Deflate, "br": _Brotli, "zstd": _Zstd}


class Decoder:
    """Codings in the order in which they were applied; `fault` says what was wrong with them."""

    def __init__(self, codings: Sequence[str], limit: int) -> None:
        self._names, self._left_on = _to_undo(codings, limit)
        self._layers = self._fresh()
        self._fed: list[bytes] = []
        self._damaged = False
        self.fault = self._left_on
        self.between = 0
        """Bytes that came out of one coding and went into the next: they may stand for nothing at all."""

    @property
    def members(self) -> int:
        """Streams within the codings, each of which takes its time even if it is empty."""
        return sum(layer.members for layer in self._layers)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` stands for, in pieces. After damage the rest of the stream gives nothing."""
        for at in range(0, len(data), _INPUT):
            self._fed.append(data[at : at + _INPUT])
            if not self._damaged:
                yield from self._decode(self._fed[-1])
                yield b""  # so that whoever takes them can stop where nothing else comes out

    def _decode(self, data: bytes) -> Iterator[bytes]:
        given = 0
        try:
            for piece in self._through(data):
                given += len(piece)
                yield piece
        except _DAMAGE as error:
            self._damaged = True
            self.fault = f"{', '.join(self._names)}: {error}"
            yield from self._rescue(given)

    def end(self) -> None:
        """The stream is over: `fault` now also tells of an end that is missing or not the end."""
        if self._damaged or not self._fed:
            return
        for name, layer in zip(self._names, self._layers, strict=True):
            if not layer.whole:
                self.fault = f"{name}: breaks off before its end"
            elif layer.excess:
                self.fault = f"{name}: something follows its end"

    def as_it_came(self) -> list[bytes]:
        """The input, where nothing came out because it never was what it is labelled as."""
        if not self._damaged:
            return []
        begins_right = self._names[0] in _MAGIC and _may_begin(self._names[0], b"".join(self._fed[:4]))
        return [] if begins_right else self._fed

    def _fresh(self) -> list[_Layer]:
        return [_CODINGS[name]() for name in self._names]

    def _rescue(self, given: int) -> Iterator[bytes]:
        """What stood before the damage in the last piece of input.

        The decoders drop the output of the call that fails, so the stream is decoded once more,
        its last piece byte by byte. If that goes well, the damage was only what follows the end.
        """
        self._layers = self._fresh()
        *before, last = self._fed
        try:
            for data in before:
                deque(self._through(data), maxlen=0)
            for at in range(len(last)):
                for piece in self._through(last[at : at + 1]):
                    yield piece[given:]
                    given = max(0, given - len(piece))
            self._damaged, self.fault = False, self._left_on
        except _DAMAGE:
            return

    def _through(self, data: bytes, depth: int = 0) -> Iterator[bytes]:
        """Through all layers, the outermost first. There are at most a few.

        What goes from one to the next is cut, because a member of gzip copies all that follows it.
        """
        if depth == len(self._layers):
            yield data
            return
        for piece in self._layers[depth].feed(data):
            if depth + 1 == len(self._layers):
                yield piece
                continue
            self.between += len(piece)
            for at in range(0, len(piece), _INPUT):
                yield from self._through(piece[at : at + _INPUT], depth + 1)
                yield b""


def _to_undo(codings: Sequence[str], limit: int) -> tuple[list[str], str | None]:
    """The codings to undo, the last applied first, and why others are left on."""
    if len(codings) > limit:
        return [], f"{len(codings)} codings upon each other, at most {limit} are undone"
    names: list[str] = []
    for coding in reversed(codings):
        name = _ALIASES.get(coding, coding)
        if name not in _CODINGS:
            return names, f"unknown coding {name[:40]!r}"
        names.append(name)
    return names, None


def _may_begin(name: str, data: bytes) -> bool:
    start = data[:4]
    return any(start.startswith(magic) or magic.startswith(start) for magic in _MAGIC[name])


def _zstd_frame() -> zstandard.ZstdDecompressionObj:
    return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()


def _inflate(stream: zlib_ng._Decompress, data: bytes) -> Iterator[bytes]:
    piece = stream.decompress(data, _PIECE)
    while piece:
        yield piece
        piece = b"" if stream.eof else stream.decompress(stream.unconsumed_tail, _PIECE)
