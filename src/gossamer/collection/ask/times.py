"""Which time is meant? As people write it: 2026-11-01, or 2026-11-01T12:00Z; or 7d, which is a week ago."""

from __future__ import annotations

import re
import time as clock
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime, time

from gossamer.errors import UsageError
from gossamer.setting_text import seconds

_SPAN = re.compile(r"\d[\d.a-z ]*[a-z]", re.IGNORECASE)
"""What is no time by the calendar: it begins with a number and ends with a unit."""
EARLIEST = 0.0
"""Nothing was captured before 1970."""
_EXAMPLE = "write it as 2026-11-01, 2026-11-01T12:00 or 2026-11-01T12:00:00Z"


def moment(text: str, *, end: bool = False) -> datetime:
    """A point in time. A day means its beginning, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
        if found.date() == date.max:  # what comes right after it could not be written
            raise ValueError(text)
        whole_day = len(text) in (8, 10) and "T" not in text
        return (datetime.combine(found, time.max) if end and whole_day else found).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"{text!r}: not a time; {_EXAMPLE}") from None


def in_utc(at: datetime) -> datetime:
    """A time that a program gives without a zone is one of UTC, as all are that it gets."""
    if not isinstance(at, datetime):
        raise UsageError(f"{at!r}: a program gives a time as a datetime, as in datetime(2026, 11, 1, 12)")
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def since(text: str) -> datetime:
    """The beginning of a span of time that ends now: a point in time, or how long ago it is, as 2h, 7d or 1h30m."""
    try:
        if not _SPAN.fullmatch(text.strip()):
            return moment(text)
        return datetime.fromtimestamp(max(clock.time() - seconds(text), EARLIEST), UTC).astimezone()
    except (UsageError, ArgumentTypeError):
        raise UsageError(f"{text!r}: not a time; {_EXAMPLE}, or how long ago, as 2h or 7d") from None
