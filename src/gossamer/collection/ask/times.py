"""Which time is meant? As people write it: 2026-11-01, 2026-11-01T12:00Z, yesterday; or 7d, which is a week ago."""

from __future__ import annotations

import re
import time as clock
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, time, timedelta

from gossamer.errors import UsageError
from gossamer.lazy import pattern
from gossamer.setting_text import TIME, seconds

_SPAN = pattern(r"(?!\d{8}T)\d[\d.a-z ]*[a-z]", re.IGNORECASE)
"""What is no time by the calendar, as 20261101T120000Z is: it begins with a number and ends with a unit."""
_DAYS = {"today": 0, "yesterday": 1}
"""How many days ago."""
EARLIEST = 0.0
"""Nothing was captured before 1970."""


def moment(text: str, *, end: bool = False) -> datetime:
    """A point in time, or how long ago it is, as 2h, 7d or 1h30m. A day means its beginning, or its `end`."""
    try:
        if _SPAN.fullmatch(text.strip()):
            return datetime.fromtimestamp(max(clock.time() - seconds(text), EARLIEST), UTC).astimezone()
        found = _by_calendar(text)
        whole = time.max if end else time.min
        return (found if isinstance(found, datetime) else datetime.combine(found, whole)).astimezone()
    except (ValueError, OverflowError, OSError, ArgumentTypeError):
        raise UsageError(f"{text!r}: not a time; write {TIME}") from None


def _by_calendar(text: str) -> date:
    """A day, or a time of one."""
    if (ago := _DAYS.get(text.strip().lower())) is not None:
        return date.today() - timedelta(days=ago)
    found = datetime.fromisoformat(text)
    if found.date() == date.max:  # what comes right after it could not be written
        raise ValueError(text)
    return found.date() if len(text) in (8, 10) and "T" not in text else found


def in_utc(at: datetime) -> datetime:
    """A time that a program gives without a zone is one of UTC, as all are that it gets."""
    if not isinstance(at, datetime):
        raise UsageError(f"{at!r}: a program gives a time as a datetime, as in datetime(2026, 11, 1, 12)")
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
