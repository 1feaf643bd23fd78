"""OPML: outlines, mostly of feeds. Each entry is an item, and a link if it points somewhere."""

from __future__ import annotations

from dataclasses import replace

from gossamer import tagged
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import xml_in_utf8
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.markup import walk
from gossamer.convert.files.page import About, Pointers, page_of
from gossamer.convert.source import Source
from gossamer.model import Page

_DEPTH_MOST = 9
_HEAD = ("title", "ownerName", "dateCreated", "dateModified")


def read(source: Source) -> Page:
    """What an outline says."""
    encoding, declared = judged(source.data, source.kind)
    outline = _Outline(Pointers(source.url))
    problem = walk([xml_in_utf8(source.data, encoding)], outline)
    said = outline.said
    created, modified = (file_seconds(said.get(name, "")) for name in ("dateCreated", "dateModified"))
    about = About(said.get("title", ""), said.get("ownerName", ""), created, modified)
    page = page_of(source, outline.writer.html(), about, outline.pointers, problem)
    return replace(page, encoding=encoding, declared=declared)


class _Outline:
    """Takes the elements and writes a list."""

    def __init__(self, pointers: Pointers) -> None:
        self.writer = tagged.Writer()
        self.pointers = pointers
        self.said: dict[str, str] = {}
        self._depth = 0
        self._name = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._name = name
        if name != "outline":
            return
        words = attributes.get("text") or attributes.get("title") or ""
        line = tagged.words(words)
        for href in filter(None, map(attributes.get, ("htmlUrl", "xmlUrl", "url"))):
            linked = self.pointers.link(tagged.words(words or href), href)
            line = linked if "<a " not in line else line
        self.writer.item(line, min(self._depth, _DEPTH_MOST))
        self._depth += 1

    def end(self, name: str) -> None:
        self._name = ""
        self._depth -= name == "outline"

    def text(self, text: str) -> None:
        if self._name in _HEAD:
            self.said[self._name] = self.said.get(self._name, "") + text[:2_000]
