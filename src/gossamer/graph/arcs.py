"""A graph as two arrays: for each node the sources of the arcs that end at it, one after the other.

Four bytes an arc and eight a node. The arrays may be mapped files: every algorithm here goes over them from front to
back, and only what is as long as the number of nodes has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Node = TypeVar("Node", bound=Hashable)
Pair: TypeAlias = "tuple[Node, Node]"
Ints: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Arcs:
    """Arcs by target. Parallel arcs count each; whoever wants them once takes them out before."""

    starts: NDArray[np.int64]
    """Where the sources of a node begin; one more at the end."""
    sources: NDArray[np.uint32]
    degrees: NDArray[np.uint32]
    """How many arcs leave a node."""

    @property
    def nodes(self) -> int:
        return len(self.degrees)

    def turned(self) -> Arcs:
        """The same with all arcs the other way round."""
        targets = np.repeat(np.arange(self.nodes, dtype=np.uint32), np.diff(self.starts))
        return arcs(targets, self.sources, self.nodes)


def arcs(sources: Ints, targets: Ints, nodes: int) -> Arcs:
    """Arcs given as two columns of numbers below `nodes`, in any order."""
    order = np.argsort(targets, kind="stable")
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(targets, minlength=nodes), out=starts[1:])
    degrees = np.bincount(sources, minlength=nodes).astype(np.uint32)
    return Arcs(starts, np.ascontiguousarray(sources[order], dtype=np.uint32), degrees)


def numbered(pairs: Iterable[Pair[Node]], further: Iterable[Node] = ()) -> tuple[Sequence[Node], Arcs]:
    """Nodes of any kind get numbers in the order they are met; `further` are those that need not have an arc."""
    numbers: dict[Node, int] = {}
    flat = [numbers.setdefault(node, len(numbers)) for pair in pairs for node in pair]
    for node in further:
        numbers.setdefault(node, len(numbers))
    columns = np.array(flat, dtype=np.uint32).reshape(-1, 2)
    return list(numbers), arcs(columns[:, 0], columns[:, 1], len(numbers))
