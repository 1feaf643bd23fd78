"""Which encoding is a document in? What browsers ask first, then a look at the bytes.

A byte order mark beats the Content-Type header, which beats what the document says of itself. Only a document that
says nothing is guessed at: text that is valid UTF-8 is UTF-8, and for the rest there is resiliparse, whose detector
(uchardet) is the fastest of the accurate ones. Plain ASCII is windows-1252, as in browsers.
"""

from __future__ import annotations

import codecs

from resiliparse.parse.encoding import detect_encoding  # type: ignore[import-untyped]  # it ships no types

from gossamer.convert import mime
from gossamer.convert.labels import encoding_named
from gossamer.convert.prescan import declared_in_html, declared_in_xml

DEFAULT = "windows-1252"

_MARKS = (
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32LE"),  # begins like the mark of UTF-16, so it stands before it
    (codecs.BOM_UTF32_BE, "UTF-32BE"),
    (codecs.BOM_UTF16_LE, "UTF-16LE"),
    (codecs.BOM_UTF16_BE, "UTF-16BE"),
)
_DETECTED = {
    "cp855": "IBM855",
    "cp949": "EUC-KR",
    "euc_jp": "EUC-JP",
    "iso2022_jp": "ISO-2022-JP",
    "mac-cyrillic": "x-mac-cyrillic",
}
"""What the detector calls encodings that the standard calls otherwise. Its other code pages of DOS are mistakes."""
_LOOKED_AT = 1 << 16
_ASCII = bytes(range(0x80))
_ENOUGH = 4
"""Bytes beyond ASCII. From fewer nothing can be guessed."""
_ESCAPE = b"\x1b"
"""With it begin the shifts of ISO-2022-JP, whose bytes are all ASCII."""


def encoding(data: bytes, content_type: str | None = None) -> str:
    """The name of the encoding of a document, as the WHATWG Encoding standard spells it.

    Three that it does not know have the name that Python knows: UTF-32LE, UTF-32BE, IBM855.
    """
    return encoding_of(data, mime.extract((content_type,)) if content_type else None)


def encoding_of(data: bytes, mime_type: mime.MimeType | None) -> str:
    """The same for a Content-Type that has been parsed."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    said = encoding_named(mime_type.charset or "") if mime_type else None
    return said or _declared(data, mime_type) or _detected(data)


def _declared(data: bytes, mime_type: mime.MimeType | None) -> str | None:
    groups = mime.groups(mime_type) if mime_type else frozenset({"HTML"})
    if "HTML" in groups:
        return declared_in_html(data)
    if "XML" in groups:
        return declared_in_xml(data) or ("UTF-8" if data.isascii() else None)
    return None


def _detected(data: bytes) -> str:
    if data.isascii() and _ESCAPE not in data and b"\0" not in data:
        return DEFAULT
    if wide := _without_mark(data[:_LOOKED_AT]):
        return wide
    if _is_utf8(data):
        return "UTF-8"
    if _ESCAPE not in data and len(data[:_LOOKED_AT].translate(None, _ASCII)) < _ENOUGH:
        return DEFAULT
    found = detect_encoding(data, max_len=_LOOKED_AT, html5_compatible=False) or ""
    return encoding_named(found) or _DETECTED.get(found, DEFAULT)


def _without_mark(data: bytes) -> str | None:
    """UTF-16 of most languages has a zero in every other byte of most of its spaces, digits and signs."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) * 8 < len(data) or min(even, odd) * 8 > max(even, odd):
        return None
    return "UTF-16BE" if even > odd else "UTF-16LE"


def _is_utf8(data: bytes) -> bool:
    """More than ASCII, and all of it valid. A character that was cut off at the end does not count."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return not text.isascii()
