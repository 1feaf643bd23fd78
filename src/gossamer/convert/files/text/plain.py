"""Plain text: paragraphs, parted by empty lines. What is set with spaces stays as it is."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

from gossamer import tagged
from gossamer.convert.files.page import About, page_of
from gossamer.convert.files.text.decoded import decoded
from gossamer.convert.source import Source
from gossamer.model import Page

_SET = re.compile(r"^[ \t]|\S(?:\t| {3,})\S", re.MULTILINE)
"""An indented line, or columns."""
_WRAPPED = range(45, 101)
"""Characters of a line that ends where the page did, not where its author wanted."""


def read(source: Source) -> Page:
    """What plain text says."""
    found = decoded(source)
    writer = tagged.Writer()
    write_text(writer, found.text)
    return replace(
        page_of(source, writer.html(), About(), problem=found.problem), encoding=found.encoding, declared=found.declared
    )


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
