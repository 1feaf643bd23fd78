"""Numbers of sheets and charts as people see them: dates by their format, no noise of binary fractions."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_EPOCH = datetime(1899, 12, 30)
_EPOCH_1904 = datetime(1904, 1, 1)
_DAYS_MOST = 2_958_466
"""The last day of the year 9999."""
_NO_PART_OF_A_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of the formats for dates and times that need no definition."""
_TIMES = frozenset((18, 19, 20, 21, 45, 46, 47))
_PERCENTS = frozenset((9, 10))


def general(text: str) -> str:
    """A number with 15 digits at most, as spreadsheets count; what is no number as it is."""
    try:
        number = float(text)
    except ValueError:
        return text
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return format(number, ".15g")


def kind_of_format(number: int, code: str = "") -> str:
    """What a number format makes of a number: date, time, percent, or general for all others."""
    if number in _TIMES:
        return "time"
    if number in _DATES:
        return "date"
    if number in _PERCENTS:
        return "percent"
    code = _NO_PART_OF_A_DATE.sub("", code.split(";")[0]).lower()
    if any(letter in code for letter in "yd") or ("m" in code and not any(letter in code for letter in "hs0#")):
        return "date"
    if any(letter in code for letter in "hs") and "general" not in code:
        return "time"
    return "percent" if "%" in code else "general"


def shown(text: str, kind: str, *, from_1904: bool = False) -> str:
    """A number as its kind of format shows it. Dates are written as ISO 8601 does."""
    if kind == "general":
        return general(text)
    try:
        number = float(text)
    except ValueError:
        return text
    if kind == "percent":
        return f"{general(repr(round(number * 100, 10)))}%"
    if not 0 <= number < _DAYS_MOST:
        return general(text)
    moment = (_EPOCH_1904 if from_1904 else _EPOCH) + timedelta(seconds=round(number * 86_400))
    if kind == "time" and number < 1:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if moment.time() == datetime.min.time() else f"{moment:%Y-%m-%d %H:%M:%S}"
