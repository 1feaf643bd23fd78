"""The table of a shard was lost: how is it made again? All captures of the archive are taken in once more, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.page_reader import PageReader
from gossamer.collection.crawl.seeding import take_in_list, take_in_seeds
from gossamer.collection.crawl.stages import Keeper
from gossamer.collection.crawl.wiring import ShardPlan
from gossamer.errors import Damaged, GossamerError
from gossamer.frontier import Frontier
from gossamer.frontier.entries import Entry
from gossamer.model import URL, Answer, Capture, Clock
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import records
from gossamer.store.warc.replay import Replayed, captures

BATCH = 500
"""Captures that are taken in again for each commit."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The parts of a crawl that take in what the archive has."""

    table: Table
    mine: ShardPlan
    archive: Archive
    frontier: Frontier
    reader: PageReader
    keeper: Keeper
    commits: Commits
    clock: Clock

    def run(self, removed: Mapping[URL, Entry], date: Callable[[float], None]) -> int:
        """Take in all captures but those `removed`. How many there were.

        `date` sets the clock to the moment of each.
        """
        self._begin(removed)
        later, taken = [], 0
        for each in captures(self.archive.folder, self.archive.files.committed()):
            if each.response.url in removed:
                continue
            date(each.response.began)
            try:
                self._take_safely(each)
            except Damaged:
                later.append(each)  # what it points to may be in a later file
            self.archive.files.reached(*each.end)
            taken += 1
            if taken % BATCH == 0:
                self.commits.now()
        for path, length in self.archive.files.all():
            self.archive.note_asides(record for record in records(path, end=length) if record.is_aside)
        for each in later:
            with suppress(Damaged):  # the check of the archive names it
                self._take_safely(each)
        return taken

    def _begin(self, removed: Mapping[URL, Entry]) -> None:
        shard_identity.leave(self.table, self.mine.number, self.mine.plan)
        self.mine.open_texts(self.archive, self.clock)
        self.frontier.restore(removed)
        take_in_seeds(self.mine, self.frontier)
        self.commits.now()
        for _ in take_in_list(self.table, self.mine, self.frontier, self.commits):
            pass

    def _take_safely(self, replayed: Replayed) -> None:
        try:
            self._take(replayed, replayed.capture(self.archive))
        except (GossamerError, OSError, MemoryError):
            raise
        except Exception as error:
            # Our own mistake, but one odd capture must not keep all others away: it stays in the archive without a row.
            place, record = replayed.response.place, replayed.response
            log.warning("%s at %d cannot be taken in, which is a bug: %r", place.file, place.offset, error)
            self.archive.passed.note(record.url or "", record.began, f"kept, but could not be taken in: {error!r:.300}")

    def _take(self, replayed: Replayed, capture: Capture) -> None:
        page = self.keeper.mark(self.reader.now(capture))
        self.keeper.kept(capture, page, self.archive.register_again(replayed.response, capture, page))
        self.keeper.correct(self.frontier.done_before(Answer(capture.visit, capture, page)))
