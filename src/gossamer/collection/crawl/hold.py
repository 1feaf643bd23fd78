"""What holds the crawl of a shard up while it runs? Somebody who paused it, a disk that is nearly full, a store that is
away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.collection.crawl.gauge import Gauge
from gossamer.frontier import Frontier
from gossamer.store.disk import Disk

if TYPE_CHECKING:
    from gossamer.collection.crawl.checkpoints import Checkpoints


class Hold:
    """The frontier hears of it, and so does whoever looks at the crawl."""

    def __init__(self, frontier: Frontier, gauge: Gauge, disk: Disk, checkpoints: Checkpoints | None) -> None:
        self._frontier = frontier
        self._gauge = gauge
        self._disk = disk
        self._checkpoints = checkpoints

    def pause(self, paused: bool) -> None:
        """Somebody wants the crawl to wait, or to go on."""
        self._gauge.paused = paused
        self._look()

    def watch_disk(self) -> None:
        """Is there room?"""
        self._disk.check()
        self._look()

    def _look(self) -> None:
        paused = self._gauge.paused
        self._gauge.store_away = self._checkpoints.held_up if self._checkpoints else ""
        waits = self._disk.shortage is not None or bool(self._gauge.store_away)
        self._frontier.hold(paused or waits, paused=paused)
