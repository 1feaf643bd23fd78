"""When was that? Dates as sitemaps, feeds, files and people write them, in seconds since 1970.

Machines write W3C (ISO 8601), RFC 822, and what comes close to either. People write "19 November 2019", "Nov. 19th,
2019" or "19.11.2019". A date of figures alone whose day and month could be exchanged (03/04/2020) is nobody's guess; a
day with dots is the one of Europe, where that is how it is written.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache

from gossamer.lazy import pattern

_LENGTH_MOST = 64
_W3C_DATE = pattern(
    r"(\d{4})(?:-?(\d\d?)(?:-?(\d\d?)"
    r"(?:(?:\s*T\s*|\s+)(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)?)?)?)?)?",
    re.IGNORECASE | re.ASCII,
)
_SLASHES = pattern(r"(\d{4})/(\d{1,2})/(\d{1,2})\b")
_DOTS = pattern(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_DAY_FIRST = pattern(
    r"(?:\D{0,12}\s)?(\d{1,2})\.?(?:st|nd|rd|th)?\s+(?:de\s+)?([^\W\d]{3,})\.?,?\s+(?:de\s+)?(\d{4})\b"
)
_MONTH_FIRST = pattern(r"(?:[^\W\d]+,\s+)?([^\W\d]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
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
_FRACTION = pattern(r"\.\d+")


@lru_cache(maxsize=1024)
def seconds(date: str) -> float | None:
    """Seconds since 1970. Without a zone it is UTC; what is before 1970 or no date is none."""
    if not date or len(date) > _LENGTH_MOST:
        return None
    try:
        moment = _w3c_seconds(date) or _rfc822_seconds(date)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    return moment if moment > 0 else None


def _w3c_seconds(date: str) -> float:
    found = _W3C_DATE.fullmatch(date)
    if not found:
        return 0.0
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    moment = datetime(year, month or 1, day or 1, hour, minute, min(second, 59), tzinfo=UTC)
    sign, hours, minutes = found.groups()[6:]
    offset = int(hours or 0) * 3600 + int(minutes or 0) * 60
    return moment.timestamp() + (offset if sign == "-" else -offset)


def _rfc822_seconds(date: str) -> float:
    parts = parsedate_tz(date)
    return float(mktime_tz((*parts[:9], parts[9] or 0))) if parts else 0.0


def written_seconds(text: str) -> float | None:
    """Seconds since 1970 of a date in any form; without a zone it is UTC. None if it is no date, or before 1970."""
    text = text.strip()
    if len(text) > _LENGTH_MOST:
        return None
    moment = seconds(text)
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


def file_seconds(text: str) -> float | None:
    """The moment that a date in a file names, perhaps before 1970; without a zone it is UTC. None if it is no date."""
    text = _FRACTION.sub("", text.strip()[:40])
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _as_in_mail(text)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None


def _as_in_mail(text: str) -> float | None:
    try:
        parts = parsedate_tz(text)
        return float(mktime_tz(parts)) if parts else None
    except (OverflowError, ValueError, IndexError, TypeError):
        return None
