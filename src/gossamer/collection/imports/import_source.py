"""The captures of files in the place of the web: what is due is what comes next in them.

The loop of a crawl runs over them unchanged, so an imported page is read, marked, kept and made findable as a crawled
one. A capture that is here already, the same bytes from the same address at the same moment, is passed over; so a file
may be read twice, after a kill or under another name, and nothing changes. How far each file was read is part of every
commit, to save the time for that.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from gossamer.collection.families import IMPORTS
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_filter import ImportFilter, Verdict
from gossamer.errors import GossamerError
from gossamer.frontier import Frontier
from gossamer.model import Answer, Capture, Visit
from gossamer.rows import Size, decoder
from gossamer.store.foreign.exchanges import Brought
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.foreign.unpacking import Unpacking
from gossamer.store.table.table import Table

WORKERS = 8
"""Captures under way: while a document is read apart, others go on."""
PROBLEMS_MOST = 1_000
REASONS_MOST = 100
"""Reasons that are counted one by one: they have words of the files in them."""
_BREATH = 64
"""Records that are read in one go."""


class Row(msgspec.Struct, array_like=True, frozen=True):
    """How far a file was taken in."""

    name: str
    offset: Size
    done: bool


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
    undated: int = 0
    """Nothing says when they were captured; they have the date 1970-01-01."""
    seconds: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    """Whole records that are no pages, by the reason."""
    problems: tuple[str, ...] = ()
    """Damage, and what could not be made whole: file, offset and what is wrong."""


row_of = decoder(Row)


class ImportSource:
    """Stands for frontier and network in the loop of a crawl."""

    def __init__(
        self,
        imported_files: Sequence[ImportFile],
        table: Table,
        import_filter: ImportFilter,
        frontier: Frontier,
        most: int,
        mine: Callable[[str], bool],
    ) -> None:
        """Up to `most` bytes of a body are read. `mine`: every shard reads all files, and takes what is its own."""
        self._imported_files = imported_files
        self._table = table
        self._frontier = frontier
        self._most = most
        self._mine = mine
        self._import_filter = import_filter
        self.kept = import_filter.kept
        self._stopping = False
        self._reading, self._offset = -1, 0
        """The file that is read, none at first, and how far."""
        self._number = 0
        self._settled = 0
        """Files before this one have their last rows."""
        self._places: dict[int, tuple[int, int]] = {}
        """File and offset of what is under way or waits for another of its address, by a number."""
        self._out: dict[str, int] = {}
        """Addresses under way, with that number."""
        self._freed = asyncio.Event()
        """Is set and cleared at once: who waits goes on, and whoever comes later waits for the next."""
        self._handed: Capture | None = None
        self._lacking: set[int] = set()
        """Files to be tried again: they cannot be read, or have revisits whose payload is not here yet."""
        self._finished = {number for number, import_file in enumerate(imported_files) if self._row(import_file).done}
        """Files that need no reading any more, as of the last commit."""
        self._before = sum(imported_files[number].size for number in self._finished)
        self._read = 0
        self._counts: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._problems: list[str] = []
        self._source = self._brought()

    # -------------------------------------------------------------------- loop

    async def due(self) -> AsyncIterator[Visit]:
        """What comes next, an address at a time; then what other shards still have to say."""
        while not self._stopping and (brought := next(self._source, None)) is not None:
            url, number = brought.capture.visit.url, self._number
            while brought.refers is not None and min(self._places) < number:
                await self._change()  # what it points to may be under way
            while url in self._out:
                await self._change()  # one capture of an address after the other
            self._out[url] = number
            self._handed = self._taken(brought, self._places[number][0])
            if self._handed is not None:
                yield self._handed.visit
            else:
                self._free(url)
            if number % _BREATH == 0:
                await asyncio.sleep(0)
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

    def done(self, *answers: Answer) -> None:
        """They are in the archive: into the books with them."""
        self._frontier.done(*answers)
        for visit, _, _ in answers:
            self._counts["captures"] += 1
            self._free(visit.url)

    def stop(self) -> None:
        """Finish what is under way, then end."""
        self._stopping = True

    def close(self) -> None:
        """Nothing more is read."""
        self._source.close()

    def prepare(self) -> None:
        """How far it has come, into the next commit."""
        current, offset = min(self._places.values(), default=(self._reading, self._offset))
        for number in range(self._settled, current):
            if number in self._lacking:
                self._table.delete(IMPORTS, self._imported_files[number].mark)
            elif number not in self._finished:
                self._put(number, 0, done=True)
                self._finished.add(number)
        self._settled = max(current, 0)
        if 0 <= current < len(self._imported_files) and current not in self._finished:
            self._put(current, offset, done=False)

    def look(self, seconds: float) -> Imported:
        """How it goes."""
        return Imported(
            files=len(self._finished),
            of=len(self._imported_files),
            bytes=self._before + self._read + self._offset,
            size=sum(import_file.size for import_file in self._imported_files),
            captures=self._counts["captures"],
            known=self._counts["known"],
            cut=self._counts["cut"],
            undated=self._counts["undated"],
            seconds=seconds,
            refused=dict(self._refused),
            problems=tuple(self._problems),
        )

    async def _change(self) -> None:
        await self._freed.wait()

    def _free(self, url: str) -> None:
        del self._places[self._out.pop(url)]
        self._freed.set()
        self._freed.clear()

    def _taken(self, brought: Brought, number: int) -> Capture | None:
        """The capture as it is to be kept; None when it is not."""
        try:
            found = self._import_filter.arrive(brought)
        except (GossamerError, OSError, MemoryError):
            raise  # not about this capture
        except Exception as error:  # one that nobody has thought of: it costs itself, and is listed with its place
            self._problem(f"{brought.capture.source}: cannot be taken in: {error!r:.200}")
            return None
        match found:
            case Capture():
                self._counts["cut"] += brought.cut or len(found.wire) < len(brought.capture.wire)
                self._counts["undated"] += brought.undated
                return found
            case Verdict.KNOWN:
                self._counts["known"] += 1
            case Verdict.NOTHING_BEFORE:
                self._refuse(found.value)
            case _:
                if found is Verdict.LACKING:
                    self._lacking.add(number)
                self._problem(f"{brought.capture.source}: {found.value}")
        return None

    # ----------------------------------------------------------------- reading

    def _brought(self) -> Generator[Brought, None, None]:
        """All captures of this shard; the place of each is noted before anybody waits for anything."""
        for number, import_file in enumerate(self._imported_files):
            self._reading, self._offset = number, self._row(import_file).offset
            if number in self._finished:
                continue
            try:
                with import_file.open() as file:
                    stream = Unpacking(file, self._offset)
                    for brought in self._items(import_file, stream):
                        self._number += 1
                        self._places[self._number] = (number, brought.offset)
                        yield brought
            except GossamerError:
                raise
            except Exception as error:  # of the file or of whatever unpacks it; the others are read all the same
                self._lacking.add(number)
                self._problem(f"{import_file.name}: cannot be read on from offset {self._offset}: {error!s:.200}")
            self._offset = 0
            self._read += import_file.size
        self._reading = len(self._imported_files)

    def _items(self, import_file: ImportFile, stream: Unpacking) -> Iterator[Brought]:
        for item in import_file.items(stream, self._most):
            if isinstance(item, Brought):
                self._offset = item.offset
                if self._mine(item.capture.visit.url):
                    yield item
            elif isinstance(item, Fault):
                self._problem(f"{import_file.name}, offset {item.offset}: {item.words}")
            else:
                self._refuse(item.reason)

    def _row(self, import_file: ImportFile) -> Row:
        stored = self._table.get(IMPORTS, import_file.mark)
        return row_of(stored) if stored else Row(import_file.name, 0, done=False)

    def _put(self, number: int, offset: int, *, done: bool) -> None:
        import_file = self._imported_files[number]
        self._table.put(IMPORTS, import_file.mark, msgspec.msgpack.encode(Row(import_file.name, offset, done)))

    def _refuse(self, reason: str) -> None:
        known = reason in self._refused or len(self._refused) < REASONS_MOST
        self._refused[reason if known else "other reasons"] += 1

    def _problem(self, words: str) -> None:
        if len(self._problems) < PROBLEMS_MOST:
            self._problems.append(words)
        elif len(self._problems) == PROBLEMS_MOST:
            self._problems.append(f"and more; these are the first {PROBLEMS_MOST:,}")
