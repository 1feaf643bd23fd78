"""YAML: an outline of names and values, line by line.

A small reader of our own: it knows indents, items, names, quoted text and text of several lines, and takes all else
as it is written. Anchors and tags are left out and never followed, so nothing can grow; what is in braces stays text.
"""

from __future__ import annotations

import re

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import Depths, read_as, with_addresses
from gossamer.convert.source import Source
from gossamer.model import Page

_DASH = re.compile(r"-(?:[ \t]+|$)").match
_NAMED = re.compile(
    r"(\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|[^\s#\"'&*!|>%@`{}\[\],:-][^#\n:]{0,500}?|-[\w.-]{1,100})[ \t]*:(?:[ \t]+|$)"
).match
_BLOCK = re.compile(r"(?:[&!]\S{1,100}[ \t]+)*[|>][+-]?\d?[+-]?(?:[ \t]+#.*)?").fullmatch
_MARK = re.compile(r"(?:[&!]\S{1,100}(?:[ \t]+|$))+").match
_REMARK = re.compile(r"(?:^|[ \t])#.*$")
_TITLES = ("title", "name", "headline")


def read(source: Source) -> Page:
    """What YAML says."""
    return read_as(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    outline = _Outline(text, writer, pointers)
    outline.write()
    return About(outline.title)


class _Outline:
    """Goes through the lines once."""

    def __init__(self, text: str, writer: tagged.Writer, pointers: Pointers) -> None:
        self._lines = text.split("\n")
        self._writer = writer
        self._pointers = pointers
        self._depths = Depths()
        self._at = 0
        self.title = ""

    def write(self) -> None:
        """Write all of it."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            bare = line.lstrip()
            if line.startswith(("---", "...", "%")):
                self._depths.end()
                bare = line[3:].strip() if line.startswith("---") else ""
            if bare and not bare.startswith("#"):
                self._take(bare, len(line) - len(bare))

    def _take(self, bare: str, indent: int) -> None:
        begin = indent
        while dash := _DASH(bare):
            bare = bare[dash.end() :]
            indent += dash.end()
        named = _NAMED(bare)
        name, value = (named[1].strip("\"'"), bare[named.end() :]) if named else ("", bare)
        value = self._value(value.strip(), begin)
        if begin == 0 and not self.title and name.lower() in _TITLES:
            self.title = value
        said = with_addresses(value, self._pointers)
        label = tagged.words(name)
        if line := f"{label}: {said}" if name and said.strip() else label or said:
            self._writer.item(line, self._depths.at(indent))

    def _value(self, value: str, indent: int) -> str:
        """What is said behind a name or a dash, on the lines after it too."""
        if not value:
            return ""
        if _BLOCK(value):
            value = ""
        elif value[0] not in "\"'":
            value = _REMARK.sub("", value)
            if marks := _MARK(value):
                value = value[marks.end() :]
            if not value:
                return ""
        lines = [value]
        while self._at < len(self._lines) and self._goes_on(self._lines[self._at], indent, value):
            lines.append(self._lines[self._at].strip())
            self._at += 1
        return " ".join(filter(None, lines)).strip("\"'")

    def _goes_on(self, line: str, indent: int, value: str) -> bool:
        """All lines of a text that was announced; of other text, those that have no name and no dash."""
        bare = line.strip()
        if not bare:
            return not value
        deeper = len(line) - len(line.lstrip()) > indent
        return deeper and (not value or not (_NAMED(bare) or _DASH(bare) or bare.startswith("#")))
