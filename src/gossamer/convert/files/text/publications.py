"""Articles and books in XML: JATS (journals), DocBook (manuals) and FictionBook (novels), to tagged text.

The three say the same things in other words: sections with titles, paragraphs, lists, tables, links. So there is one
reader, which knows what an element means, and a table for each of them. What is said about the document stands in
elements that are quiet: only titles, authors, dates and paragraphs in them count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gossamer import tagged
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import xml_in_utf8
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.markup import walk
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.source import Source
from gossamer.model import Page

_COMMON = {
    "p": "block",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "cell",
    "title": "title",
    "subtitle": "block",
    "date": "date",
}
_JATS = {
    **_COMMON,
    **dict.fromkeys(["front", "front-stub", "floats-group"], "quiet"),
    **dict.fromkeys(["sec", "abstract", "ack", "app", "ref-list", "boxed-text"], "section"),
    **dict.fromkeys(["fig", "table-wrap", "disp-formula", "statement", "speech", "verse-line"], "block"),
    **dict.fromkeys(["list-item", "ref", "def-item"], "item"),
    **dict.fromkeys(["list"], "list"),
    **dict.fromkeys(["ext-link", "uri", "self-uri"], "link"),
    **dict.fromkeys(["italic"], "em"),
    **dict.fromkeys(["bold"], "strong"),
    **dict.fromkeys(["code", "preformat"], "pre"),
    **dict.fromkeys(["monospace"], "code"),
    **dict.fromkeys(["journal-meta", "article-id", "permissions", "aff", "counts", "object-id", "kwd-group"], "skip"),
    **dict.fromkeys(["annotation-xml", "sub-article"], "skip"),
    "article-title": "name",
    "contrib": "author",
    "given-names": "given",
    "surname": "family",
    "pub-date": "date",
    "disp-quote": "quote",
    "tex-math": "math",
}
_DOCBOOK = {
    **_COMMON,
    **dict.fromkeys(["info", "bookinfo", "articleinfo", "chapterinfo", "sectioninfo", "refmeta", "artheader"], "quiet"),
    **dict.fromkeys(
        ["part", "chapter", "appendix", "preface", "section", "simplesect", "refsect1", "refsect2"], "section"
    ),
    **dict.fromkeys(["sect1", "sect2", "sect3", "sect4", "sect5", "refsection", "glossary", "article"], "section"),
    **dict.fromkeys(["para", "simpara", "formalpara", "refname", "refpurpose", "term", "question", "caption"], "block"),
    **dict.fromkeys(["listitem", "member", "step", "callout", "glossdef"], "item"),
    **dict.fromkeys(["itemizedlist", "orderedlist", "simplelist", "procedure", "variablelist"], "list"),
    **dict.fromkeys(["programlisting", "screen", "literallayout", "synopsis", "cmdsynopsis"], "pre"),
    **dict.fromkeys(["link", "ulink"], "link"),
    **dict.fromkeys(["literal", "code", "command", "filename", "function", "option", "varname", "parameter"], "code"),
    **dict.fromkeys(["informaltable"], "table"),
    **dict.fromkeys(["indexterm", "legalnotice", "revhistory", "address", "email", "affiliation"], "skip"),
    "emphasis": "em",
    "blockquote": "quote",
    "row": "row",
    "entry": "cell",
    "author": "author",
    "firstname": "given",
    "surname": "family",
    "pubdate": "date",
}
_FICTION = {
    **_COMMON,
    **dict.fromkeys(["description"], "quiet"),
    **dict.fromkeys(["section", "annotation"], "section"),
    **dict.fromkeys(["v", "text-author"], "block"),
    **dict.fromkeys(["epigraph", "cite"], "quote"),
    **dict.fromkeys(
        ["binary", "publish-info", "document-info", "custom-info", "genre", "coverpage", "translator"], "skip"
    ),
    "book-title": "name",
    "emphasis": "em",
    "strong": "strong",
    "code": "code",
    "a": "link",
    "author": "author",
    "first-name": "given",
    "last-name": "family",
}
_BLOCKS = frozenset(
    {"block", "title", "section", "item", "quote", "pre", "table", "row", "cell", "list", "quiet", "date"}
)
_COUNTED = ("section", "quiet", "list", "item", "quote", "pre", "table", "cell", "author", "title")
_HREFS = ("xlink:href", "href", "url", "l:href")
_AUTHORS_MOST = 20


def read_jats(source: Source) -> Page:
    """What an article of a journal says."""
    return _read(source, _JATS)


def read_docbook(source: Source) -> Page:
    """What a manual says."""
    return _read(source, _DOCBOOK)


def read_fiction(source: Source) -> Page:
    """What a novel says."""
    return _read(source, _FICTION)


def _read(source: Source, meanings: Mapping[str, str]) -> Page:
    encoding, declared = judged(source.data, source.kind)
    pointers = Pointers(source.url)
    text = _Text(meanings, pointers)
    problem = walk([xml_in_utf8(source.data, encoding)], text, _skipped(meanings))
    text.flush()
    html = text.writer.html()
    about = About(text.title, ", ".join(text.authors), file_seconds(text.date))
    page = page_of(source, html, titled(about, html), pointers, problem)
    return replace(page, encoding=encoding, declared=declared)


def _skipped(meanings: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name for name, meaning in meanings.items() if meaning == "skip")


class _Text:
    """Takes the elements of a document and writes what they mean."""

    def __init__(self, meanings: Mapping[str, str], pointers: Pointers) -> None:
        self.writer = tagged.Writer()
        self.title = self.date = ""
        self.authors: list[str] = []
        self._meanings = meanings
        self._pointers = pointers
        self._open: list[tuple[str, str]] = []
        """Of each element that is open: what it means, and where it points to."""
        self._parts: list[list[str]] = [[]]
        self._rows: list[list[str]] = []
        self._head = False
        self._given = self._family = ""
        self._counts = dict.fromkeys(_COUNTED, 0)
        """How many elements are open that mean something for what is in them."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        meaning = self._meanings.get(name, "")
        if meaning == "name" and not self._counts["quiet"]:
            meaning = ""
        if meaning in _BLOCKS and self._counts["title"]:  # a title of several paragraphs is one title
            self.text(" ")
            meaning = ""
        if meaning in _BLOCKS:
            self.flush()
        self._head = self._head or name == "thead" or (name == "th" and len(self._rows) == 1)
        href = next((attributes[each] for each in _HREFS if each in attributes), "") if meaning == "link" else ""
        self._open.append((meaning, href))
        if meaning in self._counts:
            self._counts[meaning] += 1
        match meaning:
            case "row":
                self._rows.append([])
            case "author":
                self._given = self._family = ""
            case "em" | "strong" | "code" | "link" | "math" | "name" | "given" | "family":
                self._parts.append([])

    def end(self, name: str) -> None:
        meaning, href = self._open.pop()
        if meaning in _BLOCKS:
            self._write(meaning)
        elif meaning == "author":
            self._named()
        elif meaning in ("em", "strong", "code", "link", "math", "name", "given", "family"):
            self._inline(meaning, "".join(self._parts.pop()), href)
        if meaning in self._counts:
            self._counts[meaning] -= 1
        if meaning == "table" and not self._counts["table"]:
            self.writer.table(self._rows, head=self._head)
            self._rows, self._head = [], False

    def text(self, text: str) -> None:
        self._parts[-1].append(text if self._counts["pre"] else tagged.words(text))

    def flush(self) -> None:
        """Write what was said so far in the place where it was said."""
        self._write("block")

    def _inline(self, meaning: str, line: str, href: str) -> None:
        plain = line if self._counts["pre"] else None
        match meaning:
            case "name":
                self.title = self.title or tagged.plain(line)
            case "given" | "family" if self._counts["author"]:
                said = tagged.plain(line).strip()
                self._given, self._family = (said, self._family) if meaning == "given" else (self._given, said)
            case _ if plain is not None:
                self._parts[-1].append(plain)
            case "em":
                self._parts[-1].append(tagged.emphasis(line))
            case "strong":
                self._parts[-1].append(tagged.strong(line))
            case "code":
                self._parts[-1].append(tagged.code(tagged.plain(line)))
            case "math":
                self._parts[-1].append(tagged.math(tagged.plain(line)))
            case "link" if href:
                self._parts[-1].append(self._pointers.link(line, href))
            case _:
                self._parts[-1].append(line)

    def _named(self) -> None:
        name = f"{self._given} {self._family}".strip()
        if name and name not in self.authors and len(self.authors) < _AUTHORS_MOST and not self._counts["section"]:
            self.authors.append(name)

    def _write(self, meaning: str) -> None:
        """What was said in a block that ends, or before one that begins."""
        if len(self._parts) > 1:  # a block within a line: it is no block
            return
        line = "".join(self._parts[0])
        self._parts[0] = []
        if not line.strip():
            return
        if meaning == "date":
            self.date = self.date or "-".join(tagged.plain(line).split())
        elif self._counts["quiet"] and (meaning == "title" or not self._counts["section"]):
            self.title = self.title or (tagged.plain(line) if meaning == "title" else "")
        elif self._counts["table"] and self._rows:
            self._cell(line)
        elif meaning == "title":
            self.writer.heading(self._counts["section"] + 1, line)
        else:
            self._block(line)

    def _cell(self, line: str) -> None:
        row = self._rows[-1]
        if self._counts["cell"]:
            row.append(" ".join(line.split()))

    def _block(self, line: str) -> None:
        if self._counts["pre"]:
            self.writer.pre(line)
        elif self._counts["item"]:
            self.writer.item(line, min(max(self._counts["list"], 1), 9) - 1)
        elif self._counts["quote"]:
            self.writer.quote(line)
        else:
            self.writer.paragraph(line)
