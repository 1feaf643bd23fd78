"""Markdown, as CommonMark and GitHub have it, to tagged text.

A reader of lines: headings, lists, code, quotes, tables and paragraphs, each known by how its first line begins. What
people hardly write is left out (lists in quotes, paragraphs of their own in items), and HTML loses its tags. In
return it is small, and linear in the size of the text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.text.markdown_line import Inline
from gossamer.convert.files.text.plain import decoded
from gossamer.convert.source import Source
from gossamer.model import Page

_DEPTH_MOST = 9
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_FIELD = re.compile(r"^(title|author|date)[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]*<?(\S+?)>?(?:[ \t]+[\"'(].*)?$", re.MULTILINE)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?: (.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$")
_QUOTE = re.compile(r" {0,3}>[ \t]?(.*)$")
_COLUMNS = re.compile(r" *+\|?+ *+:?+-++:?+ *+(?:\| *+:?+-++:?+ *+)*+\|?+ *+$")
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def read(source: Source) -> Page:
    """What Markdown says."""
    found = decoded(source)
    front = _FRONT.match(found.text)
    said = {name.lower(): value for name, value in _FRONT_FIELD.findall(front[1])} if front else {}
    writer, pointers = tagged.Writer(), Pointers(source.url)
    write_markdown(writer, found.text[front.end() :] if front else found.text, pointers)
    html = writer.html()
    about = titled(About(said.get("title", ""), said.get("author", ""), file_seconds(said.get("date", ""))), html)
    return replace(
        page_of(source, html, about, pointers, found.problem), encoding=found.encoding, declared=found.declared
    )


def write_markdown(writer: tagged.Writer, text: str, pointers: Pointers) -> None:
    """Write Markdown as tagged text."""
    text = _COMMENT.sub("", text)
    names = {name.strip().lower(): href for name, href in _DEFINITION.findall(text)}
    _Blocks(writer, Inline(pointers, names)).write(_DEFINITION.sub("", text).expandtabs(4).split("\n"))


class _Blocks:
    """Takes line after line and writes blocks."""

    def __init__(self, writer: tagged.Writer, inline: Inline) -> None:
        self._writer = writer
        self._inline = inline
        self._lines: list[str] = []
        """Of the paragraph or item that is open."""
        self._item: tuple[int, bool] | None = None
        """Depth of the item that is open, and whether it is numbered."""
        self._indents: list[int] = []
        """Of the lists that are open."""
        self._blank = False

    def write(self, lines: list[str]) -> None:
        """Write all of it."""
        at = 0
        while at < len(lines):
            at = self._block(lines, at)
        self._flush()

    def _block(self, lines: list[str], at: int) -> int:
        """Take a line, or all lines of a block that needs them, and give the number of the next."""
        line = lines[at]
        if fence := _FENCE.match(line):
            return self._code(lines, at + 1, fence[1])
        if not line.strip():
            self._flush()
            self._blank = True
            return at + 1
        if not self._lines and not self._indents and line.startswith("    "):
            return self._indented(lines, at)
        if _QUOTE.match(line):
            return self._quote(lines, at)
        if "|" in line and at + 1 < len(lines) and "|" in lines[at + 1] and _COLUMNS.match(lines[at + 1]):
            return self._table(lines, at)
        self._take(line)
        self._blank = False
        return at + 1

    def _take(self, line: str) -> None:
        """A line that is a block, begins one, or goes on with the one before."""
        if heading := _HEADING.match(line):
            self._end_lists()
            self._writer.heading(len(heading[1]), self._inline.line(_without_marks(heading[2] or "")))
        elif self._lines and self._item is None and (underline := _UNDERLINE.match(line)):
            words, self._lines = "\n".join(self._lines), []
            self._writer.heading(1 if underline[1].startswith("=") else 2, self._inline.line(words))
        elif _RULE.match(line):
            self._end_lists()
        elif item := _ITEM.match(line):
            self._begin_item(len(item[1]), item[2], item[3])
        else:
            if self._blank and self._indents and not line.startswith(" "):
                self._end_lists()
            self._lines.append(line.lstrip() if line.endswith("  ") else line.strip())

    def _begin_item(self, indent: int, mark: str, line: str) -> None:
        self._flush()
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if (not self._indents or indent > self._indents[-1] + 1) and len(self._indents) < _DEPTH_MOST:
            self._indents.append(indent)
        self._item = (max(0, len(self._indents) - 1), mark[0].isdigit())
        self._lines = [line]

    def _flush(self) -> None:
        line = self._inline.line("\n".join(self._lines)) if self._lines else ""
        if self._item:
            depth, ordered = self._item
            self._writer.item(line, depth, ordered=ordered)
        elif line and self._indents:
            self._writer.item(line, len(self._indents) - 1)
        elif line:
            self._writer.paragraph(line)
        self._lines, self._item = [], None

    def _end_lists(self) -> None:
        self._flush()
        self._indents = []

    def _code(self, lines: list[str], at: int, fence: str) -> int:
        self._end_lists()
        end = at
        while end < len(lines) and not _closes(lines[end].strip(), fence):
            end += 1
        self._writer.pre("\n".join(lines[at:end]))
        return end + 1

    def _indented(self, lines: list[str], at: int) -> int:
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        self._writer.pre("\n".join(line[4:] for line in lines[at:end]))
        return end

    def _quote(self, lines: list[str], at: int) -> int:
        self._end_lists()
        said: list[str] = []
        while at < len(lines) and (quoted := _QUOTE.match(lines[at])):
            said.append(quoted[1].lstrip("> "))
            at += 1
        for paragraph in re.split(r"\n\s*\n", "\n".join(said)):
            self._writer.quote(self._inline.line(paragraph.strip()))
        return at

    def _table(self, lines: list[str], at: int) -> int:
        self._end_lists()
        rows = [self._cells(lines[at])]
        at += 2
        while at < len(lines) and "|" in lines[at] and lines[at].strip():
            rows.append(self._cells(lines[at]))
            at += 1
        self._writer.table(rows, head=True)
        return at

    def _cells(self, line: str) -> list[str]:
        inner = line.strip().removeprefix("|")
        inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
        return [self._inline.line(cell.strip().replace("\\|", "|")) for cell in _CELL_ENDS.split(inner)]


def _without_marks(heading: str) -> str:
    """Marks may stand after a heading, too."""
    heading = heading.strip()
    bare = heading.rstrip("#")
    return bare.rstrip() if bare.endswith(" ") or not bare else heading


def _closes(line: str, fence: str) -> bool:
    return line.startswith(fence) and not line.strip(fence[0])
