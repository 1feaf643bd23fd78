"""Undo the chunked transfer coding, RFC 9112 section 7.1, piece by piece.

libcurl could do it, but then the archive would not hold what came over the wire. Sizes and line
ends are read strictly: a chunk that can be understood in two ways is a fault. We let a line end
with LF alone, which libcurl does too.
"""

from __future__ import annotations

import re

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?", re.DOTALL)
_LINE = 8 * 1024
_TRAILERS = 16 * 1024
_CHUNKS = 200_000
"""More than any server needs for the longest body; a body of one-byte chunks is an attack."""


class Dechunker:
    """Feed it the wire; `done` and `fault` tell how it ended, `excess` what came after the end."""

    __slots__ = ("_chunks", "_expect", "_left", "_line", "_trailers", "done", "excess", "fault")

    def __init__(self) -> None:
        self.done = False
        self.fault: str | None = None
        self.excess = 0
        self._left = 0
        self._chunks = 0
        self._trailers = 0
        self._line = b""
        self._expect = self._size

    def feed(self, data: bytes) -> bytes:
        """The payload in `data`. Nothing more comes once `done` or `fault` is set."""
        payload: list[bytes] = []
        at, end = 0, len(data)
        while at < end and not self.done and not self.fault:
            at = self._read_chunk(data, at, payload) if self._left else self._read_line(data, at)
        if self.done:
            self.excess += end - at
        return b"".join(payload)

    def _read_chunk(self, data: bytes, at: int, payload: list[bytes]) -> int:
        piece = data[at : at + self._left]
        payload.append(piece)
        self._left -= len(piece)
        at += len(piece)
        if not self._left and data.startswith(b"\r\n", at):  # the usual end, without the work for a line
            self._expect = self._size
            at += 2
        return at

    def _read_line(self, data: bytes, at: int) -> int:
        stop = data.find(b"\n", at, at + _LINE)
        line = self._line + data[at : stop if stop >= 0 else at + _LINE]
        if len(line) >= _LINE:
            self.fault = "a line of the chunked coding is too long"
        elif stop >= 0:
            self._line = b""
            self._expect(line[:-1] if line.endswith(b"\r") else line)
            return stop + 1
        self._line = line
        return len(data)

    def _size(self, line: bytes) -> None:
        match = _SIZE.fullmatch(line)
        size = int(match[1], 16) if match else -1
        self._chunks += 1
        if not 0 <= size < 1 << 62:
            self.fault = f"no chunk size: {line[:40]!r}"
        elif self._chunks > _CHUNKS:
            self.fault = f"more than {_CHUNKS:,} chunks"
        self._left = max(size, 0)
        self._expect = self._after if size else self._trailer

    def _after(self, line: bytes) -> None:
        if line:
            self.fault = f"a chunk is longer than its size: {line[:40]!r}"
        self._expect = self._size

    def _trailer(self, line: bytes) -> None:
        self._trailers += len(line)
        self.done = not line
        if self._trailers > _TRAILERS:
            self.fault = "too many trailers"
