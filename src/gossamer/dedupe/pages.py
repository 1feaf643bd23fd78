"""The prints of pages, in rows of the table: the truth from which everything else about copies can be made again.

A page has a number, counted up as pages come. A page that changes gets a new one; the old one is gone. Rows are fixed
columns and then the address, so that many of them are read as one array.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.dedupe.simhash_minhash import Print
from gossamer.dedupe.simhash_minhash_numpy import BINS
from gossamer.model import URL
from gossamer.rows import damaged
from gossamer.rows import number as number_in
from gossamer.urls import keys

COLUMNS = np.dtype(
    [("simhash", "<u8"), ("digest", "<u8"), ("site", "<u8"), ("words", "<u4"), ("sketch", "u1", (BINS,))]
)
"""Of the digest the first 64 bits; of the site, a fingerprint."""

_PAGE, _ADDRESS, _GONE, _LIST = b"p", b"u", b"g", b"runs"
_FIXED = struct.Struct(f"<Q8sQI{BINS}s")
_CHUNK = 20_000
_WIDE = 4
_BEYOND = 1 << 8 * _WIDE

Columns = npt.NDArray[np.void]


class Table(Protocol):
    """As much of `store.Table` as is used here."""

    commits: int

    def get(self, family: str, key: bytes) -> bytes | None: ...
    def get_many(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]: ...
    def put(self, family: str, key: bytes, value: bytes) -> None: ...
    def delete(self, family: str, key: bytes) -> None: ...
    def scan(
        self, family: str, prefix: bytes = b"", start: bytes = b"", limit: int | None = None
    ) -> Iterator[tuple[bytes, bytes]]: ...


class Pages:
    """Rows of the family `prints`."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def numbers(self, urls: Sequence[URL]) -> dict[URL, int]:
        """The numbers of those pages that have a print."""
        found = self.table.get_many(PRINTS, [_ADDRESS + keys.row(url) for url in urls])
        return {url: number_in(row, _WIDE) for url, row in zip(urls, found, strict=True) if row is not None}

    def rows(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """The rows of those of these pages that are not gone."""
        found = self.table.get_many(PRINTS, [_page_key(number) for number in numbers])
        return {each: whole(row) for each, row in zip(numbers, found, strict=True) if row is not None}

    def of(self, urls: Sequence[URL]) -> dict[URL, bytes]:
        """The rows of those pages that have a print."""
        numbers = self.numbers(urls)
        rows = self.rows(list(numbers.values()))
        return {url: rows[number] for url, number in numbers.items() if number in rows}

    def put(self, number: int, url: URL, page: bytes) -> None:
        """`page` has its columns."""
        self.table.put(PRINTS, _page_key(number), page + url.encode())
        self.table.put(PRINTS, _ADDRESS + keys.row(url), _number_key(number))

    def remove(self, number: int, url: URL) -> None:
        """The page has no print from now on; its entries go when their run is merged."""
        self.table.delete(PRINTS, _page_key(number))
        self.table.delete(PRINTS, _ADDRESS + keys.row(url))
        self.table.put(PRINTS, _GONE + _number_key(number), b"")

    def addresses(self) -> Iterator[tuple[URL, int]]:
        """Every page that has a print, and its number."""
        for key, row in self.table.scan(PRINTS, _ADDRESS):
            yield keys.url_of(key[1:]), number_in(row, _WIDE)

    def clear(self) -> Iterator[None]:
        """No page has a print any more. Rows go some thousands at a time, each followed by a commit: a page that is
        half gone has no number, so that it can come back.
        """
        for prefix in (WHOLE, _ADDRESS, _LIST, _PAGE, _GONE):
            found = self.table.scan(PRINTS, prefix)
            while chunk := list(islice(found, _CHUNK)):
                for key, _ in chunk:
                    self.table.delete(PRINTS, key)
                yield

    def between(self, first: int, end: int = _BEYOND) -> Iterator[tuple[npt.NDArray[np.int64], Columns]]:
        """Numbers and columns of all pages from `first` on, in their order, some thousands at a time."""
        for numbers, rows in self.chunks(first, end):
            yield np.array(numbers, np.int64), columns_of(rows)

    def chunks(self, first: int = 0, end: int = _BEYOND) -> Iterator[tuple[list[int], list[bytes]]]:
        """The same, with whole rows."""
        found = self.table.scan(PRINTS, _PAGE, _page_key(first))
        kept = takewhile(lambda row: row[0] < end, ((number_in(key[1:], _WIDE), whole(row)) for key, row in found))
        while chunk := list(islice(kept, _CHUNK)):
            yield [number for number, _ in chunk], [row for _, row in chunk]

    def gone(self, first: int, end: int = _BEYOND) -> list[int]:
        """Numbers of pages that are gone, among these."""
        rows = self.table.scan(PRINTS, _GONE, _GONE + _number_key(first))
        found = (number_in(key[1:], _WIDE) for key, _ in rows)
        return list(takewhile(end.__gt__, found))

    def forget(self, gone: Sequence[int]) -> None:
        """No run has entries of these any more."""
        for number in gone:
            self.table.delete(PRINTS, _GONE + _number_key(number))

    @property
    def whole(self) -> bool:
        """Every page of the shard that should have a print has the right one."""
        return self.table.get(PRINTS, WHOLE) not in (None, STALE)

    @property
    def stale(self) -> bool:
        """Every page has one, but not all are right."""
        return self.table.get(PRINTS, WHOLE) == STALE

    def complete(self) -> None:
        """From now on it is whole."""
        self.table.put(PRINTS, WHOLE, b"1")

    @property
    def listed(self) -> bytes | None:
        """Which files count."""
        return self.table.get(PRINTS, _LIST)

    @listed.setter
    def listed(self, runs: bytes) -> None:
        self.table.put(PRINTS, _LIST, runs)


def packed(found: Print, site: str) -> bytes:
    """The columns of one page."""
    words = min(found.words, 2**32 - 1)
    return _FIXED.pack(found.simhash, found.digest[:8], keys.digest(site.encode()), words, found.sketch)


def print_in(row: bytes) -> Print:
    """What `packed` has kept of a print: of the digest no more than that."""
    simhash, digest, _, words, sketch = _FIXED.unpack_from(row)
    return Print(simhash, sketch, digest, words)


def columns_of(rows: Iterable[bytes]) -> Columns:
    """The columns that rows begin with."""
    return np.frombuffer(b"".join(row[: COLUMNS.itemsize] for row in rows), COLUMNS)


def url_of(row: bytes) -> URL:
    """The address that a row ends with."""
    return keys.url_in(row[COLUMNS.itemsize :])


def whole(row: bytes) -> bytes:
    """A row that has all of its columns."""
    if len(row) < COLUMNS.itemsize:
        raise damaged("print", f"it has {len(row):,} bytes")
    return row


def _page_key(number: int) -> bytes:
    return _PAGE + _number_key(number)


def _number_key(number: int) -> bytes:
    return number.to_bytes(_WIDE, "big")
