"""Which pages does a site list? Sitemaps (sitemaps.org), and plain lists that serve as such; feeds are read by `feed`.

Many sitemaps in the wild are not well-formed: raw ampersands, wrong namespaces, a PHP warning in front, the
end cut off. So there is no XML parser here. One regular expression finds the few elements that matter, aware
of comments and CDATA, and passes over everything else. Entities that a document declares are never expanded
and nothing is ever loaded, so XML bombs find nothing to set off, and the time is linear in the size.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from html.entities import html5
from io import BytesIO
from itertools import islice

from gossamer.convert import feed
from gossamer.convert.charset.decode import utf8
from gossamer.convert.charset.labels import encoding_named
from gossamer.convert.dates import seconds
from gossamer.convert.type import mime
from gossamer.freshness.hints import frequency
from gossamer.lazy import pattern
from gossamer.model import URL, Link
from gossamer.urls import resolve

SIZE_MOST = 50 * 1024 * 1024
"""Bytes when unpacked: the standard's own limit, like the next."""
ADDRESSES_MOST = 50_000
CHARACTERS_MOST = 16_000_000
"""Of all addresses together, 320 for each of so many: what they point to is kept several times over on the way."""
_TAGS_MOST = 3_000_000
"""A legal file full of pictures has two million. More are there to keep us busy."""
_ELEMENTS_MOST = 20 * ADDRESSES_MOST
"""Elements that could matter. An honest entry has five."""
_VALUE_MOST = 16_384
"""Bytes of an element or of attributes that can still hold an address."""

_TOO_LARGE = f"larger than {SIZE_MOST:,} bytes; the rest was not read"
_TOO_MANY = f"more than {ADDRESSES_MOST:,} addresses; the rest was not read"
_TOO_LONG = f"more than {CHARACTERS_MOST:,} characters of addresses; the rest was not read"
_TOO_MUCH_MARKUP = "far more markup than addresses; the rest was not read"
_DAMAGED = "the compressed data is damaged or ends early"
_NO_SITEMAP = "neither a sitemap nor a feed nor a list of addresses"

_GZIP = b"\x1f\x8b"
_GZIP_CHUNK = 512
"""Bytes inflated at a time: where the data is damaged, no more than this is lost."""
_MEMBERS_MOST = 1000
_LINES_MOST = 4 * ADDRESSES_MOST
_HEAD = 1024 * 1024
"""Bytes in which the root element must come."""
_CHUNK = 65_536
_INDEX = b"sitemapindex"


_ROOT_TAGS = (b"<urlset", b"<sitemapindex", b":urlset", b":sitemapindex")
_ROOT_WITHIN = 4_096


def is_sitemap(data: bytes) -> bool:
    """Does a document that nobody calls a sitemap begin like one? It may be packed."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(31).decompress(data[:_ROOT_WITHIN], _ROOT_WITHIN)
        except zlib.error:
            return False
    head = data[:_ROOT_WITHIN]
    return any(root in head for root in _ROOT_TAGS) and b"<html" not in head.lower()


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap lists, in its order."""

    is_index: bool = False
    links: tuple[Link, ...] = ()
    """Pages."""
    sitemaps: tuple[URL, ...] = ()
    """Further sitemaps."""
    feed: bool = False
    """It is RSS or Atom: a list of what is new, not of all there is."""
    update_every: float | None = None
    """Seconds after which it is worth another look, as a feed says; and the hours and days in which nothing is new."""
    quiet: int = 0
    problem: str | None = None
    """Why something may be missing."""


def read(data: bytes, url: str, content_type: str | None = None) -> Sitemap:
    """Read what was fetched from `url`. What cannot be read is left out, and `problem` says so."""
    body, problem = _unpacked(data)
    text = utf8(body, _encoding(body, content_type))
    root = _root(text)
    if root in _FEEDS:
        return _of_feed(body, url, content_type, problem)
    if root in _SITEMAPS:
        entries, cut = _entries(text)
    else:
        entries, cut = ([], _NO_SITEMAP) if root else _listed(text)
    del text
    links: list[Link] = []
    sitemaps: list[URL] = []
    for entry, address in zip(entries, resolve([entry.address for entry in entries], url), strict=True):
        if address and entry.is_sitemap:
            sitemaps.append(address)
        elif address:
            date, share, every = seconds(entry.date), _share(entry.priority), frequency(entry.frequency)
            links.append(Link(address, place="sitemap", modified=date, priority=share, every=every))
    is_index = root == _INDEX or bool(sitemaps and not links)
    return Sitemap(is_index, tuple(links), tuple(sitemaps), problem=problem or cut)


def _of_feed(body: bytes, url: str, content_type: str | None, problem: str | None) -> Sitemap:
    kind = mime.extract((content_type,)) if content_type else None
    found = feed.read(body, url, kind)
    return Sitemap(
        links=feed.links_of(found),
        feed=True,
        update_every=found.update_every,
        quiet=found.quiet,
        problem=problem or found.problem or None,
    )


def _unpacked(data: bytes) -> tuple[bytes, str | None]:
    """Undo gzip, also where it was done twice, and cut at the limit."""
    problem = None
    for _ in range(2):
        if data.startswith(_GZIP):
            data, whole = _inflated(data)
            problem = problem if whole else _DAMAGED
    if len(data) > SIZE_MOST:
        return data[:SIZE_MOST], _TOO_LARGE
    return data, problem


def _inflated(data: bytes) -> tuple[bytes, bool]:
    """What a gzip file holds, to just over the limit, and whether it was sound so far."""
    out, at = bytearray(), 0
    try:
        for _ in range(_MEMBERS_MOST):
            stream = zlib.decompressobj(wbits=31)
            while not stream.eof:
                chunk = data[at : at + _GZIP_CHUNK]
                out += stream.decompress(chunk, SIZE_MOST + 1 - len(out))
                at += len(chunk) - len(stream.unused_data)
                if not chunk or len(out) > SIZE_MOST:
                    return bytes(out), bool(chunk)
            if not data.startswith(_GZIP, at):
                return bytes(out), True
    except zlib.error:
        pass
    return bytes(out), False


_STARTS = (
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32LE"),
    (codecs.BOM_UTF32_BE, "UTF-32BE"),
    *((start, "UTF-16LE") for start in (codecs.BOM_UTF16_LE, b"<\0", b"h\0")),
    *((start, "UTF-16BE") for start in (codecs.BOM_UTF16_BE, b"\0<", b"\0h")),
)
"""A byte order mark, or a first tag or address in two bytes a character."""
_DECLARED = pattern(rb"<\?xml[^<>]{0,200}?\sencoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_NOT_MEANT = frozenset({"UTF-16LE", "UTF-16BE", "replacement"})
"""Nothing could be read in these that does not begin as above."""
_CHARSET = pattern(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)


def _encoding(data: bytes, content_type: str | None) -> str:
    """By the first bytes, the XML declaration or the header, in this order."""
    for start, encoding in _STARTS:
        if data.startswith(start):
            return encoding
    declared = _DECLARED.search(data, 0, 1024)
    charset = _CHARSET.search(content_type or "")
    label = declared[1].decode("ascii") if declared else charset[1] if charset else "utf-8"
    named = encoding_named(label)
    return "UTF-8" if named is None or named in _NOT_MEANT else named


_PRIORITY = b"priority"
"""A number from 0 to 1 that says how a page ranks among those of its site."""
_FREQUENCY = b"changefreq"


def _tags(names: Iterable[bytes], asides: Iterable[bytes]) -> re.Pattern[bytes]:
    """Groups: an aside that ends; an element that begins, its attributes and its text up to the next tag.

    A comment or the like is matched without any group. If its end is missing, the end of the file takes its
    place: nothing is searched for twice.
    """
    comment, cdata = rb"<!--.*?(?:-->|\Z)", rb"<!\[CDATA\[.*?(?:\]\]>|\Z)"
    doctype = rb"<!DOCTYPE[^\[<>]*+(?:\[.*?(?:\]\s*+>|\Z))?"
    prefix = rb"(?:(?!image:|video:)[\w.-]{1,40}:)?"
    end = rb"</" + prefix + rb"(" + b"|".join(asides) + rb")(?![\w.:-])"
    begin = rb"<" + prefix + rb"(" + b"|".join(names) + rb")(?![\w.:-])([^<>]*+)>?"
    text = rb"((?:[^<]++|" + cdata + rb"|" + comment + rb"){0,99})"
    return pattern(b"|".join([comment, cdata, doctype, end, begin + text]), re.IGNORECASE | re.DOTALL)


_ENTRIES = frozenset({b"url", b"sitemap"})
_DATES = {b"lastmod": 0, b"publication_date": 1}
"""With their rank: an entry may have several, and the lowest counts."""
_ASIDES = frozenset({b"image", b"video"})
"""Elements whose content says nothing about the entry they stand in."""
_TAGS = _tags([*_ENTRIES, b"loc", *_DATES, _PRIORITY, _FREQUENCY, *_ASIDES], _ASIDES)
"""By local name: namespaces are too often wrong."""
_SITEMAPS = frozenset({b"urlset", _INDEX, *_ENTRIES})
_FEEDS = frozenset({b"rss", b"rdf", b"item", b"feed", b"entry"})
_ROOTS = _tags([b"html", b"body", *_SITEMAPS, *_FEEDS], [b"html"])


def _root(text: bytes) -> bytes:
    """The first element that tells what this is; empty when there is none near the start."""
    return next((tag[2].lower() for tag in _ROOTS.finditer(text, 0, _HEAD) if tag[2]), b"")


class _Entry:
    """One thing listed, while its parts are being gathered."""

    __slots__ = ("_address_rank", "_date_rank", "address", "date", "frequency", "is_sitemap", "priority")

    def __init__(self, is_sitemap: bool = False, address: str = "") -> None:
        self.is_sitemap = is_sitemap
        self.address = address
        self.date = ""
        self.priority = self.frequency = ""
        self._address_rank = self._date_rank = 9

    def offer_address(self, rank: int, text: str) -> None:
        """The lowest rank wins, then the first. Above rank 0 only what is surely an address counts."""
        sure = rank == 0 or text[:8].lower().startswith(("http://", "https://"))
        if text and rank < self._address_rank and sure:
            self._address_rank, self.address = rank, text

    def offer_date(self, rank: int, text: str) -> None:
        """The lowest rank wins, then the first."""
        if text and rank < self._date_rank:
            self._date_rank, self.date = rank, text


def _entries(text: bytes) -> tuple[list[_Entry], str | None]:
    """The entries that have an address, and why there may be more of them.

    Nothing needs to be closed: an entry lasts until the next one begins.
    """
    text, cut = _bearable(text)
    found: list[_Entry] = []
    entry: _Entry | None = None
    aside = b""
    left = CHARACTERS_MOST
    for count, tag in enumerate(_TAGS.finditer(text)):
        name = (tag[2] or b"").lower()
        if name in _ENTRIES:
            if entry and entry.address:
                found.append(entry)
                left -= len(entry.address)
            entry, aside = _begun(name, tag), b""
        elif not name or aside:
            aside = b"" if tag[1] and tag[1].lower() == aside else aside
        elif name in _ASIDES:
            aside = b"" if tag[3].endswith(b"/") else name
        elif entry:
            _gather(entry, name, tag)
        if count > _ELEMENTS_MOST or len(found) > ADDRESSES_MOST or left < 0:
            cut = _TOO_LONG if left < 0 else _TOO_MUCH_MARKUP
            break
    if entry and entry.address:
        found.append(entry)
    return found[:ADDRESSES_MOST], _TOO_MANY if len(found) > ADDRESSES_MOST else cut


def _bearable(text: bytes) -> tuple[bytes, str | None]:
    """Each opening bracket costs a little time, needed or not."""
    tags = 0
    for at in range(0, len(text), _CHUNK):
        tags += text.count(b"<", at, at + _CHUNK)
        if tags > _TAGS_MOST:
            return text[:at], _TOO_MUCH_MARKUP
    return text, None


def _begun(name: bytes, tag: re.Match[bytes]) -> _Entry:
    """Some write the address right into the entry."""
    entry = _Entry(is_sitemap=name == b"sitemap")
    entry.offer_address(1, _value(tag))
    return entry


def _gather(entry: _Entry, name: bytes, tag: re.Match[bytes]) -> None:
    if name in _DATES:
        entry.offer_date(_DATES[name], _value(tag))
    elif name == _PRIORITY:
        entry.priority = entry.priority or _value(tag)
    elif name == _FREQUENCY:
        entry.frequency = entry.frequency or _value(tag)
    else:
        entry.offer_address(0, _value(tag))


def _value(tag: re.Match[bytes]) -> str:
    """An element's own text. What the end of the file has cut off is worth nothing."""
    begin, end = tag.span(4)
    return "" if begin == end or end == len(tag.string) else _plain(tag[4][: _VALUE_MOST + 1])


_MARKUP = pattern(rb"<!\[CDATA\[|\]\]>|<!--.*?(?:-->|\Z)|<[^>]*>?", re.DOTALL)
_NAMED = pattern(r"&([A-Za-z][A-Za-z0-9._-]*);")
_REFERENCE = pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);")


def _plain(value: bytes) -> str:
    """The text of an element without its markup; empty when it refers to an entity that only a DTD can know.

    References are resolved in CDATA too: an address that really holds `&amp;` has yet to be seen there.
    """
    if len(value) > _VALUE_MOST:
        return ""
    if b"<" in value:
        value = _MARKUP.sub(b"", value)
    text = value.decode("utf-8", "replace")
    if "&" in text:
        if any(f"{name};" not in html5 for name in _NAMED.findall(text)):
            return ""
        text = _REFERENCE.sub(lambda reference: unescape(reference[0]), text)
    return text.strip().strip("\ufeff\u200b")


def _listed(text: bytes) -> tuple[list[_Entry], str | None]:
    """A plain list, one address a line. Lines that do not begin with one are passed over."""
    lines = BytesIO(text.replace(b"\r", b"\n"))
    found: list[_Entry] = []
    left = CHARACTERS_MOST
    for line in islice(lines, _LINES_MOST):
        words = line[:_VALUE_MOST].decode("utf-8", "replace").split(None, 1)
        if words and words[0].lower().startswith(("http://", "https://", "//", "www.")):
            found.append(_Entry(address=f"//{words[0]}" if words[0][0] in "wW" else words[0]))
            left -= len(words[0])
        if len(found) > ADDRESSES_MOST or left < 0:
            return found[:-1], _TOO_LONG if left < 0 else _TOO_MANY
    return found, None if found else _NO_SITEMAP


@lru_cache(maxsize=256)
def _share(priority: str) -> float:
    """A number from 0 to 1; the standard's own default, 0.5, for anything else."""
    try:
        share = float(priority) if len(priority) <= 16 else 0.5
    except ValueError:
        return 0.5
    return share if 0.0 <= share <= 1.0 else 0.5
