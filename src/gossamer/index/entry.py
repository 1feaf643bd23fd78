"""What is indexed of a page, and the row that it becomes: fields with terms, columns, and what is shown of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
import tantivy

from gossamer.index.analysis import APART, joined
from gossamer.index.facets import address, field_texts, fields, kinds, places, year
from gossamer.index.faults import unreadable
from gossamer.model import FieldValue
from gossamer.urls import keys

BESIDES = ("title", "headings", "address")
"""Fields whose words count for more."""
TEXTS = ("body", *BESIDES)
"""Fields that words are looked for in. The body has those of the others too, so that pages are found by it alone."""
PHRASED = ("body", "title")
"""Those of them that know where their words stand."""
TEXT_MOST = 2_000_000
"""Characters of a page that it is found by: a book of a thousand pages. Where all words are new, the engine needs 30
bytes for each."""
TERMS = "terms-2"
"""The engine refuses an index whose fields have another name for what makes their terms, and it is made again. So the
number goes up when a text gives other terms than before."""
_APART = f" {APART} "
"""Between texts that do not follow each other. Headings are a part of the content."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is indexed of a page."""

    url: str
    title: str = ""
    headings: str = ""
    body: str = ""
    site: str = ""
    media_type: str = ""
    language: str | None = None
    date: float = 0.0
    """Seconds since 1970: when it was published, or fetched first."""
    text: bytes = b""
    """Where its text lies, in the words of the part that keeps it: a hint, because the text may have moved since."""
    size: int = 0
    """Bytes of the document."""
    published: float | None = None
    """Seconds since 1970, like the next."""
    fetched: float = 0.0
    fields: tuple[tuple[str, FieldValue], ...] = ()
    """What a page function gave."""
    since: float = 0.0
    """Seconds since 1970: when the page was first seen with this text."""
    until: float | None = None
    """When it was first seen without it; None: it is the text of now."""

    @property
    def name(self) -> str:
        """What is replaced by it: the page, or its text of that time."""
        return self.url if self.until is None else text_name(self.url, self.since)


def text_name(url: str, since: float) -> str:
    """What the index calls a text that a page had from a moment on. No address has a NUL."""
    return f"{url}\0{milliseconds(since)}"


def milliseconds(moment: float) -> int:
    """A time as the columns of an index have it, and the dates of captures."""
    return round(moment * 1_000)


class TextSpan(NamedTuple):
    """From when to when a page had a text; in milliseconds, like the columns."""

    since: int
    until: int | None
    shown: Shown


class Shown(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is shown of a page without opening it."""

    url: str
    title: str
    site: str
    language: str | None
    date: float
    text: bytes = b""
    media_type: str = ""
    size: int = 0
    published: float | None = None
    fetched: float = 0.0
    length: int = 0
    """Characters of its text; 0 when it is not known, as in an index of before."""


_shown = msgspec.msgpack.Decoder(Shown).decode


def schema() -> tantivy.Schema:
    """The fields of an index."""
    builder = tantivy.SchemaBuilder().add_text_field("url", tokenizer_name="raw", index_option="basic")
    for name in TEXTS:
        builder.add_text_field(name, tokenizer_name=TERMS, index_option="position" if name in PHRASED else "freq")
    builder.add_text_field("spelling", tokenizer_name=TERMS, index_option="basic")
    builder.add_text_field("place", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("own", tokenizer_name=TERMS, index_option="position")
    for name in ("type", "language", "domain"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("site", fast=True)
    builder.add_integer_field("date", indexed=True, fast=True)
    builder.add_unsigned_field("year", fast=True)
    builder.add_unsigned_field("covered", stored=True)
    builder.add_integer_field("since", fast=True)
    builder.add_integer_field("until", fast=True)
    return builder.add_bytes_field("shown", stored=True).build()


def shown_of(row: object) -> Shown:
    """What is shown of a page, as an index has it."""
    try:
        return _shown(row if isinstance(row, bytes) else bytes(row))  # type: ignore[call-overload]  # or a list of numbers
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError, ValueError) as error:
        raise unreadable(str(error)) from None


def within(entry: Entry) -> Entry:
    """As much of a page as it is found by."""
    if length(entry) <= TEXT_MOST:
        return entry
    headings = entry.headings[: TEXT_MOST // 4]
    return replace(entry, headings=headings, body=entry.body[: TEXT_MOST - len(headings)])


def length(entry: Entry) -> int:
    """Characters that the engine is given."""
    return len(entry.headings) + len(entry.body)


def document(entry: Entry) -> tantivy.Document:
    """The row of a page, as the engine takes it."""
    document = tantivy.Document()
    for name in dict.fromkeys((entry.url, entry.name)):
        document.add_text("url", name)
    document.add_integer("since", milliseconds(entry.since))
    if entry.until is not None:
        document.add_integer("until", milliseconds(entry.until))
    besides = [joined(text, entry.language) for text in (entry.title, entry.headings, address(entry.url))]
    for name, words in zip(BESIDES, besides, strict=True):
        if words:
            document.add_text(name, words)
    document.add_text("body", _APART.join((joined(entry.body, entry.language), besides[0], besides[2])))
    document.add_text("spelling", joined(f"{entry.title} {entry.headings}"))
    for place in places(entry.url, entry.site):
        document.add_text("place", place)
    if entry.fields:
        _add_own(document, entry.fields)
    for kind in kinds(entry.media_type):
        document.add_text("type", kind)
    if entry.language:
        document.add_text("language", entry.language)
    document.add_unsigned("page", keys.fingerprint(entry.url))
    document.add_unsigned("site", keys.digest(entry.site.encode()))
    document.add_text("domain", entry.site)
    document.add_integer("date", int(entry.date))
    if known := year(entry.date):
        document.add_unsigned("year", known)
    about = (entry.text, entry.media_type, entry.size, entry.published, entry.fetched, len(entry.body))
    shown = Shown(entry.url, entry.title, entry.site, entry.language, entry.date, *about)
    document.add_bytes("shown", msgspec.msgpack.encode(shown))
    return document


def _add_own(document: tantivy.Document, given: tuple[tuple[str, FieldValue], ...]) -> None:
    """Texts are added one by one, so that the last word of one is no neighbour of the first of the next."""
    for term in fields(given):
        document.add_text("place", term)
    for text in field_texts(given):
        document.add_text("own", text)
