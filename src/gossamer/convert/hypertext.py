"""An HTML page becomes a Page: all of its words, its main content, where it points, what it says of itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer import robots
from gossamer.convert.article import Article, Correction, article
from gossamer.convert.charset import judged
from gossamer.convert.content import METHODS, Method
from gossamer.convert.content.marks import numbered
from gossamer.convert.decode import utf8
from gossamer.convert.fields import canonical, header_links
from gossamer.convert.html import Hint, Scan, scan
from gossamer.convert.links import LINKS_MOST, addresses
from gossamer.convert.metadata import Said, metadata
from gossamer.convert.outline import Outline
from gossamer.convert.rescue import LITTLE, closed, opened
from gossamer.convert.source import Source
from gossamer.convert.template import Runs, Template, without
from gossamer.convert.xhtml import as_html
from gossamer.model import Link, Page
from gossamer.urls import resolve


def read(source: Source, *, xml: bool) -> Page:
    """What an HTML page says; `xml` is the kind that is written as XML."""
    encoding, declared = judged(source.data, source.kind)
    data, found = _scanned(utf8(as_html(source.data) if xml else source.data, encoding))
    main, links = linked(found, _base(found, source), encoding, _method(source), _correction(source.template))
    links += header_links(source)
    said = robots.read(source.robots, found.metas, source.agent)
    about = metadata(data, found) if source.content else Said()
    return Page(
        source.url,
        source.kind.essence,
        encoding,
        found.title,
        found.text,
        tuple(links[:LINKS_MOST]),
        content=main.content,
        html=main.html,
        declared=declared,
        language=found.language,
        author=about.author,
        published=about.published,
        modified=about.modified,
        canonical=canonical(links),
        noindex=said.noindex,
        nofollow=said.nofollow,
        noarchive=said.noarchive,
        links_cut=found.links_cut or len(links) > LINKS_MOST,
    )


def _scanned(page: bytes) -> tuple[bytes, Scan]:
    """The page as it was read, with words that others do not show."""
    found = scan(page, "UTF-8")
    if found.hints & Hint.NOSCRIPT and (more := opened(page)) is not page:
        page, found = more, scan(more, "UTF-8")
    if len(found.text) < LITTLE and (whole := closed(page)) is not None:
        page, found = whole, scan(whole, "UTF-8")
    return page, found


def linked(
    found: Scan, base: str, encoding: str, method: Method | None, correct: Correction | None = None
) -> tuple[Article, list[Link]]:
    """The main content, and all links with whether they stand in it. Without a method there is none."""
    urls = addresses(found.links, base, encoding)
    places = found.outline.points.tolist() if found.outline is not None else [-1] * len(urls)
    hrefs = {place: url for place, url in zip(places, urls, strict=True) if url is not None and place >= 0}
    main = article(found.outline, hrefs, method, correct) if method else Article()
    inside = main.inside or (False,) * len(urls)
    return main, [
        Link(url, anchor, rel, place, None, 0.5, is_inside)
        for url, (_, anchor, rel, place), is_inside in zip(urls, found.links, inside, strict=True)
        if url is not None
    ]


def _base(found: Scan, source: Source) -> str:
    own = source.url or ""
    return own if found.base is None else resolve([found.base], own)[0] or own


def _method(source: Source) -> Method | None:
    if source.content is None:
        return None
    return everything if source.whole else METHODS[source.content]


def everything(outline: Outline) -> NDArray[np.bool_]:
    """The method for what has nothing around it."""
    return np.ones(len(outline.owners), np.bool_)


def _correction(template: Template | None) -> Correction | None:
    if template is None:
        return None

    def correct(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return without(Runs(outline.text, outline.starts, *numbered(outline)), keep, template)

    return correct
