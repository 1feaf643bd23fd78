"""How far is a collection up to date? What its watch expects, and how right it was of late."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.frontier.entries import META, WATCHED
from gossamer.frontier.queue.retry import DAY
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.frontier.revisit.dating import WatchState

FEW = 20
"""Visits that say too little about how right the estimates are."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """Of all pages that are watched."""

    pages: int
    fresh: float
    """The part of them that is up to date, as far as can be told by how often they change, 0 to 1."""
    age: float
    """How long their copies have been out of date, on average, in seconds; 0 for those that are up to date."""
    visits_a_day: float
    """That they are to have."""
    visits_changed: float | None
    """The part of the last visits that found a change; None while there were too few."""
    visits_expected: float | None
    """The part of them that was expected to."""
    measured: float | None = None
    """The part of the pages that was up to date when it was visited at a random moment; None while there were too few
    such visits."""
    samples: int = 0
    """How many of them count."""


def _states(tables: Iterable[Table]) -> list[WatchState]:
    """What the watches of all shards have left. To load what dates visits takes longer than most questions do."""
    watched = [table for table in tables if table.get(META, WATCHED) is not None]
    if not watched:
        return []
    from gossamer.frontier.revisit import dating

    return [state for state in map(dating.stored, watched) if state is not None]


def _measured(states: Iterable[WatchState]) -> tuple[float | None, int]:
    """What visits at random moments have found, and how many there were; each shard counts by its pages."""
    parts = [(state, state.population.pages) for state in states if state.sampled_days]
    samples, pages = round(sum(state.samples for state, _ in parts)), sum(count for _, count in parts)
    if samples < FEW:
        return None, samples
    return sum(state.fresh_days / state.sampled_days * count for state, count in parts) / pages, samples


def rates_of(tables: Iterable[Table]) -> dict[float, int]:
    """How many pages change how often a day, as far as a watch has learned it; none where there was none."""
    found: dict[float, int] = {}
    for state in _states(tables):
        for rate, count in state.population.rates().items():
            found[rate] = found.get(rate, 0) + count
    return dict(sorted(found.items()))


def freshness_of(tables: Iterable[Table], now: float | None = None) -> Freshness | None:
    """At a time, or now, by the last commit; None where nothing was ever watched."""
    now = time.time() if now is None else now
    states = [state for state in _states(tables) if state.population.pages]
    if not states:
        return None
    pages = sum(state.population.pages for state in states)
    parts = [(state.outlook(now), state.population.pages / pages) for state in states]
    looks = sum(state.looks for state in states)
    return Freshness(
        pages,
        sum(outlook.freshness * part for outlook, part in parts),
        sum(outlook.age * part for outlook, part in parts) * DAY,
        sum(outlook.visits for outlook, _ in parts),
        sum(state.found for state in states) / looks if looks >= FEW else None,
        sum(state.expected for state in states) / looks if looks >= FEW else None,
        *_measured(states),
    )
