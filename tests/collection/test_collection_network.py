"""A crawl has as many open files as it needs, or says at once that it cannot."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_shard import A, made

from gossamer.collection.crawl import network
from gossamer.collection.crawl.outside import REAL, Outside
from gossamer.errors import StorageError
from gossamer.fetch import Resolver, Threads
from gossamer.fetch.ares import Ares
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.names import Names
from gossamer.plan import Plan
from gossamer.testing.clock import VirtualClock

Limits = tuple[int, int]


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], list[Limits]]:
    def set_to(soft: int, hard: int) -> list[Limits]:
        raised: list[Limits] = []
        without = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        monkeypatch.setattr(
            resource, "getrlimit", lambda which: without if which == resource.RLIMIT_AS else (soft, hard)
        )
        monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
        return raised

    return set_to


def test_the_soft_limit_is_raised_to_the_hard_one(limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(256, 4_096)
    network.make_room(10)
    assert raised == [(4_096, 4_096)]


@pytest.mark.parametrize("hard", [1 << 30, resource.RLIM_INFINITY])
def test_it_is_raised_no_further_than_anybody_needs(hard: int, limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(1_024, hard)
    network.make_room(10)
    assert raised == [(65_536, hard)]


@pytest.mark.parametrize("soft", [resource.RLIM_INFINITY, 1 << 20, 65_536])
def test_a_limit_that_is_high_enough_is_left_alone(soft: int, limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(soft, resource.RLIM_INFINITY)
    network.make_room(10)
    assert raised == []


def test_a_hard_limit_that_is_just_enough_is_enough_and_one_file_less_is_not(
    limited: Callable[[int, int], list[Limits]],
) -> None:
    limited(256, 384 + 2 * 100)
    network.make_room(100)
    with pytest.raises(StorageError, match=r"only 584 files .* 101 workers need 586"):
        network.make_room(101)


ENDLESS = resource.RLIM_INFINITY
GIB = 1 << 30


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (ENDLESS, ENDLESS, []),
        (GIB, GIB, []),
        (GIB - 1, ENDLESS, [(ENDLESS, ENDLESS)]),
        (GIB - 1, GIB, [(GIB, GIB)]),
    ],
)
def test_memory_is_asked_for_as_far_as_it_goes(
    soft: int, hard: int, raised: list[Limits], monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[Limits] = []
    files = (1 << 16, 1 << 16)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, hard) if which == resource.RLIMIT_AS else files)
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: met.append(limits))
    network.make_room(1)
    assert met == raised


def test_too_little_memory_is_one_line_and_not_the_end_of_a_library(tmp_path: Path) -> None:
    with made(tmp_path / "web") as shard:
        shard.folder.save_plan(Plan(shards=1))
        shard.keep(A)
        shard.enter(A)
        shard.commit()
    for words in (
        ["remove", str(tmp_path / "web"), A, "--archive", "--yes"],
        ["verify", str(tmp_path / "web"), "--repair"],
    ):
        limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))"
        program = f"{limited}; from gossamer.cli.main import main; sys.exit(main({words!r}))"
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr.count("\n")) == (6, 1), ended.stderr
        assert "only 900 MiB of memory here" in ended.stderr


def test_a_crawl_asks_for_pages_and_not_only_whether_they_answer() -> None:
    assert (REAL.heads, REAL.is_handed_in) == (False, False)


@pytest.mark.parametrize(
    ("limit", "passed", "over"),
    [(0.0, 1e9, False), (1.0, 0.9, False), (1.0, 1.0, True), (0.5, 0.5, True), (60.0, 59.0, False)],
)
def test_a_limit_of_time_counts_from_the_beginning(limit: float, passed: float, over: bool) -> None:
    clock = VirtualClock()
    began = Outside(clock, began=clock.steady())
    clock.advance(passed)
    assert began.is_over(limit) is over
    assert not Outside(clock).is_over(limit), "it has not begun"


@pytest.mark.parametrize(("names", "asked"), [("system", Threads), ("servers", Ares)])
def test_names_are_looked_up_as_the_plan_says(names: str, asked: type, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[Names | None] = []
    monkeypatch.setattr(network, "Resolver", lambda clock, names=None: met.append(names) or Resolver(clock, names))
    network.Network(Plan(names=names), VirtualClock(), Held(), lambda visit: None)
    assert isinstance(met[0] or Ares(), asked)


def test_an_address_that_is_written_out_holds_for_an_hour() -> None:
    reached = network.Network(Plan(), VirtualClock(), Held(), lambda visit: None)
    for host in ("192.0.2.1", "[2001:db8::1]"):
        assert asyncio.run(reached.addresses(host)) == ((host.strip("[]"),), 3_600.0)
