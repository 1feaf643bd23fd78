"""Which site is an address of, by the suffixes of the plan?"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from gossamer.plan import Plan
from gossamer.urls import keys, paths, site


def site_of(plan: Plan) -> Callable[[str], str]:
    """What tells the site of an address; of a file of this machine, the folder."""
    if plan.folders:
        return partial(_folder_of, plan.folders)
    suffixes = frozenset(plan.suffixes)
    of_host = lru_cache(maxsize=65_536)(lambda host: site(host, suffixes))
    return lambda url: of_host(keys.host(url))


def _folder_of(roots: tuple[str, ...], url: str) -> str:
    """The name of the folder that was named, and of the one in it that a file lies in."""
    root = max((each for each in roots if f"{url}/".startswith(f"{each.rstrip('/')}/")), key=len, default="")
    if not root:
        return ""
    name, below = paths.name_of(root), paths.shown(url)[len(paths.shown(root)) :].strip("/")
    return "/".join(filter(None, (name, *below.split("/")[:-1][:1])))


def owner_of(plan: Plan) -> Callable[[str], int]:
    """What tells the shard that an address belongs to."""
    site_of_url, count = site_of(plan), plan.shards or 1
    return lambda url: keys.shard(site_of_url(url), count)
