"""What does a page need to look as it does? Images, styles, scripts, fonts, icons, media, frames, objects.

The page is parsed once more for it, by way of its tree, and only where somebody wants to know. The scanner in C and its
twin read every page of every crawl and are held equal to each other; a dozen elements more would cost all crawls, and
most do not ask. A second look costs some milliseconds for a page of which each picture is a request of its own.

Names of places are those of Heritrix as far as it has any, so that `links` and the archive tell where each stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gossamer.convert import stylesheet
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode, utf8
from gossamer.convert.html.defuse import TAGS_MOST, Bounded, bounded, tame
from gossamer.convert.html.links import BLANK, Pointer, addresses, header_relations
from gossamer.convert.html.tree import Node, as_html, parse
from gossamer.convert.source import Source
from gossamer.model import HTML, Link
from gossamer.urls import resolve

MOST = 1_000
"""Addresses that one document may need."""
_WRITTEN_MOST = 20 * MOST
"""That are looked at in a document: most repeat each other, or are none of the web."""
_CANDIDATES_MOST = 100
"""In one srcset."""
CSS, SVG = "text/css", "image/svg+xml"
_DRESSING = frozenset({"stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})
_BESIDES = frozenset({"manifest", "preload", "modulepreload"})
"""Relations of link elements and Link headers to what a page needs."""
_SOURCES = {
    "script": ("src", "href", "xlink:href"),
    "img": ("src", "data-src"),
    "input": ("src",),
    "source": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "feimage": ("href", "xlink:href"),
}
"""Attributes of elements that name something which is loaded with the page."""
_HEAD = 64 << 10
"""Bytes in which the base of a frame is looked for."""
_SETS = ("srcset", "data-srcset", "imagesrcset")
_SELECTED = ", ".join((*_SOURCES, "link[href]", "[background]", "style", '[style*="("]', "[srcset]", "[imagesrcset]"))
_IN_CODE = re.compile(
    r"""["']((?:[\w.~%-]*+/|(?!))++[\w.~%-]{1,99}\.(?:css|m?js|avif|gif|jpe?g|png|svg|webp|woff2?))["']"""
)
"""A path in a script that ends like a stylesheet, a script, a picture or a font: some pages load them in that way."""
_CANDIDATE = re.compile(r"[\s,]*+(\S++)")
_DESCRIPTORS = re.compile(r"[^,(]*+(?:\([^)]*+\)?[^,(]*+)*+,?")


def of_html(page: bytes, base: str, encoding: str, headers: Sequence[str] = ()) -> tuple[Link, ...]:
    """What an HTML page in UTF-8 needs; `encoding` is that which it came in, `headers` are its Link fields."""
    written = (*_named(headers), *islice(_in_page(page, srcdoc=True), _WRITTEN_MOST))
    return _meant(written, base, encoding)


def of_source(source: Source) -> tuple[Link, ...]:
    """What a document needs that is no page itself: a stylesheet, a frame, a drawing."""
    essence, own = source.kind.essence, source.url or ""
    if essence == CSS:
        css = decode(source.data, judged(source.data, source.kind).used)
        return _meant(((each.address, "", "", each.place) for each in _of_style(css)), own, None)
    if essence not in HTML and essence != SVG:
        return ()
    encoding, _ = judged(source.data, source.kind)
    page = utf8(source.data if essence == "text/html" else as_html(source.data), encoding)
    return of_html(page, _base(page, own), encoding, source.links)


def _base(page: bytes, own: str) -> str:
    found = parse(page[:_HEAD]).css_first("base[href]")
    href = found.attributes.get("href") if found is not None else None
    return (resolve([href], own)[0] if href else None) or own


def _meant(written: Iterable[Pointer], base: str, encoding: str | None) -> tuple[Link, ...]:
    """Each address of the web once, and no more than a document may need."""
    pointed = [each for each in islice(written, _WRITTEN_MOST) if each[0] and not _is_inside(each[0])]
    found: dict[str, Link] = {}
    for url, (_, _, rel, place) in zip(addresses(pointed, base, encoding), pointed, strict=True):
        if url is not None and url not in found and len(found) < MOST:
            found[url] = Link(url, "", rel, place)
    return tuple(found.values())


def _is_inside(address: str) -> bool:
    """The page itself holds it. Data may be long, so it is told before anything else is done with it."""
    return address[0] == "#" or address[:5].lower() == "data:"


def _named(headers: Sequence[str]) -> Iterator[Pointer]:
    for rel, href in header_relations(headers):
        if _is_needed(rel):
            yield href, "", rel, "header"


def _is_needed(rel: str) -> bool:
    types = rel.split()
    return not (_DRESSING | _BESIDES).isdisjoint(types) and "alternate" not in types


def _place(rel: str) -> str:
    types = rel.split()
    return next((each for each in (*_BESIDES, "stylesheet") if each in types), "icon")


def _in_page(page: bytes, *, srcdoc: bool) -> Iterator[Pointer]:
    """As they are written. What stands in a noscript is for readers without scripts, and a replay may be one."""
    found = Bounded(tame(page), cut=False) if page.count(b"<") <= TAGS_MOST else bounded(page)
    for piece in found.pieces:
        for node in parse(piece, scripting=False).css(_SELECTED):
            yield from _of_element(node)
            if srcdoc and node.tag == "iframe" and (inner := node.attributes.get("srcdoc")):
                yield from _in_page(inner.encode("utf-8", "replace"), srcdoc=False)


def _of_element(node: Node) -> Iterator[Pointer]:
    name, attributes = (node.tag or "").lower(), node.attributes
    for attribute in _SOURCES.get(name, ()):
        if value := attributes.get(attribute):
            yield value.strip(BLANK), "", "", "poster" if attribute == "poster" else name
    if name == "link" and (rel := " ".join((attributes.get("rel") or "").lower().split())) and _is_needed(rel):
        yield (attributes.get("href") or "").strip(BLANK), "", rel, _place(rel)
    if name == "script" and not attributes.get("src") and "json" not in (attributes.get("type") or ""):
        yield from ((found[1], "", "", "code") for found in _IN_CODE.finditer(node.text()))
    if name == "style":
        yield from ((each.address, "", "", each.place) for each in _of_style(node.text()))
    if background := attributes.get("background"):
        yield background.strip(BLANK), "", "", "background"
    if (style := attributes.get("style")) and "(" in style:
        yield from ((each.address, "", "", each.place) for each in _of_style(style))
    for attribute in _SETS:
        if value := attributes.get(attribute):
            yield from ((each, "", "", attribute) for each in candidates(value))


def _of_style(css: str) -> Iterator[stylesheet.Asked]:
    return islice(stylesheet.asked(css), _WRITTEN_MOST)


def candidates(srcset: str) -> Iterator[str]:
    """The addresses of a srcset, by the rules of the HTML standard: an address may have commas in it, not around it."""
    at = 0
    for _ in range(_CANDIDATES_MOST):
        found = _CANDIDATE.match(srcset, at)
        if found is None:
            return
        address = found[1].rstrip(",")
        at = found.end()
        if address == found[1] and (rest := _DESCRIPTORS.match(srcset, at)):
            at = rest.end()
        yield address
