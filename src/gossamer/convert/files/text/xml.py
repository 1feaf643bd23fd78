"""XML of no other kind: the text of its elements, a paragraph each.

An element that has text of its own is one paragraph with all that is in it, so that words in bold stay in their
sentence. What has a reader of its own is known by its root: files of Word and of OpenDocument that were saved as one
piece of XML, articles, manuals, novels and outlines.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gossamer import tagged
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import xml_in_utf8
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.markup import walk
from gossamer.convert.files.odf import odf
from gossamer.convert.files.office import docx
from gossamer.convert.files.page import About, page_of
from gossamer.convert.files.text import opml, publications
from gossamer.convert.source import Reader, Source
from gossamer.model import Page

_ROOT_WITHIN = 4_096
_ROOTS: tuple[tuple[re.Pattern[bytes], Reader], ...] = (
    (re.compile(rb"<(?:w:wordDocument|pkg:package)"), docx.flat),
    (re.compile(rb"<office:document"), odf.flat),
    (re.compile(rb"<opml[\s>]"), opml.read),
    (re.compile(rb"<FictionBook[\s>]"), publications.read_fiction),
    (
        re.compile(rb"//NLM//DTD|//DTD JATS|<article\s[^>]{0,1000}article-type=|<front>\s{0,100}<journal-meta"),
        publications.read_jats,
    ),
    (re.compile(rb"docbook\.org/ns/docbook|//DTD DocBook"), publications.read_docbook),
)
_TITLES = ("title", "dc:title", "svg:title")
_AUTHORS = ("creator", "dc:creator", "author", "Author")


def read(source: Source) -> Page:
    """What XML says."""
    start = source.data[:_ROOT_WITHIN]
    for root, reader in _ROOTS:
        if root.search(start):
            return reader(source)
    encoding, declared = judged(source.data, source.kind)
    text = _Text()
    problem = walk([xml_in_utf8(source.data, encoding)], text)
    text.flush()
    html = text.writer.html()
    about = About(text.title, text.author, file_seconds(text.date))
    return replace(page_of(source, html, about, problem=problem), encoding=encoding, declared=declared)


class _Text:
    """Takes the elements of a document and writes their text."""

    def __init__(self) -> None:
        self.writer = tagged.Writer()
        self.title = self.author = self.date = ""
        self._open: list[str] = []
        self._words: list[str] = []
        self._owner = 0
        """Depth of the element whose paragraph is open; 0 for none."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name)

    def end(self, name: str) -> None:
        if self._owner == len(self._open):
            self._note(name, " ".join("".join(self._words).split()))
            self.flush()
        self._open.pop()

    def text(self, text: str) -> None:
        if not self._owner and text.strip():
            self._owner = len(self._open)
        if self._owner:
            self._words.append(text)

    def flush(self) -> None:
        """Write the paragraph that is open; at the end, for a document that was cut off."""
        self.writer.paragraph(tagged.words("".join(self._words)))
        self._words, self._owner = [], 0

    def _note(self, name: str, words: str) -> None:
        if name in _TITLES:
            self.title = self.title or words
        elif name in _AUTHORS:
            self.author = self.author or words
        elif name in ("dc:date", "dcterms:created"):
            self.date = self.date or words
