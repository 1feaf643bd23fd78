"""Whatever dies, is lost, sleeps or comes twice: in the end every item was given once, and in its order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from simulated import Published, Rules, World

from frontier.exchange_shards import faults
from gossamer.depot import shard_claim as lives
from gossamer.depot import uploading
from gossamer.depot.heads import Head, Line, encode
from gossamer.depot.uploading import Uploader
from gossamer.errors import Damaged, Fenced
from gossamer.frontier.shards import exchange
from gossamer.frontier.shards.exchange import Exchange, Receipt

STEPS = 600
SMALL = range(25)
LARGE = range(3_000)
EACH = 100
CONTROL = range(40)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BATCH_ITEMS", 4)
    monkeypatch.setattr(exchange, "WINDOW_PUBLISHED", 5)
    monkeypatch.setattr(lives, "SWEEP_EVERY", 2)


def run(seed: int, folder: Path, rules: Rules | None = None) -> World:
    world = World(seed, folder, rules or Rules())
    for _ in range(STEPS):
        world.step()
    world.settle()
    return world


def wrong(seed: int, folder: Path, rules: Rules | None = None) -> list[str]:
    try:
        return faults(run(seed, folder, rules).tables())
    except (Damaged, Fenced, KeyError) as error:
        return [repr(error)]


@pytest.mark.parametrize("seed", SMALL)
def test_nothing_is_lost_and_nothing_counts_twice(seed: int, tmp_path: Path) -> None:
    world = run(seed, tmp_path)
    assert faults(world.tables()) == []
    assert sum(process.shard.given for process in world.owners.values()) > 20


@pytest.mark.soak
@pytest.mark.parametrize("first", LARGE[::EACH])
def test_the_same_with_thousands_of_seeds(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + EACH):
        assert wrong(seed, tmp_path / "world") == [], f"seed {seed}"
        shutil.rmtree(tmp_path / "world")


# -------------------------------------------------------------------------- controls


class SentEarly(Published):
    """Batches go out after the commit."""

    def committed(self) -> None:
        super().committed()
        self.published([(sent, 0) for sent, _ in self.marks()])


class AcknowledgedEarly(Published):
    """Batches are acknowledged after the commit."""

    def committed(self) -> None:
        super().committed()
        for peer in self._peers:
            if self._in[peer].committed > self._in[peer].kept:
                self._send(peer, exchange.encode(Receipt(self._in[peer].committed)))


def goes_wrong(tmp_path: Path, rules: Rules) -> bool:
    return any(wrong(seed, tmp_path / str(seed), rules) for seed in CONTROL)


@pytest.mark.parametrize("kind", [SentEarly, AcknowledgedEarly])
def test_released_before_it_is_published_it_would_be_lost(kind: type[Exchange], tmp_path: Path) -> None:
    rules = Rules()
    rules.exchange = kind
    assert goes_wrong(tmp_path, rules)


def test_a_disk_that_is_ahead_and_does_not_publish_first_would_lose_something(tmp_path: Path) -> None:
    rules = Rules()
    rules.publishes_first = False
    assert goes_wrong(tmp_path, rules)


def test_without_the_fence_something_would_be_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def create(line: Line, head: Head) -> None:
        line._objects.put(line._name(head.number), encode(head))

    monkeypatch.setattr(Line, "create", create)
    assert goes_wrong(tmp_path, Rules())


def test_without_a_look_at_later_heads_a_sleeper_would_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def create(line: Line, head: Head) -> None:
        name, data = line._name(head.number), encode(head)
        if not line._objects.create(name, data) and line._objects.get(name) != data:
            raise Fenced("taken over")

    monkeypatch.setattr(Line, "create", create)
    assert goes_wrong(tmp_path, Rules())


def test_a_head_before_its_objects_would_lead_to_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[tuple[Uploader, str, bytes]] = []

    def put(uploader: Uploader, name: str, data: bytes) -> None:
        late.append((uploader, name, data))

    counting = Line.create

    def create(line: Line, head: Head) -> None:
        mine, late[:] = late[:], []
        counting(line, head)
        for uploader, name, data in mine:
            uploader._objects.put(name, data)

    monkeypatch.setattr(uploading.Uploader, "put", put)
    monkeypatch.setattr(Line, "create", create)
    assert goes_wrong(tmp_path, Rules())
