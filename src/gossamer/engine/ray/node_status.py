"""Who is where, and what has moved? What a crew on many nodes tells whoever looks at it."""

from __future__ import annotations

from typing import NamedTuple


class StationStanding(NamedTuple):
    """A station, and what it has."""

    name: str
    """Of its node."""
    cores: int
    going: bool
    """Its node is being drained."""
    silent: float
    """Seconds since it was heard of."""
    workers: tuple[int, ...]


class CrewStanding(NamedTuple):
    """All of them."""

    stations: tuple[StationStanding, ...]
    terms: tuple[int, ...]
    """Of each worker."""
    moves: int
    """Workers that were closed in good order and opened elsewhere."""
    takeovers: int
    """Workers whose node was given up."""
    restarts: int
    """Workers that have died and were started again where they were."""
