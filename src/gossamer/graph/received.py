"""What do links bring to single addresses, before copies are folded?

PageRank is computed when copies are folded already, so it cannot choose between them: whoever stands for the others has
it all. This is its first sweep, over addresses as they are written: all pages are alike, and each shares what it has
among its links. Those that are asked about have no say: whose links count would depend on who stands for the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.arcs import Floats
from gossamer.graph.gather import Prints
from gossamer.graph.log import COPIED, NOFOLLOW, STANDS_FOR, Chunk
from gossamer.urls import keys


class Received(NamedTuple):
    """For each of some addresses, in the order of their fingerprints."""

    ranks: Floats
    foreign: Floats
    """The part that comes from other sites."""
    redirected: NDArray[np.bool_]
    """Another address redirects to it."""


class Wanted(NamedTuple):
    """The addresses that are asked about."""

    prints: Prints
    """Fingerprints, sorted."""
    sites: Prints
    """For each a hash of its site, as in the log."""


def received(chunks: Iterable[Chunk], wanted: Wanted) -> Received:
    """What is in the log of links, for some addresses."""
    number = len(wanted.prints)
    brought, foreign = np.zeros(number), np.zeros(number)
    redirects: dict[str, int] = {}
    for chunk in chunks if number else ():
        _, asked = _places(wanted.prints, np.array([keys.fingerprint(each) for each in chunk.sources], np.uint64))
        shares = np.repeat(~asked / np.maximum(chunk.counts, 1), chunk.counts)
        places, known = _places(wanted.prints, chunk.targets)
        linked = known & (chunk.kinds & (NOFOLLOW | STANDS_FOR) == 0)
        brought += np.bincount(places[linked], shares[linked], number)
        linked &= np.repeat(chunk.sites, chunk.counts) != wanted.sites[places]
        foreign += np.bincount(places[linked], shares[linked], number)
        _note(redirects, chunk)
    redirected = np.zeros(number, bool)
    if redirects:
        places, known = _places(wanted.prints, np.array(list(redirects.values()), np.uint64))
        redirected[places[known]] = True
    return Received(brought, foreign, redirected)


def _note(redirects: dict[str, int], chunk: Chunk) -> None:
    """What a source redirects to now: its last row counts."""
    firsts = np.cumsum(chunk.counts) - chunk.counts
    for source, first, count in zip(chunk.sources, firsts.tolist(), chunk.counts.tolist(), strict=True):
        redirects.pop(source, None)
        if count == 1 and chunk.kinds[first] & (STANDS_FOR | COPIED) == STANDS_FOR:
            redirects[source] = int(chunk.targets[first])


def _places(wanted: Prints, prints: Prints) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each stands among those that are wanted, and whether it does."""
    places = np.minimum(np.searchsorted(wanted, prints), max(len(wanted) - 1, 0))
    return places, wanted[places] == prints
