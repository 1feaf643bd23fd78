"""What does every commit of a crawl do, in which order, and when is one due?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.collection.crawl.gauge import Gauge
from gossamer.collection.derive.underived import Underived
from gossamer.collection.imports.import_source import ImportSource
from gossamer.collection.progress import note
from gossamer.collection.series import Series
from gossamer.frontier import Frontier
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Clock
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits, Step
from gossamer.store.table.table import Table

if TYPE_CHECKING:
    from gossamer.collection.derive.derived import Derived
    from gossamer.dedupe.blocks import Blocks

RESTS_AFTER = 5.0
"""Seconds without a change after which a watch rests: by then its last page can be found."""
RESTS = 60.0
"""Seconds between the commits of a watch that rests."""


@dataclass(slots=True)
class CommitOrder:
    """The parts of a crawl that a commit makes last."""

    table: Table
    clock: Clock
    archive: Archive
    derived: Derived | Underived
    frontier: Frontier
    import_source: ImportSource
    gauge: Gauge
    blocks: Blocks | None
    peers: Peers | None
    watch_disk: Callable[[], None]
    is_watch: bool
    """It has long times in which nothing happens."""
    well: Callable[[], None] | None
    """Hears that this shard came further."""
    commits: Commits = field(init=False)
    _series: Series = field(init=False)
    _moved: float = field(init=False)
    """When there was something to commit."""

    def __post_init__(self) -> None:
        self._series = Series(self.table)
        self._moved = self.clock.steady()
        self.commits = self._in_order()

    def _in_order(self) -> Commits:
        """Step by step. Where a step stands has a reason, which is beside it."""
        blocks, peers = self.blocks, self.peers
        return Commits(
            self.table,
            self.clock,
            before=(
                # First, because going on after a pause changes rows.
                Step("hold the crawl while the disk is nearly full", self.watch_disk),
                # Rows of their own: anywhere before the table.
                Step("save what is template", blocks.save if blocks else None),
                # Before the log and the frontier, because copies are folded in the one and counted in the other.
                Step("mark near copies", lambda: self.derived.mark(self.frontier.ledger)),
                # Before the table, whose rows point into captures and texts: these are on the disk from here on.
                Step("sync the archive", self.archive.prepare),
                # Before the table, which says how long the log is.
                Step("write the log of links", self.derived.prepare),
                # After all that changes entries: counters, queues and hosts are saved as they are now.
                Step("save the frontier", self.frontier.prepare),
                # With the captures that came from there, so that none is taken in twice.
                Step("note how far the imported files are read", self.import_source.prepare),
                # After the frontier, whose counters it shows.
                Step("note how it goes", lambda: note(self.table, self.gauge.look())),
                # The same: one row for each minute.
                Step("note how it went", self._note_series),
                # Last, because each step before may post something: it goes with the page that it comes from.
                Step("close the outbox", peers.prepare if peers else None),
            ),
            after=(
                # Only a page that lasts may be found.
                Step("commit the index when that is due", self._make_findable),
                # Only what lasts may be sent: it could not be taken back.
                Step("send the outbox to the other shards", peers.committed if peers else None),
                # Only what lasts is progress: a shard that dies before it has made any is given up at last.
                Step("report that this shard came further", self._report_progress),
            ),
        )

    def when_due(self) -> None:
        """About once a second; sooner when this shard has nothing to do and others wait for what it found."""
        if self.peers and self.peers.waiting and not self.frontier.out:
            self.commits.soon()
        elif not self._rests():
            self.commits.when_due()

    def _rests(self) -> bool:
        """Nothing has happened for a while, as it is with a watch for most of its life: then to commit is seldom worth
        a sync of the disk. A page that came last waits no longer than others to be found."""
        if not self.is_watch:
            return False
        now = self.clock.steady()
        if self.table.pending or self.frontier.out:
            self._moved = now
        return now - self._moved > RESTS_AFTER and now - self.commits.last < RESTS

    def _make_findable(self) -> None:
        self.derived.committed(self.clock.steady())

    def _note_series(self) -> None:
        self._series.note(self.frontier.ledger.counts, self.clock.wall(), self.frontier.harvest)

    def _report_progress(self) -> None:
        """A shard that dies again and again is given up unless it came further in between."""
        if self.well and self.gauge.has_moved():
            self.well()
