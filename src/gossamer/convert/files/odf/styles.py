"""The styles of an OpenDocument file, as far as they tell headings, quotes, looks and the numbers of lists."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from gossamer.convert.files.line import PLAIN, Look
from gossamer.convert.files.office.docx_lists import numeral

_CHAIN_MOST = 20
_KINDS = {"title": "heading", "quotations": "quote", "preformatted text": "pre"}
_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_LEVELS = ("text:list-level-style-number", "text:list-level-style-bullet", "text:list-level-style-image")


@dataclass(frozen=True, slots=True)
class _Style:
    parent: str
    look: Look


@dataclass(frozen=True, slots=True)
class _Level:
    """How the items of one level are numbered."""

    form: str = "bullet"
    before: str = ""
    after: str = ""
    shows: int = 1
    """Levels whose numbers are in the label."""
    start: int = 1


class Styles:
    """All styles by their names; those of later parts stand before those of earlier ones."""

    def __init__(self, *parts: Element) -> None:
        self._styles: dict[str, _Style] = {}
        self._lists: dict[str, dict[int, _Level]] = {}
        for part in parts:
            self._add(part)

    def _add(self, part: Element) -> None:
        for element in part.iter("style:style"):
            self._styles[element.get("style:name", "")] = _style(element)
        for element in part.iter("text:list-style"):
            levels = (each for name in _LEVELS for each in element.iter(name))
            self._lists[element.get("style:name", "")] = {
                _whole(each.get("text:level"), 1): _level(each) for each in levels
            }

    def look(self, name: str) -> Look:
        """How words of a style look."""
        return self._styles[name].look if name in self._styles else PLAIN

    def kind(self, name: str) -> str:
        """The kind of block that a style of paragraphs makes."""
        for each in self._chain(name):
            if kind := _KINDS.get(each.replace("_20_", " ").lower()):
                return kind
        return "paragraph"

    def start(self, style: str, depth: int) -> int:
        """The first number of a list at a depth, from 0."""
        return self._lists.get(style, {}).get(depth + 1, _Level()).start

    def label(self, style: str, counts: list[int]) -> str:
        """The number of an item, given the numbers of all levels down to its own; nothing for a bullet."""
        levels = self._lists.get(style, {})
        here = levels.get(len(counts), _Level())
        if here.form == "bullet":
            return ""
        first = max(0, len(counts) - max(1, here.shows))
        numbers = [numeral(counts[each], levels.get(each + 1, here).form) for each in range(first, len(counts))]
        return f"{here.before}{'.'.join(filter(None, numbers))}{here.after}".strip()

    def _chain(self, name: str) -> list[str]:
        found = [name]
        while name in self._styles and len(found) < _CHAIN_MOST:
            name = self._styles[name].parent
            found.append(name)
        return found


def _style(element: Element) -> _Style:
    properties = next(element.iter("style:text-properties"), None)
    if properties is None:
        properties = next(element.iter("style:properties"), Element(""))  # as OpenOffice 1 calls them
    weight = properties.get("fo:font-weight", "")
    place = properties.get("style:text-position", "")
    look = Look(
        weight == "bold" or weight in ("600", "700", "800", "900"),
        properties.get("fo:font-style") in ("italic", "oblique"),
        "sup" if place.startswith("super") else "sub" if place.startswith("sub") else "",
    )
    return _Style(element.get("style:parent-style-name", ""), look)


def _level(element: Element) -> _Level:
    if element.tag != "text:list-level-style-number":
        return _Level()
    form = _FORMS.get(element.get("style:num-format", ""))
    return _Level(
        form or "none",
        element.get("style:num-prefix", ""),
        element.get("style:num-suffix", "") if form else "",
        _whole(element.get("text:display-levels"), 1),
        _whole(element.get("text:start-value"), 1),
    )


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 7 else otherwise
