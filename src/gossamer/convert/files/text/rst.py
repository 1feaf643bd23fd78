"""reStructuredText: headings, lists, code, tables, links and directives, to tagged text.

Read by a small reader of our own, line by line. docutils knows all of the language, but it may include other files, and
takes a hundred times as long; what is in a document is wanted here, not what it would be built to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import Depths, marked, read_as
from gossamer.convert.files.text.rules import ruled_rows, simple_rows
from gossamer.convert.source import Source
from gossamer.model import Page

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}").fullmatch
_ITEM = re.compile(r"([-*+•]|(?:\d{1,4}|[a-zA-Z#])[.)]|\((?:\d{1,4}|[a-zA-Z#])\))(?:[ ]+|$)").match
_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]{1,100}\| )?([\w:.+-]{1,60}):: ?(.*)").match
_TARGET = re.compile(r"^[ \t]*\.\. _(`?)([^`\n:]{1,200})\1: *(\S+)[ \t]*$", re.MULTILINE)
_FOOTNOTE = re.compile(r"\.\. (\[[#*\w-]{1,60}\]) +(.*)").match
_FIELD = re.compile(r":((?:[^:\\\s]|(?<=\S) )[^:\n]{0,80}):(?: +(.*)|$)").match
_INLINE = re.compile(
    r"``(?P<code>[^`]{1,1000})``"
    r"|`(?P<words>[^`<]{0,500})<(?P<href>[^`<>]{1,2000})>`_{0,2}"
    r"|:[\w:+.-]{1,40}:`(?P<role>[^`]{1,500})`"
    r"|`(?P<name>[^`]{1,500})`_{0,2}"
    r"|\*\*(?P<strong>[^*\s](?:[^*]{0,500}))\*\*"
    r"|(?<![\w*])\*(?P<em>[^*\s](?:[^*]{0,500}))\*(?![\w*])"
    r"|(?<!\w)(?P<short>[A-Za-z][\w.-]{0,60})_(?![\w_])"
)
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "doctest", "testcode", "productionlist"})
_BUILT = "toctree raw include literalinclude contents index meta highlight module currentmodule default-role role image"
_SILENT = frozenset([*_BUILT.split(), "testsetup", "testoutput", "tabularcolumns", "graphviz", "digraph"])
"""Directives that say nothing themselves, or what another file says."""
_ABOUT = ("author", "authors", "date")


def read(source: Source) -> Page:
    """What reStructuredText says."""
    return read_as(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    reader = _Reader(text, writer, pointers)
    reader.write()
    said = reader.about
    return About("", said.get("author") or said.get("authors", ""), file_seconds(said.get("date", "")))


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str, writer: tagged.Writer, pointers: Pointers) -> None:
        self._lines = [line.rstrip() for line in text.expandtabs(8).split("\n")]
        self._targets = {match[2].strip().lower(): match[3] for match in _TARGET.finditer(text)}
        self._pointers = pointers
        self._writer = writer
        self._depths = Depths()
        self._levels: list[str] = []
        """Adornments of headings, in the order of their first use, which is their rank."""
        self._at = 0
        self.about: dict[str, str] = {}

    def write(self) -> None:
        """Write all of it."""
        while self._at < len(self._lines):
            self._block()

    def _line(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else ""

    def _block(self) -> None:
        line = self._line()
        bare = line.strip()
        if not bare:
            self._at += 1
        elif _is_border(line) and " " in bare:
            self._simple_table()
        elif _ADORNMENT(bare):
            self._adorned(bare)
        elif _is_under(self._line(1), line):
            self._heading(bare, self._line(1)[0])
            self._at += 2
        elif bare.startswith(".. ") or bare == "..":
            self._explicit(bare)
        elif bare.startswith(">>> "):
            self._writer.pre("\n".join(self._until_empty()))
        elif bare.startswith("| "):
            lines = [each.strip()[1:] for each in self._until_empty()]
            self._writer.paragraph("<br>".join(self._inline(each.strip()) for each in lines))
        elif bare.startswith("+-") and bare.endswith("+"):
            self._table(ruled_rows(self._until_empty()))
        elif item := _ITEM(bare):
            self._item(item)
        elif field := _FIELD(bare):
            self._field(field)
        else:
            self._paragraph()

    def _adorned(self, bare: str) -> None:
        """An overlined heading, or a line between two paragraphs."""
        title = self._line(1).strip()
        if title and self._line(2).strip() == bare:
            self._heading(title, bare[0] * 2)
            self._at += 3
        else:
            self._at += 1

    def _heading(self, title: str, adornment: str) -> None:
        if adornment not in self._levels:
            self._levels.append(adornment)
        self._depths.end()
        self._writer.heading(self._levels.index(adornment) + 1, self._inline(title))

    def _simple_table(self) -> None:
        begin = self._at
        self._at += 1
        borders = 1
        while self._at < len(self._lines) and borders < 3:
            line = self._line()
            if _is_border(line):
                borders += 1
                ends = not self._line(1).strip()
                self._at += 1
                if ends:
                    break
                continue
            self._at += 1
        self._table(simple_rows(self._lines[begin : self._at]))

    def _table(self, rows: tuple[list[list[str]], bool]) -> None:
        lines, head = rows
        self._depths.end()
        self._writer.table([[self._inline(cell) for cell in row] for row in lines], head=head)

    def _item(self, mark: re.Match[str]) -> None:
        indent = _indent(self._line())
        words = [self._line().strip()[mark.end() :]]
        self._at += 1
        words += self._wrapped(indent + 1)
        ordered = mark[1][:1].isdigit() or mark[1][:1] == "#"
        depth = self._depths.at(indent)
        self._literal(words, partial(self._writer.item, depth=depth, ordered=ordered))

    def _field(self, field: re.Match[str]) -> None:
        indent = _indent(self._line())
        self._at += 1
        name, words = field[1], " ".join([field[2] or "", *self._wrapped(indent + 1)]).strip()
        if name.lower() in _ABOUT and name.lower() not in self.about:
            self.about[name.lower()] = words
        if words:
            self._writer.paragraph(f"{tagged.words(name)}: {self._inline(words)}")

    def _paragraph(self) -> None:
        indent = _indent(self._line())
        words = [self._line().strip()]
        self._at += 1
        while (line := self._line()) and _indent(line) <= indent:
            if _is_under(self._line(1), line) or line.lstrip().startswith(".. "):
                break
            words.append(line.strip())
            self._at += 1
        if not indent:
            self._depths.end()
        self._literal(words, self._writer.paragraph)

    def _literal(self, words: list[str], write: Callable[[str], None]) -> None:
        """Write a paragraph, and the code after it if it ends as one does that brings some."""
        text = " ".join(words)
        brings = text.endswith("::")
        if brings:
            text = text[:-2] if text.endswith(" ::") or text == "::" else text[:-1]
        if text.strip():
            write(self._inline(text))
        if brings:
            self._writer.pre(_dedented(self._indented(0)))

    def _explicit(self, bare: str) -> None:
        """A directive, a note, a target or a comment."""
        indent = _indent(self._line())
        self._at += 1
        if directive := _DIRECTIVE(bare):
            self._directive(directive[1].lower(), directive[2], indent)
        elif note := _FOOTNOTE(bare):
            self._writer.paragraph(f"{tagged.words(note[1])} {self._inline(note[2])}")
        elif not bare.startswith(".. _"):
            self._indented(indent + 1)

    def _directive(self, name: str, argument: str, indent: int) -> None:
        options: list[str] = []
        while (line := self._line().strip()).startswith(":") and _FIELD(line) and _indent(self._line()) > indent:
            options.append(line)
            self._at += 1
        if name == "math":
            self._writer.paragraph(tagged.math(" ".join([argument, *self._indented(indent + 1)])))
        elif name in _CODE:
            self._writer.pre(_dedented(self._indented(indent + 1)), argument.strip().lower())
        elif name in _SILENT:
            self._indented(indent + 1)
        elif name == "replace" or not argument.strip():
            return
        elif name != "figure":
            self._writer.paragraph(self._inline(argument.strip()))
        alternative = next((each.partition(":alt:")[2].strip() for each in options if each.startswith(":alt:")), "")
        self._writer.paragraph(self._inline(alternative))

    def _wrapped(self, indent: int) -> list[str]:
        """The lines that go on with what began before them."""
        found = []
        while (line := self._line()) and _indent(line) >= indent and not _ITEM(line.strip()):
            found.append(line.strip())
            self._at += 1
        return found

    def _indented(self, least: int) -> list[str]:
        """All lines that are indented so far, empty ones between them too."""
        begin = self._at
        least = max(least, 1)
        while self._at < len(self._lines) and (not self._line() or _indent(self._line()) >= least):
            self._at += 1
        return self._lines[begin : self._at]

    def _until_empty(self) -> list[str]:
        begin = self._at
        while self._line().strip():
            self._at += 1
        return self._lines[begin : self._at]

    def _inline(self, text: str) -> str:
        return marked(text, _INLINE, self._piece, self._pointers)

    def _piece(self, found: re.Match[str]) -> str:
        kind = found.lastgroup
        match kind:
            case "code":
                return tagged.code(found["code"])
            case "href":
                words = found["words"].strip() or found["href"]
                return self._pointers.link(tagged.words(words), self._targets.get(found["href"].lower(), found["href"]))
            case "role":
                return tagged.words(found["role"].partition(" <")[0].lstrip("~!"))
            case "strong":
                return tagged.strong(tagged.words(found["strong"]))
            case "em":
                return tagged.emphasis(tagged.words(found["em"]))
        name = found["name"] or found["short"]
        href = self._targets.get(name.lower())
        return self._pointers.link(tagged.words(name), href) if href else tagged.words(found["name"] or found[0])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_under(line: str, title: str) -> bool:
    """Is this the line under a heading? It may be a little shorter, as many are."""
    long = len(title.strip())
    return bool(long and not title.startswith(" ") and _ADORNMENT(line)) and len(line) >= min(long, 0.7 * long + 1)


def _is_border(line: str) -> bool:
    return line.startswith("==") and not line.strip("= ")


def _dedented(lines: Sequence[str]) -> str:
    least = min((_indent(line) for line in lines if line), default=0)
    return "\n".join(line[least:] for line in lines)
