"""Charts, diagrams and pictures, which Word, Excel and PowerPoint files have in common (DrawingML).

A chart is its title and a table: a column for each category, a row for each series, with the numbers that were drawn.
A diagram (SmartArt) is the texts of its data, not of its drawing, which repeats them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gossamer import tagged
from gossamer.convert.files.flow import Block
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.sheets import general

_POINTS_MOST = 1_000
"""Of a series."""
_SERIES_MOST = 250
_DESCRIBED_MOST = 5_000
_DRAWN_MOST = 500
"""Charts and diagrams of one file."""
_MADE_UP = re.compile(r"(?:Description|Beschreibung) automati(?:cally|sch) (?:generated|generiert)$")
_FILE_NAME = re.compile(r"\S*[\\/:]\S*|[^\n]+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)", re.IGNORECASE)
_FILE_NAME_MOST = 250


def described(text: str) -> list[Block]:
    """What is said in place of a picture, unless it is the name of its file."""
    text = _MADE_UP.sub("", text[:_DESCRIBED_MOST].strip()).strip()
    is_name = len(text) <= _FILE_NAME_MOST and _FILE_NAME.fullmatch(text)
    return [] if not text or is_name else [Block("paragraph", tagged.words(text))]


class Drawings:
    """The charts and diagrams of one file."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._drawn: set[str] = set()

    def chart(self, part: str) -> list[Block]:
        """A chart, the first time it is met."""
        return _chart(self._package.tree(part)) if self._is_first(part) else []

    def diagram(self, part: str) -> list[Block]:
        """A diagram, the first time it is met."""
        if not self._is_first(part):
            return []
        points = (point for point in self._package.tree(part).iter("dgm:pt") if point.get("type") != "pres")
        return [Block("item", tagged.words(line)) for point in points for line in _paragraphs(point)]

    def _is_first(self, part: str) -> bool:
        if not part or part in self._drawn or len(self._drawn) >= _DRAWN_MOST:
            return False
        self._drawn.add(part)
        return True


def _chart(part: Element) -> list[Block]:
    titles = [line for title in part.iter("c:title") for line in _paragraphs(title)]
    series = [each for _, each in zip(range(_SERIES_MOST), part.iter("c:ser"), strict=False)]
    categories = next((found for each in series if (found := _points(each, "c:cat", "c:xVal"))), {})
    rows = [(_name(each), _points(each, "c:val", "c:yVal")) for each in series]
    columns = sorted(set(categories).union(*(values for _, values in rows)))
    table = [("", *(categories.get(column, "") for column in columns))]
    table += [(name, *(values.get(column, "") for column in columns)) for name, values in rows]
    lines = tuple(tuple(map(tagged.words, row)) for row in table)
    return [Block("paragraph", tagged.words(title)) for title in titles] + (
        [Block("table", rows=lines)] if rows else []
    )


def _name(series: Element) -> str:
    named = series.find("c:tx")
    values = _values(named) if named is not None else {}
    return " ".join(values.values())


def _points(series: Element, *names: str) -> dict[int, str]:
    for name in names:
        found = series.find(name)
        if found is not None:
            return _values(found)
    return {}


def _values(element: Element) -> dict[int, str]:
    """Numbers of points and what they say."""
    found: dict[int, str] = {}
    for point in element.iter("c:pt"):
        place, value = point.get("idx", ""), point.find("c:v")
        if place.isdecimal() and int(place[:9]) < _POINTS_MOST and value is not None:
            found.setdefault(int(place), general(value.text or ""))
    if not found and (alone := element.find("c:v")) is not None:
        found[0] = alone.text or ""
    return found


def _paragraphs(element: Element) -> Iterator[str]:
    for paragraph in element.iter("a:p"):
        line = "".join(text.text or "" for text in paragraph.iter("a:t"))
        if line.strip():
            yield line
