"""Shards that talk, crash, lose their disks and are taken over, while what they were before still lives.

The exchange, the heads, what is uploaded, restored and swept are the real ones; tables and the store are in memory.
"""

from __future__ import annotations

import random
import shutil
from collections import deque
from pathlib import Path

import msgspec
from made_store import Died, Unsteady

from frontier.exchange_shards import FakeTable, Shard
from gossamer.depot.depot import Depot
from gossamer.depot.parts import Small, Snapshot
from gossamer.depot.shard_claim import Life
from gossamer.errors import Fenced, StoreAway
from gossamer.frontier.shards.exchange import Exchange, kept_marks

SHARDS = 3


class Published(Exchange):
    """The exchange as a crawl with a store has it."""

    def __init__(self, *words: object) -> None:
        super().__init__(*words, publishes=True)  # type: ignore[arg-type]  # those of Exchange


class Rules:
    """What is held to; a control leaves one of them out."""

    exchange: type[Exchange] = Published
    publishes_first = True

    def depot(self, objects: Unsteady) -> Depot:
        return Depot("the store", objects)


class Disk:
    """A folder of a shard, with the table in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table: FakeTable | None = None
        self.commits = 0

    def lose(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.table = None


class Process:
    """Works on a shard from its claim to its death."""

    def __init__(self, world: World, me: int, disk: Disk) -> None:
        self.world, self.me, self.disk = world, me, disk
        self.snapshot: Snapshot | None = None
        self.life = Life.begin(world.depot, me, disk.folder, is_here=disk.table is not None)
        if self.life.head.files and not self._is_same(disk):
            disk.table = restored(disk.folder)
            disk.commits = self.life.head.sequence
        disk.table = disk.table or FakeTable()
        if world.rules.publishes_first and self.life.is_behind(disk.commits):
            self.life.publish(self.taken())
        self.shard = Shard(disk.table, me, SHARDS, self.send, world.rules.exchange)
        self.shard.start()

    def _is_same(self, disk: Disk) -> bool:
        """The folder was not replaced by what the store has."""
        return disk.table is not None and not (disk.folder / "state").exists()

    def send(self, to: int, message: bytes) -> None:
        self.world.under_way[self.me, to].append(message)

    def taken(self) -> Snapshot:
        table = self.disk.table
        assert table is not None
        state = msgspec.msgpack.encode(table.stored)
        committed = FakeTable()
        committed.rows = table.stored
        return Snapshot((Small("state", state),), self.disk.commits, kept_marks(committed))  # type: ignore[arg-type]  # a fake

    def commit(self) -> None:
        table = self.disk.table
        assert table is not None
        self.shard.exchange.prepare()
        table.commit()
        self.disk.commits += 1
        self.shard.exchange.committed()

    def publish(self) -> None:
        """What was begun before is tried again, or given up for a later one."""
        if self.snapshot is None or self.world.chance.random() < 0.5:
            self.snapshot = self.taken()
        self.life.publish(self.snapshot)
        self.shard.exchange.published(self.snapshot.marks)
        self.snapshot = None


def restored(folder: Path) -> FakeTable:
    table = FakeTable()
    path = folder / "state"
    table.stored = msgspec.msgpack.decode(path.read_bytes(), type=dict[str, dict[bytes, bytes]])
    table.crash()
    path.unlink()  # from now on the table is in memory
    return table


class World:
    """All of them, what is under way, and chance."""

    def __init__(self, seed: int, folder: Path, rules: Rules) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.rules = rules
        self.objects = Unsteady(self.chance, self.meanwhile)
        self.depot = rules.depot(self.objects)
        self.under_way = {(a, b): deque[bytes]() for a in range(SHARDS) for b in range(SHARDS)}
        self.disks = 0
        self.owners: dict[int, Process] = {}
        self.zombies: list[Process] = []
        self.homes = {me: self.new_disk() for me in range(SHARDS)}
        self.news: list[tuple[int, int]] = []
        self.busy: int | None = None
        for me in range(SHARDS):
            self.start(me)
        self.objects.deadly, self.objects.away, self.objects.interrupted = 0.01, 0.01, 0.01

    def new_disk(self) -> Disk:
        self.disks += 1
        return Disk(self.folder / str(self.disks))

    # ------------------------------------------------------------- who lives

    def start(self, me: int) -> None:
        """On the disk that its shard has now."""
        try:
            process = Process(self, me, self.homes[me])
        except (StoreAway, Died, Fenced):
            self._crash_disk(self.homes[me])
            return
        self.owners[me] = process
        self.news += [pair for other in self.owners for pair in ((other, me),) if other != me]

    def _crash_disk(self, disk: Disk) -> None:
        if disk.table is not None:
            disk.table.crash()

    def kill(self, process: Process, *, with_disk: bool) -> None:
        if process in self.zombies:
            self.zombies.remove(process)
        else:
            del self.owners[process.me]
            self.news = [pair for pair in self.news if pair[0] != process.me]
            self._lose_messages(process.me)
        self._crash_disk(process.disk)
        if with_disk:
            process.disk.lose()
            if self.homes[process.me] is process.disk:
                self.homes[process.me] = self.new_disk()

    def take_over(self, me: int) -> None:
        """On another disk, while the process that has it lives on without knowing."""
        if me in self.owners:
            self.zombies.append(self.owners.pop(me))
            self._lose_messages(me)
            self.news = [pair for pair in self.news if pair[0] != me]
        self.homes[me] = self.new_disk()
        self.start(me)

    def meanwhile(self) -> None:
        """While a process speaks to the store, its shard may be taken over."""
        if self.busy is not None:
            me, self.busy = self.busy, None
            self.take_over(me)

    def _lose_messages(self, me: int) -> None:
        for pair, messages in self.under_way.items():
            if me in pair:
                luck = self.chance.random()
                self.under_way[pair] = deque(each for each in messages if self.chance.random() < luck)

    # ------------------------------------------------------------ what happens

    def step(self) -> None:
        everybody = [*self.owners.values(), *self.zombies]
        missing = [me for me in range(SHARDS) if me not in self.owners]
        if missing and self.chance.random() < 0.2:
            self.start(self.chance.choice(missing))
            return
        if not everybody:
            return
        process = self.chance.choice(everybody)
        try:
            self.act(process, self.chance.random())
        except Died:
            self.kill(process, with_disk=self.chance.random() < 0.3)
        except Fenced:
            self.kill(process, with_disk=True)  # being fenced is an end
            if process.me not in self.owners and self.homes[process.me].table is None:
                self.start(process.me)
        except StoreAway:
            pass  # tried again

    def act(self, process: Process, dice: float) -> None:
        if dice < 0.35:
            process.shard.post(self.chance.choice(process.shard.others))
        elif dice < 0.72:
            self.deliver(process)
        elif dice < 0.77:
            self.hear()
        elif dice < 0.90:
            process.commit()
        elif dice < 0.97:
            self.busy = process.me if process not in self.zombies else None
            process.publish()
            self.busy = None
        elif dice < 0.985:
            self.kill(process, with_disk=self.chance.random() < 0.5)
        elif process not in self.zombies and len(self.zombies) < SHARDS:
            self.take_over(process.me)

    def deliver(self, process: Process) -> None:
        """In their order, but for a few that come twice, late or not at all."""
        waiting = [source for source in range(SHARDS) if self.under_way[source, process.me]]
        if not waiting:
            return
        source = self.chance.choice(waiting)
        messages = self.under_way[source, process.me]
        luck = self.chance.random()
        if luck < 0.02 and len(messages) > 1:
            messages.rotate(-1)
        elif luck < 0.04:
            messages.appendleft(messages[0])
        elif luck < 0.05:
            messages.popleft()  # the link was broken, and both hear of it
            self.news += [pair for pair in ((source, process.me), (process.me, source)) if pair[0] in self.owners]
            return
        process.shard.receive(source, messages.popleft())

    def hear(self) -> None:
        if self.news:
            who, whom = self.news.pop(self.chance.randrange(len(self.news)))
            if who in self.owners:
                self.owners[who].shard.exchange.reborn(whom)

    def settle(self) -> None:
        """From now on nobody dies, and those who were taken over end."""
        self.objects.deadly = self.objects.away = self.objects.interrupted = 0.0
        for zombie in list(self.zombies):
            self.kill(zombie, with_disk=True)
        for me in range(SHARDS):
            if me not in self.owners:
                self.start(me)
            try:
                self.owners[me].publish()
            except Fenced:
                self.take_over(me)
                self.zombies.clear()
        self.news += [(a, b) for a in range(SHARDS) for b in range(SHARDS) if a != b]
        while self.news:
            self.hear()
        for _ in range(60):
            for process in self.owners.values():
                process.commit()
                process.publish()
            for process in self.owners.values():
                while any(self.under_way[source, process.me] for source in range(SHARDS)):
                    self.deliver_in_order(process)

    def deliver_in_order(self, process: Process) -> None:
        for source in range(SHARDS):
            if messages := self.under_way[source, process.me]:
                process.shard.receive(source, messages.popleft())

    def tables(self) -> dict[int, FakeTable]:
        return {me: process.disk.table or FakeTable() for me, process in self.owners.items()}
