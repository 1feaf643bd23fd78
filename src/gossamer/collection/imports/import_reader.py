"""Who reads the files? Each is read once, by one shard; what belongs to another is handed over.

A shard that was started anew gets what it lacks of files that were read already: they are read for it alone, from where
it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from gossamer.collection.imports.hand_over import Given, HandOver, Laid, Over
from gossamer.collection.imports.import_files import ImportFile
from gossamer.errors import GossamerError
from gossamer.store.foreign.exchanges import Brought, Item, Kept, Refused
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.foreign.unpacking import Unpacking

_BREATH = 64
"""Records that are read in one go."""


class Taker(Protocol):
    """What is done with what was read."""

    async def take(self, number: int, item: Brought | Kept) -> None:
        """Something of ours, from the file with this number; waits while too much does."""

    def over(self, number: int, *, lacking: bool) -> None:
        """That was all of it."""

    def refuse(self, reason: str) -> None:
        """A whole record that is no page."""

    def problem(self, words: str) -> None:
        """Something is wrong with a file."""


class ImportReader:
    """Reads the files that are ours to read, to the end of the import."""

    def __init__(
        self,
        imported_files: Sequence[ImportFile],
        most: int,
        hand_over: HandOver,
        taker: Taker,
        told: Callable[[int], tuple[int, bool]],
    ) -> None:
        """`told` says from which offset on we want a file ourselves, and whether not at all."""
        self._files = imported_files
        self._most = most
        self._hand_over = hand_over
        self._taker = taker
        self._told = told
        self._shards = shards = hand_over.shards
        self._mine = files_of(shards.me, shards.count, len(imported_files))
        self._wanted: dict[int, int] = {}
        """Who wants what is being read, each from an offset on."""
        self._begun: set[int] = set()
        self._anew: dict[int, set[int]] = {}
        """Shards that were started anew, and files that had been begun then."""
        self._passed = 0
        self._at = 0

    @property
    def octets(self) -> int:
        """How much was read of what is ours to read."""
        return self._passed + self._at

    def reborn(self, shard: int) -> None:
        """It has lost what it was handed and had not committed."""
        self._wanted.pop(shard, None)
        self._anew[shard] = set(self._begun)

    async def run(self) -> None:
        """Until somebody ends it: a shard may be started anew, and want something again."""
        for number in self._mine:
            far = await self._hand_over.far()
            self._begun.add(number)
            place = self._mine.index(number)
            starts = {shard: files[place][0] for shard, files in far.items() if not files[place][1]}
            offset, done = self._told(number)
            if not done:
                starts[self._shards.me] = offset
            await self._read(number, starts)
            self._passed, self._at = self._passed + self._files[number].size, 0
        while True:
            await self._read_again()
            await self._hand_over.change()

    async def _read_again(self) -> None:
        while self._anew:
            far = await self._hand_over.far()
            shard, begun = self._anew.popitem()
            for number, (offset, done) in zip(self._mine, far[shard], strict=True):
                if number in begun and not done and shard not in self._anew:
                    await self._read(number, {shard: offset})

    async def _read(self, number: int, starts: dict[int, int]) -> None:
        self._wanted = starts
        lacking = False
        if starts:
            try:
                await self._through(number, min(starts.values()))
            except GossamerError:
                raise
            except Exception as error:  # of the file or of whatever unpacks it; the others are read all the same
                lacking = True
                name = self._files[number].name
                self._taker.problem(f"{name}: cannot be read on from offset {self._at}: {error!s:.200}")
        for shard in tuple(starts):
            if shard == self._shards.me:
                self._taker.over(number, lacking=lacking)
            elif shard in starts:  # it was not started anew meanwhile
                await self._hand_over.give(shard, Over(number, lacking))

    async def _through(self, number: int, start: int) -> None:
        import_file = self._files[number]
        with import_file.open() as file:
            stream = Unpacking(file, start)
            for count, item in enumerate(import_file.items(stream, self._most), 1):
                self._at = item.offset
                await self._hand(number, import_file, item)
                if count % _BREATH == 0:
                    await asyncio.sleep(0)

    async def _hand(self, number: int, import_file: ImportFile, item: Item) -> None:
        match item:
            case Fault(offset, words):
                self._taker.problem(f"{import_file.name}, offset {offset}: {words}")
            case Refused(reason=reason):
                self._taker.refuse(reason)
            case Brought() | Kept():
                to = self._owner(item)
                if self._wanted.get(to, item.offset + 1) > item.offset:
                    pass
                elif to == self._shards.me:
                    await self._taker.take(number, item)
                else:
                    await self._hand_over.give(to, _packed(number, item))

    def _owner(self, item: Brought | Kept) -> int:
        """What is about no page is kept by the first shard."""
        url = item.capture.visit.url if isinstance(item, Brought) else item.about
        return self._shards.owner(url) if url else 0


def files_of(shard: int, count: int, files: int) -> range:
    """The numbers of the files that a shard reads."""
    return range(shard, files, count)


def _packed(number: int, item: Brought | Kept) -> Given | Laid:
    return Given(number, item) if isinstance(item, Brought) else Laid(number, item)
