"""When was that? Dates as sitemaps and feeds write them: W3C (ISO 8601), RFC 822, and what comes close to either."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache

_LENGTH_MOST = 64
_W3C_DATE = re.compile(
    r"(\d{4})(?:-?(\d\d?)(?:-?(\d\d?)"
    r"(?:(?:\s*T\s*|\s+)(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)?)?)?)?)?",
    re.IGNORECASE | re.ASCII,
)


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
