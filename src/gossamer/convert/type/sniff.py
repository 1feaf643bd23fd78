"""What kind of document is it? The type that was sent, corrected by a look at the first bytes, as browsers do.

This is the WHATWG MIME Sniffing standard (sections 5 to 7). Servers that mean well but know little send no type, or
`text/plain` for everything; what was said on purpose is believed. Left out: fonts, and MP3 without an ID3 tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gossamer.convert.type import mime

_LOOKED_AT = 1445
_UNKNOWN = frozenset({"unknown/unknown", "application/unknown", "*/*"})
_APACHE = frozenset(
    {
        "text/plain",
        "text/plain; charset=ISO-8859-1",
        "text/plain; charset=iso-8859-1",
        "text/plain; charset=UTF-8",
    }
)
"""What Apache once sent for files that it knew nothing of."""

_HTML = re.compile(
    rb"[\t\n\f\r ]*+<(?:(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P)[ >]|!--)",
    re.IGNORECASE,
).match
_XML = re.compile(rb"[\t\n\f\r ]*+<\?xml").match
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]").search
_TEXT_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")

_IMAGES = (
    (rb"\x00\x00[\x01\x02]\x00", "image/x-icon"),
    (rb"BM", "image/bmp"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF.{4}WEBPVP", "image/webp"),
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
)
_SOUNDS = (
    (rb"FORM.{4}AIFF", "audio/aiff"),
    (rb"ID3", "audio/mpeg"),
    (rb"OggS\x00", "application/ogg"),
    (rb"MThd\x00\x00\x00\x06", "audio/midi"),
    (rb"RIFF.{4}AVI ", "video/avi"),
    (rb"RIFF.{4}WAVE", "audio/wave"),
    (rb".{4}ftyp(?:mp4|(?:.{4}){2,32}?mp4)", "video/mp4"),
    (rb"\x1a\x45\xdf\xa3.{0,34}?\x42\x82.{1,8}?webm", "video/webm"),
)
_ARCHIVES = (
    (rb"\x1f\x8b\x08", "application/x-gzip"),
    (rb"PK\x03\x04", "application/zip"),
    (rb"Rar!\x1a\x07\x00", "application/x-rar-compressed"),
)
_DOCUMENTS = ((rb"%PDF-", "application/pdf"), (rb"%!PS-Adobe-", "application/postscript"))


def _compiled(table: tuple[tuple[bytes, str], ...]) -> tuple[tuple[re.Pattern[bytes], str], ...]:
    return tuple((re.compile(pattern, re.DOTALL), name) for pattern, name in table)


_IMAGE, _SOUND = _compiled(_IMAGES), _compiled(_SOUNDS)
_ANY = _compiled(_DOCUMENTS + _IMAGES + _SOUNDS + _ARCHIVES)

_BEFORE_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:[\t\n\r ]++|<!--.*?-->|<\?.*?\?>|<!(?!--)[^>]*+>|(?!))*+<", re.DOTALL)
_RSS_1 = (b"http://purl.org/rss/1.0/", b"http://www.w3.org/1999/02/22-rdf-syntax-ns#")


def media_type(data: bytes, content_types: Sequence[str] = (), *, nosniff: bool = False) -> mime.MimeType:
    """The type of a document, given all its Content-Type fields.

    `nosniff` says that its server wants the type believed (see `wants_no_sniffing`).
    """
    said = mime.extract(content_types)
    head = data[:_LOOKED_AT]
    if said is None or said.essence in _UNKNOWN:
        return _typed(_unknown(head, scriptable=not nosniff))
    if nosniff:
        return said
    if content_types[-1] in _APACHE:
        return said if _is_text(head) else _typed(_signature(head, _ANY) or "application/octet-stream")
    found = _better(said, head)
    return said if found is None else _typed(found)


def wants_no_sniffing(values: Sequence[str]) -> bool:
    """What the X-Content-Type-Options fields of a response say."""
    return mime.listed(values)[0].lower() == "nosniff"


def _typed(essence: str) -> mime.MimeType:
    kind, _, subtype = essence.partition("/")
    return mime.MimeType(kind, subtype)


def _better(said: mime.MimeType, head: bytes) -> str | None:
    groups = mime.groups(said)
    if "HTML" in groups:
        return _feed(head)
    if "image" in groups and "XML" not in groups:
        return _signature(head, _IMAGE)
    return _signature(head, _SOUND) if "audio or video" in groups else None


def _unknown(head: bytes, *, scriptable: bool) -> str:
    if scriptable and _HTML(head):
        return "text/html"
    if scriptable and _XML(head):
        return "text/xml"
    if head.startswith(_TEXT_MARKS):
        return "text/plain"
    return _signature(head, _ANY) or ("text/plain" if _is_text(head) else "application/octet-stream")


def _signature(head: bytes, table: tuple[tuple[re.Pattern[bytes], str], ...]) -> str | None:
    return next((name for pattern, name in table if pattern.match(head)), None)


def _is_text(head: bytes) -> bool:
    return head.startswith(_TEXT_MARKS) or _NOT_TEXT(head) is None


def _feed(head: bytes) -> str | None:
    """A feed that is sent as HTML."""
    before = _BEFORE_ROOT.match(head)
    if before is None:
        return None
    root = head[before.end() :]
    if root.startswith(b"rss"):
        return "application/rss+xml"
    if root.startswith(b"feed"):
        return "application/atom+xml"
    if root.startswith(b"rdf:RDF") and all(name in root for name in _RSS_1):
        return "application/rss+xml"
    return None
