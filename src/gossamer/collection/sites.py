"""Which site is an address of, by the suffixes of the plan?"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gossamer.plan import Plan
from gossamer.urls import keys, site


def site_of(plan: Plan) -> Callable[[str], str]:
    """What tells the site of an address."""
    suffixes = frozenset(plan.suffixes)
    of_host = lru_cache(maxsize=65_536)(lambda host: site(host, suffixes))
    return lambda url: of_host(keys.host(url))


def owner_of(plan: Plan) -> Callable[[str], int]:
    """What tells the shard that an address belongs to."""
    site_of_url, count = site_of(plan), plan.shards or 1
    return lambda url: keys.shard(site_of_url(url), count)
