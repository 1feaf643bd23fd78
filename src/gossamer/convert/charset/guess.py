"""Which encoding is a document in that says nothing about it? From the cheapest evidence to the dearest.

Text of nothing but ASCII is windows-1252, as in browsers. Zeros in a pattern are UTF-32 or UTF-16, shifts between
character sets are ISO-2022 or HZ, and what can be UTF-8 is UTF-8. Then the encodings of two bytes a character are tried
(`asian`). What is left has one byte a character and is told by its letters, for which there is chardet: its models of
pairs of letters are right far more often than those of uchardet on texts of a few words, and since its seventh version
it is compiled and free to use. It sees a small sample without markup, and only encodings that are met on the web.
"""

from __future__ import annotations

import codecs
import re

from gossamer.convert.charset.asian import asian
from gossamer.convert.charset.letters import LATIN, corrected, is_latin

DEFAULT = "windows-1252"

_LOOKED_AT = 1 << 16
_SAMPLE = 2048
"""Bytes that statistics are made of; more do not make them better."""
_ENOUGH = 2
"""Bytes beyond ASCII. From fewer nothing can be guessed."""
_ASCII = bytes(range(0x80))
_PLANES = bytes(range(0x11))
"""Of Unicode."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_ENDS = (b"<", b">", b"\n", b"\r")
"""Of a line of text, or of a tag."""
_END = re.compile(rb"[<>\r\n]|\Z")
_SHIFTS = (
    (re.compile(rb"\x1b\$\)C").search, "ISO-2022-KR"),
    (re.compile(rb"\x1b(?:\$[@B]|\$\([DQ]|\([IJ])").search, "ISO-2022-JP"),
    (re.compile(rb"(?:[^~]|~[~\n])*+~\{(?:[!-w][!-~])++~\}").match, "HZ-GB-2312"),
)
_CANDIDATES = {
    "cp855": "IBM855",
    "cp866": "IBM866",
    "cp874": "windows-874",
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "cp1252": "windows-1252",
    "cp1253": "windows-1253",
    "cp1254": "windows-1254",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "cp1257": "windows-1257",
    "cp1258": "windows-1258",
    "iso8859-2": "ISO-8859-2",
    "iso8859-3": "ISO-8859-3",
    "iso8859-5": "ISO-8859-5",
    "iso8859-6": "ISO-8859-6",
    "iso8859-7": "ISO-8859-7",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "mac-cyrillic": "x-mac-cyrillic",
    "big5hkscs": "Big5",
    "cp932": "Shift_JIS",
    "cp949": "EUC-KR",
    "euc_jis_2004": "EUC-JP",
    "gb18030": "gb18030",
}
"""Between what chardet may choose, by its own names. Those of two bytes are for texts that `asian` finds too odd."""
_TWO_BYTES = frozenset({"Big5", "Shift_JIS", "EUC-KR", "EUC-JP", "gb18030"})
_NO_OTHER_LETTERS = {own: name for own, name in _CANDIDATES.items() if name in LATIN | _TWO_BYTES}
"""The same for text in Latin letters. A character of two bytes may look like one of those beside a letter."""


def guessed(data: bytes) -> str:
    """The name of the encoding, as `charset.encoding` gives it."""
    start = data[:_LOOKED_AT]
    if data.isascii():
        return _shifting(start) or (_wide(start) if b"\0" in start else None) or DEFAULT
    wide = _wide(start) if b"\0" in start else None
    return wide or ("UTF-8" if is_utf8(data) else by_letters(start))


def is_utf8(data: bytes) -> bool:
    """More than ASCII, and all of it valid. A character that was cut off at the end does not count."""
    try:
        return not codecs.utf_8_decode(data, "strict", False)[0].isascii()
    except UnicodeDecodeError:
        return False


def by_letters(start: bytes) -> str:
    """For what has one or two bytes a character."""
    if len(start.translate(None, _ASCII)) < _ENOUGH:
        return DEFAULT
    sample = _sample(start)
    return asian(sample) or _by_pairs(sample)


def _by_pairs(sample: bytes) -> str:
    import chardet  # it takes longer to load than most crawls ask of it

    candidates = _NO_OTHER_LETTERS if is_latin(sample) else _CANDIDATES
    found = chardet.detect(sample, include_encodings=candidates, compat_names=False)["encoding"]
    return corrected(sample, _CANDIDATES.get(found or "", DEFAULT))


def _sample(start: bytes) -> bytes:
    """Lines with something beyond ASCII in them, whole as far as possible."""
    lines: list[bytes] = []
    room, behind = _SAMPLE, 0
    while room > 0 and (found := _BEYOND_ASCII.search(start, behind)):
        begin = max(behind, *(start.rfind(end, behind, found.start()) + 1 for end in _ENDS))
        behind = _END.search(start, found.start()).start()  # type: ignore[union-attr]  # the end is always there
        lines.append(start[begin:behind])
        room -= len(lines[-1])
    return b"\n".join(lines)[:_SAMPLE]


def _wide(start: bytes) -> str | None:
    """UTF-32 has a zero in each character and a plane beside it, UTF-16 a zero in each space and digit: always at the
    same place."""
    zeros = [start[at::4].count(0) for at in range(4)]
    quarter = len(start) // 4
    if quarter and zeros[0] >= quarter > 8 * zeros[3] and not start[1::4].translate(None, _PLANES):
        return "UTF-32BE"
    if quarter and zeros[3] >= quarter > 8 * zeros[0] and not start[2::4].translate(None, _PLANES):
        return "UTF-32LE"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) * 32 < len(start) or min(even, odd) * 8 > max(even, odd):
        return None
    decoder, name = (codecs.utf_16_be_decode, "UTF-16BE") if even > odd else (codecs.utf_16_le_decode, "UTF-16LE")
    try:
        decoder(start, "strict", False)
    except UnicodeDecodeError:
        return None
    return name


def _shifting(start: bytes) -> str | None:
    """An encoding that changes between character sets, all in bytes of ASCII."""
    if b"\x1b" not in start and b"~{" not in start:
        return None
    return next((name for shift, name in _SHIFTS if shift(start)), None)
