"""A document becomes a Page: its kind, its words, where it points, what it asks of robots.

This is where a media type gets its reader: `_READERS` is the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from gossamer import robots
from gossamer.convert import mime, sitemap
from gossamer.convert.charset import encoding_of
from gossamer.convert.decode import decode
from gossamer.convert.html import scan
from gossamer.convert.links import LINKS_MOST, header_pointers, refresh_pointers, resolved
from gossamer.convert.sniff import media_type as sniffed
from gossamer.convert.sniff import wants_no_sniffing
from gossamer.convert.xhtml import as_html
from gossamer.model import Capture, Kind, Link, Page
from gossamer.urls import resolve

_FEEDS = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF", b":urlset", b":sitemapindex")
_ROOT_WITHIN = 4_096
"""Bytes in which the root element of XML is looked for."""
_NO_PAGE = ""
_NEVER_TEXT = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader gets: the bytes and all that was said about them."""

    data: bytes
    kind: mime.MimeType
    url: str | None = None
    links: Sequence[str] = ()
    """Link header fields, like the next two."""
    refreshes: Sequence[str] = ()
    robots: Sequence[str] = ()
    agent: str = "Gossamer"


def document(data: bytes, media_type: str | None = None, url: str | None = None) -> Page:
    """What a document says. `media_type` may have parameters; without `url` only absolute links are kept."""
    kind = _kind(data, (media_type,) if media_type else (), nosniff=False)
    return replace(_read(Source(data, kind, url)), digest=digest_of(data))


def read(capture: Capture, agent: str) -> Page:
    """What was captured says. `agent` is the product token that robots directives may name."""
    digest = digest_of(capture.body) if capture.body else ""
    url = capture.visit.url
    if capture.visit.kind is Kind.ROBOTS:
        return replace(_robots(capture), digest=digest)
    if not 200 <= capture.status < 300:
        return Page(url, _kind_of(capture).essence, digest=digest)
    if capture.visit.kind is Kind.SITEMAP:
        return replace(_listing(capture.body, url, capture.header("content-type")), digest=digest)
    source = Source(
        capture.body,
        _kind_of(capture),
        url,
        links=capture.header_values("link"),
        refreshes=capture.header_values("refresh"),
        robots=capture.header_values("x-robots-tag"),
        agent=agent,
    )
    return replace(_read(source), digest=digest)


def digest_of(data: bytes) -> str:
    """By which exact copies are known."""
    return f"sha256:{sha256(data).hexdigest()}"


def _kind_of(capture: Capture) -> mime.MimeType:
    options = capture.header_values("x-content-type-options")
    nosniff = bool(options) and wants_no_sniffing(options)
    return _kind(capture.body, capture.header_values("content-type"), nosniff=nosniff)


def _kind(data: bytes, content_types: Sequence[str], *, nosniff: bool) -> mime.MimeType:
    """As browsers see it; but what can only be a PDF or an archive is no text, whatever it is called."""
    found = sniffed(data, content_types, nosniff=nosniff)
    return sniffed(data) if found.type == "text" and data.startswith(_NEVER_TEXT) else found


def _read(source: Source) -> Page:
    for belongs, reader in _READERS:
        if belongs(source.kind.essence):
            return reader(source)
    return _other(source)


def _html(source: Source) -> Page:
    encoding = encoding_of(source.data, source.kind)
    found = scan(as_html(source.data) if _is_xml(source.kind.essence) else source.data, encoding)
    base = source.url or _NO_PAGE
    if found.base is not None:
        base = resolve([found.base], base)[0] or base
    links = resolved(found.links, base, encoding) + _header_links(source)
    said = robots.read(source.robots, found.metas, source.agent)
    return Page(
        source.url,
        source.kind.essence,
        encoding,
        found.title,
        found.text,
        tuple(links[:LINKS_MOST]),
        canonical=_canonical(links),
        noindex=said.noindex,
        nofollow=said.nofollow,
        noarchive=said.noarchive,
        links_cut=found.links_cut or len(links) > LINKS_MOST,
    )


def _xml(source: Source) -> Page:
    """Feeds and sitemaps are lists of links, wherever they are met; other XML is a page or text."""
    start = source.data[:_ROOT_WITHIN]
    if source.url is not None and any(name in start for name in _FEEDS):
        return replace(_listing(source.data, source.url, str(source.kind)), media_type=source.kind.essence)
    return _html(source) if b"<html" in start else _text(source)


def _text(source: Source) -> Page:
    encoding = encoding_of(source.data, source.kind)
    text = decode(source.data, encoding).replace("\0", "")
    return replace(_other(source), encoding=encoding, text=text)


def _other(source: Source) -> Page:
    """Nothing is known but what the header fields say."""
    links = _header_links(source)
    said = robots.read(source.robots, (), source.agent)
    return Page(
        source.url,
        source.kind.essence,
        links=tuple(links[:LINKS_MOST]),
        canonical=_canonical(links),
        noindex=said.noindex,
        nofollow=said.nofollow,
        noarchive=said.noarchive,
    )


def _robots(capture: Capture) -> Page:
    url = capture.visit.url
    listed = robots.parse(capture.body).sitemaps if 200 <= capture.status < 300 else ()
    links = tuple(Link(each, place="robots") for each in resolve(listed, url) if each)
    return Page(url, "text/plain", "UTF-8", text=decode(capture.body, "UTF-8").replace("\0", ""), links=links)


def _listing(data: bytes, url: str, content_type: str | None) -> Page:
    """The pages that a sitemap or feed lists; the sitemaps that an index lists have the place `sitemapindex`."""
    found = sitemap.read(data, url, content_type)
    further = tuple(Link(each, place="sitemapindex") for each in found.sitemaps)
    return Page(url, "application/xml", links=found.links + further, problem=found.problem or "")


def _header_links(source: Source) -> list[Link]:
    if not source.links and not source.refreshes:
        return []
    pointers = header_pointers(source.links) + refresh_pointers(source.refreshes)
    return resolved(pointers, source.url or _NO_PAGE, None)


def _canonical(links: Sequence[Link]) -> str | None:
    """Only the page as a whole can say so, not a link within it."""
    said = (link for link in links if link.rel and link.place in ("link", "header"))
    return next((link.url for link in said if "canonical" in link.rel.split()), None)


def _is_html(media_type: str) -> bool:
    return media_type in ("text/html", "application/xhtml+xml")


def _is_xml(media_type: str) -> bool:
    return media_type.endswith("+xml") or media_type in ("application/xml", "text/xml")


def _is_text(media_type: str) -> bool:
    textual = ("application/json", "application/javascript", "application/x-javascript", "application/ecmascript")
    return media_type.startswith("text/") or media_type.endswith("+json") or media_type in textual


_READERS: tuple[tuple[Callable[[str], bool], Callable[[Source], Page]], ...] = (
    (_is_html, _html),
    (_is_xml, _xml),
    (_is_text, _text),
)
"""The first that takes a media type reads it; what none takes is kept without text."""
