"""How long until the next visit, by a policy that one can choose for a watch? One page at a time; see `policies`.

A price says for all pages together how dear visits are, each policy in its own way: for `learning`, `azar` and
`lambdacrawl` what a visit costs, for `uniform` days between two visits of a page, and for `proportional` changes
between them.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Literal, TypeAlias

from gossamer.freshness.revisit import Goal, next_visit

Policy: TypeAlias = Literal["learning", "azar", "lambdacrawl", "uniform", "proportional", "nutch"]
POLICIES: tuple[Policy, ...] = ("learning", "azar", "lambdacrawl", "uniform", "proportional", "nutch")
PRICED = frozenset({"learning", "azar", "lambdacrawl"})
"""Each page by itself says how often it is worth a visit at a price."""
LONGER, SHORTER = 1.4, 0.8
"""What Nutch multiplies an interval with, after a visit that found nothing new and after one that did."""


def policy_of(name: str) -> Policy:
    """The policy with a name; one that is not known counts as the usual one."""
    found: Policy = next((each for each in POLICIES if each == name), "learning")
    return found


def wait(policy: Policy, rate: float, price: float, importance: float, goal: Goal) -> float:
    """Days. Nutch's rule goes by the visits of the page alone (`adapted`); before the first it is as `uniform`."""
    if policy == "learning":
        return next_visit(rate, price, importance, goal)
    if policy in PRICED:
        often = _often(policy, rate, importance * rate / price) if price else inf
        return 1 / often if often > 0 else inf
    return price / rate if policy == "proportional" else price


def _often(policy: Policy, rate: float, worth: float) -> float:
    """Visits in a unit of time; see `policies.azar` and `policies.lambda_crawl`."""
    return sqrt(worth) - rate if policy == "azar" else (sqrt(rate * rate + 4 * worth) - rate) / 2


def adapted(interval: float, changed: bool) -> float:
    """The next interval by Nutch's rule, after one in which the page had changed or not."""
    return interval * (SHORTER if changed else LONGER)
