"""How do seeds come into the frontier of a shard? Those of the plan at every start, those of the list slice by slice.

An address that is known stays as it is. How far the list is taken in is noted in the same commit as what came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gossamer.collection.crawl.wiring import ShardPlan
from gossamer.frontier import Frontier
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import META
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table
from gossamer.urls.seeds import address, in_place_of, is_guessed

LISTED = b"listed"
"""A row of `META`: the last slice of the list that was taken in."""


def take_in_seeds(mine: ShardPlan, frontier: Frontier) -> None:
    """Seeds of the plan that no commit knows yet, whichever crawl was to add them."""
    _add(frontier, mine.seeds())


def take_in_list(table: Table, mine: ShardPlan, frontier: Frontier, commits: Commits) -> Iterator[None]:
    """What is left of the list, with a commit for each slice, after which others may have their turn."""
    for seeds, note in mine.listed(table.get(META, LISTED) or b""):
        _add(frontier, seeds)
        table.put(META, LISTED, note)
        commits.now()
        yield


def both(seeds: Iterable[str]) -> Iterator[str]:
    """The addresses that seeds may stand for."""
    for seed in seeds:
        yield address(seed)
        if is_guessed(seed):
            yield in_place_of(address(seed))


def _add(frontier: Frontier, seeds: list[str]) -> None:
    guesses = {address(seed) for seed in seeds if is_guessed(seed)}
    known = guesses.difference(frontier.guess(guesses)) if guesses else guesses
    frontier.add(Found(url) for url in map(address, seeds) if url not in known)
