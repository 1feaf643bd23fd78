"""How do the nodes of a crawl stand? A small file that the crawl writes every two seconds, for whoever asks.

Only the process that runs a crawl on a cluster knows which node has which shard. The file is kept when it ends, so that
one can see how it went; the next crawl on a cluster writes another. A crawl on this machine has none.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from gossamer import files
from gossamer.errors import GossamerError
from gossamer.plan import Plan

FILE = "cluster"
WORDS_MOST = 255
"""Characters."""
EVENTS_MOST = 20
NODES_MOST = 2_048
_MOST = 4 << 20
_LONG = 1e11
"""Seconds: thousands of years."""
Seconds = Annotated[float, msgspec.Meta(ge=-_LONG, le=_LONG)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Words = Annotated[str, msgspec.Meta(max_length=WORDS_MOST)]


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node."""

    name: Words
    cores: Count
    shards: tuple[Count, ...]
    """The numbers of those that are there."""
    drained: bool = False
    """It is being taken away, and gets no more work."""
    silent: Seconds = 0.0
    """Seconds since it was heard of."""


@dataclass(frozen=True, slots=True)
class ShardView:
    """One shard."""

    number: Count
    node: Words = ""
    """Where it is; nothing while it moves."""
    term: Count = 0
    """One more with each move and takeover."""
    kept: Seconds | None = None
    """When its last checkpoint was kept, in seconds since 1970; None before the first of this crawl."""
    age: Seconds | None = None
    """Seconds since then."""
    bytes: Count = 0
    """That went to the store with it."""
    seconds: Seconds = 0.0
    """That it took."""
    unsent: Count = 0
    """Links and more for other shards that these do not have for good yet."""
    lag: Seconds = 0.0
    """Seconds for which the oldest of these waits."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened to a shard."""

    time: Seconds
    shard: Count
    words: Words


@dataclass(frozen=True, slots=True)
class ClusterView:
    """All of it."""

    time: Seconds
    """Since 1970."""
    nodes: Annotated[tuple[NodeView, ...], msgspec.Meta(max_length=NODES_MOST)]
    shards: tuple[ShardView, ...]
    moves: Count = 0
    """Shards that were closed in good order and opened elsewhere."""
    takeovers: Count = 0
    """Shards whose node was given up."""
    restarts: Count = 0
    """Shards that have died and were started again where they were."""
    events: Annotated[tuple[Event, ...], msgspec.Meta(max_length=EVENTS_MOST)] = ()
    """The last of these, the newest first."""

    @property
    def oldest(self) -> float | None:
        """Seconds since the checkpoint that is oldest; None while a shard has none."""
        ages = [shard.age for shard in self.shards]
        return max((age for age in ages if age is not None), default=None) if None not in ages else None

    @property
    def lag(self) -> float:
        """Seconds for which the oldest that is for another shard waits."""
        return max((shard.lag for shard in self.shards), default=0.0)

    @property
    def unsent(self) -> int:
        """Links and more that are for other shards, and that these do not have for good yet."""
        return sum(shard.unsent for shard in self.shards)


_view = msgspec.json.Decoder(ClusterView).decode


def write(folder: Path, view: ClusterView) -> None:
    """As it is now."""
    files.replace(folder / FILE, msgspec.json.encode(view))


def view_of(folder: Path, plan: Plan, *, is_running: bool) -> ClusterView | None:
    """As it was written last; None where the crawl is of this machine, or nothing can be read. Ages are those of now
    while a crawl runs, and of its end after that."""
    if plan.is_local:
        return None
    try:
        view = _view(files.read(folder / FILE, _MOST))
    except (OSError, GossamerError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None  # it says nothing that cannot be said again in two seconds
    if not _is_of(plan, view):
        return None
    now = time.time() if is_running else view.time
    return replace(view, shards=tuple(_aged(shard, now) for shard in view.shards))


def _is_of(plan: Plan, view: ClusterView) -> bool:
    """It has the shards of the plan and no others; one that moves may be at two nodes."""
    numbers = [shard.number for shard in view.shards]
    placed = [number for node in view.nodes for number in node.shards]
    known = all(number < plan.shards for number in (*numbers, *placed))
    return known and len({*numbers}) == len(numbers) and len(placed) <= 2 * plan.shards


def _aged(shard: ShardView, now: float) -> ShardView:
    return shard if shard.kept is None else replace(shard, age=round(max(now - shard.kept, 0.0), 1))
