"""The runs of a page that are kept become tagged text.

Only kept runs are walked over: between two of them, what the first stood in and the second does not is closed, and
what is new is opened. So an element without a kept word leaves no trace, and the cost is that of what is kept.
The result is valid whatever the page was: an item outside of a list is a paragraph, what stands in a list but in no
item gets one, and a table that only serves the layout is taken for what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.outline import Outline
from gossamer.convert.render.kept import Elements, Kept
from gossamer.convert.render.lines import Lines
from gossamer.convert.render.spots import Node, Spots, fitting
from gossamer.convert.render.tables import Spanned, Tables

_SAYING = {"ol": "start", "pre": "lang"}
"""The attribute that an element of tagged text may have."""


def tagged(outline: Outline, keep: NDArray[np.bool_], hrefs: Mapping[int, str]) -> str:
    """Tagged text of the runs that are kept. `hrefs`: what elements say, as `Dressed` has it."""
    kept = Kept(outline, keep)
    elements = Elements(outline)
    tables = Tables(elements, kept)
    at = Spots(elements, kept, hrefs, tables).at
    spots = [at(owner) for owner in kept.owners]
    writing = _Writing(Lines(kept, spots, hrefs), tables, hrefs)
    place, ends = 0, [*kept.parted, True]
    while place < len(spots):
        path, _, unit = spots[place]
        if unit is None:
            end = ends.index(True, place + 1)
            writing.paragraph(range(place, end), path)
        else:
            end = kept.within(unit[1], elements.ends[unit[1]])[1]
            writing.unit(unit, range(place, end), path)
        place = end
    return writing.html()


class _Writing:
    def __init__(self, lines: Lines, tables: Tables, hrefs: Mapping[int, str]) -> None:
        self._lines = lines
        self._tables = tables
        self._hrefs = hrefs
        self._parts: list[str] = []
        self._open: list[Node] = []
        self._path: tuple[Node, ...] = ()
        """Where the last block stands."""
        self._begun: list[bool] = []
        """For each of those, whether something stands in it."""

    def html(self) -> str:
        """All of it."""
        self._go(())
        return "".join(self._parts).lstrip("\n")

    def paragraph(self, places: range, path: tuple[Node, ...]) -> None:
        """Write a paragraph. The first of an item needs no tag."""
        line = self._lines.line(places)
        if line:
            self._go(fitting(path))
            bare = self._open and self._open[-1][0] in ("li", "dd") and not self._begun[-1]
            self._put(line if bare else f"\n<p>{line}</p>")

    def unit(self, unit: Node, places: range, path: tuple[Node, ...]) -> None:
        """Write a heading, a term, a pre or a table."""
        name, element = unit
        if name == "table":
            self._table(element, fitting(path))
        else:
            text = self._lines.kept_as_is(places) if name == "pre" else self._lines.line(places)
            if text:
                self._go(path if name == "dt" else fitting(path))
                self._put(f"\n{self._opened(unit)}{text}</{name}>")

    def _table(self, element: int, path: tuple[Node, ...]) -> None:
        table = self._tables.of_data(element)
        assert table is not None
        self._go(path)
        if table.caption:
            self._put(f"\n<p>{self._lines.line(table.caption)}</p>")
        self._put("\n<table>")
        above = Spanned()
        for row, cells in table.rows.items():
            for cell, name in self._tables.cells(row):
                above.put(name, self._lines.line(cells.get(cell, ()), "<br>"), self._hrefs.get(cell, ""))
            self._parts.append(f"\n<tr>{above.end_row()}</tr>")
        self._parts.append("\n</table>")

    def _opened(self, node: Node) -> str:
        """A list may say with what number it begins, and a pre in what language it is."""
        name, element = node
        said = self._hrefs.get(element) if name in _SAYING else None
        return f"<{name}>" if said is None else f'<{name} {_SAYING[name]}="{escape(said)}">'

    def _put(self, text: str) -> None:
        if self._begun:
            self._begun[-1] = True
        self._parts.append(text)

    def _go(self, path: tuple[Node, ...]) -> None:
        """Close and open lists, items and quotes. Where the page has no item, the one that is open will do."""
        if path == self._path:
            return
        self._path = path
        same = 0
        for known, wanted in zip(self._open, path, strict=False):
            if known != wanted and (wanted[1] >= 0 or known[0] != wanted[0]):
                break
            same += 1
        while len(self._open) > same:
            self._parts.append(f"</{self._open.pop()[0]}>")
            self._begun.pop()
        for node in path[same:]:
            self._put(f"\n{self._opened(node)}")
            self._open.append(node)
            self._begun.append(False)
