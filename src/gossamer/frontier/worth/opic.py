"""What is a page worth, as far as the crawl has seen? Cash that flows along the links while they are found.

OPIC (Abiteboul, Preda, Cobena, WWW 2003): every page holds cash. A page that is fetched shares its cash among the
pages it links to and begins again with none. What a page had to share so far and what it holds now, as a part of all
that was ever shared, tends to its PageRank, and no link is kept for it. A virtual page stands for a reader who jumps:
it gets a part of every sharing, and all of it where there are no links. Where we differ:

- Only an address that waits holds cash. We fetch a page once, so what reached it later would lie there for good; it
  counts for its importance and goes on to the virtual page. The same holds for an address that is left out.
- The virtual page pays all that wait alike, in constant time: it keeps the sum that each was paid so far, and an
  address takes the difference when it is counted. At the start it has everything, so the seeds get equal parts.
- Cash is whole grains. Nothing is lost by rounding, and `audit` counts every grain.

What is given lies in memory until `count`, which comes before every commit: many gifts of a second go to one page.

`Flow` hands cash along the links of a page that was fetched, and gives an address that gained by it a better place. An
address that waits gains cash with every link to it, so its place moves. To move it is to write three rows, so it moves
only when its cash has passed a power of two: a few times in its life, however often it is linked. Its old place is
given up at once; a copy of it at the head of a queue in memory is known by its position (`Choice._admit`).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from gossamer.frontier.entries import CASH, META, CashRow, Entry, State, cash_row, encode
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.rank import Order, distance, rank
from gossamer.printable import counted
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

TOTAL = 1 << 50
"""Grains at the start; what comes in from elsewhere adds to them."""
TELEPORT = 15
"""Percent of every sharing that go to the virtual page."""
FRESH, SETTLED = -2, -1
"""In the place of `CashRow.since`: nobody has said yet whether it will wait; it does not wait any more."""
_MASK = (1 << 62) - 1
"""Only differences of `Books.paid` count, so that it may run over."""
_KEPT = 50_000
"""Rows in each of two generations; the older one is dropped when the newer is full."""
_BOOKS = b"cash"


class Books(msgspec.Struct):
    """The sums over all rows."""

    total: int = TOTAL
    """All cash: in rows, owed to rows, and of the virtual page."""
    pot: int = TOTAL
    """What the virtual page holds."""
    paid: int = 0
    """What it paid so far to each address that waits."""
    waiting: int = 0
    """How many it pays."""
    shared: float = 0.0
    """All that was ever shared: the sum of the histories."""

    def owed(self, row: CashRow) -> int:
        """What the virtual page has paid since an address was counted last."""
        return (self.paid - row.since) & _MASK if row.since >= 0 else 0

    def pay(self) -> None:
        """The virtual page shares what it holds among all that wait."""
        each = self.pot // self.waiting if self.waiting else 0
        self.paid = (self.paid + each) & _MASK
        self.pot -= each * self.waiting


class Importance:
    """Keeps the cash. It neither knows links nor queues: an address, and whether it waits, is all it hears of."""

    def __init__(self, table: Table, *, teleport: int = TELEPORT) -> None:
        self._table = table
        self._teleport = teleport
        self._books = _books(table) or Books()
        self._gifts: dict[str, int] = {}
        self._new: dict[str, CashRow] = {}
        self._old: dict[str, CashRow] = {}

    @property
    def gifts(self) -> int:
        """Addresses whose gifts are not counted yet."""
        return len(self._gifts)

    def open(self, url: str) -> int:
        """An address waits from now on, if it did not before. Gives its cash."""
        row, gift = self._row(url), self._gifts.pop(url, 0)
        if gift or row.since != self._books.paid:
            self._receive(row, gift)
            self._books.waiting += row.since < 0
            row.since = self._books.paid
            self._put(url, row)
        return row.cash

    def spend(self, url: str, links: int) -> int:
        """It was fetched and links to so many others. Gives what each of them is to get: hand it on with `give`."""
        if self._row(url).since < 0:
            self.open(url)
        self._books.pay()
        cash = self._emptied(url)
        share = cash * (100 - self._teleport) // 100 // links if links else 0
        self._books.pot -= share * links
        self._books.total -= share * links
        return share

    def close(self, url: str) -> None:
        """It will not be fetched: what it holds goes to the virtual page."""
        self._emptied(url)

    def give(self, urls: Iterable[str], amount: int) -> None:
        """Somebody links to these, here or in another shard, and has spent so much for each."""
        gifts = self._gifts
        before, many = self._books.total, 0
        for url in urls:
            gifts[url] = gifts.get(url, 0) + amount
            many += 1
        self._books.total = before + many * amount

    def count(self) -> list[str]:
        """Put the gifts in their rows. Gives the addresses whose cash has passed a power of two, up or down."""
        urls = list(self._gifts)
        passed = []
        for url, row in zip(urls, self._rows(urls), strict=True):
            before = row.cash.bit_length()
            self._receive(row, self._gifts[url])
            self._put(url, row)
            if row.cash.bit_length() != before:
                passed.append(url)
        self._gifts.clear()
        return passed

    def save(self) -> None:
        """The sums become part of the next commit; `count` comes first."""
        self._table.put(META, _BOOKS, encode(self._books))

    def _receive(self, row: CashRow, gift: int) -> None:
        books = self._books
        if row.since == SETTLED:
            row.history += gift
            books.shared += gift
            books.pot += gift
        else:
            row.cash += gift + books.owed(row)
            row.since = books.paid if row.since >= 0 else row.since

    def _emptied(self, url: str) -> int:
        """It waits no more, and what it held is with the virtual page."""
        row, books = self._row(url), self._books
        self._receive(row, self._gifts.pop(url, 0))
        cash, row.cash = row.cash, 0
        books.waiting -= row.since >= 0
        row.since = SETTLED
        self._receive(row, cash)
        self._put(url, row)
        return cash

    def _put(self, url: str, row: CashRow) -> None:
        self._table.put(CASH, keys.row(url), encode(row))

    def _row(self, url: str) -> CashRow:
        return self._new.get(url) or self._rows([url])[0]

    def _rows(self, urls: Sequence[str]) -> list[CashRow]:
        if len(self._new) > _KEPT:
            self._old, self._new = self._new, {}
        new, old = self._new, self._old
        missing = [url for url in urls if url not in new and url not in old]
        stored = self._table.get_many(CASH, [keys.row(url) for url in missing])
        for url, data in zip(missing, stored, strict=True):
            new[url] = cash_row(data) if data else CashRow(since=FRESH)
        for url in urls:
            if url not in new:
                new[url] = old[url]
        return [new[url] for url in urls]


def importance(table: Table, url: str) -> float | None:
    """The part of all importance that an address has, 0 to 1; None where no cash is kept."""
    books, data = _books(table), table.get(CASH, keys.row(url))
    if books is None or data is None:
        return None
    row = cash_row(data)
    return (row.history + row.cash + books.owed(row)) / (books.shared + books.total)


def audit(table: Table) -> Iterator[str]:
    """What is wrong with the cash; nothing when every grain is there."""
    books = _books(table)
    if books is None:
        return
    held = waiting = 0
    for _, data in table.scan(CASH):
        row = cash_row(data)
        held += row.cash + books.owed(row)
        waiting += row.since >= 0
    if held + books.pot != books.total:
        yield f"there should be {books.total} grains of cash, but there are {held + books.pot}"
    if waiting != books.waiting:
        yield f"{counted(books.waiting, 'address')} should hold cash, but {waiting} do"


books_of = decoder(Books)


def _books(table: Table) -> Books | None:
    data = table.get(META, _BOOKS)
    return None if data is None else books_of(data)


GATHERED = 5_000
"""Addresses with gifts that are counted at once, should no commit come before."""


class Flow:
    """Hands the cash along the links, and says which addresses are to move because of it."""

    def __init__(self, importance: Importance, ledger: Ledger, order: Order) -> None:
        self._importance = importance
        self._ledger = ledger
        self._order = order
        self.receive = importance.give
        """Each of some addresses gets so much, from a page of ours or of another shard."""
        self.ended = importance.close
        """An address is given up or left out."""
        self.save = importance.save
        """The sums become part of the next commit; what is `gained` comes first."""

    @property
    def full(self) -> bool:
        """So much was given that it should be counted."""
        return self._importance.gifts >= GATHERED

    def weighed(self, url: str, entry: Entry) -> Entry:
        """An entry that is about to be queued, with its cash."""
        return replace(entry, cash=self._importance.open(url))

    def passed(self, url: str, links: Collection[str], *, others: int = 0) -> int:
        """A page was fetched: its cash goes to what it links to, and so many others. Gives the share of each."""
        share = self._importance.spend(url, len(links) + others)
        if share:
            self._importance.give(links, share)
        return share

    def gained(self, out: Container[str]) -> Iterator[tuple[str, Entry, Entry]]:
        """Count what was given. Gives what has another rank by it: an address, its entry with that rank, and without.

        What is `out` has had its turn and must not get another.
        """
        changed = self._importance.count()
        for url, entry in zip(changed, self._ledger.get_many(changed), strict=True):
            if entry is None or url in out or entry.due:
                continue
            if entry.state is not State.QUEUED:
                self._importance.close(url)
                continue
            weighed = self.weighed(url, entry)
            there = rank(distance(entry.rank), self._order(url, weighed))
            if there != entry.rank:
                yield url, replace(weighed, rank=there), entry
