"""Where do the lines of a text end, so that it fits a terminal? Signs of East Asia take two columns."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, east_asian_width

LEAST = 20
"""Columns. A terminal that says that it has fewer is not believed."""


def lines(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Start and end of each line. It ends at the last space that fits, and within a word that has no room on a line."""
    start, width = 0, max(width, LEAST)
    while start < len(text):
        end, space, columns = start, -1, 0
        while end < len(text) and (columns := columns + _columns(text[end])) <= width:
            if text[end] == " ":
                space = end
            end += 1
        if end < len(text) and text[end] != " " and space > start:
            end = space
        yield start, end
        start = end
        while start < len(text) and text[start] == " ":
            start += 1


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
