"""Which pages are near copies of this one? Asked while a crawl goes on, of all pages that it has met."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gossamer.dedupe.entries import Keys, entries
from gossamer.dedupe.judge import LEAST_WORDS, STRICT, Rule, are_copies, resemblances
from gossamer.dedupe.pages import Pages, Table, columns_of, packed, url_of
from gossamer.dedupe.print_runs import USUAL
from gossamer.dedupe.simhash_minhash import Print
from gossamer.dedupe.tables import Tables
from gossamer.model import URL
from gossamer.runs.growing import Shape

CROWD = 200
"""Candidates that a page is compared with, at most: those that it meets in most tables."""


class Met(NamedTuple):
    """A page that was read."""

    url: URL
    site: str
    print: Print


class Near(NamedTuple):
    """A near copy."""

    url: URL
    resemblance: float
    """From 0 to 1; 1 when both say the same words."""
    distance: int
    """Bits in which the simhashes differ."""


class Lookup:
    """All pages of a shard that have a print. Many pages at once are cheaper than one by one."""

    def __init__(
        self, table: Table, folder: Path, *, rule: Rule = STRICT, shape: Shape = USUAL, writable: bool = True
    ) -> None:
        self.pages = Pages(table)
        self.tables = Tables(self.pages, folder, shape, writable=writable)
        self.rule = rule

    def similar(self, met: Sequence[Met]) -> list[list[Near]]:
        """The near copies of each page, the most alike first. A page is no copy of itself."""
        asked, wanted = _asked(met)
        return self._judged(met, asked, self._stored(asked, wanted))

    def meet(self, met: Sequence[Met]) -> list[list[Near]]:
        """The near copies of each page among those that were met before it; from now on it is among them."""
        asked, wanted = _asked(met)
        known, before = self.pages.numbers([page.url for page in met]), []
        for page, columns, row in zip(met, asked, wanted, strict=True):
            before.append(self.tables.end)
            self._keep(page, columns, row, known)
        return self._judged(met, asked, self._stored(asked, wanted, before))

    def remove(self, url: URL) -> None:
        """The page is found no more."""
        for number in self.pages.numbers([url]).values():
            self.pages.remove(number, url)

    def prepare(self) -> None:
        """Before each commit: what is new becomes part of it."""
        self.tables.prepare()

    def close(self) -> None:
        """Leave no file that does not count."""
        self.tables.close()

    def _stored(self, asked: Sequence[bytes], wanted: Keys, before: Sequence[int] = ()) -> list[list[int]]:
        """Candidates of each page; `before`: only those whose number is less."""
        found: list[list[int]] = [[] for _ in asked]
        rows, numbers = self.tables.stored(wanted, columns_of(asked)["simhash"])
        if before:
            earlier = numbers < np.array(before)[rows]
            rows, numbers = rows[earlier], numbers[earlier]
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            found[row].append(number)
        return found

    def _keep(self, page: Met, columns: bytes, row: Keys, known: dict[URL, int]) -> None:
        """A page that says what it said before keeps its number."""
        number = known.get(page.url)
        if number is not None:
            if self.pages.rows([number])[number].startswith(columns):
                return
            self.pages.remove(number, page.url)
            del known[page.url]
        if page.print.words >= LEAST_WORDS:
            known[page.url] = self.tables.add(row, page.print.simhash)
            self.pages.put(known[page.url], page.url, columns)

    def _judged(self, met: Sequence[Met], asked: Sequence[bytes], candidates: list[list[int]]) -> list[list[Near]]:
        chosen = [
            _most_often(found) if page.print.words >= LEAST_WORDS else ()
            for page, found in zip(met, candidates, strict=True)
        ]
        rows = self.pages.rows(sorted(set().union(*chosen)))
        linked = [(at, number) for at, numbers in enumerate(chosen) for number in numbers if number in rows]
        ones = columns_of(asked[at] for at, _ in linked)
        others = columns_of(rows[number] for _, number in linked)
        alike = resemblances(ones, others)
        far = np.bitwise_count(ones["simhash"] ^ others["simhash"])
        found: list[list[Near]] = [[] for _ in met]
        for place in np.flatnonzero(are_copies(self.rule, ones, others, alike)).tolist():
            at, number = linked[place]
            near = Near(url_of(rows[number]), float(alike[place]), int(far[place]))
            if near.url != met[at].url:
                found[at].append(near)
        return [sorted(each, key=lambda near: (-near.resemblance, near.url)) for each in found]


def _asked(met: Sequence[Met]) -> tuple[list[bytes], Keys]:
    """Columns and entries of pages."""
    asked = [packed(page.print, page.site) for page in met]
    columns = columns_of(asked)
    return asked, entries(columns["simhash"], columns["sketch"])


def _most_often(candidates: list[int]) -> Sequence[int]:
    if len(candidates) <= CROWD:
        return tuple(set(candidates))
    found, counts = np.unique(candidates, return_counts=True)
    kept: list[int] = found[np.argsort(-counts, kind="stable")[:CROWD]].tolist()
    return kept
