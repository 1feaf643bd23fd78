"""What is a crawl asked for, and what of that is refused before anything is kept?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from gossamer.collection import trust
from gossamer.collection.crawl import unfetched_seeds
from gossamer.collection.crawl.credentials import Credentials, logins
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.collection.folder import Folder
from gossamer.collection.seed_list import SHORT, SeedList, named_seeds
from gossamer.errors import UsageError
from gossamer.fetch.logins import Logins
from gossamer.plan import Plan
from gossamer.printable import counted, log
from gossamer.urls.seeds import as_seed


@dataclass(frozen=True, slots=True)
class Asked:
    """What a crawl is asked for."""

    seeds: Sequence[str]
    seed_list: Iterable[str]
    settings: dict[str, Any]
    outside: Outside
    revisit: bool
    is_trusted: bool
    credentials: Credentials
    keep_fresh: bool


def in_addresses(asked: Asked) -> Asked:
    """Its seeds as addresses: few by their names, many as a list."""
    settings, outside, listed = asked.settings, asked.outside, asked.seed_list
    if settings.get("on_page"):
        from gossamer.collection.crawl.page_function import handed_in

        settings, outside = handed_in(settings, outside)
    named = asked.seeds
    if len(named) > SHORT:
        named, listed = [], chain(named, listed)
    unfetched_seeds.warn_of_logins(named)
    listed = listed and unfetched_seeds.warned_of_logins(listed)
    return replace(asked, seeds=list(map(as_seed, named)), seed_list=listed, settings=settings, outside=outside)


def planned(folder: Folder, asked: Asked) -> tuple[Plan, bool]:
    """The plan with more seeds and other settings, and whether one of the seeds is new to it."""
    plan, settings = folder.load_plan(), asked.settings
    trust.require(folder, plan, settings, trusted=asked.is_trusted)
    known = [*map(as_seed, named_seeds((settings.get("seeds", plan.seeds),)))]  # people edit them
    plan = plan.changed(**{**settings, "seeds": tuple(dict.fromkeys((*known, *asked.seeds)))})
    return plan, not set(asked.seeds) <= set(known)


def require_subject(folder: Folder, asked: Asked, plan: Plan) -> None:
    """There must be something to begin with, of the web or of this machine as it was before, that can be done."""
    if plan.folders and not asked.settings.get("folders"):
        raise UsageError(
            f"{folder.path}: is a collection of files; `gossamer files {folder.path}` brings it up to date"
        )
    if not (plan.seeds or asked.seed_list or SeedList(folder.path) or plan.folders):
        verb = "watch" if asked.keep_fresh else "crawl"
        raise UsageError(
            f"{folder.path}: no seed; name an address to start from, as in `gossamer {verb} DIR https://example.org/`,"
            " or, where checkpoints of it are kept, --store and their place"
        )
    if plan.engine != "local" and (asked.keep_fresh or asked.credentials or asked.outside is not REAL):
        other = "a login" if asked.credentials else "a function or clock of your own"
        raise UsageError(f"{'watch' if asked.keep_fresh else other}: not on a cluster yet; --engine local does it")


def checked(folder: Folder, asked: Asked, plan: Plan) -> Logins:
    """All that can be refused is, before anything is kept; the logins of the crawl."""
    from gossamer.collection.crawl.network import make_room
    from gossamer.collection.crawl.plan_check import check, hints

    check(plan)
    if plan.on_page and "on_page" not in asked.settings:
        from gossamer.collection.crawl.page_function import load

        load(plan.on_page)
    trusted = asked.is_trusted or trust.is_known(folder)
    sending = logins(plan, asked.credentials, asked.seeds or (plan.seeds if trusted else ()))
    for hint in hints({name: getattr(plan, name) for name in asked.settings}):
        log.warning("%s", hint)
    make_room(plan.workers)
    if asked.settings.get("topic"):
        from gossamer.collection.crawl import topics

        topics.read(Path(plan.topic))  # one that says nothing is refused
    return sending


def shard_count(folder: Path, plan: Plan, asked: int | None, outside: Outside, made: int) -> int:
    """How many there are is decided by the first crawl, because a site stays where its rows are; `made` are there."""
    here = outside.is_handed_in or outside.on_page is not None
    if asked and made and asked != made:
        raise UsageError(f"{folder}: was made with {counted(made, 'shard')}, and that is fixed; leave the option out")
    if here and (made or asked or 1) != 1:
        raise UsageError(
            f"{folder}: a fetch function or clock of your own needs a collection of one shard; a page function"
            " that stands in a module of its own does not"
        )
    return made or plan.shards or (1 if here else _cores(plan))


def _cores(plan: Plan) -> int:
    if plan.engine == "local":
        return len(os.sched_getaffinity(0))
    from gossamer.collection.crawl import cluster

    return cluster.shards(plan)
