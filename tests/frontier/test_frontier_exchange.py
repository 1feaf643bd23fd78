"""Whatever dies, in whatever order messages come or get lost: what was posted and committed is applied once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import deque
from contextlib import ExitStack
from pathlib import Path

import pytest
from exchange_shards import FAMILIES, FakeTable, Shard, faults

from gossamer.errors import Damaged
from gossamer.frontier.entries import OUTBOX
from gossamer.frontier.shards import exchange
from gossamer.frontier.shards.exchange import Batch, Exchange, Incoming, Receipt
from gossamer.store.table.table import Table

SHARDS = 3
SEEDS = range(60)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BATCH_ITEMS", 4)
    monkeypatch.setattr(exchange, "WINDOW", 3)


class World:
    """Shards, the messages between them, and chance."""

    def __init__(self, seed: int, kind: type[Exchange]) -> None:
        self.chance = random.Random(seed)
        self.kind = kind
        self.tables = {number: FakeTable() for number in range(SHARDS)}
        self.alive: dict[int, Shard] = {}
        self.under_way = {(a, b): deque[bytes]() for a in range(SHARDS) for b in range(SHARDS)}
        self.news: list[tuple[int, int]] = []
        for number in range(SHARDS):
            self.start(number)

    def start(self, number: int) -> None:
        def send(to: int, message: bytes) -> None:
            if to in self.alive:
                self.under_way[number, to].append(message)

        self.alive[number] = Shard(self.tables[number], number, SHARDS, send, self.kind)
        self.alive[number].start()
        self.news += [(other, number) for other in self.alive if other != number]

    def kill(self, number: int) -> None:
        """Of what was under way, some may still arrive, at this shard's next life or from its last one."""
        del self.alive[number]
        self.tables[number].crash()
        self.news = [(who, whom) for who, whom in self.news if who != number]
        for pair, messages in self.under_way.items():
            if number in pair:
                luck = self.chance.random()
                self.under_way[pair] = deque(each for each in messages if self.chance.random() < luck)

    def step(self) -> None:
        number = self.chance.randrange(SHARDS)
        shard = self.alive.get(number)
        dice = self.chance.random()
        if shard is None:
            if dice < 0.2:
                self.start(number)
        elif dice < 0.40:
            shard.post(self.chance.choice(shard.others))
        elif dice < 0.85:
            self.deliver(number)
        elif dice < 0.90:
            self.hear()
        elif dice < 0.98:
            self.commit(shard)
        else:
            self.kill(number)

    def deliver(self, number: int) -> None:
        waiting = [source for source in range(SHARDS) if self.under_way[source, number]]
        if waiting:
            source = self.chance.choice(waiting)
            self.alive[number].receive(source, self.under_way[source, number].popleft())

    def hear(self) -> None:
        if self.news:
            who, whom = self.news.pop(self.chance.randrange(len(self.news)))
            self.alive[who].exchange.reborn(whom)

    def commit(self, shard: Shard) -> None:
        """A shard may also die right before a commit or right after it."""
        shard.exchange.prepare()
        if self.chance.random() < 0.1:
            self.kill(shard.me)
            return
        shard.table.commit()
        if self.chance.random() < 0.1:
            self.kill(shard.me)
            return
        shard.exchange.committed()

    def settle(self) -> None:
        """From now on nobody dies."""
        for number in range(SHARDS):
            if number not in self.alive:
                self.start(number)
        while self.news:
            self.hear()
        for _ in range(200):
            for shard in self.alive.values():
                shard.commit()
            for number in range(SHARDS):
                while any(self.under_way[source, number] for source in range(SHARDS)):
                    self.deliver(number)


def run(seed: int, kind: type[Exchange] = Exchange) -> World:
    world = World(seed, kind)
    for _ in range(1_500):
        world.step()
    world.settle()
    return world


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_committed_is_applied_once_and_in_order(seed: int) -> None:
    world = run(seed)
    assert faults(world.tables) == []
    assert sum(shard.given for shard in world.alive.values()) > 100
    for here in world.alive.values():
        assert here.exchange.waiting == 0
        for there in world.alive.values():
            assert here.exchange.sent()[there.me] == there.exchange.kept()[here.me]


class Hasty(Exchange):
    """Sends what no commit has made durable."""

    def prepare(self) -> None:
        super().prepare()
        for peer in self._peers:
            self._out[peer].durable = self._out[peer].closed
            self._send_on(self._out[peer])


class Forgetful(Exchange):
    """Does not look at what it has applied already."""

    def _take(self, way: Incoming, batch: Batch) -> list[bytes]:
        way.applied = min(way.applied, batch.number - 1)
        return super()._take(way, batch)


class Gullible(Exchange):
    """Takes what comes, although something before it is missing."""

    def _take(self, way: Incoming, batch: Batch) -> list[bytes]:
        way.applied = max(way.applied, batch.number - 1)
        return super()._take(way, batch)


class Boastful(Exchange):
    """Says that it keeps what a crash can still take away."""

    def _take(self, way: Incoming, batch: Batch) -> list[bytes]:
        items = super()._take(way, batch)
        self._send(way.source, exchange.encode(Receipt(way.applied)))
        return items


class Deaf(Exchange):
    """Does not go back when another shard was restarted."""

    def reborn(self, peer: int) -> None:
        pass


@pytest.mark.parametrize("kind", [Hasty, Forgetful, Gullible, Boastful, Deaf])
def test_without_any_one_of_its_rules_it_would_fail(kind: type[Exchange]) -> None:
    def goes_wrong(seed: int) -> bool:
        try:
            return bool(faults(run(seed, kind).tables))
        except Damaged:
            return True

    assert any(goes_wrong(seed) for seed in SEEDS)


# ------------------------------------------------------------------- by its rules


class Pair:
    """Two shards, and all that the first one says."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.table = FakeTable()
        self.first = Exchange(self.table, 0, 2, lambda to, message: self.said.append(message))
        self.answers: list[bytes] = []
        self.second = Exchange(FakeTable(), 1, 2, lambda to, message: self.answers.append(message))

    def commit(self) -> list[bytes]:
        self.said.clear()
        self.first.prepare()
        self.table.commit()
        self.first.committed()
        return list(self.said)


def test_nothing_is_sent_before_its_commit() -> None:
    pair = Pair()
    for number in range(9):
        pair.first.post(1, b"%d" % number)
    pair.first.prepare()
    assert pair.said == []
    assert len(pair.commit()) == 3


def test_an_open_batch_is_not_quiet() -> None:
    pair = Pair()
    pair.first.post(1, b"a")
    assert pair.first.sent() == (0, 1)
    assert pair.first.waiting == 1
    pair.commit()
    assert pair.first.sent() == (0, 1)
    assert pair.first.waiting == 1


def test_an_acknowledgement_waits_for_the_commit_of_the_effects() -> None:
    pair = Pair()
    pair.first.post(1, b"a")
    (message,) = pair.commit()
    assert pair.second.receive(0, message) == [b"a"]
    assert pair.answers == []
    pair.second.prepare()
    assert pair.answers == []
    pair.second.committed()
    assert pair.first.receive(1, pair.answers.pop()) == []
    assert pair.first.waiting == 0
    assert list(pair.table.scan(OUTBOX)) == []


def test_a_batch_is_not_quiet_before_its_effects_are_durable() -> None:
    """Else all might end while the one that has it dies, and nobody would be left to send it again."""
    pair = Pair()
    pair.first.post(1, b"a")
    (message,) = pair.commit()
    pair.second.receive(0, message)
    assert pair.second.kept() == (0, 0)
    assert pair.second.open
    pair.second.prepare()
    pair.second.committed()
    assert pair.second.kept() == (1, 0)
    assert not pair.second.open


def test_others_wait_for_what_is_committed_and_not_published_in_either_direction() -> None:
    tables = FakeTable(), FakeTable()
    sent: list[bytes] = []
    first = Exchange(tables[0], 0, 3, lambda to, message: sent.append(message), publishes=True)
    second = Exchange(tables[1], 1, 3, lambda to, message: None, publishes=True)
    assert not first.unpublished
    first.post(1, b"a")
    assert not first.unpublished, "nothing is committed yet"
    first.prepare()
    first.committed()
    assert first.unpublished
    assert not sent
    first.published(first.marks())
    assert not first.unpublished
    second.receive(0, sent[0])
    assert not second.unpublished
    second.prepare()
    second.committed()
    assert second.unpublished, "who sent it wants to hear that it is kept"
    second.published(second.marks())
    assert not second.unpublished


def test_a_batch_that_comes_twice_is_acknowledged_twice_and_given_once() -> None:
    pair = Pair()
    pair.first.post(1, b"a")
    (message,) = pair.commit()
    assert pair.second.receive(0, message) == [b"a"]
    for _ in range(2):
        pair.second.prepare()
        pair.second.committed()
        assert len(pair.answers) == 1
        pair.answers.clear()
        assert pair.second.receive(0, message) == []


def test_a_gap_is_asked_for_once() -> None:
    pair = Pair()
    for number in range(12):
        pair.first.post(1, b"%d" % number)
    _, second, third = pair.commit()
    assert pair.second.receive(0, second) == []
    assert pair.second.receive(0, third) == []
    (asked,) = pair.answers
    pair.said.clear()
    pair.first.receive(1, asked)
    given = [item for message in pair.said for item in pair.second.receive(0, message)]
    assert given == [b"%d" % number for number in range(12)]


def test_after_a_gap_nothing_is_asked_for_that_was_applied() -> None:
    pair = Pair()
    for number in range(12):
        pair.first.post(1, b"%d" % number)
    first, second, third = pair.commit()
    assert pair.second.receive(0, first)
    assert pair.second.receive(0, third) == []
    (asked,) = pair.answers
    pair.said.clear()
    pair.first.receive(1, asked)
    assert pair.said == [second, third]


def test_no_more_is_under_way_than_the_window_allows() -> None:
    pair = Pair()
    for number in range(40):
        pair.first.post(1, b"%d" % number)
    messages = pair.commit()
    assert len(messages) == 3
    assert pair.commit() == []
    pair.second.receive(0, messages[0])
    pair.second.prepare()
    pair.second.committed()
    pair.first.receive(1, pair.answers.pop())
    assert len(pair.said) == 1
    assert pair.first.waiting == 36


def test_a_large_item_closes_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BATCH_BYTES", 100)
    pair = Pair()
    for _ in range(3):
        pair.first.post(1, b"x" * 99)
        pair.first.post(1, b"y")
    assert pair.first.sent() == (0, 3)


def test_a_table_from_another_time_is_noticed() -> None:
    pair = Pair()
    with pytest.raises(Damaged, match="older copy"):
        pair.first.receive(1, exchange.encode(Receipt(5)))


def test_a_table_of_another_number_of_shards_is_noticed() -> None:
    pair = Pair()
    pair.first.post(1, b"a")
    pair.commit()
    with pytest.raises(Damaged, match="one of 2 shards"):
        Exchange(pair.table, 0, 3, lambda to, message: None)


# ------------------------------------------------------------- killed for real


class Process:
    """A shard as a process of its own, with a real table."""

    def __init__(self, folder: Path, me: int) -> None:
        program = Path(__file__).with_name("exchange_shards.py")
        command = [sys.executable, str(program), str(folder / str(me)), str(me), str(SHARDS)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.running = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def order(self, *words: object) -> None:
        self.running.stdin.write(" ".join(map(str, words)) + "\n")
        self.running.stdin.flush()

    def said(self) -> list[tuple[int, str]]:
        """The messages until its order is done or its life is over."""
        messages = []
        for line in self.running.stdout:
            if line == "done\n" or not line.endswith("\n"):
                break
            to, message = line.split()
            messages.append((int(to), message))
        return messages

    def end(self) -> None:
        self.running.stdin.close()
        self.running.wait(30)
        self.running.stdout.close()

    def kill(self) -> list[tuple[int, str]]:
        self.running.send_signal(signal.SIGKILL)
        messages = self.said()
        self.end()
        return messages


class Processes:
    """The transport between them: one order after the other, but for the one in which a shard is killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[int, Process] = {}
        self.waiting: deque[tuple[int, int, str]] = deque()

    def start(self, number: int) -> None:
        self.shards[number] = Process(self.folder, number)
        self.run(number, "start")
        for other in self.shards:
            if other != number:
                self.run(other, "reborn", number)

    def run(self, number: int, *words: object) -> None:
        self.shards[number].order(*words)
        self.waiting += ((number, to, message) for to, message in self.shards[number].said())

    def kill_during(self, number: int, *words: object) -> None:
        """At any moment of an order. What it said arrives; what others said to it is lost."""
        self.shards[number].order(*words)
        said = self.shards.pop(number).kill()
        self.waiting = deque(each for each in self.waiting if each[1] != number)
        self.waiting += ((number, to, message) for to, message in said)
        self.start(number)

    def deliver(self, most: int) -> None:
        while self.waiting and most:
            source, to, message = self.waiting.popleft()
            self.run(to, "receive", source, message)
            most -= 1


def test_real_tables_and_killed_processes_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    shards = Processes(tmp_path)
    for number in range(SHARDS):
        shards.start(number)
    for _ in range(8):
        for number in range(SHARDS):
            shards.run(number, "work", 40)
            shards.deliver(chance.randrange(12))
        shards.kill_during(chance.randrange(SHARDS), "work", chance.choice([0, 40, 2_000]))
    while shards.waiting:
        shards.deliver(1_000)
        for number in range(SHARDS):
            shards.run(number, "work", 0)
    for shard in shards.shards.values():
        shard.end()
    with ExitStack() as stack:
        tables = {
            number: stack.enter_context(Table.open(tmp_path / str(number), FAMILIES, writable=True))
            for number in range(SHARDS)
        }
        assert faults(tables) == []
        assert all(len(list(table.scan("given"))) > 100 for table in tables.values())
