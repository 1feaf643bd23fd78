"""AsciiDoc: headings, lists, blocks, tables and links, to tagged text. Nothing is included, no macro is run."""

from __future__ import annotations

import re

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import Depths, marked, read_as
from gossamer.convert.source import Source
from gossamer.model import Page

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)").match
_AUTHOR = re.compile(r"([^\W\d_][\w.' -]{1,100}?)[ \t]*(?:<[^<>\s]{1,200}>)?(?:;.*)?").fullmatch
_ATTRIBUTE = re.compile(r":!?([\w-]{1,60})!?:(?:[ \t]+(.*))?").fullmatch
_BLOCK = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|`{3,}[\w+#.-]*|--|[|,;!]={3,})").fullmatch
_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.)[ \t]+(?:\[[ x*]\][ \t]+)?(?=\S)").match
_TERM = re.compile(r"[ \t]*(\S[^\n]{0,300}?)(:{2,4}|;;)(?:[ \t]+(.*))?").fullmatch
_STYLE = re.compile(r"\[[^\[\]]{0,300}\]").fullmatch
_MACRO = re.compile(
    r"(image|video|audio|include|ifdef|ifndef|endif|ifeval|toc)::(\S{0,500}?)\[([^\]]{0,500})\]"
).fullmatch
_CELL = re.compile(r"(?:(?<=\s)|^)(?:\d+(?:\.\d+)?[+*])?[<>^.]*[a-z]?\|")
_INLINE = re.compile(
    r"(?:link:|mailto:)(?P<link>[^\s\[\]]{1,2000})\[(?P<linked>[^\]]{0,500})\]"
    r"|(?P<href>https?://[^\s\[\]<>]{1,2000})\[(?P<words>[^\]]{0,500})\]"
    r"|xref:(?P<xref>[^\s\[\]]{1,500})\[(?P<xwords>[^\]]{0,500})\]"
    r"|<<(?P<cross>[^<>,\n]{1,200})(?:,(?P<called>[^<>\n]{1,300}))?>>"
    r"|image:(?P<image>[^\s\[\]]{1,500})\[(?P<alt>[^\]]{0,300})\]"
    r"|footnote:(?:[^\[\]\s]{0,60})\[(?P<note>[^\]]{1,1000})\]"
    r"|`\+?(?P<code>[^`\n]{1,500}?)\+?`"
    r"|(?<![\w*])\*{1,2}(?P<strong>[^*\s][^*\n]{0,500}?)\*{1,2}(?![\w*])"
    r"|(?<![\w_])_{1,2}(?P<em>[^_\s][^_\n]{0,500}?)_{1,2}(?![\w_])"
    r"|\{(?P<attribute>[\w-]{1,60})\}"
)
_SOURCE = re.compile(r"\[(?:source|,)[^\],]{0,60},[ ]*([\w+#.-]{1,30})").match
_LITERAL = ("-", ".", "`")


def read(source: Source) -> Page:
    """What AsciiDoc says."""
    return read_as(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    reader = _Reader(text, writer, pointers)
    reader.write()
    said = reader.attributes
    return About("", said.get("author", ""), file_seconds(said.get("revdate", "")))


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str, writer: tagged.Writer, pointers: Pointers) -> None:
        self._lines = [line.rstrip() for line in text.split("\n")]
        self._pointers = pointers
        self._writer = writer
        self._depths = Depths()
        self._at = 0
        self._words: list[str] = []
        self._item: tuple[int, bool] | None = None
        """Depth of the item that is being read, and whether it is numbered."""
        self._quoted = False
        self._language = ""
        self.attributes: dict[str, str] = {}

    def write(self) -> None:
        """Write all of it."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            self._take(line)
        self._flush()

    def _take(self, line: str) -> None:
        if not line.strip():
            self._flush()
        elif line.startswith("//") and not _BLOCK(line):
            return
        elif (heading := _HEADING(line)) and not self._words:
            self._depths.end()
            self._writer.heading(len(heading[1]), self._inline(heading[2]))
            if len(heading[1]) == 1:
                self._byline()
        elif block := _BLOCK(line):
            self._flush()
            self._block(block[1])
        elif attribute := _ATTRIBUTE(line):
            self.attributes.setdefault(attribute[1].lower(), attribute[2] or "")
        elif _STYLE(line) and not self._words:
            said = _SOURCE(line)
            self._language = said[1].lower() if said else ""
        elif macro := _MACRO(line):
            self._flush()
            if macro[1] == "image":
                self._writer.paragraph(tagged.words(macro[3].partition(",")[0].strip('"')))
        else:
            self._text(line)

    def _byline(self) -> None:
        """The lines under the title: an author, and a revision."""
        if self._at < len(self._lines) and (author := _AUTHOR(self._lines[self._at])):
            self.attributes.setdefault("author", author[1].replace("_", " "))
            self._at += 1

    def _text(self, line: str) -> None:
        if item := _ITEM(line):
            self._flush()
            rank = len(item[1]) if item[1][0] in "*." else 1
            self._item = (self._depths.at(rank + (0 if item[1][0] in "*-" else 10)), item[1][0] not in "*-")
            self._words = [line[item.end() :]]
        elif line.strip() == "+":
            self._flush()
        elif line.startswith(".") and not line.startswith("..") and not self._words and len(line) > 2:
            self._writer.paragraph(tagged.strong(self._inline(line[1:])))
        elif (term := _TERM(line)) and not self._words and "://" not in term[1]:
            self._writer.paragraph(tagged.strong(self._inline(term[1])))
            self._words = [term[3]] if term[3] else []
        elif line.startswith((" ", "\t")) and not self._words and self._item is None:
            begin = self._at - 1
            while self._at < len(self._lines) and self._lines[self._at].strip():
                self._at += 1
            self._writer.pre("\n".join(self._lines[begin : self._at]))
        else:
            self._words.append(line.strip().removesuffix(" +"))

    def _block(self, fence: str) -> None:
        """What stands between two fences. Those around ordinary text are passed over, as are comments."""
        kind = fence[0]
        if fence[1:2] == "=" and kind in "|,;!":
            self._table(fence)
        elif kind == "_":
            self._quoted = not self._quoted
        elif (kind in _LITERAL or kind in "/+") and fence != "--":
            begin, end = self._at, fence if kind != "`" else "`" * (len(fence) - len(fence.lstrip("`")))
            while self._at < len(self._lines) and self._lines[self._at] != end:
                self._at += 1
            if kind in _LITERAL:
                self._writer.pre("\n".join(self._lines[begin : self._at]), self._language or fence.strip("`-.").lower())
            self._at += 1
        self._language = ""

    def _table(self, fence: str) -> None:
        begin = self._at
        while self._at < len(self._lines) and self._lines[self._at] != fence:
            self._at += 1
        lines = self._lines[begin : self._at]
        self._at += 1
        rows, head = _rows(lines, fence[0])
        self._depths.end()
        self._writer.table([[self._inline(cell) for cell in row] for row in rows], head=head)

    def _flush(self) -> None:
        line = self._inline(" ".join(self._words))
        if self._item is not None:
            depth, ordered = self._item
            self._writer.item(line, depth, ordered=ordered)
        elif line:
            self._depths.end()
            (self._writer.quote if self._quoted else self._writer.paragraph)(line)
        self._words, self._item = [], None

    def _inline(self, text: str) -> str:
        return marked(text, _INLINE, self._piece, self._pointers)

    def _piece(self, found: re.Match[str]) -> str:
        if href := found["href"] or found["link"] or found["xref"]:
            words = found["words"] or found["linked"] or found["xwords"] or href
            return self._pointers.link(tagged.words(words.removesuffix("^")), href)
        if found["cross"]:
            return tagged.words(found["called"] or found["cross"])
        if found["image"]:
            return tagged.words(found["alt"].partition(",")[0])
        if found["note"]:
            return tagged.words(f" ({found['note']})")
        if found["code"]:
            return tagged.code(found["code"])
        if found["strong"]:
            return tagged.strong(tagged.words(found["strong"]))
        if found["em"]:
            return tagged.emphasis(tagged.words(found["em"]))
        return tagged.words(self.attributes.get(found["attribute"].lower()) or found[0])


def _rows(lines: list[str], mark: str) -> tuple[list[list[str]], bool]:
    """Rows of a table. As many cells make a row as the first line with any has."""
    if mark in ",;":
        return [[cell.strip(' "') for cell in line.split(mark)] for line in lines if line.strip()], True
    head = len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip()
    cells: list[list[str]] = []
    width = 0
    for line in lines:
        before, *others = _CELL.split(line)
        if before.strip() and cells:
            cells[-1].append(before.strip())
        cells += [[other.strip()] for other in others]
        width = width or len(others)
    said = [" ".join(cell) for cell in cells]
    width = max(width, 1)
    return [said[at : at + width] for at in range(0, len(said), width)], head
