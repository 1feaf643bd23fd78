"""Mail (RFC 5322 and MIME), web pages saved as such among it: the header, the best form of the text, what is attached.

The standard library reads the fields; the parts are cut here, since its parser calls itself for each level and looks
at each line once for every boundary. Of a text in several forms the HTML is taken, or else the plain one.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser

from gossamer.convert.dates import file_seconds
from gossamer.convert.files.mail.letter import Attached, Letter, page_of_letter
from gossamer.convert.files.page import About
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

_SHOWN = ("From", "To", "Cc", "Subject", "Date")
_HEAD_MOST = 256 << 10
_PARTS_MOST = 1_000
_DEPTH_MOST = 20
_VALUE_MOST = 4_000
"""Characters of a field that is shown."""
_HEAD_ENDS = re.compile(rb"\r?\n\r?\n")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")
_TEXTS = ("text/html", "text/plain")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


@dataclass(frozen=True, slots=True)
class _Part:
    head: Message
    body: bytes
    depth: int = 0
    related: bool = False
    """It belongs to a page that stands beside it: a picture, as a rule."""

    @property
    def kind(self) -> str:
        return self.head.get_content_type()

    @property
    def is_text(self) -> bool:
        return self.kind in _TEXTS and self.head.get_content_disposition() != "attachment"


def read(source: Source) -> Page:
    """What a letter says."""
    whole = _part(source.data)
    bodies: list[Page] = []
    attached: list[Attached] = []
    for part in _leaves(whole):
        if part.is_text and not (part.related and bodies):
            bodies.append(read_within(source, _decoded(part), "", _media_type(part)))
        elif not (part.related and part.kind.startswith(("image/", "text/css"))) and part.kind not in _SIGNATURES:
            attached.append(Attached(_file_name(part.head), _decoded(part), _media_type(part)))
    about = About(_field(whole.head, "Subject"), _field(whole.head, "From"), file_seconds(_field(whole.head, "Date")))
    fields = tuple((name, _field(whole.head, name)) for name in _SHOWN)
    return page_of_letter(source, Letter(fields, _joined(bodies), tuple(attached), about))


def _part(data: bytes, depth: int = 0, *, related: bool = False) -> _Part:
    data = data.lstrip(b"\r\n") if depth == 0 else data
    ends = None if data.startswith((b"\n", b"\r\n")) else _HEAD_ENDS.search(data)
    head, body = (data[: ends.end()], data[ends.end() :]) if ends else (b"", data)
    if not ends and _FIELD.match(data):
        head, body = data, b""
    return _Part(_fields(head), body, depth, related)


def _fields(head: bytes) -> Message:
    """Those with parameters are cut: the library's time for them grows with the square of their length."""
    fields = BytesHeaderParser().parsebytes(head[:_HEAD_MOST])
    for name in ("Content-Type", "Content-Disposition"):
        if len(value := str(fields.get(name, ""))) > _VALUE_MOST:
            fields.replace_header(name, value[:_VALUE_MOST])
    return fields


def _leaves(whole: _Part) -> Iterator[_Part]:
    """Parts without parts, in order; of several forms of one text the best."""
    waiting = [whole]
    for _ in range(_PARTS_MOST):
        if not waiting:
            return
        part = waiting.pop()
        if not part.kind.startswith("multipart/"):
            yield part
        elif part.depth < _DEPTH_MOST:
            inner = list(_inner(part))
            if part.kind == "multipart/alternative":
                inner = [max(inner, key=_rank)] if inner else []
            waiting += reversed(inner)


def _inner(part: _Part) -> Iterator[_Part]:
    boundary = _boundary(part.head)
    if not boundary:
        return
    mark = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\r?\Z)")
    related = part.related or part.kind == "multipart/related"
    start: int | None = None
    for number, found in enumerate(mark.finditer(part.body)):
        if start is not None:
            yield _part(part.body[start : found.start()], part.depth + 1, related=related)
        if found[1] or number >= _PARTS_MOST:
            return
        start = part.body.find(b"\n", found.end()) + 1 or len(part.body)
    if start is not None:  # it was cut off
        yield _part(part.body[start:], part.depth + 1, related=related)


def _rank(part: _Part) -> int:
    """How good a form of a text is. One that has further parts has pictures to its HTML."""
    if part.kind.startswith("multipart/"):
        return 4
    return {"text/html": 3, "text/plain": 2}.get(part.kind, 1 if part.kind.startswith("text/") else 0)


def _decoded(part: _Part) -> bytes:
    coding = str(part.head.get("Content-Transfer-Encoding", "")).strip().lower()
    if coding == "base64":
        return _from_base64(part.body)
    return quopri.decodestring(part.body) if coding == "quoted-printable" else part.body


def _from_base64(data: bytes) -> bytes:
    """What was cut off in the middle of a character loses it."""
    kept = _NOT_BASE64.sub(b"", data.split(b"=")[0] if data.count(b"=") <= 2 else data)
    kept = kept[: len(kept) - 1] if len(kept) % 4 == 1 else kept
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def _joined(pages: list[Page]) -> Page:
    return Page(
        html="\n".join(page.html for page in pages if page.html),
        links=tuple(link for page in pages for link in page.links),
        problem=next((page.problem for page in pages if page.problem), ""),
    )


def _field(head: Message, name: str) -> str:
    """A field as it reads: encoded words decoded, bytes that should not be there taken for UTF-8."""
    raw = next((value for key, value in head.raw_items() if key.lower() == name.lower()), "")
    value = str(raw)[:_VALUE_MOST].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return " ".join(_words(value).split())


def _words(value: str) -> str:
    if "=?" not in value:  # most have no encoded word, and the library takes long to say so
        return value
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, ValueError, LookupError):
        return value


def _media_type(part: _Part) -> str:
    charset = _asked(part.head.get_content_charset)
    return f"{part.kind}; charset={charset}" if charset else part.kind


def _boundary(head: Message) -> bytes:
    return _asked(head.get_boundary).encode("utf-8", "surrogateescape")


def _file_name(head: Message) -> str:
    return _words(_asked(head.get_filename))


def _asked(parameter: Callable[[], str | None]) -> str:
    """A parameter of a field; nothing, where the library stumbles over how it is written."""
    try:
        return (parameter() or "").encode("utf-8", "replace").decode()
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
