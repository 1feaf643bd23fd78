"""Which hosts serve the same site? Those that say the same at the same paths (Bharat and Broder, WWW 1999).

They compare sets of paths first and then sampled pages. Here it is known already which pages say the same, so pairs of
hosts come from these; a sample of the paths that both have tells whether that is the rule or an accident.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gossamer.dedupe.pairs import grouped
from gossamer.model import URL
from gossamer.urls import keys

LEAST = 5
"""Paths at which two hosts must say the same: a licence and a home page that says "it works" are not enough."""
SHARE = 0.8
"""Of the paths that both have, so many must say the same."""
SAMPLE = 200
"""Paths that are looked at."""


class Mirrors(NamedTuple):
    """Hosts that serve the same site, by origin: scheme, host and port."""

    main: str
    others: tuple[str, ...]
    paths: int
    """Paths that were compared, in all pairs of them together."""
    same: int
    """Of these, how many said the same."""


class Places(NamedTuple):
    """What is known of the pages of origins."""

    paths: Callable[[str], Iterable[str]]
    """Paths of pages of an origin, with their queries; some thousands are enough."""
    has: Callable[[URL], bool]
    """Whether there is a page."""
    rank: Callable[[str], float]
    """What the links to an origin bring it."""


class _Compared(NamedTuple):
    paths: int
    same: int


def mirrors(groups: Iterable[Sequence[URL]], places: Places) -> list[Mirrors]:
    """The main one is that which links bring most, then the one with the shortest name."""
    linked: dict[tuple[str, str], _Compared] = {}
    for pair, same in _agreeing(groups).items():
        found = _sampled(pair, same, places)
        if found.same >= max(LEAST, SHARE * found.paths):
            linked[pair] = found
    return [_mirrors(origins, linked, places) for origins in grouped(linked)]


def _agreeing(groups: Iterable[Sequence[URL]]) -> dict[tuple[str, str], set[str]]:
    """For pairs of origins that say the same at enough paths: these paths."""
    found: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        for path, origins in _by_path(group):
            for pair in pairwise(sorted(origins)):
                found.setdefault(pair, set()).add(path)
    return {pair: paths for pair, paths in found.items() if len(paths) >= LEAST}


def _by_path(group: Sequence[URL]) -> Iterator[tuple[str, set[str]]]:
    """Paths that several hosts have. A host that speaks http and https is one, and needs no mirror."""
    paths: dict[str, dict[str, str]] = {}
    for url in group:
        paths.setdefault(url.split("/", 3)[3], {}).setdefault(keys.host(url), keys.origin(url))
    return ((path, set(hosts.values())) for path, hosts in paths.items() if len(hosts) > 1)


def _sampled(pair: tuple[str, str], same: set[str], places: Places) -> _Compared:
    """The paths with the least hashes: of both hosts the same ones."""
    one, other = pair
    sample = sorted(places.paths(one), key=lambda path: keys.digest(path.encode()))
    shared = [path for path in sample[:SAMPLE] if places.has(f"{other}/{path}")]
    return _Compared(len(shared), sum(path in same for path in shared))


def _mirrors(origins: Sequence[str], linked: dict[tuple[str, str], _Compared], places: Places) -> Mirrors:
    main, *others = sorted(origins, key=lambda origin: (-places.rank(origin), len(origin), origin))
    mine = [found for (one, _), found in linked.items() if one in origins]
    return Mirrors(main, tuple(others), sum(found.paths for found in mine), sum(found.same for found in mine))
