"""What does an RTF file say besides its text? Title, author and dates; and which styles are those of headings."""

from __future__ import annotations

from calendar import timegm

from gossamer.convert.files.page import About

_TEXT_MOST = 2_000


class Info:
    """The group `info`, while it is read."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._dates: dict[str, dict[str, int]] = {}
        self._date: dict[str, int] = {}

    def begin(self, name: str) -> None:
        """What comes next is a title, an author or a date."""
        self._texts[name] = ""
        self._date = self._dates[name] = {}

    def say(self, name: str, text: str) -> None:
        """More of a text."""
        if len(self._texts[name]) < _TEXT_MOST:
            self._texts[name] += text

    def part(self, word: str, number: int) -> None:
        """A part of a date: yr, mo, dy, hr or min."""
        self._date[word] = number

    def about(self) -> About:
        """All of it."""
        return About(
            self._texts.get("title", "").strip(),
            self._texts.get("author", "").strip(),
            _seconds(self._dates.get("creatim", {})),
            _seconds(self._dates.get("revtim", {})),
        )


def _seconds(date: dict[str, int]) -> float | None:
    year, month, day = date.get("yr", 0), date.get("mo", 1), date.get("dy", 1)
    if not (1970 <= year < 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return float(timegm((year, month, day, date.get("hr", 0) % 24, date.get("min", 0) % 60, 0)))


class Styles:
    """Which styles are headings, and of which level."""

    def __init__(self) -> None:
        self._levels: dict[int, int] = {}
        self._number, self._name, self._outline = 0, "", 0

    def level(self, number: int) -> int:
        """Of a style; 0 for those that are none of headings."""
        return self._levels.get(number, 0)

    def begin(self, number: int) -> None:
        """What is said next is about this style."""
        self._number = number

    def outline(self, level: int) -> None:
        """Its place in the table of contents, from 1."""
        self._outline = level

    def say(self, text: str) -> None:
        """More of its name."""
        if len(self._name) < _TEXT_MOST:
            self._name += text

    def end(self) -> None:
        """The style is over."""
        name = self._name.strip(" ;").lower()
        _, _, digit = name.partition("heading ")
        level = int(digit) if len(digit) == 1 and digit in "123456789" else int(name == "title")
        if level or self._outline:
            self._levels[self._number] = level or self._outline
        self._number, self._name, self._outline = 0, "", 0
