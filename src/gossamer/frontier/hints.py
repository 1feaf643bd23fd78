"""What does a sitemap say about its pages? Their priority and their date, as hints for the order of visits.

Both are claims of the site about itself, so they count only against the other claims of the same file: a page is above
or below its average. A site that marks everything with 1.0, or dates everything today, has said nothing. And they
never move a page out of its round (`budget`): a site can sort its own pages, and gain nothing over others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean

from gossamer.model import Link

MOST = 5
"""The strongest hint, either way: one of 1.0 in a file of 0.5."""
_DAY = 86_400


def hints(links: Sequence[Link]) -> dict[str, int]:
    """A hint for each address that is not as good as the next: -5 for the last, 5 for the first."""
    if not links:
        return {}
    priorities = [link.priority for link in links]
    usual = fmean(priorities)
    dates = [link.modified for link in links if link.modified is not None]
    recent = fmean(dates) + _DAY if dates else inf
    of = {priority: round(2 * MOST * (priority - usual)) for priority in set(priorities)}
    if not any(of.values()) and max(dates, default=0.0) <= recent:
        return {}
    found = {link.url: of[link.priority] + ((link.modified or 0.0) > recent) for link in links}
    return {url: max(-MOST, min(hint, MOST)) for url, hint in found.items() if hint}
