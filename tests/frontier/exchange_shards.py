"""Shards that post to each other and write down what they posted and what they were given, in the same commits.

Run as a program, this is one such shard: it is told what to do line by line, and can be killed in the middle of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gossamer.frontier.entries import META, OUTBOX
from gossamer.frontier.shards import exchange
from gossamer.frontier.shards.exchange import Exchange
from gossamer.store.table.table import Table

POSTED, GIVEN = "posted", "given"
FAMILIES = (OUTBOX, META, POSTED, GIVEN)


class FakeTable:
    """A table in memory that loses what was not committed, when it is told to."""

    def __init__(self) -> None:
        self.stored: dict[str, dict[bytes, bytes]] = {name: {} for name in FAMILIES}
        self.rows = {name: dict(rows) for name, rows in self.stored.items()}

    def get(self, family: str, key: bytes) -> bytes | None:
        return self.rows[family].get(key)

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self.rows[family][key] = value

    def delete(self, family: str, key: bytes) -> None:
        self.rows[family].pop(key, None)

    def scan(self, family: str, prefix: bytes = b"", limit: int | None = None) -> Iterator[tuple[bytes, bytes]]:
        found = sorted(row for row in self.rows[family].items() if row[0].startswith(prefix))
        return iter(found[:limit])

    def commit(self) -> None:
        self.stored = {name: dict(rows) for name, rows in self.rows.items()}

    def crash(self) -> None:
        self.rows = {name: dict(rows) for name, rows in self.stored.items()}


class Shard:
    """One of several. Every item is told apart from all others by sender, destination and number."""

    def __init__(
        self,
        table: Any,
        me: int,
        shards: int,
        send: Callable[[int, bytes], None],
        kind: type[Exchange] = Exchange,
    ) -> None:
        self.me = me
        self.others = [number for number in range(shards) if number != me]
        self.table = table
        self.exchange = kind(table, me, shards, send)
        self.posted = _last(table, POSTED)
        self.given = _last(table, GIVEN)

    def start(self) -> None:
        for other in self.others:
            self.exchange.reborn(other)

    def post(self, to: int) -> None:
        self.posted += 1
        item = f"{self.me} {to} {self.posted}".encode()
        self.table.put(POSTED, _number(self.posted), item)
        self.exchange.post(to, item)

    def receive(self, source: int, message: bytes) -> None:
        for item in self.exchange.receive(source, message):
            self.given += 1
            self.table.put(GIVEN, _number(self.given), item)

    def commit(self) -> None:
        self.exchange.prepare()
        self.table.commit()
        self.exchange.committed()


def faults(tables: Mapping[int, Any]) -> list[str]:
    """What is wrong when all is quiet: an item not given once and in its order, or an outbox that is not empty."""
    found = []
    for here in tables:
        if list(tables[here].scan(OUTBOX, limit=1)):
            found.append(f"the outbox of {here} is not empty")
        for there in tables:
            posted = _between(here, there, tables[here].scan(POSTED))
            given = _between(here, there, tables[there].scan(GIVEN))
            if posted != given:
                found.append(f"{here} told {there} {len(posted)} items, and {len(given)} were given")
    return found


def _between(here: int, there: int, rows: Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    return [item for _, item in rows if item.startswith(b"%d %d " % (here, there))]


def _number(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _last(table: Any, family: str) -> int:
    return max((int.from_bytes(key, "big") for key, _ in table.scan(family)), default=0)


def main(path: str, me: int, shards: int) -> None:
    """Orders come in as lines; messages go out as lines, and a line `done` after each order."""
    exchange.BATCH_ITEMS, exchange.WINDOW = 7, 3

    def send(to: int, message: bytes) -> None:
        print(to, message.hex(), flush=True)

    with Table.open(Path(path), FAMILIES, writable=True) as table:
        shard = Shard(table, me, shards, send)
        for line in sys.stdin:
            obey(shard, *line.split())
            print("done", flush=True)


def obey(shard: Shard, order: str, *words: str) -> None:
    match order:
        case "start":
            shard.start()
        case "work":
            for number in range(int(words[0])):
                shard.post(shard.others[number % len(shard.others)])
            shard.commit()
        case "receive":
            shard.receive(int(words[0]), bytes.fromhex(words[1]))
        case "reborn":
            shard.exchange.reborn(int(words[0]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
