"""A document becomes a Page: its kind, its words, where it points, what it asks of robots.

This is where a media type gets its reader: `_READERS` is the list for what is text, `documents.table` for files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING

from gossamer import robots
from gossamer.convert import feed
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode
from gossamer.convert.clean import cleaned
from gossamer.convert.dates import seconds
from gossamer.convert.feed import sitemap
from gossamer.convert.fields import header_links, with_fields
from gossamer.convert.files import kinds
from gossamer.convert.files.formats import Ours, reader_of
from gossamer.convert.html import page
from gossamer.convert.html.links import LINKS_MOST
from gossamer.convert.html.requisites import of_source
from gossamer.convert.language import language
from gossamer.convert.sandboxed import common
from gossamer.convert.silent import reason as silent
from gossamer.convert.source import Reader, Source
from gossamer.convert.type import mime
from gossamer.convert.type.names import LANGUAGES
from gossamer.convert.type.sniff import media_type as sniffed
from gossamer.convert.type.sniff import wants_no_sniffing
from gossamer.convert.websub_hub import announced
from gossamer.model import HTML, Capture, Kind, Link, Page
from gossamer.settings import METHODS
from gossamer.urls import resolve
from gossamer.urls.paths import is_path, name_of

if TYPE_CHECKING:
    from gossamer.convert.html.template import Template

_SITEMAPS = (b"<urlset", b"<sitemapindex", b":urlset", b":sitemapindex")
_ROOT_WITHIN = 4_096
"""Bytes in which the root element of XML is looked for."""
_RENDERED = "text/html; charset=utf-8"
_SOME_BYTES, _HTML = "application/octet-stream", "text/html"
LIST_HERE = 128 << 10
"""Bytes of a sitemap that is read where others wait: a thousand addresses, some twenty milliseconds."""
_PACKED = b"\x1f\x8b"
"""How gzip begins: nobody knows how large it is."""
_NEVER_TEXT = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


def document(data: bytes, media_type: str | None = None, url: str | None = None) -> Page:
    """What a document says. `media_type` may have parameters; without `url` only absolute links are kept."""
    kind = _kind(data, (media_type,) if media_type else (), url, nosniff=False)
    source = Source(data, kind, url, digest=digest_of(data))
    return finish(source, common().now(source)) if _is_file(source) else _read(source)


def read(capture: Capture, agent: str, *, content: str = METHODS[0], template: Template | None = None) -> Page:
    """What was captured says. `agent` is the product token that robots directives may name, `content` a method."""
    begun = begin(capture, agent, content=content, template=template)
    return begun if isinstance(begun, Page) else finish(begun, common().now(begun))


def begin(
    capture: Capture,
    agent: str,
    *,
    content: str | None = METHODS[0],
    template: Template | None = None,
    here: float = inf,
    requisites: bool = False,
) -> Page | Source:
    """What was captured says; or the source, if it is a file or has more bytes than are to be read `here`: these are
    better read apart and then finished. With `requisites`, also what it needs to look as it does."""
    if capture.rendered:
        capture = _as_rendered(capture)
    url, large = capture.visit.url, len(capture.body) > here
    if capture.visit.kind is Kind.ROBOTS:
        return replace(_robots(capture), digest=_digest_of_body(capture))
    if not 200 <= capture.status < 300:
        return Page(url, _kind_of(capture).essence, digest=_digest_of_body(capture))
    if capture.visit.kind is Kind.SITEMAP:
        content_type = capture.header("content-type")
        if here != inf and (len(capture.body) > LIST_HERE or capture.body.startswith(_PACKED)):
            return Source(capture.body, _kind_of(capture), url, page=True, listing=content_type or "")
        return replace(_listing(capture.body, url, content_type), digest=_digest_of_body(capture))
    source = Source(
        capture.body,
        _kind_of(capture),
        url,
        links=capture.header_values("link"),
        refreshes=capture.header_values("refresh"),
        robots=capture.header_values("x-robots-tag"),
        agent=agent,
        content=content,
        template=template,
        cut=bool(capture.truncated),
        date=_date_of(capture) if is_path(url) else None,
        requisites=requisites,
        dress=capture.visit.kind is Kind.RESOURCE,
        digest="" if large else _digest_of_body(capture),
    )
    if _is_file(source) and not source.dress:
        return source
    return replace(source, page=True) if large else _read(source)


def requisites(capture: Capture) -> tuple[Link, ...]:
    """What a page that was captured needs to look as it does."""
    source = Source(capture.body, _kind_of(capture), capture.visit.url, capture.header_values("link"))
    return of_source(source)


def _as_rendered(capture: Capture) -> Capture:
    """What a browser has made of a page, in the place of what was sent: many pages may be sent the same."""
    others = (each for each in capture.headers if each[0] not in ("content-type", "x-content-type-options"))
    return replace(capture, body=capture.rendered, headers=(("content-type", _RENDERED), *others), rendered=b"")


def unread(capture: Capture, problem: str) -> Page:
    """A page that a mistake of ours kept from being read; copies of it are known all the same."""
    body = capture.rendered or capture.body
    digest = digest_of(body) if body else ""
    words = f"not read, which is a mistake of ours: {problem}"
    return Page(capture.visit.url, problem=words, unread="mistake", digest=digest)


def finish(source: Source, page: Page) -> Page:
    """What was read apart says, and what the header fields of a file add."""
    digest = source.digest or digest_of(source.data)
    return replace(page if source.page else with_fields(source, page), digest=digest)


def read_here(source: Source) -> Page:
    """What a document says, read in this process. It may be the last thing that this process does: see `sandbox`."""
    if source.listing is not None:
        return _listing(source.data, source.url or "", source.listing or None)
    return _read(source)


def digest_of(data: bytes) -> str:
    """By which exact copies are known."""
    return f"sha256:{sha256(data).hexdigest()}"


def _digest_of_body(capture: Capture) -> str:
    return digest_of(capture.body) if capture.body else ""


def _date_of(capture: Capture) -> float | None:
    return seconds(capture.header("last-modified") or "")


def _kind_of(capture: Capture) -> mime.MimeType:
    options = capture.header_values("x-content-type-options")
    nosniff = bool(options) and wants_no_sniffing(options)
    return _kind(capture.body, capture.header_values("content-type"), capture.visit.url, nosniff=nosniff)


def _kind(data: bytes, content_types: Sequence[str], url: str | None, *, nosniff: bool) -> mime.MimeType:
    """As browsers see it; but what can only be a PDF or an archive is no text, whatever it is called.

    A feed that was sent as HTML keeps the charset that it was sent with.
    """
    found = sniffed(data, content_types, nosniff=nosniff)
    if found.type == "text" and data.startswith(_NEVER_TEXT):
        found = sniffed(data)
    said = mime.extract(content_types) if _is_xml(found.essence) and not found.parameters else None
    if said is not None:
        found = found._replace(parameters=said.parameters)
    return kinds.settled(data, found, url, untold=not content_types)


def _is_file(source: Source) -> bool:
    """Is it read apart? Text that stays as it is is not, and a reader that was added is known to this process alone."""
    essence = source.kind.essence
    if _is_xml(essence):
        return not (essence in HTML or _is_sitemap(source) or feed.is_feed(source.data) or _has_html(source))
    if essence == kinds.PLAIN or essence in HTML or essence in LANGUAGES:
        return False
    return isinstance(reader_of(essence), Ours) or _added(source) is not None


def _read(source: Source) -> Page:
    """What is done for documents of all kinds. What a document calls its language is a hint and no more."""
    if source.dress:
        return replace(_dress(source), digest=source.digest)
    said = _said(source)
    if source.url is not None and is_path(source.url):
        said = replace(said, title=said.title or name_of(source.url), published=said.published or source.date)
    page = cleaned(said)
    if not page.text and (why := silent(source, page, known=_is_known(source))):
        page = replace(page, problem=why)
    if not source.depth and (hub := announced(source)) is not None:
        page = replace(page, hub=hub.hub, topic=hub.topic)
    if source.content is not None:
        said_in = language(page.content or page.text, claimed=page.language)
        return replace(page, digest=source.digest, language=said_in)
    return page if page.digest == source.digest else replace(page, digest=source.digest)


def _dress(source: Source) -> Page:
    """What pages are dressed with is kept, not read; at most it needs something itself."""
    essence = source.kind.essence
    encoding = judged(source.data, source.kind).used if essence in HTML or _is_text(essence) else None
    return Page(source.url, essence, encoding, requisites=of_source(source) if source.requisites else ())


def _said(source: Source) -> Page:
    essence = source.kind.essence
    if _is_json(essence) and feed.is_feed(source.data):
        return _feed(source)
    if reader := reader_of(essence) or _added(source):
        return with_fields(source, reader(source if source.inner is _said else replace(source, inner=_said)))
    return next((read(source) for belongs, read in _READERS if belongs(essence)), None) or _other(source)


def _added(source: Source) -> Reader | None:
    """The converter of a plug-in, for a type that nothing of ours reads. Most documents never ask."""
    essence = source.kind.essence
    if not source.data or essence in (_SOME_BYTES, _HTML) or _is_xml(essence):
        return None
    from gossamer.convert.files.added import added

    return added(essence)


def _html(source: Source) -> Page:
    return page.read(source, xml=_is_xml(source.kind.essence))


def _xml(source: Source) -> Page:
    """Feeds and sitemaps are lists of links, wherever they are met; other XML is a page or text."""
    if source.url is not None and _is_sitemap(source):
        listed = _listing(source.data, source.url, str(source.kind))
        cut = len(listed.links) > LINKS_MOST  # to be read on, it must be visited as a sitemap
        return replace(listed, media_type=source.kind.essence, links=listed.links[:LINKS_MOST], links_cut=cut)
    if feed.is_feed(source.data):
        return _feed(source)
    if _has_html(source):
        return _html(source)
    from gossamer.convert.files.text import xml  # with the readers of office files: many of them are XML

    return with_fields(source, xml.read(source))


def _feed(source: Source) -> Page:
    found = feed.page(feed.read(source.data, source.url, source.kind), source.url, source.kind.essence)
    said = robots.read(source.robots, (), source.agent)
    links = (*found.links, *header_links(source))
    return replace(found, links=links, noindex=said.noindex, nofollow=said.nofollow, noarchive=said.noarchive)


def _is_sitemap(source: Source) -> bool:
    return any(name in source.data[:_ROOT_WITHIN] for name in _SITEMAPS)


def _has_html(source: Source) -> bool:
    return b"<html" in source.data[:_ROOT_WITHIN]


def _is_known(source: Source) -> bool:
    essence = source.kind.essence
    has_reader = reader_of(essence) is not None or any(belongs(essence) for belongs, _ in _READERS)
    return has_reader or _added(source) is not None


def _text(source: Source) -> Page:
    encoding, declared = judged(source.data, source.kind)
    return replace(_other(source), encoding=encoding, declared=declared, text=decode(source.data, encoding))


def _other(source: Source) -> Page:
    """Nothing is known but what the header fields say."""
    return with_fields(source, Page(source.url, source.kind.essence))


def _robots(capture: Capture) -> Page:
    url = capture.visit.url
    listed = robots.parse(capture.body).sitemaps if 200 <= capture.status < 300 else ()
    links = tuple(Link(each, place="robots") for each in resolve(listed, url) if each)
    return Page(url, "text/plain", "UTF-8", text=decode(capture.body, "UTF-8").replace("\0", ""), links=links)


def _listing(data: bytes, url: str, content_type: str | None) -> Page:
    """The pages that a sitemap or feed lists; the sitemaps that an index lists have the place `sitemapindex`."""
    found = sitemap.read(data, url, content_type)
    further = tuple(Link(each, place="sitemapindex") for each in found.sitemaps)
    return Page(
        url,
        "application/xml",
        links=found.links + further,
        update_every=found.update_every,
        quiet=found.quiet,
        problem=found.problem or "",
    )


def _is_xml(media_type: str) -> bool:
    return media_type.endswith("+xml") or media_type in ("application/xml", "text/xml")


def _is_json(media_type: str) -> bool:
    return media_type.endswith("+json") or media_type in ("application/json", "text/json")


def _is_text(media_type: str) -> bool:
    textual = ("application/javascript", "application/x-javascript", "application/ecmascript")
    return media_type.startswith("text/") or media_type in textual


_READERS: tuple[tuple[Callable[[str], bool], Reader], ...] = (
    (HTML.__contains__, _html),
    (_is_xml, _xml),
    (_is_text, _text),
)
"""The first that takes a media type reads it; what none takes is kept without text."""
