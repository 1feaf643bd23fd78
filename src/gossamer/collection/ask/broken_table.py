"""Broken links as a table for spreadsheets: CSV with a row for each link."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from gossamer.printable import line, timestamp

if TYPE_CHECKING:
    from gossamer.collection.ask.broken import Broken

_COLUMNS = ("url", "reason", "status", "external", "page", "anchor", "via", "again")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would calculate: the anchor is a stranger's."""


class BrokenTable:
    """Writes as they come."""

    def __init__(self, out: TextIO) -> None:
        self._rows = csv.writer(out, lineterminator="\n")
        self._rows.writerow(_COLUMNS)

    def add(self, each: Broken) -> None:
        """One more address."""
        self._rows.writerows(_cells(each))


def _cells(each: Broken) -> Iterator[list[str]]:
    """A row for each link; one where there is none."""
    about = [each.url, each.reason, str(each.status or ""), "yes" if each.external else "no"]
    links = [[source.url, source.anchor, source.via or ""] for source in each.sources] or [[""] * 3]
    again = timestamp(each.again) or ""
    for link in links:
        yield [_cell(text) for text in (*about, *link, again)]


def _cell(text: str) -> str:
    return f"'{line(text)}" if text.startswith(_FORMULA) else line(text)
