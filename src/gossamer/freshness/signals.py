"""How far are the dates that a site gives to be trusted? By how often they moved when a page changed, and when not.

A sitemap or a feed dates its pages, and a server sends Last-Modified and ETag. Some sites are exact, some stamp all
pages whenever they are built, some say "now", and some never touch a date again. So each site and source is judged
by its own visits: what had its date done since the visit before, and had the page changed? Four counts are kept, which
fade, so that a site may mend its ways. With one visit of each kind added, which is a prior of Beta(1, 1), they say

    precision    P(changed | moved)    how often a date that moved was right
    recall       P(moved | changed)    how many changes are told
    alarms       P(moved | same)       how often a date moves for nothing

What a date is worth is how recall stands to alarms: one that moves for no reason tells nothing, however often it is
right. A date that moved multiplies the odds of a change by recall / alarms. As long as none does, changes come at
(1 - recall) / (1 - alarms) part of the rate, which is 1 - recall where nothing moves for nothing. Either way the page
is as likely to have changed as after some other wait without dates, and it is due when that wait is long enough. That
a visit is valued by the time since the last one and the signals in it, with their precision and recall, is the idea of
Busa-Fekete et al. 2025 (arXiv 2502.02430); the measure of what a date is worth is ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import msgspec

MEMORY = 500
"""Visits: of those before, each counts by a 500th less after every further one."""
FEW, SAME_DAY = 20, 0.9
"""Dates of a site are those of its last build if there are so many, and more than this part are of one day."""
TELLS = 2.0
"""By so much the odds of a change are larger where a date that tells anything moves, or smaller where it does not."""
LEAST = 0.05
"""Of its rate, for a page whose date has not moved: who trusts a date in full would never hear that it went wrong."""
_DAY = 86_400

Visits = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
"""They fade, so there are never more than `MEMORY` of them."""


class Trust(msgspec.Struct, array_like=True, frozen=True):
    """What visits said of the dates of one source at one site. As a row it takes 37 bytes, after any number of them."""

    told: Visits = 0.0
    """The date had moved, and the page had changed."""
    idle: Visits = 0.0
    """It had moved for nothing."""
    missed: Visits = 0.0
    """It stood still, and the page had changed all the same."""
    quiet: Visits = 0.0
    """Neither."""


def heard(trust: Trust, moved: bool, changed: bool) -> Trust:
    """After one more visit to a page that has a date: had it moved since the visit before, and had the page changed?"""
    keep = 1 - 1 / MEMORY
    return Trust(
        trust.told * keep + (moved and changed),
        trust.idle * keep + (moved and not changed),
        trust.missed * keep + (changed and not moved),
        trust.quiet * keep + (not moved and not changed),
    )


def precision(trust: Trust) -> float:
    """The chance that a page has changed whose date moved."""
    return _part(trust.told, trust.idle)


def recall(trust: Trust) -> float:
    """The part of the changes at which the date moves."""
    return _part(trust.told, trust.missed)


def alarms(trust: Trust) -> float:
    """The chance that the date of a page has moved that is the same as before."""
    return _part(trust.idle, trust.quiet)


def unsaid(trust: Trust) -> float:
    """The chance that a page has changed whose date stands still."""
    return _part(trust.missed, trust.quiet)


def weight(trust: Trust) -> float:
    """What the odds of a change are multiplied with where a date has moved; 1 for dates that tell nothing."""
    return max(recall(trust) / alarms(trust), 1.0)


def silence(trust: Trust) -> float:
    """The part of its rate at which a page changes while its date stands still; 1 for dates that tell nothing."""
    return min(max((1 - recall(trust)) / (1 - alarms(trust)), LEAST), 1.0)


def tells(trust: Trust) -> bool:
    """Whether dates are worth a look: where one moves a change is likelier, or where it stands still one is less so.
    Those of a site of which little is known may be."""
    if trust.told + trust.idle + trust.missed + trust.quiet < FEW:
        return True
    return weight(trust) >= TELLS or silence(trust) <= 1 / TELLS


def rate_between(trust: Trust, rate: float) -> float:
    """At which rate a page changes without a word."""
    return rate * silence(trust)


def as_long_as(trust: Trust, rate: float, since: float, moved: bool) -> float:
    """The time without dates after which the page would as likely have changed; longer than `since` if one moved."""
    if not moved:
        return since * silence(trust)
    expected = rate * since
    if expected > _SURE:
        return since + math.log(weight(trust)) / rate
    return math.log1p(weight(trust) * math.expm1(expected)) / rate if expected else since


def is_worth_a_visit(trust: Trust, rate: float, since: float, moved: bool, wait: float) -> bool:
    """Whether a page is due, by what its date did since the visit; `wait` is what `next_visit` says without dates."""
    return as_long_as(trust, rate, since, moved) >= wait


def is_build_stamp(moments: Iterable[float]) -> bool:
    """Whether dates, in seconds since 1970, are those of the last build of a site, and say nothing of its pages."""
    days = Counter(int(moment // _DAY) for moment in moments)
    dated = days.total()
    return dated >= FEW and max(days.values()) > SAME_DAY * dated


_SURE = 500.0
"""Changes that are expected: beyond it the exponential is no number any more, and nobody can tell the difference."""


def _part(yes: float, no: float) -> float:
    return (yes + 1) / (yes + no + 2)
