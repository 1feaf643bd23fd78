"""Who writes down how the nodes of a crawl stand? The process that runs it, from what it knows and what shards tell."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import msgspec

from gossamer.collection import cluster_view
from gossamer.collection.cluster_view import (
    EVENTS_MOST,
    NODES_MOST,
    WORDS_MOST,
    ClusterView,
    Event,
    NodeView,
    ShardView,
)
from gossamer.collection.crawl.checkpoints import Kept
from gossamer.collection.progress import Progress
from gossamer.engine.ray.crew import RayCrew

EVERY = 2.0
"""Seconds between two notes."""

kept_of = msgspec.msgpack.Decoder(Kept).decode


class ClusterNotes:
    """Of one crawl."""

    def __init__(self, folder: Path, crew: RayCrew, shards: int) -> None:
        self._folder = folder
        self._crew = crew
        self._kept: list[tuple[float, Kept] | None] = [None] * shards
        self._events: deque[Event] = deque(maxlen=EVENTS_MOST)
        self.write([None] * shards)  # what the last crawl has left is not of this one

    def kept(self, index: int, message: bytes) -> None:
        """A shard has kept a checkpoint. Its moment is of this clock: nodes have others."""
        self._kept[index] = time.time(), kept_of(message)

    def happened(self, index: int, words: str) -> None:
        """Something to a shard."""
        self._events.appendleft(Event(time.time(), index, words[:WORDS_MOST]))

    async def run(self, progress: list[Progress | None]) -> None:
        """As long as the crawl runs."""
        while True:
            await asyncio.sleep(EVERY)
            self.write(progress)

    def write(self, progress: list[Progress | None]) -> None:
        """Where the disk is full, or gone, others say so."""
        with suppress(OSError):
            cluster_view.write(self._folder, self._view(progress))

    def _view(self, progress: list[Progress | None]) -> ClusterView:
        standing = self._crew.standing()
        where = {index: station.name[:WORDS_MOST] for station in standing.stations for index in station.workers}
        nodes = (
            NodeView(each.name[:WORDS_MOST], each.cores, each.workers, each.going, each.silent)
            for each in standing.stations[:NODES_MOST]
        )
        shards = (
            self._shard(ShardView(index, where.get(index, ""), term), progress[index])
            for index, term in enumerate(standing.terms)
        )
        sums = standing.moves, standing.takeovers, standing.restarts
        return ClusterView(time.time(), tuple(nodes), tuple(shards), *sums, tuple(self._events))

    def _shard(self, shard: ShardView, progress: Progress | None) -> ShardView:
        when, kept = self._kept[shard.number] or (None, Kept(0, 0.0))
        return ShardView(
            shard.number,
            shard.node,
            shard.term,
            kept=when,
            bytes=kept.bytes,
            seconds=round(kept.seconds, 3),
            unsent=progress.unsent if progress else 0,
            lag=round(progress.lag, 1) if progress else 0.0,
        )
