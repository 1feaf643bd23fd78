"""Do addresses that were guessed bring anything? Learned for each host and each place that such strings stand in.

A site that is made by scripts has its addresses in them; in others the same strings are names of functions, or paths of
an interface. So the first guesses of each sort are tried. Where hardly one of them was a page that is new, no more of
that sort are asked for on that host, and those that wait are left out.
"""

from __future__ import annotations

import msgspec

from gossamer.frontier.entries import META
from gossamer.rows import Count, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

TRIALS = 8
"""Guesses of a sort that are tried on a host before it is given up."""
LEAST = 0.1
"""The part of them that must bring something."""
USELESS = "it was guessed from strings of a page, and such addresses bring nothing here"
"""Why such an address is left out."""
NO_PAGE = "it was guessed from strings of a page, and there is no such page"
"""Why one is left out that was tried: it is nobody's broken link."""
KEY = b"guessed\0"
"""Rows of `META`, with a host each."""


class GuessRow(msgspec.Struct, array_like=True, frozen=True):
    """What became of the guesses of a host, by the place that they stood in."""

    tried: dict[str, Count] = {}
    good: dict[str, Count] = {}


guess_row = decoder(GuessRow)
_NOTHING = GuessRow()


class GuessedLinks:
    """Of one shard."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def are_worth_it(self, url: str, place: str) -> bool:
        """May such a guess bring anything on the host of that address?"""
        row = self._row(url)
        tried = row.tried.get(place, 0)
        return tried < TRIALS or row.good.get(place, 0) >= LEAST * tried

    def answered(self, url: str, place: str, status: int, *, is_new: bool) -> None:
        """A guess was asked for. That it leads on, or that its host is ill, says nothing of it."""
        if not 200 <= status < 300 and not 400 <= status < 500:
            return
        row = self._row(url)
        tried = {**row.tried, place: row.tried.get(place, 0) + 1}
        good = {**row.good, place: row.good.get(place, 0) + is_new}
        self._table.put(META, _key(url), msgspec.msgpack.encode(GuessRow(tried, good)))

    def _row(self, url: str) -> GuessRow:
        data = self._table.get(META, _key(url))
        return guess_row(data) if data else _NOTHING


def _key(url: str) -> bytes:
    return KEY + keys.authority(url).encode()
