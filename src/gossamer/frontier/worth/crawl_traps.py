"""What is a kind of address worth? What it has brought so far: kinds that bring nothing new wait farther away.

No list of rules stops all traps, but a trap soon brings nothing new. Every kind of address (see `url_patterns`) is an
arm of a bandit: its yield is the share of its recent visits that brought new content. Yields are compared with the
best kind of the same host, and a kind that falls behind gets a share of the host's visits that shrinks to one in 64:
enough to notice when it brings something again. What was queued before a kind fell behind is put back when its turn
comes. Pages that only lead to new ones, such as lists, are paid for what they led to.

A kind can also be new for ever, as a calendar with invented events. So a kind that has more than its fair part of the
queue stands in a second row beside the others. Nothing is ever dropped: all this only moves addresses to a later
round (see `budget`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from gossamer.frontier.entries import TEMPLATES, TEXTS
from gossamer.frontier.rows import Rows, host_key
from gossamer.frontier.worth.new_text import Memory, Sketch
from gossamer.frontier.worth.pattern_yield import (
    ALL_BEHIND,
    CROWDING,
    PART_FADING,
    SHARES,
    HostKinds,
    KindRow,
    has_share,
    is_fine,
    levels,
    part,
    turn,
    wait,
)
from gossamer.frontier.worth.url_patterns import Template, template, wider_kinds
from gossamer.rows import decoder
from gossamer.store.table.table import Table

SCOUT = 8
"""Added to the level of an address that stays near, to see whether its family still brings nothing."""
PASSED = 128
"""Addresses that are put back in a row; the next one goes out, whatever it is."""
NUMBERS = 0.1
"""What a page is worth that differs from others in its numbers only."""
KINDS = 2_000
"""Kinds of a host that are told apart; a host with more of them makes them up."""
FIRST = 16
"""Kinds of a host that lie in its own row: one row is read and written for them, not one for each."""
CREDIT = 0.5
"""What a new page counts for the kind whose page led to it."""
_VARIES = re.compile(r"(?<=/)[0xws+](?=[./?;]|$)")
"""What stands for a part that differs in addresses of one kind."""


@dataclass(frozen=True, slots=True)
class KindAnswer:
    """What `why` tells of the kind of an address."""

    name: str
    """Its address without what varies: 0 a number, x an id, w a word, s another name, + a repetition."""
    found: int
    fetched: int
    fresh: float
    """How many of the fetched brought something new; parts count as parts."""
    share: float
    """Part of the visits that it may take while there is something better."""

    @property
    def pattern(self) -> str:
        """The name as people write one: * for each part that varies."""
        return _VARIES.sub("*", self.name)


class KindSums(NamedTuple):
    """A kind of address of a host, and what it has brought."""

    name: str
    """As in `KindAnswer`, without the host; a star stands for all below it."""
    found: int
    fetched: int
    fresh: float


class Place(NamedTuple):
    """Where an address is put."""

    distance: int
    level: int


NEAR = Place(0, 0)

kind_of = decoder(KindRow)
host_of = decoder(HostKinds)
memory_of = decoder(Memory)


class Novelty:
    """Counts what kinds of addresses bring, and says how far away the next one is."""

    def __init__(self, table: Table, pages: Callable[[str], int]) -> None:
        """`pages` tells how many pages a round the site of a host is worth."""
        self._table = table
        self._pages = pages
        self._kinds = Rows(table, TEMPLATES, kind_of, KindRow)
        self._hosts = Rows(table, TEMPLATES, host_of, HostKinds)
        self._memories = Rows(table, TEMPLATES, memory_of, Memory)
        self._in_use: dict[str, tuple[HostKinds, list[KindRow]]] = {}
        """The rows of a kind, as long as all of them are in use."""

    def read_ahead(self, hosts: Iterable[str]) -> None:
        """Kinds of these will be asked for soon."""
        self._hosts.read_ahead(map(host_key, hosts))

    # ---------------------------------------------------------------- queued

    def place(self, kind: Template) -> Place:
        """Where a new address of that kind is put."""
        host, rows = self._rows(kind)
        for row in rows:
            row.found += 1
        wait(host, rows, 1)
        if is_fine(host, rows):
            return NEAR
        standing, pages = levels(host, rows), self._pages(kind.host)
        now = host.fetched // pages
        if standing[-1] > CROWDING and now >= rows[0].scout:
            rows[0].scout = now + _pause(standing[-1], pages)
            return Place(0, standing[-1] + SCOUT)
        return _behind(host, rows, standing, pages)

    def sink(self, kind: Template, before: Place, least: int = 0) -> Place | None:
        """Where an address goes that is next but should not be; None when it may go out.

        It may when nothing better is left in its queue, when its kind has not had its share, or when looking for
        something better took too long.
        """
        host, rows = self._rows(kind)
        standing = levels(host, rows)
        standing[-1] = max(standing[-1], least)
        scout = before.level > SCOUT and host.behind <= ALL_BEHIND
        last = before.distance > host.farthest or host.passed >= PASSED
        if scout or last or standing[-1] <= CROWDING or has_share(host, rows, standing):
            host.passed, host.now = 0, before.distance
            return None
        host.passed += 1
        pages = self._pages(kind.host)
        if before.level > SCOUT:
            return Place(before.distance + _pause(standing[-1], pages), before.level)
        behind = _behind(host, rows, standing, pages)
        return behind._replace(distance=max(behind.distance, before.distance * 3 // 2 + 1))

    # --------------------------------------------------------------- visited

    def now(self, host: str) -> int:
        """The round that a host has come to."""
        return self._hosts.use(host_key(host)).now

    def left(self, kind: Template) -> None:
        """An address leaves the queue."""
        host, rows = self._rows(kind)
        if rows[0].waiting and rows[1].waiting:
            wait(host, rows, -1)

    def news(self, kind: Template, page: Sketch) -> float:
        """How new a page is for its host and its family, from 0 to 1. It is remembered."""
        key = kind.host.encode() + b"\0" + page.digest.to_bytes(8, "big")
        if self._table.get(TEXTS, key) is not None:
            return 0.0
        self._table.put(TEXTS, key, b"")
        return max(self._memories.use(self._memory_key(kind)).news(page), NUMBERS)

    def count(self, kind: Template, worth: float) -> None:
        """A visit to an address of that kind brought so much."""
        host, rows = self._rows(kind)
        standing = levels(host, rows)
        host.behind = host.behind * PART_FADING + (standing[-1] > CROWDING) * (1 - PART_FADING)
        host.fetched += 1
        above: HostKinds | KindRow = host
        for row, level in zip(rows, standing, strict=True):
            row.count(worth)
            row.part, row.at = part(row, above) + 1 - PART_FADING, above.fetched
            if row.poor != (level > CROWDING):
                turn(row, above)
            above = row
        path = rows[1]
        if path.life > host.best or kind.path == host.best_kind:
            host.best, host.best_kind = path.life, kind.path

    def credit(self, kind: Template) -> None:
        """An address of that kind led to something new of another."""
        for row in self._rows(kind)[1]:
            row.recent_fresh = min(row.recent_fresh + CREDIT, row.recent)
            row.fresh = min(row.fresh + CREDIT, row.fetched)

    # ------------------------------------------------------------------ rows

    def save(self) -> None:
        """The counts become part of the next commit."""
        self._kinds.save()
        self._hosts.save()
        self._memories.save()
        self._in_use.clear()

    def _rows(self, kind: Template) -> tuple[HostKinds, list[KindRow]]:
        """The host and the kind in its sizes, the largest first, to be changed."""
        found = self._in_use.get(kind.full)
        if found is None:
            host = self._hosts.use(host_key(kind.host))
            names = kind[1:4] if kind.full != kind.path else kind[1:3]
            found = self._in_use[kind.full] = host, [self._row(name, kind.host, host) for name in names]
        return found

    def _row(self, name: str, host_name: str, host: HostKinds) -> KindRow:
        rest = name[len(host_name) :]
        row = host.first.get(rest)
        if row is None and host.kinds < FIRST:
            row = host.first[rest] = KindRow()
            host.kinds += 1
        return row or self._further(name, host_name, host)

    def _further(self, name: str, host_name: str, host: HostKinds) -> KindRow:
        """Not one of the first kinds of its host: it has a row of its own."""
        if self._kinds.peek(name) is None:
            if host.kinds >= KINDS:
                return self._kinds.use(f"{host_name}*")
            host.kinds += 1
        return self._kinds.use(name)

    def _memory_key(self, kind: Template) -> str:
        """Where it stands what the pages of a family have shown; kinds that are not told apart share one place."""
        host, rows = self._rows(kind)
        rest = f"{kind.host}*"
        shared = host.kinds >= KINDS and rows[0] is self._kinds.peek(rest)
        return f"{rest if shared else kind.family}\0"


def _pause(level: int, pages: int) -> int:
    """Rounds between two addresses of a kind that is behind."""
    return ceil(1 / (pages * SHARES[level]))


def _behind(host: HostKinds, rows: list[KindRow], standing: list[int], pages: int) -> Place:
    """After all that is better now, each size of kind at its own distance from the address before.

    One that only crowds stands in a second row, with all others that do, at the full pace of the site.
    """
    if standing[-1] == CROWDING:
        host.tail = max(host.tail, host.now) + 1 / pages
        host.farthest = max(host.farthest, int(host.tail))
        return Place(int(host.tail), CROWDING)
    away = host.farthest + 1
    for row, level in zip(rows, standing, strict=True):
        if level > CROWDING:
            row.tail = max(row.tail, host.farthest) + 1 / (pages * SHARES[level])
            away = max(away, int(row.tail))
    return Place(away, standing[-1])


def about_kind(table: Table, url: str) -> KindAnswer | None:
    """What is known of addresses like this one; None when there is none."""
    kind = template(url)
    stored = table.get(TEMPLATES, host_key(kind.host).encode())
    host = host_of(stored) if stored else HostKinds()
    rows = [_known(table, host, kind.host, name) for name in dict.fromkeys(kind[1:4])]
    kinds = [row for row in rows if row is not None]
    if len(kinds) < len(rows):
        return None
    level = levels(host, kinds)[-1]
    return KindAnswer(kind.full, kinds[-1].found, kinds[-1].fetched, round(kinds[-1].fresh, 1), SHARES[level])


def kinds_of(table: Table, origin_name: str, most: int) -> list[KindSums]:
    """The kinds of addresses of a host and port, those with the most addresses first. Of two with the same sums, one
    within the other, the closer one is told."""
    stored = table.get(TEMPLATES, host_key(origin_name).encode())
    rows = dict(host_of(stored).first) if stored else {}
    for key, value in table.scan(TEMPLATES, prefix=f"{origin_name}/".encode()):
        if not key.endswith(b"\0"):
            rows[key.decode()[len(origin_name) :]] = kind_of(value)
    known = [KindSums(name, row.found, row.fetched, round(row.fresh, 1)) for name, row in rows.items() if row.found]
    said_closer = {each._replace(name=wider) for each in known for wider in wider_kinds(each.name)}
    told = (each for each in known if each not in said_closer)
    return sorted(told, key=lambda each: (-each.found, each.name))[:most]


def _known(table: Table, host: HostKinds, host_name: str, name: str) -> KindRow | None:
    row = host.first.get(name[len(host_name) :])
    stored = table.get(TEMPLATES, name.encode()) if row is None else None
    return kind_of(stored) if stored else row
