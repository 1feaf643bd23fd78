"""Dates as files write them, in ISO 8601 or as mail does, to seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz

_FRACTION = re.compile(r"\.\d+")


def seconds(text: str) -> float | None:
    """The moment that a date names; one without a zone is taken for UTC. None for what is no date."""
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
