"""Days as people write them: "19 November 2019", "Nov. 19th, 2019", "19.11.2019". What machines write is in `dates`.

A date of figures alone whose day and month could be exchanged (03/04/2020) is nobody's guess; a day with dots is the
one of Europe, where that is how it is written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from gossamer.convert import dates

_LENGTH_MOST = 64
_SLASHES = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})\b")
_DOTS = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_DAY_FIRST = re.compile(
    r"(?:\D{0,12}\s)?(\d{1,2})\.?(?:st|nd|rd|th)?\s+(?:de\s+)?([^\W\d]{3,})\.?,?\s+(?:de\s+)?(\d{4})\b"
)
_MONTH_FIRST = re.compile(r"(?:[^\W\d]+,\s+)?([^\W\d]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan janv januar ene gen",
            "feb févr fév februar febr",
            "mar mär mrz märz mars mae",
            "apr avr abr",
            "may mai mag maj mei",
            "jun juin giu juni",
            "jul juil lug juli",
            "aug août aoû ago",
            "sep sept set",
            "oct okt out ott",
            "nov",
            "dec dez déc dic",
        ),
        start=1,
    )
    for name in names.split()
}
"""How months begin in the languages of Western Europe."""


def seconds(text: str) -> float | None:
    """Seconds since 1970 of a date in any form; without a zone it is UTC. None if it is no date, or before 1970."""
    text = text.strip()
    if len(text) > _LENGTH_MOST:
        return None
    moment = dates.seconds(text)
    if moment is None:
        try:
            moment = _written(text)
        except (ValueError, OverflowError):
            return None
    return moment if moment is not None and moment > 0 else None


def _written(text: str) -> float | None:
    if found := _SLASHES.match(text):
        return _day(found[1], int(found[2]), found[3])
    if found := _DOTS.match(text):
        return _day(found[3], int(found[2]), found[1])
    if found := _MONTH_FIRST.match(text):
        return _day(found[3], _month(found[1]), found[2])
    if found := _DAY_FIRST.match(text):
        return _day(found[3], _month(found[2]), found[1])
    return None


def _month(name: str) -> int:
    """0 where it is none, which makes no date."""
    name = name.lower()
    return next((_MONTHS[name[:size]] for size in (5, 4, 3) if name[:size] in _MONTHS), 0)


def _day(year: str, month: int, day: str) -> float:
    return datetime(int(year), month, int(day), tzinfo=UTC).timestamp()
