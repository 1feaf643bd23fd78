"""Which encoding is a document in? What browsers ask, in their order; and where all of it cannot be true, the bytes.

A byte order mark beats the Content-Type header, which beats what the document says of itself. A document that says
nothing is guessed at (`guess`). So far we do as browsers do. But servers name encodings that are not those of their
documents, and a browser then shows garbage where a reader wants words. A name is overruled in these cases only:

- UTF-8, if most of what is beyond ASCII is invalid in it.
- An encoding of one byte a character, for what is UTF-8 from end to end: in three characters that cannot be chance.
- An encoding of two bytes a character, in both cases, but on 200 characters: nobody names one without a thought.
- windows-1252, by whichever of its names, for text with more letters beyond ASCII than within: no language of western
  Europe is written like that, but Russian, Greek, Hebrew and Chinese are. The letters must look like one of these.
- UTF-16 that has no zero in it and is valid UTF-8.

If the header is overruled, the document's own word is heard next, and then the bytes.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

from gossamer.convert.charset.decode import python_codec
from gossamer.convert.charset.guess import DEFAULT, by_letters, guessed, is_utf8
from gossamer.convert.charset.labels import encoding_named
from gossamer.convert.charset.prescan import declared_in_html, declared_in_xml
from gossamer.convert.type import mime

_MARKS = (
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32LE"),  # begins like the mark of UTF-16, so it stands before it
    (codecs.BOM_UTF32_BE, "UTF-32BE"),
    (codecs.BOM_UTF16_LE, "UTF-16LE"),
    (codecs.BOM_UTF16_BE, "UTF-16BE"),
)
_TWO_BYTES = frozenset({"GBK", "gb18030", "Big5", "EUC-JP", "ISO-2022-JP", "Shift_JIS", "EUC-KR"})
_NOT_MEANT_AS_TEXT = frozenset({"replacement", "x-user-defined"})
_LOOKED_AT = 1 << 16
_INVALID_LEAST = 4
"""Places. A few may be in any document."""
_UTF8_LEAST = 3
"""Characters of more than one byte."""
_TWO_BYTES_LEAST = 200
"""Characters of either kind that it takes here."""
_BEYOND_LEAST = 64
"""Bytes beyond ASCII, from which a script can be told."""
_LATIN = frozenset({"windows-1252", "windows-1250", "windows-1254", "windows-1257", "windows-1258", "ISO-8859-2"})
_ASCII = bytes(range(0x80))
_NOT_LETTERS = bytes(byte for byte in range(256) if not (byte < 0x80 and chr(byte).isalpha()))


class Encoding(NamedTuple):
    """What was said and what is so."""

    used: str
    """The name of the encoding, as the WHATWG Encoding standard spells it, like the next."""
    declared: str | None
    """As the header or else the document says; a byte order mark says nothing."""


def encoding(data: bytes, content_type: str | None = None) -> str:
    """The name of the encoding of a document, as the WHATWG Encoding standard spells it.

    Those that it does not know have the name that Python knows: UTF-32LE, UTF-32BE, IBM855, johab, ISO-2022-KR,
    HZ-GB-2312.
    """
    return encoding_of(data, mime.extract((content_type,)) if content_type else None)


def encoding_of(data: bytes, mime_type: mime.MimeType | None) -> str:
    """The same for a Content-Type that has been parsed."""
    return judged(data, mime_type).used


def judged(data: bytes, mime_type: mime.MimeType | None) -> Encoding:
    """The same, with what was said beside it."""
    in_header = encoding_named(mime_type.charset or "") if mime_type else None
    declared = in_header or _declared(data, mime_type)
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked or declared is None:
        return Encoding(marked or _unsaid(data, mime_type), declared)
    if fits(data, declared):
        return Encoding(declared, declared)
    own = _declared(data, mime_type) if in_header else None
    return Encoding(own if own and fits(data, own) else guessed(data), declared)


def fits(data: bytes, declared: str) -> bool:
    """There is no strong evidence that a document is in another encoding than it says."""
    if declared in _NOT_MEANT_AS_TEXT or (data.isascii() and not declared.startswith("UTF-16")):
        return True
    start = data[:_LOOKED_AT]
    valid = is_utf8(start)
    if declared.startswith("UTF-16"):
        return b"\0" in start or not (valid or start.isascii())
    if declared == "UTF-8":
        return valid or not _is_garbage(start, declared, _INVALID_LEAST)
    if (valid or start.isascii()) and is_utf8(data):
        return _characters(data) < (_TWO_BYTES_LEAST if declared in _TWO_BYTES else _UTF8_LEAST)
    if declared in _TWO_BYTES:
        return not _is_garbage(start, declared, _TWO_BYTES_LEAST)
    return declared != DEFAULT or not _is_another_script(start)


def _declared(data: bytes, mime_type: mime.MimeType | None) -> str | None:
    groups = mime.groups(mime_type) if mime_type else frozenset({"HTML"})
    if "HTML" in groups:
        return declared_in_html(data)
    return declared_in_xml(data) if "XML" in groups else None


def _unsaid(data: bytes, mime_type: mime.MimeType | None) -> str:
    """XML that says nothing is UTF-8."""
    is_xml = mime_type is not None and "XML" in mime.groups(mime_type)
    return "UTF-8" if is_xml and data.isascii() else guessed(data)


def _is_garbage(start: bytes, declared: str, least: int) -> bool:
    """Most of what is beyond ASCII is invalid."""
    text = start.decode(python_codec(declared), "replace")
    invalid = text.count("\ufffd")
    return invalid >= least and 2 * invalid >= len(text) - len(text.encode("ascii", "ignore"))


def _characters(data: bytes) -> int:
    """How many characters beyond ASCII there are in UTF-8."""
    return len(data.translate(None, _ASCII).translate(None, bytes(range(0x80, 0xC0))))


def _is_another_script(start: bytes) -> bool:
    beyond = len(start.translate(None, _ASCII))
    within = len(start.translate(None, _NOT_LETTERS))
    return beyond >= _BEYOND_LEAST and beyond > within and by_letters(start) not in _LATIN
