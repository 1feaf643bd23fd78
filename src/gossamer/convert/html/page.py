"""An HTML page becomes a Page: all of its words, its main content, where it points, what it says of itself.

What is about main content is loaded by the first page whose main content is wanted. It works with NumPy, which takes a
tenth of a second to load, and a crawl that only collects never wants it.

Some words are rescued that a browser would not show, and that are what a page has to say all the same. Forums and blogs
that are built in the browser keep their text in a noscript element, for readers without scripts; that is what we are.
And a title that is never closed swallows all that follows.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from gossamer import robots
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import utf8
from gossamer.convert.fields import canonical, header_links
from gossamer.convert.html.defuse import READ_MOST
from gossamer.convert.html.guessed import guessed
from gossamer.convert.html.link_targets import LinkTargets, link_targets
from gossamer.convert.html.links import LINKS_MOST
from gossamer.convert.html.requisites import of_html
from gossamer.convert.html.scan import Hint, Scan, scan
from gossamer.convert.html.shadow import unfolded
from gossamer.convert.html.tree import as_html
from gossamer.convert.source import Source
from gossamer.model import Page
from gossamer.urls import resolve

if TYPE_CHECKING:
    from gossamer.convert.content import Method
    from gossamer.convert.html.article import Article, Correction
    from gossamer.convert.html.metadata import Said

_TOO_MUCH = f"more markup than is read of a page: cut after {READ_MOST:,} tags"
LITTLE = 500
"""Characters of text. A page with more was not swallowed by its title."""
_NOSCRIPT, _NOSCRIPT_END = b"<noscript", b"</noscript"
_LEAST = 1_000
"""Bytes of a noscript with text. Smaller ones ask to switch scripts on, or count visitors."""
_PARAGRAPHS_LEAST = 3
"""In it. Others are full of styles or of pictures."""
_PARAGRAPH = re.compile(rb"<[pP][\s>]")
_TITLE = re.compile(rb"<title(?=[\s>])[^<>]*+>[^<]*+(?!</title[\s/>])", re.IGNORECASE)
_TITLE_END = re.compile(rb"</title[\s/>]", re.IGNORECASE)


def read(source: Source, *, xml: bool) -> Page:
    """What an HTML page says; `xml` is the kind that is written as XML."""
    encoding, declared = judged(source.data, source.kind)
    outlined = source.content is not None
    data, found = _scanned(utf8(as_html(source.data) if xml else source.data, encoding), outlined=outlined)
    base = _base(found, source)
    pointed = link_targets(found.links, base, encoding)
    main = main_content(found, pointed, base, _method(source), _correction(source))
    links = pointed.links(main.inside if main else ())
    further = header_links(source)
    said = robots.read(source.robots, found.metas, source.agent)
    about, structured = _about(data, found) if outlined else (None, "")
    return Page(
        source.url,
        source.kind.essence,
        encoding,
        found.title,
        found.text,
        (*links, *further)[:LINKS_MOST] if further else links,
        content=main.content if main else "",
        html=main.html if main else "",
        kind=main.kind if main else "",
        declared=declared,
        language=found.language,
        author=about.author if about else "",
        published=about.published if about else None,
        modified=about.modified if about else None,
        canonical=pointed.canonical or canonical(further),
        noindex=said.noindex,
        nofollow=said.nofollow,
        noarchive=said.noarchive,
        links_cut=found.links_cut or len(links) + len(further) > LINKS_MOST,
        problem=_TOO_MUCH if found.cut else "",
        guesses=guessed(data, found.hints, base, (*links, *further) if further else links),
        structured=structured,
        digest=source.digest,
        requisites=of_html(data, base, encoding, source.links) if source.requisites else (),
    )


def _scanned(page: bytes, *, outlined: bool) -> tuple[bytes, Scan]:
    """The page as it was read, with words that others do not show."""
    found = scan(page, "UTF-8", outlined=outlined)
    if found.hints & Hint.TEMPLATE and (more := unfolded(page)) is not page:
        page, found = more, scan(more, "UTF-8", outlined=outlined)
    if found.hints & Hint.NOSCRIPT and (more := opened(page)) is not page:
        page, found = more, scan(more, "UTF-8", outlined=outlined)
    if len(found.text) < LITTLE and (whole := closed(page)) is not None:
        page, found = whole, scan(whole, "UTF-8", outlined=outlined)
    return page, found


def main_content(
    found: Scan, pointed: LinkTargets, base: str, method: Method | None, correct: Correction | None = None
) -> Article | None:
    """The main content, with which links stand in it. Without a method there is none."""
    if method is None:
        return None
    from gossamer.convert.html.article import Where, article

    places = found.outline.points.tolist() if found.outline is not None else [-1] * len(found.links)
    hrefs = {place: url for place, url in zip(places, pointed.places, strict=True) if url is not None and place >= 0}
    return article(found.outline, Where(hrefs, partial(resolve, base=base)), method, correct)


def _about(data: bytes, found: Scan) -> tuple[Said, str]:
    from gossamer.convert.html.metadata import metadata
    from gossamer.convert.html.structured import scripts, structured

    linked = tuple(scripts(data, found.linked_data)) if found.hints & Hint.LINKED_DATA else ()
    return metadata(data, found, linked), structured(data, found, linked)


def _base(found: Scan, source: Source) -> str:
    own = source.url or ""
    return own if found.base is None else resolve([found.base], own)[0] or own


def _method(source: Source) -> Method | None:
    if source.content is None:
        return None
    from gossamer.convert.content import METHODS
    from gossamer.convert.html.article import everything

    return everything if source.whole else METHODS[source.content]


def _correction(source: Source) -> Correction | None:
    if source.content is None or source.template is None:
        return None
    from gossamer.convert.html.article import without_template

    return without_template(source.template)


def opened(page: bytes) -> bytes:
    """The page in UTF-8 with each noscript that has paragraphs made a division."""
    parts: list[bytes] = []
    done = at = 0
    while (at := page.find(_NOSCRIPT, at)) >= 0:
        end = page.find(_NOSCRIPT_END, at)
        if end < 0:
            break
        if end - at >= _LEAST and len(_PARAGRAPH.findall(page, at, end)) >= _PARAGRAPHS_LEAST:
            parts += (page[done:at], b"<div", page[at + len(_NOSCRIPT) : end], b"</div")
            done = end + len(_NOSCRIPT_END)
        at = end + len(_NOSCRIPT_END)
    return b"".join((*parts, page[done:])) if parts else page


def closed(page: bytes) -> bytes | None:
    """The page with its title closed before the next tag; None if it is closed."""
    title = _TITLE.search(page)
    if title is None or _TITLE_END.search(page, title.end()):
        return None
    return page[: title.end()] + b"</title>" + page[title.end() :]
