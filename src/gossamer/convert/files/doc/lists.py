"""The numbers of numbered paragraphs in a Word file, which are not in its text: [MS-DOC] 2.4.6.3 and 2.9.150.

A paragraph names a list and a level. The level says how its number is written and where the numbers of the levels above
stand in it; a list may have levels of another list with some replaced. Numbers are counted as the text is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import error as too_short
from struct import unpack_from
from typing import NamedTuple

from gossamer.convert.files.doc.characters import WordFile
from gossamer.convert.files.office.docx_lists import numeral

_LISTS, _USES = 73, 74
_LEVELS = 9
_LISTS_MOST, _USES_MOST = 10_000, 2_046
_BULLET, _ORDINAL = 23, 5
_FORMS = {
    1: "upperRoman",
    2: "lowerRoman",
    3: "upperLetter",
    4: "lowerLetter",
    22: "decimalZero",
    23: "none",
    255: "none",
}
"""The names that newer files have for the ways to write a number; all others are written in decimal."""


class Level(NamedTuple):
    """How the paragraphs of one level are numbered."""

    start: int
    format: int
    legal: bool
    """All numbers in it are written in digits."""
    keeps_on: int
    """It begins again only after a paragraph of a level below this one."""
    text: str
    """With the numbers of levels as characters 0 to 8."""


@dataclass(slots=True)
class _List:
    levels: list[Level]
    counts: list[int] = field(default_factory=lambda: [0] * _LEVELS)
    """The number that each level has reached; what follows it has begun no number."""
    begun: list[bool] = field(default_factory=lambda: [False] * _LEVELS)
    restarted: set[int] = field(default_factory=set)
    """Uses whose own first numbers have been set."""


class _Use(NamedTuple):
    """A list as paragraphs name it."""

    list: int
    starts: dict[int, int]
    levels: dict[int, Level]


class Lists:
    """Gives paragraphs their numbers, in the order of the text."""

    def __init__(self, word: WordFile) -> None:
        self._lists: dict[int, _List] = {}
        self._uses: list[_Use] = []
        try:
            self._read_lists(word)
            self._read_uses(word.part(_USES))
        except too_short:
            pass  # cut off: what stood before it counts

    def label(self, number: int, depth: int) -> str | None:
        """The number of the next paragraph of a list, as it is printed; empty for a bullet, None for no list."""
        if not 0 < number <= len(self._uses):
            return None
        use = self._uses[number - 1]
        found = self._lists.get(use.list)
        if found is None:
            return None
        levels = [use.levels.get(each, level) for each, level in enumerate(found.levels)]
        depth = min(depth, len(levels) - 1)
        _count(found, levels, use, number, depth)
        level = levels[depth]
        if level.format == _BULLET:
            return ""
        return "".join(_part(each, level, levels, found.counts) for each in level.text).strip()

    def _read_lists(self, word: WordFile) -> None:
        start, length = word.place(_LISTS)
        if length < 2:
            return
        data = word.table[start:]
        (count,) = unpack_from("<H", data)
        at = 2 + 28 * count  # the levels stand after the last list
        for number in range(min(count, _LISTS_MOST)):
            name, flags = unpack_from("<i22xB", data, 2 + 28 * number)
            levels: list[Level] = []
            self._lists[name] = _List(levels)
            for _ in range(1 if flags & 1 else _LEVELS):
                level, at = _level(data, at)
                levels.append(level)

    def _read_uses(self, data: bytes) -> None:
        if not data:
            return
        (count,) = unpack_from("<I", data)
        count = min(count, _USES_MOST)
        at = 4 + 16 * count
        for number in range(count):
            name, overrides = unpack_from("<i8xB", data, 4 + 16 * number)
            use = _Use(name, {}, {})
            self._uses.append(use)
            at += 4
            for _ in range(overrides):
                start, flags = unpack_from("<iI", data, at)
                at += 8
                if flags & 0x20:
                    use.levels[flags & 0xF], at = _level(data, at)
                if flags & 0x10:
                    use.starts[flags & 0xF] = use.levels[flags & 0xF].start if flags & 0x20 else start


def _level(data: bytes, at: int) -> tuple[Level, int]:
    start, kind, flags = unpack_from("<iBB", data, at)
    looks, shapes, limit = unpack_from("<BBB", data, at + 24)
    after = at + 28 + looks + shapes
    (length,) = unpack_from("<H", data, after)
    text = data[after + 2 : after + 2 + 2 * length].decode("utf-16-le", "replace")
    end = after + 2 + 2 * length
    return Level(start, kind, bool(flags & 4), limit if flags & 8 else _LEVELS, text), end


def _count(found: _List, levels: list[Level], use: _Use, number: int, depth: int) -> None:
    """The paragraph is one more of its level, and levels below begin again."""
    if number not in found.restarted and depth in use.starts:
        found.restarted.add(number)
        found.begun[depth] = False
    for above in range(depth):
        if not found.begun[above]:
            found.begun[above] = True
            found.counts[above] = use.starts.get(above, levels[above].start)
    first = use.starts.get(depth, levels[depth].start)
    found.counts[depth] = found.counts[depth] + 1 if found.begun[depth] else first
    found.begun[depth] = True
    for below in range(depth + 1, len(levels)):
        if levels[below].keeps_on == _LEVELS or depth < levels[below].keeps_on:
            found.begun[below] = False


def _part(character: str, level: Level, levels: list[Level], counts: list[int]) -> str:
    number = ord(character)
    if number >= _LEVELS:
        return character
    if number >= len(levels):
        return ""
    format = 0 if level.legal else levels[number].format
    written = numeral(counts[number], _FORMS.get(format, "decimal"))
    return written + _ordinal(counts[number]) if format == _ORDINAL else written


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
