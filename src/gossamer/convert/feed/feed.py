"""What does a feed say? RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, CDF and JSON Feed become one value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode
from gossamer.convert.dates import seconds
from gossamer.convert.feed import json, xml
from gossamer.convert.feed.markup import TAG
from gossamer.convert.feed.record import Record
from gossamer.convert.html.scan import scan
from gossamer.convert.type import mime
from gossamer.freshness import hints
from gossamer.model import URL
from gossamer.urls import resolve

SIZE_MOST = 16 * 1024 * 1024
"""Bytes."""
TITLE_MOST = 2_000
"""Characters."""
_TOO_LARGE = f"larger than {SIZE_MOST:,} bytes; the rest was not read"
_ROOT_WITHIN = 4_096
_ROOTS = frozenset({"rss", "feed", "rdf"})
_FIRST = frozenset({"channel", "entry"})
"""These are too common inside of other things."""
_OTHER_ROOTS = frozenset({"html", "body", "svg", "urlset", "sitemapindex"})
_RSS_1 = ("purl.org/rss", "<item")
"""RDF without these is no feed."""
_XML = mime.MimeType("application", "xml")
_CONTROL = re.compile("[\x80-\x9f]")
"""Nobody means these; they are quotation marks and dashes of Windows whose numbers were taken for Unicode."""

_HOUR = 3600.0
_PERIODS = {"hourly": 1.0, "daily": 24.0, "weekly": 168.0, "monthly": 730.0, "yearly": 8766.0}
"""In hours."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a feed tells of."""

    title: str = ""
    url: URL | None = None
    id: str = ""
    """What it calls itself, however its address changes."""
    summary: str = ""
    """HTML as it was found, like the next."""
    content: str = ""
    author: str = ""
    email: str = ""
    published: float | None = None
    """Seconds since 1970, like the next."""
    updated: float | None = None
    base: str = ""
    """What addresses in its texts are relative to."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and its entries, in its order."""

    about: Entry
    """The same for the feed as a whole; its address is that of the site."""
    entries: tuple[Entry, ...] = ()
    language: str = ""
    """As the feed says."""
    update_every: float | None = None
    """Seconds after which it is worth another look, as the feed says."""
    quiet: int = 0
    """Hours and days in which nothing is new; see `freshness.hints`."""
    further: tuple[tuple[URL, str], ...] = ()
    """Addresses of other pages of the same list, and how they relate to this one."""
    encoding: str = "UTF-8"
    declared: str | None = None
    problem: str = ""


def is_feed(data: bytes) -> bool:
    """Does it begin like one? There may be garbage in front, such as the warnings of a program."""
    start = data[:_ROOT_WITHIN].replace(b"\0", b"").decode("latin-1")
    if start.lstrip("ï»¿\t\n\r ")[:1] == "{":
        return json.MARK in start.replace("\\/", "/")
    names = [tag[3].lower() for tag in TAG.finditer(start) if tag[3]]
    root = next((name for name in names if name in _ROOTS or name in _OTHER_ROOTS), "")
    if root == "rdf":
        return any(word in start for word in _RSS_1)
    return root in _ROOTS or (not root and bool(_FIRST.intersection(names[:1])))


def read(data: bytes, url: str | None, kind: mime.MimeType | None = None) -> Feed:
    """Read what was fetched from `url`. What cannot be read is left out, and `problem` says so."""
    start = data[:SIZE_MOST]
    encoding, declared = judged(start, _textual(kind))
    text = _CONTROL.sub(_as_windows_reads, decode(start, encoding))
    reader = json if text[:_ROOT_WITHIN].lstrip()[:1] == "{" else xml
    found = reader.read(text, url or "")
    feed = found.feed
    return Feed(
        next(_entries([feed])),
        tuple(_entries(found.entries)),
        feed.said.get("language", ""),
        _update_every(feed.said),
        _quiet(feed.said),
        tuple(_further(feed)),
        encoding,
        declared,
        found.problem or (_TOO_LARGE if len(data) > SIZE_MOST else ""),
    )


def _textual(kind: mime.MimeType | None) -> mime.MimeType:
    """Feeds are sent as all sorts of things; only as HTML or XML would they be asked for their encoding."""
    if kind is None or mime.groups(kind).isdisjoint({"HTML", "XML"}):
        return _XML._replace(parameters=kind.parameters) if kind else _XML
    return kind


def _as_windows_reads(control: re.Match[str]) -> str:
    return control[0].encode("latin-1").decode("windows-1252", "replace")


def line(markup: str) -> str:
    """The words of HTML in one line."""
    if "<" in markup or "&" in markup:
        markup = scan(markup[: 8 * TITLE_MOST].encode("utf-8", "replace"), "UTF-8").text
    return " ".join(markup[: 8 * TITLE_MOST].split())[:TITLE_MOST]


def _entries(records: Iterable[Record]) -> Iterator[Entry]:
    for base, group in groupby(records, key=lambda record: record.base):
        said = [record.said for record in group]
        for each, url in zip(said, resolve([one.get("link", "") or "#" for one in said], base), strict=True):
            yield Entry(
                line(each.get("title", "")),
                url if each.get("link") else None,
                _identity(each.get("id", ""), base),
                each.get("summary", ""),
                each.get("content", ""),
                each.get("author", ""),
                each.get("email", ""),
                seconds(each.get("published", "")),
                seconds(each.get("updated", "")),
                base,
            )


def _identity(name: str, base: str) -> str:
    return resolve([name], base)[0] or name if name.startswith("/") else name


def _further(feed: Record) -> Iterator[tuple[URL, str]]:
    for url, (_, relation) in zip(resolve([href for href, _ in feed.further], feed.base), feed.further, strict=True):
        if url is not None:
            yield url, relation


def _update_every(said: dict[str, str]) -> float | None:
    """By the minutes of ttl, or by period and frequency."""
    if minutes := _number(said.get("ttl", "")):
        return minutes * 60
    if period := _PERIODS.get(said.get("period", "").lower()):
        return period * _HOUR / (_number(said.get("frequency", "")) or 1.0)
    return None


def _quiet(said: dict[str, str]) -> int:
    """Some write 24 for midnight."""
    hours = [int(number) % 24 for number in map(_number, said.get("hours", "").split()) if number is not None]
    return hints.quiet(hours, [_DAYS.index(day) for day in said.get("days", "").lower().split() if day in _DAYS])


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
