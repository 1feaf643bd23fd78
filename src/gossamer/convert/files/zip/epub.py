"""Books (EPUB 2 and 3): title, authors and description, then the chapters in the order of the spine.

Chapters are web pages and are read as such. The table of contents is left out, for it repeats their headings.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.markup import tree
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.within import read_within
from gossamer.convert.files.zip.zipped import Archive
from gossamer.convert.source import Source
from gossamer.model import Page

_SMALL = 16 << 20
_CHAPTER_MOST = 16 << 20
_CHAPTERS_MOST = 5_000
_TEXT_MOST = 64_000_000
"""Characters of tagged text."""
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read(source: Source) -> Page:
    """What a book says."""
    archive = Archive(source.data, source.allowance)
    place = _package(archive)
    package = tree(archive.pieces(place, _SMALL))
    pointers = Pointers(None)
    about = _about(package)
    parts = [_front(package, about)]
    room = _TEXT_MOST
    for name in _spine(package, place):
        page = read_within(source, archive.read(name, _CHAPTER_MOST), name, "application/xhtml+xml")
        if page.problem:
            archive.note(f"{name!r}: {page.problem}")
        pointers.links += page.links
        parts.append(page.html)
        room -= len(page.html)
        if room < 0:
            archive.note("the book is too long; the rest was not read")
            break
    html = "\n".join(filter(None, parts))
    return page_of(source, html, titled(about, html), pointers, archive.problem)


def _package(archive: Archive) -> str:
    """The file that lists all others."""
    container = tree(archive.pieces("META-INF/container.xml", _SMALL))
    named = next((each.get("full-path", "") for each in container.iter("ocf:rootfile")), "")
    found = named if named in archive else next((name for name in archive.members if name.endswith(".opf")), "")
    if not found:
        archive.note("there is no list of its chapters")
    return found


def _about(package: Element) -> About:
    authors = [(each.text or "").strip() for each in package.iter("dc:creator")]
    return About(
        _said(package, "dc:title"),
        ", ".join(filter(None, authors)),
        file_seconds(_said(package, "dc:date")),
        file_seconds(next((each.text or "" for each in package.iter("opf:meta") if _is_modified(each)), "")),
    )


def _is_modified(meta: Element) -> bool:
    return meta.get("property") == "dcterms:modified"


def _said(package: Element, name: str) -> str:
    return next(((each.text or "").strip() for each in package.iter(name)), "")


def _front(package: Element, about: About) -> str:
    """Few books begin with a page that says all this."""
    writer = tagged.Writer()
    writer.heading(1, tagged.words(about.title))
    writer.paragraph(tagged.words(f"Authors: {about.author}" if about.author else ""))
    writer.paragraph(tagged.words(tagged.plain(_said(package, "dc:description"))))
    return writer.html()


def _spine(package: Element, place: str) -> Iterator[str]:
    """Names of chapters in order, each once."""
    listed = {each.get("id", ""): each for each in package.iter("opf:item")}
    folder = posixpath.dirname(place)
    given: set[str] = set()
    for reference in package.iter("opf:itemref"):
        item = listed.get(reference.get("idref", ""))
        if item is None or item.get("media-type") not in _CHAPTERS or "nav" in item.get("properties", "").split():
            continue
        name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        if name not in given and len(given) < _CHAPTERS_MOST:
            given.add(name)
            yield name
