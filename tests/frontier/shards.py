"""Shards of one crawl in one process: each has its table and its frontier, and a test carries the messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from pathlib import Path
from typing import Any

from books import Books

from gossamer.collection.column_families import FAMILIES
from gossamer.engine import termination
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.audit import audit
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.rules import Outward, Rules
from gossamer.frontier.shards.peers import Peers
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls import keys, site
from gossamer.urls.scope import Scope


class Post:
    """The seat of a shard: what it sends lies here until the test carries it."""

    def __init__(self, index: int, count: int, mail: deque[tuple[int, int, bytes]]) -> None:
        self.index, self.count, self._mail = index, count, mail
        self.term, self.leased_until = 0, inf
        self.words: list[termination.Word] = []
        self.wells = 0

    def listen(self, heard: object, reborn: object, orphaned: object) -> None:
        """The test calls them."""

    def send(self, to: int, message: bytes) -> None:
        self._mail.append((self.index, to, message))

    def tell(self, message: bytes) -> None:
        self.words.append(termination.decode_word(message))

    def well(self) -> None:
        self.wells += 1


class Shard(Books):
    """One of them."""

    def __init__(self, folder: Path, table: Table, post: Post, outward: Outward, **rules: Any) -> None:
        self.post = post
        self.peers = Peers(table, post, site, IpLeases(folder.parent / "gate", post.index, delay=0.5))
        asked = Rules(Scope(kind="any"), Politeness(), "Gossamer", **{"sitemaps": False, **rules})
        clock = VirtualClock()
        frontier = Frontier(table, asked, clock, seen=folder / "seen", outward=outward, peers=self.peers)
        self.peers.attach(frontier)
        super().__init__(table, frontier, clock)

    def commit(self) -> None:
        self.frontier.prepare()
        self.peers.prepare()
        self.table.commit()
        self.peers.committed()


class Crew:
    """All of them, and what is under way between them."""

    def __init__(self) -> None:
        self.mail: deque[tuple[int, int, bytes]] = deque()
        self.shards: list[Shard] = []

    def __getitem__(self, index: int) -> Shard:
        return self.shards[index]

    def deliver(self) -> None:
        """All that was sent, and what is sent because of it."""
        for _ in range(1_000):
            if not self.mail:
                return
            source, to, message = self.mail.popleft()
            self.shards[to].peers.heard(source, message)
        raise AssertionError("they do not come to an end")

    def settle(self) -> None:
        """Commit and deliver until nothing is under way."""
        for _ in range(10):
            for shard in self.shards:
                shard.frontier.sift()
                shard.commit()
            self.deliver()
            if not any(shard.peers.waiting for shard in self.shards):
                return
        raise AssertionError("they do not come to rest")


def home(index: int, count: int, number: int = 0) -> str:
    """The number-th home page of a site that belongs to that shard."""
    found = (f"site{each}.example" for each in range(10_000))
    ours = [name for name in found if keys.shard(name, count) == index]
    return f"http://{ours[number]}/"


@contextmanager
def crew(folder: Path, count: int = 2, outward: Outward | None = None, **rules: Any) -> Iterator[Crew]:
    """Start them; at the end the books of each are checked."""
    IpLeases.create(folder / "gate", count)
    working = Crew()
    with ExitStack() as stack:
        for index in range(count):
            place = folder / f"{index:02}"
            place.mkdir()
            table = stack.enter_context(Table.open(place / "table", FAMILIES, writable=True))
            working.shards.append(Shard(place, table, Post(index, count, working.mail), outward or Outward(), **rules))
        yield working
        for shard in working.shards:
            shard.frontier.settle()
            shard.commit()
            shard.frontier.close()
            problems = list(audit(shard.table))
            assert problems == [], problems
