"""What do links bring to single addresses, before copies are folded?

PageRank is computed over pages for which others do not stand, so it cannot choose between copies: whoever stood for
them before has it all. This is one more sweep of it, over addresses: every page shares its rank among its links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.arcs import Floats
from gossamer.graph.gather import Prints
from gossamer.graph.log import NOFOLLOW, STANDS_FOR, Chunk
from gossamer.urls import keys


class Received(NamedTuple):
    """For each of some addresses, in the order of their fingerprints."""

    ranks: Floats
    redirected: NDArray[np.bool_]
    """An address that is none of these redirects to it."""


def received(chunks: Iterable[Chunk], wanted: Prints, ranks: Callable[[list[int]], list[float]]) -> Received:
    """`wanted` are fingerprints, sorted; `ranks` gives those of the pages that link, by fingerprint."""
    brought, redirected = np.zeros(len(wanted)), np.zeros(len(wanted), bool)
    if not len(wanted):
        return Received(brought, redirected)
    for chunk in chunks:
        sources = [keys.fingerprint(source) for source in chunk.sources]
        shares = np.array(ranks(sources)) / np.maximum(chunk.counts, 1)
        places, known = _places(wanted, chunk.targets)
        stands = chunk.kinds & STANDS_FOR != 0
        linked = known & ~stands & (chunk.kinds & NOFOLLOW == 0)
        given = np.repeat(shares, chunk.counts)[linked]
        brought += np.bincount(places[linked], given, len(wanted))
        foreign = np.repeat(~_places(wanted, np.array(sources, np.uint64))[1], chunk.counts)
        redirected[places[known & stands & foreign]] = True
    return Received(brought, redirected)


def _places(wanted: Prints, prints: Prints) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each stands among those that are wanted, and whether it does."""
    places = np.minimum(np.searchsorted(wanted, prints), len(wanted) - 1)
    return places, wanted[places] == prints
