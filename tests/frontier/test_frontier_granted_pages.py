"""A limit of pages over many machines: never passed, and reached wherever the pages are."""

from __future__ import annotations

import random
from collections import deque
from functools import partial

import pytest

from gossamer.frontier.polite.granted_pages import GrantedPages, PageBank


class World:
    """Shards with some pages each, slow lines to the bank and back, and deaths after which the last pages are lost."""

    def __init__(self, seed: int, limit: int, pages: list[int]) -> None:
        self.draw, self.limit, self.pages = random.Random(seed), limit, pages
        self.bank = PageBank(limit, len(pages))
        self.up: deque[tuple[int, int, bytes]] = deque()
        self.down: deque[tuple[int, int, bytes]] = deque()
        self.lives, self.kept = [0] * len(pages), [0] * len(pages)
        self.out = [0] * len(pages)
        self.shards = [self.begin(shard) for shard in range(len(pages))]

    def begin(self, shard: int) -> GrantedPages:
        self.lives[shard] += 1
        here = GrantedPages(partial(self.tell, shard, self.lives[shard]))
        here.begin(shard, self.kept[shard])
        self.out[shard] = 0
        return here

    def tell(self, shard: int, life: int, message: bytes) -> None:
        self.up.append((shard, life, message))

    def step(self) -> None:
        draw = self.draw.random()
        shard = self.draw.randrange(len(self.pages))
        here = self.shards[shard]
        if draw < 0.25 and self.up:
            source, life, message = self.up.popleft()
            if life == self.lives[source]:
                self.down += [(to, self.lives[to], answer) for to, answer in self.bank.told(source, message)]
        elif draw < 0.5 and self.down:
            to, life, answer = self.down.popleft()
            if life == self.lives[to]:
                self.shards[to].heard(answer)
        elif draw < 0.52 and self.lives[shard] < 4:
            self.bank.died(shard)
            self.kept[shard] -= self.draw.randrange(min(self.kept[shard], 3) + 1)  # its last checkpoint is older
            self.shards[shard] = self.begin(shard)
        elif draw < 0.75 and self.out[shard]:
            kept = self.draw.random() < 0.8
            self.out[shard] -= 1
            self.kept[shard] += kept
            here.settle(shard, kept=kept)
        elif self.pages[shard] > self.kept[shard] + self.out[shard]:
            self.out[shard] += here.claim(shard, self.limit)
        else:
            here.give_back()
        assert sum(self.kept) + sum(self.out) <= self.limit

    @property
    def over(self) -> bool:
        for here, pages, kept in zip(self.shards, self.pages, self.kept, strict=True):
            if pages <= kept:
                here.give_back()  # as it does before it says that it is idle
        done = [
            here.full(self.limit) or pages <= kept
            for here, pages, kept in zip(self.shards, self.pages, self.kept, strict=True)
        ]
        return all(done) and not any(self.out) and not self.up and not self.down


@pytest.mark.parametrize("seed", range(40))
def test_the_limit_is_reached_and_never_passed_whoever_dies(seed: int) -> None:
    world = World(seed, limit=200, pages=[500, 3, 0, 90] if seed % 2 else [40, 70, 20, 50])
    for _ in range(60_000):
        world.step()
        if world.over:
            break
    assert sum(world.kept) == min(200, sum(world.pages))


def test_bytes_of_all_shards_are_added_up() -> None:
    said: list[tuple[int, bytes]] = []
    bank = PageBank(0, 2)
    shards = [GrantedPages(lambda message, shard=shard: said.append((shard, message))) for shard in range(2)]
    for shard, here in enumerate(shards):
        here.begin(shard, 0)
        here.weigh(shard, 1_000 * (shard + 1))
        here.tidy()
        here.tidy()
    assert len(said) == 4
    for shard, message in said:
        for to, answer in bank.told(shard, message):
            shards[to].heard(answer)
    assert shards[1].fetched() == 3_000
    shards[1].weigh(1, 2_500)
    assert shards[1].fetched() == 3_500
