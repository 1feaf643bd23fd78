"""The captures of files in the place of the web: what is due is what comes next in them.

The loop of a crawl runs over them unchanged, so an imported page is read, marked, kept and made findable as a crawled
one. A capture that is here already, the same bytes from the same address at the same moment, is passed over; so a file
may be read twice, after a kill or under another name, and nothing changes. How far each file was read is part of every
commit, to save the time for that.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from gossamer.collection.parcels import Parcel
from gossamer.convert.sitemap import is_sitemap
from gossamer.errors import Damaged
from gossamer.fetch import Limits
from gossamer.fetch.stored import decoded
from gossamer.frontier import Frontier
from gossamer.model import Answer, Capture, Kind, Visit
from gossamer.store.archive import NOT_MODIFIED, Archive
from gossamer.store.digests import fits
from gossamer.store.exchanges import Brought, Refers
from gossamer.store.foreign import Fault
from gossamer.store.table import Table
from gossamer.store.unpacking import Unpacking
from gossamer.store.versions import Version
from gossamer.store.warc import payload_digest

IMPORTS = "imports"
"""mark of a file -> Row"""
WORKERS = 8
"""Captures under way: while a document is read apart, others go on."""
PROBLEMS_MOST = 1_000
ORIGINALS_MOST = 20
"""Earlier captures that are looked at for the payload of a revisit."""
_BREATH = 64
"""Records that are read in one go."""
_MOMENTS = 100
"""Captures of an address that may share a second, or less."""
_DRESS = frozenset({"text/css", "text/javascript", "application/javascript", "application/x-javascript"})


class Row(msgspec.Struct, array_like=True, frozen=True):
    """How far a file was taken in."""

    name: str
    offset: int
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
    seconds: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    """Whole records that are no pages, by the reason."""
    problems: tuple[str, ...] = ()
    """Damage, and what could not be made whole: file, offset and what is wrong."""


_row = msgspec.msgpack.Decoder(Row).decode


class Incoming:
    """Stands for frontier and network in the loop of a crawl."""

    def __init__(
        self,
        parcels: Sequence[Parcel],
        table: Table,
        archive: Archive,
        frontier: Frontier,
        limits: Limits,
        mine: Callable[[str], bool],
    ) -> None:
        """`mine` tells which addresses belong to this shard: every shard reads all files."""
        self._parcels = parcels
        self._table = table
        self._archive = archive
        self._frontier = frontier
        self._limits = limits
        self._mine = mine
        self._stopping = False
        self._reading, self._offset = 0, 0
        self._out: dict[str, tuple[int, int]] = {}
        """Addresses under way, with file and offset."""
        self._freed: set[asyncio.Future[None]] = set()
        self._handed: Capture | None = None
        self._lacking: set[int] = set()
        """Files with revisits whose payload is not here yet: they may be imported again."""
        self._before = sum(parcel.size for parcel in parcels if self._done(parcel))
        self._read = 0
        self._counts: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._problems: list[str] = []
        self._source = self._brought()

    # -------------------------------------------------------------------- loop

    async def due(self) -> AsyncIterator[Visit]:
        """What comes next, an address at a time; then what other shards still have to say."""
        for number, (place, brought) in enumerate(self._source):
            if self._stopping:
                break
            await self._alone(brought.capture.visit.url)
            self._out[brought.capture.visit.url] = place
            self._handed = self._new(brought, place[0])
            if self._handed is not None:
                yield self._handed.visit
            else:
                self._free(brought.capture.visit.url)
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

    def prepare(self) -> None:
        """How far it has come, into the next commit."""
        current, offset = min(self._out.values(), default=(self._reading, self._offset))
        for number, parcel in enumerate(self._parcels[: current + 1]):
            done = number < current
            if not self._done(parcel) and not (done and number in self._lacking):
                row = Row(parcel.name, 0 if done else offset, done)
                self._table.put(IMPORTS, parcel.mark, msgspec.msgpack.encode(row))

    def look(self, seconds: float) -> Imported:
        """How it goes."""
        return Imported(
            files=sum(map(self._done, self._parcels)),
            of=len(self._parcels),
            bytes=self._before + self._read + self._offset,
            size=sum(parcel.size for parcel in self._parcels),
            captures=self._counts["captures"],
            known=self._counts["known"],
            cut=self._counts["cut"],
            seconds=seconds,
            refused=dict(self._refused),
            problems=tuple(self._problems),
        )

    async def _alone(self, url: str) -> None:
        """Captures of one address come one after the other, for each may be the next one's original."""
        while url in self._out:
            await self._change()

    async def _change(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._freed.add(waiter)
        await waiter

    def _free(self, url: str) -> None:
        del self._out[url]
        for waiter in self._freed:
            if not waiter.done():
                waiter.set_result(None)
        self._freed.clear()

    # ----------------------------------------------------------------- reading

    def _brought(self) -> Iterator[tuple[tuple[int, int], Brought]]:
        """All captures of this shard, with file and offset."""
        for number, parcel in enumerate(self._parcels):
            self._reading, self._offset = number, 0
            if self._done(parcel):
                continue
            stored = self._table.get(IMPORTS, parcel.mark)
            with parcel.open() as file:
                stream = Unpacking(file, _row(stored).offset if stored else 0)
                for brought in self._items(parcel, stream):
                    yield (number, brought.offset), brought
            self._offset = 0
            self._read += parcel.size
        self._reading = len(self._parcels)

    def _items(self, parcel: Parcel, stream: Unpacking) -> Iterator[Brought]:
        for item in parcel.items(stream, self._limits.document + self._limits.framing):
            if isinstance(item, Brought):
                self._offset = item.offset
                if self._mine(item.capture.visit.url):
                    yield item
            elif isinstance(item, Fault):
                self._problem(f"{parcel.name}, offset {item.offset}: {item.words}")
            else:
                self._refused[item.reason] += 1

    def _done(self, parcel: Parcel) -> bool:
        stored = self._table.get(IMPORTS, parcel.mark)
        return stored is not None and _row(stored).done

    def _problem(self, words: str) -> None:
        if len(self._problems) < PROBLEMS_MOST:
            self._problems.append(words)

    # ---------------------------------------------------------------- captures

    def _new(self, brought: Brought, parcel: int) -> Capture | None:
        """The capture as it is to be kept; None when it is here already, or cannot be made whole."""
        capture: Capture | None = brought.capture
        assert capture is not None
        if brought.refers is not None and capture.status != NOT_MODIFIED:
            capture = self._with_payload(capture, brought.refers)
        if capture is None:
            self._lacking.add(parcel)
            self._problem(
                f"{brought.capture.source}: the response that holds the body of {brought.capture.visit.url} "
                "is not here; import its file, and then this one again"
            )
            return None
        capture = self._unmet(self._within_limits(capture))
        if capture is None:
            self._counts["known"] += 1
            return None
        return self._sorted(decoded(capture, self._limits))

    def _within_limits(self, capture: Capture) -> Capture:
        """As much as a crawl would have kept."""
        media_type = (capture.header("content-type") or "").partition(";")[0].strip().lower()
        most = self._limits.cap(capture.visit.kind, media_type)
        if len(capture.wire) <= most:
            return capture
        self._counts["cut"] += 1
        return replace(capture, wire=capture.wire[:most], truncated="length")

    def _unmet(self, capture: Capture) -> Capture | None:
        """With a moment that no other capture of the address has; None when the very same is here."""
        digest, url = payload_digest(capture.wire), capture.visit.url
        for _ in range(_MOMENTS):
            other = self._archive.versions.at(url, capture.began)
            if other is None or capture.status == NOT_MODIFIED:
                return capture
            if (other.payload, other.status) == (digest, capture.status):
                return None
            capture = replace(capture, began=capture.began + 0.001)
        return capture

    def _sorted(self, capture: Capture) -> Capture:
        """What kind of thing it is, where nobody has told."""
        visit = capture.visit
        if visit.kind is not Kind.PAGE or not 200 <= capture.status < 300:
            return capture
        media_type = (capture.header("content-type") or "").partition(";")[0].strip().lower()
        if self._limits.skips(Kind.PAGE, media_type) or media_type in _DRESS:
            return replace(capture, visit=replace(visit, kind=Kind.RESOURCE))
        if is_sitemap(capture.body):
            return replace(capture, visit=replace(visit, kind=Kind.SITEMAP))
        return capture

    def _with_payload(self, revisit: Capture, refers: Refers) -> Capture | None:
        """A revisit together with the payload that it points to."""
        for version in self._originals(revisit, refers):
            try:
                wire = self._archive.wire(version)
            except Damaged:
                continue
            if refers.digest is None or fits(refers.digest, wire) or version.began == refers.began:
                return replace(revisit, wire=wire)
        return None

    def _originals(self, revisit: Capture, refers: Refers) -> Iterator[Version]:
        """Captures that may hold it, the likeliest first."""
        ways = [(refers.url, refers.began + 1)] if refers.url and refers.began else []
        for url, until in [*ways, (revisit.visit.url, revisit.began)]:
            if self._mine(url):
                some = zip(range(ORIGINALS_MOST), self._archive.versions.of(url, until=until), strict=False)
                yield from (version for _, version in some)
