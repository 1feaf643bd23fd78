"""The bytes of the records that keep what a page says. Nothing here touches a file.

A page is two or three records that refer to its capture: a conversion to HTML, its main content as tagged text; a
conversion to plain text, all of its words, unless the first has them all; and metadata, all else that was read, as
JSON. So any program that reads WARC can use them: Common Crawl keeps plain text and metadata in the same way.

When they are carried over to another file, they name the warcinfo record of that one.
"""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple, get_type_hints

import msgspec

from gossamer.errors import Damaged
from gossamer.lazy import pattern
from gossamer.model import URL, Link, Page
from gossamer.store.warc.gzip_members import packed, unpacked_at_once
from gossamer.store.warc.records import END, LOW, header, named, new_record
from gossamer.store.warc.warc import Record, date, id_of
from gossamer.tagged import plain, plain_within

HTML = "text/html;charset=utf-8"
PLAIN = "text/plain;charset=utf-8"
JSON = "application/json"
_BODY, _BODY_END = b"\n<body>\n", b"\n</body>\n</html>\n"


class Worded(NamedTuple):
    """The packed records of one page."""

    record: str
    """The UUID of the first."""
    html: bytes
    plain: bytes
    """Empty when the first has all words."""
    said: bytes


_NAMED = pattern(rb"(?:WARC-Warcinfo-ID: <urn:uuid:[^>\r\n]*>\r\n)?(?=WARC-Block-Digest: )")
_ELSEWHERE = {"url", "text", "content", "html", "digest", "copy_of", "near_copy_of", "unread"}
"""What the other records, or the row of the version, have. What was not read has no records."""
_types = get_type_hints(Page) | {"links": tuple[Link, ...]}
Said = msgspec.defstruct(
    "Said",
    [(spec.name, _types[spec.name], spec.default) for spec in fields(Page) if spec.name not in _ELSEWHERE],
    frozen=True,
    omit_defaults=True,
)
"""What was read besides the words: the metadata record. A link is a list of the seven fields of a `Link`."""
_FIELDS = Said.__struct_fields__
_encode = msgspec.json.Encoder(enc_hook=tuple).encode  # of links that are not made yet
_said = msgspec.json.Decoder(Said).decode
_IN_ROWS = ("media_type", "encoding", "title", "noindex", "noarchive")
_RowPart = msgspec.defstruct(
    "_RowPart", [(spec.name, _types[spec.name], spec.default) for spec in fields(Page) if spec.name in _IN_ROWS]
)
_row_part = msgspec.json.Decoder(_RowPart).decode


def worded(page: Page, url: URL, began: float, response: str, info: str = "") -> Worded:
    """The records of a page that was read from the capture at `url`; `response` is the UUID of its record, `info` that
    of the warcinfo record of the file."""
    from gossamer.convert.standalone import standalone  # with all that reads pages, which only who writes needs

    refers = f"WARC-Refers-To: {id_of(response)}\r\n"
    about = f"WARC-Date: {date(began)}\r\nWARC-Target-URI: {url}\r\n{refers}{named(info)}"
    record = new_record()
    said = Said(**{name: getattr(page, name) for name in _FIELDS})
    return Worded(
        record,
        _packed("conversion", record, about, HTML, standalone(page).encode("utf-8", "replace")),
        b"" if page.text == page.content else _plain(about, page.text),
        _packed("metadata", new_record(), about, JSON, _encode(said)),
    )


def page_of(url: URL, html: Record, text: Record | None, metadata: Record) -> Page:
    """The page that the records were made from, but for what its capture knows: digest and copies."""
    try:
        said = _said(metadata.block)
        tagged = html.block.partition(_BODY)[2].removesuffix(_BODY_END).decode()
        words = text.block.decode() if text else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"{html.place.file}: the text at offset {html.place.offset} is not ours: {error}") from None
    content = plain(tagged)
    read = {name: getattr(said, name) for name in _FIELDS}
    return Page(url, text=content if words is None else words, content=content, html=tagged, **read)


def row_part(metadata: Record) -> dict[str, object]:
    """What the row of a version has, too."""
    try:
        return msgspec.structs.asdict(_row_part(metadata.block))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"what was read is not as we keep it: {error}") from None


def content_of(record: str, data: bytes) -> str | None:
    """The main content in the bytes of a conversion to HTML, given its UUID: all that a snippet needs, at a third of
    the cost of a page. None when it is another record."""
    head = data.find(b"\r\n\r\n")
    if data.find(record.encode(), 0, head) < 0:
        return None
    body = data.find(_BODY, head + 4)
    end = len(data) - len(END) * data.endswith(END)
    end -= len(_BODY_END) * data.endswith(_BODY_END, 0, end)
    return "" if min(head, body) < 0 else plain_within(data, body + len(_BODY), max(body + len(_BODY), end))


def moved(member: bytes, info: str) -> bytes:
    """A packed record as it is in a file with another warcinfo record. Those of older files name none."""
    data = unpacked_at_once(member) or b""
    head, end, block = data.partition(END)
    there = _NAMED.sub(named(info).encode(), head, count=1)
    return member if there == head else packed((there, end, block), LOW)


def _plain(about: str, text: str) -> bytes:
    return _packed("conversion", new_record(), about, PLAIN, text.encode("utf-8", "replace"))


def _packed(kind: str, record: str, about: str, media_type: str, block: bytes) -> bytes:
    return packed((header(kind, record, about, media_type, block), block, END), LOW)
