"""How are times and sizes written? As people do: 90, 30m, 2h; 500k, 10M, 2GiB; 2026-11-01."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from datetime import datetime, time

from gossamer.errors import UsageError

_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
_BYTES = {"": 1, "b": 1} | {
    f"{letter}{end}": base**power
    for power, letter in enumerate("kmgt", 1)
    for end, base in (("", 1_000), ("b", 1_000), ("i", 1_024), ("ib", 1_024))
}
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([a-z]*)", re.IGNORECASE)


def seconds(text: str) -> float:
    """`2h` and the like."""
    return _amount(text, _SECONDS, "a time, like 90, 30m, 2h or 1d")


def octets(text: str) -> int:
    """`10G` and the like; k is 1,000 and Ki is 1,024."""
    found = _amount(text, _BYTES, "a size, like 500k, 10M, 2G or 2GiB")
    return round(found) or int(found > 0)  # half a byte is little, and none would be no limit


TYPES: dict[str, Callable[[str], float]] = {"s": seconds, "B": octets}
"""By the unit of a setting."""


def moment(text: str, *, end: bool = False) -> datetime:
    """A point in time. A day means its beginning, or its `end`."""
    try:
        found = datetime.fromisoformat(text)
        whole_day = len(text) in (8, 10) and "T" not in text
        return (datetime.combine(found, time.max) if end and whole_day else found).astimezone()
    except (ValueError, OverflowError, OSError):
        example = "write it as 2026-11-01, 2026-11-01T12:00 or 2026-11-01T12:00:00Z"
        raise UsageError(f"{text!r}: not a time; {example}") from None


def _amount(text: str, units: dict[str, int], wanted: str) -> float:
    found = _AMOUNT.fullmatch(text.strip())
    if not found or found[2].lower() not in units:
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return float(found[1]) * units[found[2].lower()]
