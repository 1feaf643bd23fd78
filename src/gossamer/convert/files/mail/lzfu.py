"""RTF as Outlook packs it: [MS-OXRTFCP], an LZ77 with a window of 4 KiB that begins with words of RTF."""

from __future__ import annotations

from struct import unpack_from

_WORDS = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    + b"\r\n"
    + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4096
_PACKED, _PLAIN = b"LZFu", b"MELA"
_HEADER = 16


def unpacked(data: bytes, most: int) -> bytes:
    """The RTF, at most so many bytes; what is damaged ends where the damage begins."""
    if len(data) < _HEADER:
        return b""
    (length,) = unpack_from("<I", data, 4)
    if data[8:12] == _PLAIN:
        return data[_HEADER : _HEADER + min(length, most)]
    return _unpacked(data, min(length, most)) if data[8:12] == _PACKED else b""


def _unpacked(data: bytes, most: int) -> bytes:
    out = bytearray(_WORDS)
    at, end = _HEADER, len(data)
    most += len(_WORDS)
    while at < end and len(out) < most:
        flags = data[at]
        at += 1
        for bit in range(8):
            if at >= end or len(out) >= most:
                break
            if not flags >> bit & 1:
                out.append(data[at])
                at += 1
                continue
            if at + 1 >= end:
                return bytes(out[len(_WORDS) :])
            offset, length = data[at] << 4 | data[at + 1] >> 4, (data[at + 1] & 15) + 2
            at += 2
            back = (len(out) - offset) % _WINDOW
            if back == 0:
                return bytes(out[len(_WORDS) :])
            _copy(out, back, length)
    return bytes(out[len(_WORDS) : most])


def _copy(out: bytearray, back: int, length: int) -> None:
    """Again what stood so far back. It may reach into what it writes, and before the beginning, where zeros are."""
    for _ in range(length):
        out.append(out[-back] if back <= len(out) else 0)
