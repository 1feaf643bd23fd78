"""See `_sweep.c`."""

from gossamer.graph.arcs import Floats, Ints

def sweep(
    starts: Ints,
    sources: Ints,
    degrees: Ints,
    values: Floats,
    shares: Floats,
    damping: float,
    start: Floats,
    ends: Floats,
    /,
) -> float: ...
