"""Have we met this block on this host? What stands on many pages of a host is its template, not what a page says.

The rule of site templates (Bar-Yossef and Rajagopalan, WWW 2002; Yi, Liu and Li, KDD 2003), learned while a crawl
goes: every block is known by a hash, and one that was on five pages of its host and on three in ten of them is
template. We differ in what is remembered: not all blocks, but the 512 that were met most often, which is lossy
counting (Manku and Motwani, VLDB 2002). Counts are halved from time to time, so that a new design is learned too, and
after a while only every eighth page is counted, so that a host that is known costs next to nothing.

What is learned so depends on the order in which pages come. A build settles it: the same rule over a sample of pages
that only their addresses and bytes choose, so that the same captures say the same whoever collected them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

import msgspec
import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import among
from gossamer.convert.html.template import Hashes, Mask, Template
from gossamer.rows import damaged, decoder
from gossamer.urls import keys

ROOM = 512
"""Blocks of a host that are remembered."""
PAGES_LEAST, SHARE_LEAST = 5, 0.3
"""A block is template from so many pages, and from so large a part of those that were counted."""
PAGES_MOST = 200
"""When so many pages were counted, they count for half."""
SETTLED = 32
"""After so many pages only one in EVERY is counted."""
EVERY = 8
FEW = 16
"""A block that is on less than one page in so many may be forgotten."""
KEPT = 1_024
"""Hosts that stay in memory after a commit."""


class HostRow(msgspec.Struct, array_like=True):
    """What is remembered of a host."""

    pages: int = 0
    marks: bytes = b""
    """Half of the hash of each block, 32 bits, in ascending order."""
    counts: bytes = b""
    """On how many pages each was, 8 bits."""
    sample: int = 0
    """The pages by which it was settled; 0: it was not."""
    settled: bytes = b""
    """Marks of the blocks that are template by these pages, in ascending order."""


_encode = msgspec.msgpack.Encoder().encode
_row = decoder(HostRow)


def row_of(data: bytes) -> HostRow:
    """A row whose columns belong together."""
    row = _row(data)
    if len(row.marks) != 4 * len(row.counts) or row.pages < 0 or len(row.settled) % 4:
        raise damaged("HostRow", "its columns are not of one length")
    return row


@dataclass(frozen=True, slots=True)
class Settled:
    """The template of a host, whatever the order in which its pages came."""

    name: int
    """Tells it from others; never 0."""
    marks: NDArray[np.uint32]

    @classmethod
    def of(cls, marks: NDArray[np.uint32]) -> Settled:
        """By its blocks."""
        return cls(keys.digest(marks.tobytes()) >> 32 | 1, marks)

    def __call__(self, hashes: Hashes) -> Mask:
        """Which of the blocks of a page are template?"""
        return among(_marks(hashes), self.marks)


BARE = Settled.of(np.zeros(0, np.uint32))
"""No template at all."""


class Blocks:
    """The blocks of all hosts. `get` and `put` reach the rows, by the name of a host with its port."""

    def __init__(self, get: Callable[[bytes], bytes | None], put: Callable[[bytes, bytes], None]) -> None:
        self._get = get
        self._put = put
        self._hosts: dict[str, HostBlocks] = {}
        self._changed: dict[str, HostBlocks] = {}

    def met(self, url: str) -> Template:
        """For the reading of a page that was fetched: it is counted."""
        name = keys.authority(url)

        def look(hashes: Hashes) -> Mask:
            host = self._host(name)
            if host.wants(hashes):
                self._changed[name] = host
                return host.meet(hashes)
            return host.template(hashes)

        return look

    def learned(self, name: str) -> bool:
        """Has a page of this host been read with a template that was learned meanwhile?"""
        return self._host(name).learned

    def settled(self, name: str) -> Settled:
        """The template by which a build has read the pages of a host."""
        return Settled.of(self._host(name).settled)

    def settle(self, name: str, sample: int, pages: Iterable[Hashes], *, anew: bool = False) -> Settled:
        """The template by a sample of pages, which are read where it is not the sample of before, or `anew`.

        A sample of 0 has no pages: they are too few to tell.
        """
        host = self._host(name)
        if host.sample != sample or (anew and sample):
            host.settle(sample, pages)
            self._changed[name] = host
        return Settled.of(host.settled)

    def save(self) -> None:
        """All that was learned becomes part of the next commit."""
        for name, host in self._changed.items():
            self._put(name.encode(), _encode(host.row()))
        self._changed.clear()
        for name in list(self._hosts)[: max(len(self._hosts) - KEPT, 0)]:
            del self._hosts[name]

    def _host(self, name: str) -> HostBlocks:
        """The one that was asked for last comes last."""
        host = self._hosts.pop(name, None)
        if host is None:
            stored = self._get(name.encode())
            host = HostBlocks(row_of(stored) if stored else HostRow())
        self._hosts[name] = host
        return host


class HostBlocks:
    """The blocks of one host."""

    def __init__(self, row: HostRow) -> None:
        self._pages = row.pages
        self._marks = np.frombuffer(row.marks, np.uint32)
        self._counts = np.frombuffer(row.counts, np.uint8).copy()
        self.sample = row.sample
        self.settled = np.frombuffer(row.settled, np.uint32)

    def row(self) -> HostRow:
        """To be kept."""
        return HostRow(self._pages, self._marks.tobytes(), self._counts.tobytes(), self.sample, self.settled.tobytes())

    @property
    def learned(self) -> bool:
        """Were there enough pages for any template?"""
        return self._pages >= PAGES_LEAST

    def settle(self, sample: int, pages: Iterable[Hashes]) -> None:
        """Count these pages and no others; a crawl goes on from there."""
        counted = [np.unique(_marks(hashes)) for hashes in pages if len(hashes)]
        marks, counts = np.unique(np.concatenate(counted or [BARE.marks]), return_counts=True)
        kept = np.sort(np.argsort(-counts, kind="stable")[:ROOM])
        self._pages, self._marks, self._counts = len(counted), marks[kept], counts[kept].astype(np.uint8)
        self.sample, self.settled = sample, self._marks[self._counts >= self._least]

    def wants(self, hashes: Hashes) -> bool:
        """Is a page to be counted? Chance decides by what is in it, so that nothing has to be remembered for that."""
        return bool(len(hashes)) and (self._pages < SETTLED or int(np.bitwise_xor.reduce(hashes)) % EVERY == 0)

    def meet(self, hashes: Hashes) -> Mask:
        """Count a page. Which of its blocks are template?"""
        marks = _marks(hashes)
        places, old = self._find(marks)
        self._counts[places[old]] += 1  # a block that is there twice counts once
        self._pages += 1
        answer = self._enough(places, old)
        self._take(marks[~old])
        if self._pages == PAGES_MOST:
            self._fade()
        return answer

    def template(self, hashes: Hashes) -> Mask:
        """Which blocks are template?"""
        return self._enough(*self._find(_marks(hashes)))

    def _find(self, marks: NDArray[np.uint32]) -> tuple[NDArray[np.intp], Mask]:
        """Where each stands, if it is there, and whether it is."""
        if not len(self._marks):
            return np.zeros(len(marks), np.intp), np.zeros(len(marks), np.bool_)
        places = self._marks.searchsorted(marks)
        return places, self._marks.take(places, mode="clip") == marks

    def _enough(self, places: NDArray[np.intp], old: Mask) -> Mask:
        if self._pages < PAGES_LEAST or not len(self._counts):
            return np.zeros(len(places), np.bool_)
        enough: Mask = self._counts.take(places, mode="clip") >= self._least
        return old & enough

    @property
    def _least(self) -> int:
        """Pages on which a block is template."""
        return max(PAGES_LEAST, ceil(SHARE_LEAST * self._pages))

    def _take(self, new: NDArray[np.uint32]) -> None:
        """Remember new blocks. Where there is no room, blocks that few pages have go first."""
        marks, counts = self._marks, self._counts
        spare = len(marks) + len(new) - ROOM
        if spare > 0:
            stays = np.ones(len(marks), np.bool_)
            stays[np.flatnonzero(counts <= max(1, self._pages // FEW))[:spare]] = False
            marks, counts = marks[stays], counts[stays]
            new = new[: ROOM - len(marks)]
        packed = np.sort(np.concatenate((_packed(marks, counts), _packed(new, np.uint8(1)))))
        found = (packed >> np.uint64(8)).astype(np.uint32)
        first = np.ones(len(found), np.bool_)
        np.not_equal(found[1:], found[:-1], out=first[1:])
        self._marks, self._counts = found[first], packed[first].astype(np.uint8)

    def _fade(self) -> None:
        self._pages //= 2
        self._counts //= 2
        self._marks, self._counts = self._marks[self._counts > 0], self._counts[self._counts > 0]


def _marks(hashes: Hashes) -> NDArray[np.uint32]:
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _packed(marks: NDArray[np.uint32], counts: NDArray[np.uint8] | np.uint8) -> NDArray[np.uint64]:
    """One number for both, so that they are sorted together."""
    return marks.astype(np.uint64) << np.uint64(8) | counts
