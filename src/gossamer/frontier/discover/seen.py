"""Which addresses are known? Batches of them are asked for at once, and the table is read only where it must be.

An address is remembered by its fingerprint of 64 bits and one byte: the depth of its entry, or, where that alone does
not tell what a new link to it means, that the table must be asked.

Two addresses may share a fingerprint. Then the one that is found later may be taken for known: it gets no row and is
never visited. Among n addresses n^2 / 2^65 such pairs are to be expected: 0.000003 at ten million, 0.027 at a billion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gossamer.printable import log
from gossamer.store.url_seen import ABSENT, Sieve
from gossamer.urls import keys

ASK = 255
"""The mark of an address that was left out but may yet come in, or lies too deep for a byte."""
REBUILT_AT_ONCE = 1 << 15


class Batch:
    """Links whose addresses were looked up at once, and what has become of them since."""

    def __init__(self, sieve: Sieve, links: Sequence[tuple[str, int]]) -> None:
        """Addresses, and the depths of the links to them."""
        self._sieve = sieve
        urls = dict.fromkeys(url for url, _ in links)
        self._prints = dict(zip(urls, map(keys.fingerprint, urls), strict=True))
        marks = self._marks = dict(zip(self._prints, sieve.marks(list(self._prints.values())), strict=True))
        self.new = [url for url, mark in marks.items() if mark == ABSENT]
        """Those that were never met."""
        unsure = {url: None for url, depth in links if (mark := marks[url]) == ASK or mark > depth}
        self.unsure = list(unsure)
        """Those that the table must be asked about, each once: deeper before, or left out for a reason that may be
        gone."""

    def knows(self, url: str, depth: int) -> bool:
        """It was met at this depth or less: there is nothing to do."""
        mark = self._marks[url]
        return mark <= depth and mark not in (ASK, ABSENT)

    def note(self, url: str, depth: int | None) -> None:
        """The depth of its entry; None when the table must be asked about it."""
        mark = ASK if depth is None or depth > ASK else depth
        if mark != self._marks[url]:
            self._marks[url] = mark
            self._sieve.put(self._prints[url], mark)

    def note_all(self, urls: Sequence[str], depth: int | None) -> None:
        """The same for new addresses whose entries are equal."""
        mark = ASK if depth is None or depth > ASK else depth
        self._marks.update(dict.fromkeys(urls, mark))
        self._sieve.put_all(map(self._prints.__getitem__, urls), mark)


class Seen:
    """All addresses that were ever found."""

    def __init__(self, sieve: Sieve) -> None:
        self._sieve = sieve

    def batch(self, links: Sequence[tuple[str, int]]) -> Batch:
        """Look up addresses, each with the depth of a link to it."""
        return Batch(self._sieve, links)

    def note(self, url: str, depth: int | None) -> None:
        """As in a batch, for a single address."""
        self._sieve.put(keys.fingerprint(url), ASK if depth is None or depth > ASK else depth)

    def prepare(self) -> None:
        """What was noted becomes part of the next commit."""
        self._sieve.prepare()

    def close(self) -> None:
        """Nobody will ask again."""
        self._sieve.close()

    def restore(self, rows: Iterator[tuple[str, int | None]]) -> None:
        """Fill it from all addresses and their depths if it is not whole: its files were lost, or never made."""
        if not self._sieve.fault:
            return
        fault, first = self._sieve.fault, next(rows, None)
        self._sieve.restart()
        if first is None:
            return
        log.warning("the set of known addresses is made again from the table, because %s", fault)
        for count, (url, depth) in enumerate(chain([first], rows), 1):
            self.note(url, depth)
            if count % REBUILT_AT_ONCE == 0:
                self._sieve.prepare()
