"""The captures of files in the place of the web: what is due is what comes next in them.

The loop of a crawl runs over them unchanged, so an imported page is read, marked, kept and made findable as a crawled
one. A capture that is here already, the same bytes from the same address at the same moment, is passed over; so a file
may be read twice, after a kill or under another name, and nothing changes. How far each file was read is part of every
commit, to save the time for that. A revisit whose payload is not here is put off until all files were read.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gossamer.collection.imports.hand_over import WINDOW, Ask, Given, HandOver, Laid, Over, Shards
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_filter import ImportFilter, Verdict
from gossamer.collection.imports.import_progress import ImportProgress
from gossamer.collection.imports.import_reader import ImportReader, files_of
from gossamer.errors import GossamerError
from gossamer.frontier import Frontier
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import Answer, Capture, Visit
from gossamer.store.foreign.exchanges import Brought, Kept
from gossamer.store.table.table import Table

WORKERS = 8
"""Captures under way: while a document is read apart, others go on."""
PROBLEMS_MOST = 1_000
REASONS_MOST = 100
"""Reasons that are counted one by one: they have words of the files in them."""
PUT_OFF_MOST, PUT_OFF_OCTETS = 100_000, 64 << 20
"""Revisits that wait for their payload, and bytes of their heads; others are reported, and their file has to be
imported again."""


@dataclass(frozen=True, slots=True)
class Imported:
    """One look at an import."""

    files: int = 0
    """Read to the end, now or before."""
    of: int = 0
    bytes: int = 0
    """Read so far."""
    size: int = 0
    """Of all files."""
    captures: int = 0
    """Taken in."""
    known: int = 0
    """Were here already."""
    cut: int = 0
    """Longer than the limits of the plan; what comes before is kept."""
    kept: int = 0
    """Records that are no captures, and were kept as they are."""
    undated: int = 0
    """Nothing says when they were captured; they have the date 1970-01-01."""
    seconds: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    """Whole records that are no pages, by the reason."""
    problems: tuple[str, ...] = ()
    """Damage, and what could not be made whole: file, offset and what is wrong."""


class ImportSource:
    """Stands for frontier and network in the loop of a crawl."""

    def __init__(
        self,
        imported_files: Sequence[ImportFile],
        table: Table,
        import_filter: ImportFilter,
        frontier: Frontier,
        most: int,
        shards: Shards,
    ) -> None:
        """Up to `most` bytes of a body are read."""
        self._imported_files = imported_files
        self._frontier = frontier
        self._import_filter = import_filter
        self.kept = import_filter.kept
        self._shards = shards
        self._progress = ImportProgress(imported_files, table)
        self._hand_over = HandOver(shards)
        self._reader = ImportReader(imported_files, most, self._hand_over, self, self._progress.told)
        self._reading: asyncio.Task[None] | None = None
        self._stopping = False
        self._queue: deque[_Waiting] = deque()
        """What was read and is not under way yet."""
        self._octets = 0
        """Of those in it that we have read ourselves."""
        self._put_off: list[_Waiting] = []
        """Revisits whose payload may come later."""
        self._put_off_octets = self._came = 0
        self._out: dict[str, int] = {}
        """Addresses under way, with the number of their place in a file."""
        self._freed = asyncio.Event()
        """Is set and cleared at once: who waits goes on, and whoever comes later waits for the next."""
        self._handed: Capture | None = None
        self._counts: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._problems: list[str] = []
        self.prepare = self._progress.prepare

    # -------------------------------------------------------------------- loop

    async def due(self) -> AsyncIterator[Visit]:
        """What comes next, an address at a time; then what other shards still have to say."""
        self._begin()
        while not self._stopping and (waiting := await self._next()) is not None:
            url, place = waiting.brought.capture.visit.url, waiting.place
            while waiting.brought.refers is not None and not self._progress.is_first(place):
                await self._change()  # what it points to may be under way
            while url in self._out:
                await self._change()  # one capture of an address after the other
            self._out[url] = place
            self._handed = self._taken(waiting)
            if self._handed is not None:
                yield self._handed.visit
            else:
                self._free(url)
        while self._out:
            await self._change()
        async for visit in self._frontier.due():
            yield visit

    async def fetch(self, visit: Visit) -> Capture:
        """The capture of the visit that was handed out last."""
        capture, self._handed = self._handed, None
        assert capture is not None
        assert capture.visit is visit
        return capture

    def done(self, *answers: Answer) -> list[Correction]:
        """They are in the archive: into the books with them."""
        corrections = self._frontier.done(*answers)
        for visit, _, _ in answers:
            self._counts["captures"] += 1
            self._free(visit.url)
        return corrections

    def stop(self) -> None:
        """Finish what is under way, then end."""
        self._stopping = True
        self._notify()

    def close(self) -> None:
        """Nothing more is read."""
        if self._reading is not None:
            self._reading.cancel()

    def look(self, seconds: float) -> Imported:
        """How it goes."""
        return Imported(
            files=len(self._progress.finished),
            of=len(self._imported_files),
            bytes=self._reader.octets,
            size=sum(import_file.size for import_file in self._imported_files),
            captures=self._counts["captures"],
            known=self._counts["known"],
            cut=self._counts["cut"],
            undated=self._counts["undated"],
            kept=self._counts["kept"],
            seconds=seconds,
            refused=dict(self._refused),
            problems=tuple(self._problems),
        )

    def _begin(self) -> None:
        if self._reading is None:
            self._reading = asyncio.get_running_loop().create_task(self._reader.run())
            self._reading.add_done_callback(lambda _: self._notify())

    async def _next(self) -> _Waiting | None:
        """What comes next; None when all has come and is done, but for what is under way."""
        while not self._stopping:
            if self._queue:
                return self._popped()
            if self._reading is not None and self._reading.done():
                self._reading.result()  # it never ends by itself
            if self._progress.all_over and not self._progress.under_way and not self._try_again():
                return None
            if not self._queue:
                await self._change()
        return None

    def _popped(self) -> _Waiting:
        waiting = self._queue.popleft()
        if waiting.source == self._shards.me:
            self._octets -= waiting.octets
            self._notify()
        else:
            self._hand_over.took(waiting.source, waiting.octets)
        return waiting

    def _try_again(self) -> bool:
        """All has come: what was put off has its turn, as long as that brings something."""
        put_off, self._put_off, self._put_off_octets = self._put_off, [], 0
        if put_off and self._came != self._counts["captures"]:
            self._came = self._counts["captures"]
            for each in put_off:
                self._progress.resume(each.place)
            self._queue.extend(each._replace(source=self._shards.me, octets=0) for each in put_off)
            return True
        for each in put_off:
            self._lack(each)
            self._progress.give_up(each.place)
        return False

    async def _change(self) -> None:
        await self._freed.wait()

    def _notify(self) -> None:
        self._freed.set()
        self._freed.clear()

    def _free(self, url: str) -> None:
        self._progress.end(self._out.pop(url))
        self._notify()

    def _taken(self, waiting: _Waiting) -> Capture | None:
        """The capture as it is to be kept; None when it is not, or not yet."""
        brought = waiting.brought
        try:
            found = self._import_filter.arrive(brought)
        except (GossamerError, OSError, MemoryError):
            raise  # not about this capture
        except Exception as error:  # one that nobody has thought of: it costs itself, and is listed with its place
            self.problem(f"{brought.capture.source}: cannot be taken in: {error!r:.200}")
            return None
        match found:
            case Capture():
                self._counts["cut"] += brought.cut or len(found.wire) < len(brought.capture.wire)
                self._counts["undated"] += brought.undated
                return found
            case Verdict.KNOWN:
                self._counts["known"] += 1
            case Verdict.NOTHING_BEFORE | Verdict.REMOVED:
                self.refuse(found.value)
            case Verdict.LACKING:
                self._wait_for_payload(waiting)
            case _:
                self.problem(f"{brought.capture.source}: {found.value}")
        return None

    def _wait_for_payload(self, waiting: _Waiting) -> None:
        octets = len(waiting.brought.capture.head) + len(waiting.brought.capture.request)
        if len(self._put_off) >= PUT_OFF_MOST or self._put_off_octets + octets > PUT_OFF_OCTETS:
            self._lack(waiting)
            return
        self._put_off.append(waiting)
        self._put_off_octets += octets
        self._progress.put_off(waiting.place)

    def _lack(self, waiting: _Waiting) -> None:
        self._progress.lack(self._progress.file_of(waiting.place))
        self.problem(f"{waiting.brought.capture.source}: {Verdict.LACKING.value}")

    # ----------------------------------------------------------------- reading

    async def take(self, number: int, item: Brought | Kept) -> None:
        """Something of ours was read; waits while too much does."""
        octets = _octets(item)
        while self._octets >= WINDOW:
            await self._change()
        self._octets += octets if isinstance(item, Brought) else 0
        self._arrive(number, item, self._shards.me, octets)

    def over(self, number: int, *, lacking: bool) -> None:
        """That was all of a file."""
        if lacking:
            self._progress.lack(number)
        self._progress.over(number)
        self._notify()

    def refuse(self, reason: str) -> None:
        """A whole record that is no page."""
        known = reason in self._refused or len(self._refused) < REASONS_MOST
        self._refused[reason if known else "other reasons"] += 1

    def problem(self, words: str) -> None:
        """Something is wrong with a file."""
        if len(self._problems) < PROBLEMS_MOST:
            self._problems.append(words)
        elif len(self._problems) == PROBLEMS_MOST:
            self._problems.append(f"and more; these are the first {PROBLEMS_MOST:,}")

    def _arrive(self, number: int, item: Brought | Kept, source: int, octets: int) -> None:
        if isinstance(item, Brought):
            place = self._progress.begin(number, item.offset)
            self._queue.append(_Waiting(place, item, source, octets))
            self._notify()
            return
        self._progress.reach(number, item.offset)
        self._counts["kept"] += self._import_filter.lay_aside(item)

    # ------------------------------------------------------------ other shards

    def heard(self, source: int, message: bytes) -> None:
        """Something from another shard."""
        match self._hand_over.decoded(source, message):
            case Ask():
                numbers = files_of(source, self._shards.count, len(self._imported_files))
                self._hand_over.answer(source, [self._progress.told(number) for number in numbers])
            case Given(number, brought):
                self._arrive(number, brought, source, len(message))
            case Laid(number, kept):
                self._arrive(number, kept, source, len(message))
                self._hand_over.took(source, len(message))
            case Over(number, lacking):
                self.over(number, lacking=lacking)

    def reborn(self, shard: int) -> None:
        """Another shard was started anew."""
        self._reader.reborn(shard)
        self._hand_over.forget(shard)


class _Waiting(NamedTuple):
    """A capture that was read."""

    place: int
    brought: Brought
    source: int
    """The shard that has read it."""
    octets: int


def _octets(item: Brought | Kept) -> int:
    """What it takes in memory, about."""
    capture = item.capture if isinstance(item, Brought) else None
    return len(capture.wire) + len(capture.head) + len(capture.request) if capture else 0
