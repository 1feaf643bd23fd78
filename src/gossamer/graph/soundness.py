"""Does a graph hold what a graph must hold? Somebody else may have made it, and sealed whatever is in it.

Kinds and lengths of all columns are compared each time a graph is opened, which takes no reading. What the numbers say
is looked at when a graph is small, or when all is asked for; whoever goes over all arcs of a large one asks `require`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.errors import Damaged
from gossamer.graph import columns, lookup
from gossamer.graph.arcs import Arcs
from gossamer.graph.lookup import Lookup
from gossamer.urls import keys

_CURE = "`gossamer build DIR` makes it again"


def require(arcs: Arcs) -> Arcs:
    """Every arc begins and ends at a node: what goes over all of them in C counts on it."""
    if not _rises(arcs.starts, to=len(arcs.sources)):
        raise Damaged(f"the graph is damaged: its arcs are in no order; {_CURE}")
    if len(arcs.sources) and int(arcs.sources.max()) >= arcs.nodes:
        raise Damaged(f"the graph is damaged: arcs begin at nodes that it does not have; {_CURE}")
    return arcs


def flaws(folder: Path, *, whole: bool) -> Iterator[str]:
    """What is wrong with the columns of a graph. Damaged is raised where one cannot be opened."""
    nodes = columns.mapped(folder / "nodes.npy", np.uint64)
    starts = columns.mapped(folder / "starts.npy", np.int64)
    sources = columns.mapped(folder / "sources.npy", np.uint32)
    degrees = columns.mapped(folder / "degrees.npy", np.uint32)
    ranks = columns.mapped(folder / "ranks.npy", np.float64)
    columns.mapped(folder / "changes.npy", np.float64)
    folded = columns.mapped(folder / "folded.npy", np.uint64, 2)
    if not len(nodes) == len(starts) - 1 == len(degrees) == len(ranks):
        yield "its columns are not of one length"
        return
    if whole:
        require(Arcs(starts, sources, degrees))
        if not _is_sorted(nodes) or not _is_sorted(folded[:, 0]):
            yield "its nodes are in no order"
        if not (np.isfinite(ranks).all() and (ranks >= 0).all()):
            yield "its ranks are no ranks"


def flaws_of_texts(folder: Path, name: str, *, whole: bool) -> Iterator[str]:
    """The same for texts by fingerprint."""
    found = Lookup(folder, name)
    if whole and not (_is_sorted(found.prints) and _rises(found.starts, to=files.size(folder / f"{name}.txt"))):
        yield f"its {name} are in no order"
    elif whole and not lookup.are_whole(found.all_texts.tobytes(), found.starts):
        yield f"its {name} are no texts"


def are_addresses(names: Lookup) -> bool:
    """All of them begin as one, and have a host or a path."""
    here, left = names.starts[:-1], np.diff(names.starts)
    begun = (_begin(names, here, left, word) for word in (b"http://", b"https://", b"file:///"))
    others = np.flatnonzero(~np.logical_or.reduce(list(begun))).tolist()  # of other protocols, as gemini
    return all(_is_address(names.all_texts[here[each] : here[each] + left[each]].tobytes()) for each in others)


def _is_address(name: bytes) -> bool:
    return keys.is_shaped(name.decode("utf-8", "replace"))


def _begin(names: Lookup, here: NDArray[Any], left: NDArray[Any], word: bytes) -> NDArray[np.bool_]:
    found = left > len(word)
    for place, letter in enumerate(word):
        found[found] = names.all_texts[here[found] + place] == letter
    return np.asarray(found)


def _is_sorted(values: NDArray[Any]) -> bool:
    return bool((values[1:] > values[:-1]).all())


def _rises(starts: NDArray[Any], *, to: int) -> bool:
    if int(starts[0]) != 0 or int(starts[-1]) != to:
        return False
    return bool((starts[1:] >= starts[:-1]).all())
