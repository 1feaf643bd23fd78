"""Cash along the links of a page that was fetched, and a better place for an address that has gained by it.

An address that waits gains cash with every link to it, so its place moves. To move it is to write three rows, so it
moves only when its cash has passed a power of two: a few times in its life, however often it is linked. Its old place
is given up at once; a copy of it at the head of a queue in memory is known by its position (`Choice._admit`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from gossamer.frontier.entries import Entry, State
from gossamer.frontier.importance import Importance
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.origins import Queues
from gossamer.frontier.rank import Order, distance, rank

GATHERED = 5_000
"""Addresses with gifts that are counted at once, should no commit come before."""


class Flow:
    """Keeps the cash and the queues in step."""

    def __init__(
        self,
        importance: Importance,
        ledger: Ledger,
        queues: Queues,
        order: Order,
        enqueue: Callable[[str, Entry], Entry],
        out: Callable[[], set[str]],
    ) -> None:
        """`out` gives the addresses that are being visited: they have had their turn and must not get another."""
        self._importance = importance
        self._ledger = ledger
        self._queues = queues
        self._order = order
        self._enqueue = enqueue
        self._out = out

    def weighed(self, url: str, entry: Entry) -> Entry:
        """An entry that is about to be queued, with its cash."""
        return replace(entry, cash=self._importance.open(url))

    def passed(self, url: str, links: Collection[str], *, others: int = 0) -> int:
        """A page was fetched: its cash goes to what it links to, and so many others. Gives the share of each."""
        share = self._importance.spend(url, len(links) + others)
        if share:
            self.receive(links, share)
        return share

    def receive(self, urls: Collection[str], amount: int) -> None:
        """Each of them gets so much, from a page of ours or of another shard."""
        self._importance.give(urls, amount)
        if self._importance.gifts >= GATHERED:
            self.move()

    def ended(self, url: str) -> None:
        """An address is given up or left out."""
        self._importance.close(url)

    def move(self) -> None:
        """Count what was given, and move what has gained by it."""
        changed = self._importance.count()
        out = self._out() if changed else set()
        for url, entry in zip(changed, self._ledger.get_many(changed), strict=True):
            if entry is None or url in out or entry.due:
                continue
            if entry.state is State.QUEUED:
                self._move(url, entry)
            else:
                self._importance.close(url)

    def save(self) -> None:
        """All of it becomes part of the next commit."""
        self.move()
        self._importance.save()

    def _move(self, url: str, entry: Entry) -> None:
        weighed = self.weighed(url, entry)
        place = rank(distance(entry.rank), self._order(url, weighed))
        if place != entry.rank:
            self._queues.remove(url, entry.rank, entry.position)
            self._ledger.put(url, self._enqueue(url, replace(weighed, rank=place)), entry)
