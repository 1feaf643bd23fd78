"""Which paragraphs of a Word file are headings and items, and with which number? Its styles and its numbering.

A paragraph may say so itself, by its style, or by a style that its style is based on; an item names a list (num), which
is an instance of a pattern (abstractNum), and all lists of a pattern count on together unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

LOOKS_OF_STYLES = frozenset(
    {"w:docDefaults", "w:latentStyles", "w:rPr", "w:tblPr", "w:tblStylePr", "w:tcPr", "w:trPr", "w:rsid"}
)
LOOKS_OF_LISTS = frozenset({"w:lvlJc", "w:nsid", "w:pPr", "w:rPr", "w:tmpl"})
"""Most of a part is how it looks. Nothing here is told by it, so it is not read."""
_CHAIN_MOST = 20
"""Styles that are based on each other."""
_LEVELS = 9
_QUOTES = ("quote", "intense quote", "block text")


@dataclass(frozen=True, slots=True)
class Style:
    """What a style says about the place of a paragraph."""

    name: str = ""
    based_on: str = ""
    outline: int | None = None
    number: str | None = None
    """Of a list."""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """How the items of one level are numbered."""

    form: str = "decimal"
    label: str = ""
    """%1 stands for the number at the first level."""
    start: int = 1
    style: str = ""
    """Paragraphs of this style are items of this level."""
    arabic: bool = False
    """All numbers of the label are written in decimal."""


@dataclass(slots=True)
class _List:
    pattern: str
    levels: dict[int, Level]
    starts: dict[int, int] = field(default_factory=dict)
    """Levels that begin anew in this list."""


class Styles:
    """The styles of a file."""

    def __init__(self, part: Element) -> None:
        of_paragraphs = (each for each in part.iter("w:style") if each.get("w:type", "paragraph") == "paragraph")
        self._styles = {element.get("w:styleId", ""): _style(element) for element in of_paragraphs}

    def outline(self, style: str) -> int | None:
        """The level of a heading, from 1; None for other paragraphs."""
        for each in self._chain(style):
            if (named := _named_level(each.name)) is not None:
                return named
            if each.outline is not None:
                return each.outline + 1 if each.outline < _LEVELS else None
        return None

    def is_quote(self, style: str) -> bool:
        return any(each.name in _QUOTES for each in self._chain(style))

    def item(self, style: str) -> tuple[str | None, int | None]:
        """The list and the level that a style puts its paragraphs into."""
        number, level = None, None
        for each in self._chain(style):
            number = each.number if number is None else number
            level = each.level if level is None else level
        return number, level

    def _chain(self, style: str) -> list[Style]:
        found: list[Style] = []
        while style in self._styles and len(found) < _CHAIN_MOST:
            found.append(self._styles[style])
            style = found[-1].based_on
        return found


class Numbering:
    """The lists of a file, and how far each has counted."""

    def __init__(self, part: Element) -> None:
        patterns = {each.get("w:abstractNumId", ""): _levels(each) for each in part.iter("w:abstractNum")}
        self._lists = {each.get("w:numId", ""): _list(each, patterns) for each in part.iter("w:num")}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()

    def level_of(self, number: str, style: str) -> int:
        """The level of a list that belongs to a style."""
        found = self._lists.get(number)
        levels = found.levels.items() if found else ()
        return next((each for each, level in levels if level.style == style and style), 0)

    def label(self, number: str, level: int) -> str | None:
        """Count one more item, and give its number; nothing for a bullet, None if it is no item."""
        found = self._lists.get(number)
        if found is None or number == "0":
            return None
        here = found.levels.get(level, Level("bullet"))
        counts = self._counted(number, found, level)
        if here.form == "bullet":
            return ""
        return _label(here, found.levels, counts) or None

    def _counted(self, number: str, found: _List, level: int) -> list[int]:
        counts = self._counts.setdefault(found.pattern, [None] * _LEVELS)
        if number not in self._begun:
            self._begun.add(number)
            for each in found.starts:
                counts[each] = None
        starts = {each: found.starts.get(each, of.start) for each, of in found.levels.items()}
        now = counts[level]
        above = [starts.get(each, 1) if count is None else count for each, count in enumerate(counts[:level])]
        here = starts.get(level, 1) if now is None else now + 1
        counts[:] = [*above, here, *[None] * (_LEVELS - level - 1)]
        return [*above, here, *[1] * (_LEVELS - level - 1)]


def _style(element: Element) -> Style:
    number = _value(element, "w:numId")
    return Style(
        name=(_value(element, "w:name") or "").lower(),
        based_on=_value(element, "w:basedOn") or "",
        outline=_whole(_value(element, "w:outlineLvl")),
        number=number,
        level=_whole(_value(element, "w:ilvl")),
    )


def _named_level(name: str) -> int | None:
    if name == "title":
        return 1
    word, _, digit = name.partition(" ")
    return int(digit) if word == "heading" and len(digit) == 1 and digit in "123456789" else None


def _levels(pattern: Element) -> dict[int, Level]:
    return {number: _level(each) for each in pattern.iter("w:lvl") if (number := _at(each)) is not None}


def _level(element: Element) -> Level:
    start = _whole(_value(element, "w:start"))
    return Level(
        form=_value(element, "w:numFmt") or "decimal",
        label=_value(element, "w:lvlText") or "",
        start=1 if start is None else start,
        style=_value(element, "w:pStyle") or "",
        arabic=element.find("w:isLgl") is not None,
    )


def _list(element: Element, patterns: dict[str, dict[int, Level]]) -> _List:
    pattern = _value(element, "w:abstractNumId") or ""
    found = _List(pattern, dict(patterns.get(pattern, {})))
    for override in element.iter("w:lvlOverride"):
        level = _at(override)
        if level is None:
            continue
        start = _whole(_value(override, "w:startOverride"))
        found.levels |= _levels(override)
        if start is not None:
            found.starts[level] = start
    return found


def _at(element: Element) -> int | None:
    level = _whole(element.get("w:ilvl"))
    return level if level is not None and 0 <= level < _LEVELS else None


def _value(element: Element, name: str) -> str | None:
    found = next(element.iter(name), None)
    return None if found is None else found.get("w:val")


def _whole(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.isdecimal() and text.isascii() else None


def _label(here: Level, levels: dict[int, Level], counts: list[int]) -> str:
    label = here.label[:200]
    for number in range(_LEVELS):
        mark = f"%{number + 1}"
        if mark in label:
            form = "decimal" if here.arabic else levels.get(number, here).form
            label = label.replace(mark, numeral(counts[number], form))
    return label.strip()


def numeral(number: int, form: str) -> str:
    """A number as lists write it. Forms of other scripts are written in decimal."""
    match form:
        case "none" | "bullet":
            return ""
        case "decimalZero":
            return f"{number:02}"
        case "lowerLetter":
            return letters(number)
        case "upperLetter":
            return letters(number).upper()
        case "lowerRoman":
            return roman(number).lower()
        case "upperRoman":
            return roman(number)
    return str(number)


def letters(number: int) -> str:
    """a to z, then aa to zz, as Word counts."""
    if not 1 <= number <= 26 * 20:
        return str(number)
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


_ROMAN = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40}
_ROMAN |= {"X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}


def roman(number: int) -> str:
    """I, II, III."""
    if not 1 <= number < 4000:
        return str(number)
    signs = []
    for sign, value in _ROMAN.items():
        count, number = divmod(number, value)
        signs.append(sign * count)
    return "".join(signs)
