"""Plain text: paragraphs, parted by empty lines. What is set with spaces stays as it is.

Readers of other formats that are text decode them here, too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from gossamer import tagged
from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode
from gossamer.convert.files.page import About, Pointers, page_of
from gossamer.convert.source import Source
from gossamer.model import Page

_SET = re.compile(r"^[ \t]|\S(?:\t| {3,})\S", re.MULTILINE)
"""An indented line, or columns."""
_WRAPPED = range(45, 101)
"""Characters of a line that ends where the page did, not where its author wanted."""
_MOST = 32 << 20
"""Bytes."""


def read(source: Source) -> Page:
    """What plain text says."""
    found = decoded(source)
    writer = tagged.Writer()
    write_text(writer, found.text)
    return text_page(source, found, writer.html(), About())


def write_text(writer: tagged.Writer, text: str) -> None:
    """Paragraphs of plain text."""
    for filled, lines in groupby(text.replace("\f", "\n").split("\n"), key=lambda line: bool(line.strip())):
        if filled:
            _paragraph(writer, list(lines))


def _paragraph(writer: tagged.Writer, lines: list[str]) -> None:
    block = "\n".join(lines)
    if len(lines) > 1 and _SET.search(block):
        writer.pre(block)
    elif all(len(line) in _WRAPPED for line in lines[:-1]):
        writer.paragraph(tagged.words(block))
    else:
        writer.paragraph("<br>".join(tagged.words(line).strip() for line in lines))


def text_page(
    source: Source, found: Decoded, html: str, about: About, pointers: Pointers | None = None, problem: str = ""
) -> Page:
    """The page of a file that is text, which was read as this tagged text."""
    page = page_of(source, html, about, pointers, found.problem or problem)
    return replace(page, encoding=found.encoding, declared=found.declared)


class Decoded(NamedTuple):
    """Text, the encoding it was in and the one that was named, and why some of it is missing, if it is."""

    text: str
    encoding: str
    declared: str | None
    problem: str


def decoded(source: Source) -> Decoded:
    """The text without NULs, and with line feeds alone at the ends of lines."""
    encoding, declared = judged(source.data, source.kind)
    text = decode(source.data[:_MOST], encoding).replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    problem = f"only the first {_MOST:,} bytes were read" if len(source.data) > _MOST else ""
    return Decoded(text, encoding, declared, problem)
