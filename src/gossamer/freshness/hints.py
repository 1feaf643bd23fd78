"""What does a site say of how often its pages change? Weak hints: they count as long as visits have shown little.

A sitemap has `changefreq`, an answer says for how long a copy of it is good (RFC 9111), and a feed names hours and days
in which nothing is new (RSS 2.0). Most of it is written once, for all pages, by whoever has set the software up. So a
hint moves the rate that is expected of a page half of the way at the most, and the less, the more changes of pages like
it were seen; and what the visits of the page itself show soon counts for more than all of that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

HOUR, DAY = 3_600.0, 86_400.0
FREQUENCIES = {
    "always": HOUR, "hourly": HOUR, "daily": DAY, "weekly": 7 * DAY, "monthly": 30 * DAY, "yearly": 365 * DAY,
    "never": 365 * DAY,
}  # fmt: skip
"""Seconds between changes, by the words of sitemaps. `never` is said of archives, and those are corrected too."""
SOONEST, LATEST = 6 * HOUR, 365 * DAY
"""Seconds between changes that are believed: more often than this is for visits to show."""
GOOD_MOST = 7 * DAY
"""Seconds that a copy of a page is not asked for again because it is called good, before anything is known of it."""
HOURS = 24
"""A mask has a bit for each hour of the day from 0 on, and then one for each day of the week from Monday on, in UTC."""
_LEAST = 2.0
"""A hint counts as one of so many where nothing is known."""
_DIRECTIVE = re.compile(r"""([!#$%&'*+.^_`|~\w-]++)(?:\s*+=\s*+(?:"([^"]*+)"?|([^\s,"]*+))|(?!))?+""", re.ASCII)


def frequency(word: str) -> float | None:
    """Seconds between changes, as `changefreq` names them."""
    return FREQUENCIES.get(word.strip().lower())


def good_for(cache_control: Sequence[str], expires: str | None, date: str | None) -> float:
    """Seconds for which an answer says that a copy of it is good; 0 where it says nothing, or that none is.

    `max-age` counts before `s-maxage`, which is for caches that its site can empty, and both before Expires.
    """
    said: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(",".join(cache_control)):
        said.setdefault(name.lower(), quoted or plain)
    if "no-store" in said or "no-cache" in said:
        return 0.0
    for name in ("max-age", "s-maxage"):
        if name in said:
            return float(said[name]) if said[name].isascii() and said[name].isdigit() and len(said[name]) < 12 else 0.0
    ends, began = _moment(expires), _moment(date)
    return max(ends - began, 0.0) if ends is not None and began is not None else 0.0


def _moment(date: str | None) -> float | None:
    try:
        found = parsedate_to_datetime(date) if date else None
    except (ValueError, OverflowError):
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() if found else None


def hinted(rate: float, every: float, seen: float) -> float:
    """The rate a day that is expected of a page that is said to change after so many seconds; 0: nothing is said.

    `rate` is what is expected without that, and `seen` how many changes of pages like it that is known by.
    """
    if every <= 0:
        return rate
    said = DAY / min(max(every, SOONEST), LATEST)
    return rate * math.exp(math.log(said / rate) / (_LEAST + seen))


def quiet(hours: Sequence[int], days: Sequence[int]) -> int:
    """The mask of hours and days in which nothing is new; 0 where that would be all of them."""
    mask = sum(1 << hour for hour in set(hours) if 0 <= hour < HOURS)
    week = sum(1 << day for day in set(days) if 0 <= day < 7)
    return 0 if mask == (1 << HOURS) - 1 or week == 0b1111111 else mask | week << HOURS


def after_quiet(moment: float, mask: int) -> float:
    """The first time from then on that is in none of the hours and days of a mask; seconds since 1970."""
    for _ in range(HOURS * 7 if mask else 0):
        day = (math.floor(moment / DAY) + 3) % 7  # 1970 began on a Thursday
        hour = int(moment % DAY // HOUR)
        if not (mask >> hour | mask >> (HOURS + day)) & 1:
            break
        moment = (math.floor(moment / HOUR) + 1) * HOUR
    return moment
