"""Which time is meant? As people write it: 2026-11-01, or 2026-11-01T12:00Z."""

from __future__ import annotations

from datetime import datetime, time

from gossamer.errors import UsageError


def moment(text: str, *, end: bool = False) -> datetime:
    """A point in time. A day means its beginning, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
        whole_day = len(text) in (8, 10) and "T" not in text
        return (datetime.combine(found, time.max) if end and whole_day else found).astimezone()
    except (ValueError, OverflowError, OSError):
        example = "write it as 2026-11-01, 2026-11-01T12:00 or 2026-11-01T12:00:00Z"
        raise UsageError(f"{text!r}: not a time; {example}") from None
