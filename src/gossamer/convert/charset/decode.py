"""Bytes to text, as the WHATWG Encoding standard decodes them. What is invalid becomes U+FFFD; nothing ever fails.

Python's codecs do the work. Where they know less than the standard, the nearest superset stands in (cp932 for
Shift_JIS, cp949 for EUC-KR) or an error handler knows more. For encodings of one byte a character a table of 256
characters is derived from Python's and corrected.
"""

from __future__ import annotations

import codecs
from functools import cache

_ISO_2022_JP = "iso2022_jp_ext"
_CODECS = {
    "Big5": "big5hkscs",
    "EUC-JP": "euc_jp",
    "EUC-KR": "cp949",
    "GBK": "gb18030",
    "ISO-2022-JP": _ISO_2022_JP,
    "ISO-8859-8-I": "iso8859-8",
    "Shift_JIS": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-user-defined": "latin-1",
}
"""Python's name for it, where that is another one."""

_ALIASES = {"windows_874": "cp874", "x_mac_cyrillic": "mac-cyrillic", "iso_8859_8_i": "iso8859-8"}
"""Names of the standard, as Python spells them when it looks for a codec, that it does not know by itself."""

_ONE_BYTE = ("ISO-8859-", "KOI8-", "IBM", "mac", "windows-", "x-")
"""How the names begin of encodings with one byte a character."""

_DIFFERENT = {
    ("KOI8-U", 0xAE): "\u045e",
    ("KOI8-U", 0xBE): "\u040e",
    ("windows-1255", 0xCA): "\u05ba",
}

_NOT_ASCII = frozenset(
    ["HZ-GB-2312", "ISO-2022-JP", "ISO-2022-KR", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "replacement"]
)
"""Those in which bytes below 0x80 may be something else than ASCII."""

_MARKS = {
    "UTF-8": codecs.BOM_UTF8,
    "UTF-16BE": codecs.BOM_UTF16_BE,
    "UTF-16LE": codecs.BOM_UTF16_LE,
    "UTF-32BE": codecs.BOM_UTF32_BE,
    "UTF-32LE": codecs.BOM_UTF32_LE,
}

_MENDED = "gossamer.mended"
"""The name of our error handler among Python's."""
_JAPANESE = dict(zip(map(ord, "〜‖−¢£¬"), "～∥－￠￡￢", strict=True))
"""Six signs of JIS X 0208 that the standard reads as Windows does."""
_MENDABLE: dict[str, dict[int, str]] = {"EUC-JP": _JAPANESE, "ISO-2022-JP": _JAPANESE, "GBK": {}, "gb18030": {}}
_CHUNK = 1 << 14
_MENDED_MOST = 16_384
"""Characters of a document that are mended, at the most: each takes five millionths of a second."""


def decode(data: bytes, encoding: str) -> str:
    """The text of `data` in the encoding of that name, without its byte order mark."""
    data = data.removeprefix(_MARKS.get(encoding, b""))
    if encoding == "replacement":
        return "\ufffd" if data else ""
    if encoding.startswith(_ONE_BYTE):
        return codecs.charmap_decode(data, "replace", _table(encoding))[0]
    if encoding in _MENDABLE:
        return _decode_mending(data, python_codec(encoding)).translate(_MENDABLE[encoding])
    return data.decode(python_codec(encoding), "replace")


def utf8(data: bytes, encoding: str) -> bytes:
    """The same document in UTF-8, without its byte order mark. Most documents are in UTF-8 already.

    What is said to be UTF-8 is passed on as it is: invalid bytes are left to whoever reads it.
    """
    if encoding == "UTF-8":
        return data.removeprefix(codecs.BOM_UTF8)
    if encoding not in _NOT_ASCII and data.isascii():
        return data
    return decode(data, encoding).encode()


def python_codec(encoding: str) -> str:
    """The name by which Python knows an encoding, or the nearest that it knows."""
    return _CODECS.get(encoding, encoding)


@cache
def _table(encoding: str) -> str:
    if encoding == "x-user-defined":
        return "".join(map(chr, (*range(0x80), *range(0xF780, 0xF800))))
    return "".join(_character(encoding, byte) for byte in range(256))


def _character(encoding: str, byte: int) -> str:
    """Where Windows' own tables say nothing below 0xA0, the standard has the control character of that number."""
    character = bytes([byte]).decode(python_codec(encoding), "replace")
    if character == "\ufffd" and byte < 0xA0:
        character = chr(byte)
    return _DIFFERENT.get((encoding, byte), character)


def _decode_mending(data: bytes, codec: str) -> str:
    """Our error handler is slow, so where there is too much to mend, or most is garbage, Python's own takes over."""
    mending = _Mending()
    codecs.register_error(_MENDED, mending)  # in the place of the one for the document before
    decoder = codecs.getincrementaldecoder(codec)(_MENDED)
    parts: list[str] = []
    for start in range(0, len(data), _CHUNK):
        parts.append(decoder.decode(data[start : start + _CHUNK], start + _CHUNK >= len(data)))
        if mending.times > _MENDED_MOST:
            decoder.errors = "replace"
    return "".join(parts)


class _Mending:
    """What Python could not decode, and where to go on: characters that the standard knows and Python does not.

    Python's Japanese codecs lack the circled digits and the other rows that NEC and IBM added to JIS X 0208, its
    Chinese one the euro sign as a single byte.
    """

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        self.times += 1
        start = error.start
        pair = error.object[start : start + 2]
        if error.encoding == "gb18030":
            return ("\u20ac", start + 1) if pair[0] == 0x80 else ("\ufffd", error.end)
        row, cell = (byte & 0x7F for byte in pair.ljust(2))
        if pair.isascii() != (error.encoding == _ISO_2022_JP) or min(row, cell) < 0x21 or max(row, cell) > 0x7E:
            return "\ufffd", start + 1
        return _vendor_character(row - 0x21, cell - 0x21), start + 2


def _vendor_character(row: int, cell: int) -> str:
    """Windows' Shift_JIS has the same rows and cells, folded into other bytes."""
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
    return bytes([lead, trail]).decode("cp932", "replace")[0]


def _known_by_another_name(name: str) -> codecs.CodecInfo | None:
    return codecs.lookup(_ALIASES[name]) if name in _ALIASES else None


# So that `data.decode(encoding(data))` works in any program, whatever the answer.
codecs.register(_known_by_another_name)


def xml_in_utf8(data: bytes, encoding: str) -> bytes:
    """XML in UTF-8, whatever it was written in. Expat knows four encodings; the name of another would stop it, so it is
    told that this is UTF-8."""
    recoded = utf8(data, encoding)
    if recoded.startswith(b"<?xml") and (end := recoded.find(b"?>")) > 0:
        return b'<?xml version="1.0" encoding="UTF-8"?>' + recoded[end + 2 :]
    return recoded
