"""Addresses that shards on many machines share: never two at once, never too soon, and nobody waits for ever."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from gossamer.frontier.polite import lent_ips
from gossamer.frontier.polite.granted_pages import GrantedPages
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.urls import keys

DELAY = 0.5
LEASE = 4.0
UNCOUNTED = GrantedPages(lambda message: None)


class World:
    """Shards with a gate each, lines between them that are slow and in order, visits that take a while, and deaths."""

    def __init__(self, seed: int, folder: Path, shards: int, addresses: int, kind: type[LentIps] = LentIps) -> None:
        self.draw, self.kind = random.Random(seed), kind
        self.folder, self.shards, self.now, self.messages = folder, shards, 100.0, 0
        self.addresses = [f"192.0.2.{each}" for each in range(addresses)]
        self.lines: dict[tuple[int, int], deque[tuple[float, bytes | None]]] = {}
        """What is on its way, and when it comes; None: that its sender began anew."""
        self.lives = [0] * shards
        self.content: int | None = None
        """One that wants nothing any more."""
        self.visits: list[tuple[str, float, float]] = []
        self.turns = [0] * shards
        self.out: list[tuple[int, str, float, float]] = []
        self.ips: list[LentIps] = [self.begin(index) for index in range(shards)]
        for index in range(shards):
            self.tell_all(index)

    def begin(self, index: int) -> LentIps:
        self.lives[index] += 1
        path = self.folder / f"gate-{index}-{self.lives[index]}"
        IpLeases.create(path, self.shards)
        gate = IpLeases(path, index, delay=DELAY)
        post = partial(self.post, index)
        return self.kind(gate, index, self.shards, post, lambda: self.now, UNCOUNTED, delay=DELAY, at_once=1)

    def post(self, source: int, to: int, message: bytes | None) -> None:
        self.messages += 1
        line = self.lines.setdefault((source, to), deque())
        soonest = line[-1][0] if line else 0.0
        line.append((max(soonest, self.now + self.draw.uniform(0.001, 0.2)), message))

    def tell_all(self, index: int) -> None:
        """A shard is there: the others hear of it before it says anything, and it hears of the others."""
        for other in range(self.shards):
            if other != index:
                self.post(index, other, None)
        for other in range(self.shards):
            if other != index:
                self.ips[index].reborn(other)

    def die(self, *dead: int) -> None:
        """Their requests are cut off, and their successors come when their leases are over. What the others say until
        they hear of those is for the dead, and the successors get it."""
        for each in [each for each in self.out if each[0] in dead]:
            self.out.remove(each)
            self.visits.append((each[1], each[2], min(each[3], self.now)))
        for (source, _), line in self.lines.items():
            if source in dead:
                line.clear()
        self.run(LEASE, dead)
        for gone, index in enumerate(dead, 1):
            self.ips[index] = self.begin(index)
            self.tell_all(index)
            self.run(0.1, dead[gone:])

    def run(self, seconds: float, dead: Sequence[int] = ()) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.01
            for (source, to), line in [*self.lines.items()]:
                while line and line[0][0] <= self.now:
                    _, message = line.popleft()
                    if to not in dead:
                        self.hear(to, source, message)
            for each in [each for each in self.out if each[3] <= self.now]:
                self.out.remove(each)
                self.ips[each[0]].give(each[1], self.now, visited=True)
                self.visits.append((each[1], each[2], self.now))
            if round(self.now * 100) % 50 == 0:
                for ips in self.ips:
                    ips.tidy()
            index = self.draw.randrange(self.shards)
            address = self.draw.choice(self.addresses)
            if index not in (*dead, self.content) and self.ips[index].take(address, self.now) == 0.0:
                self.turns[index] += 1
                self.out.append((index, address, self.now, self.now + self.draw.uniform(0.01, 0.3)))

    def hear(self, to: int, source: int, message: bytes | None) -> None:
        if message is None:
            self.ips[to].reborn(source)
        else:
            self.ips[to].heard(source, message)

    def gaps(self) -> list[float]:
        found = []
        for address in self.addresses:
            visits = sorted((began, ended) for name, began, ended in self.visits if name == address)
            found += [after[0] - before[1] for before, after in pairwise(visits)]
        return found


def after_deaths(world: World) -> World:
    for _ in range(4):
        world.run(10.0)
        world.die(*world.draw.sample(range(world.shards), world.draw.randint(1, 2)))
    return world


@pytest.mark.parametrize("addresses", [3, 30])
@pytest.mark.parametrize("seed", range(12))
def test_an_address_rests_between_any_two_visits_whoever_dies(seed: int, addresses: int, tmp_path: Path) -> None:
    """Few of them are always wanted by several shards; of many, most stay with one."""
    world = after_deaths(World(seed, tmp_path, shards=4, addresses=addresses))
    before = [*world.turns]
    world.run(20.0)
    assert min(world.gaps()) >= DELAY - 1e-6
    assert all(now > then for now, then in zip(world.turns, before, strict=True)), "everybody gets a turn again"
    assert sum(world.turns) - sum(before) > 40, "somebody always gets one"


def test_addresses_that_nobody_has_are_forgotten_and_rest_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lent_ips, "HELD_MOST", 1)
    monkeypatch.setattr(lent_ips, "OWNED_MOST", 2)
    world = after_deaths(World(1, tmp_path, shards=4, addresses=60))
    assert min(world.gaps()) >= DELAY - 1e-6
    assert sum(len(ips._owned) for ips in world.ips) < 60
    monkeypatch.setattr(lent_ips, "OWNED_MOST", 60)
    world.run(20.0)
    assert sum(len(ips._owned) for ips in world.ips) == 60, "as many as were asked for, where there is room"


class Hasty(LentIps):
    """Lends before the others have said what they hold."""

    def reborn(self, shard: int) -> None:
        super().reborn(shard)
        self._silent.clear()


class Restless(LentIps):
    """Does not let an address rest when it goes on to another shard."""

    def _returned(self, address: str, source: int, rest: float, *, again: bool) -> None:
        super()._returned(address, source, 0.0, again=again)


@pytest.mark.parametrize("wrong", [Hasty, Restless])
def test_the_simulation_finds_who_is_wrong(wrong: type[LentIps], tmp_path: Path) -> None:
    worst = 1.0
    for seed in range(12):
        (tmp_path / f"{seed}").mkdir()
        world = after_deaths(World(seed, tmp_path / f"{seed}", shards=4, addresses=30, kind=wrong))
        worst = min(worst, *world.gaps())
    assert worst < DELAY - 0.01


def test_an_address_that_one_shard_alone_visits_costs_no_more_messages(tmp_path: Path) -> None:
    world = World(1, tmp_path, shards=2, addresses=1)
    world.run(1.0)
    world.content = keys.fingerprint(world.addresses[0]) % 2
    world.run(5.0)
    before, visits = world.messages, len(world.visits)
    world.run(20.0)
    assert world.messages == before
    assert len(world.visits) - visits > 15


def test_nothing_is_lent_before_every_other_shard_has_said_what_it_holds(tmp_path: Path) -> None:
    said: list[tuple[int, bytes]] = []
    address = next(each for each in (f"192.0.2.{n}" for n in range(99)) if keys.fingerprint(each) % 3 == 0)
    IpLeases.create(tmp_path / "gate", 3)

    def shard(index: int) -> LentIps:
        gate = IpLeases(tmp_path / "gate", index, delay=DELAY)
        send = lambda *word: said.append(word)  # noqa: E731  # short
        return LentIps(gate, index, 3, send, lambda: 10.0, UNCOUNTED, delay=DELAY, at_once=1)

    owner, other = shard(0), shard(1)
    assert owner.take(address, 10.0) > 10.0
    other.reborn(0)
    _, nothing = said.pop()
    owner.heard(1, nothing)
    assert owner.take(address, 11.0) > 11.0, "shard 2 has not said anything"
    owner.heard(2, nothing)
    assert owner.take(address, 12.0) == 0.0


def test_what_was_said_to_the_shard_before_it_is_not_heard(tmp_path: Path) -> None:
    address = next(each for each in (f"192.0.2.{n}" for n in range(99)) if keys.fingerprint(each) % 2 == 0)
    IpLeases.create(tmp_path / "gate", 2)
    said: list[bytes] = []

    def shard(index: int) -> LentIps:
        gate = IpLeases(tmp_path / "gate", index, delay=DELAY)
        return LentIps(
            gate, index, 2, lambda _, word: said.append(word), lambda: 10.0, UNCOUNTED, delay=DELAY, at_once=1
        )

    owner, first = shard(0), shard(1)
    first.reborn(0)
    owner.heard(1, said.pop())
    assert first.take(address, 10.0) > 10.0
    owner.heard(1, said.pop())
    lent = said.pop()
    second = shard(1)
    second.heard(0, lent)
    assert second.take(address, 10.0) > 10.0, "it was lent to the first, and is free when the owner hears of the second"
