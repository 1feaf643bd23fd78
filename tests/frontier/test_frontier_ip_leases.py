"""Shards that share IP addresses and a page limit are together as polite, and as exact, as one alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from gate_process import ADDRESSES, DELAY

from gossamer.errors import Damaged
from gossamer.frontier.polite import ip_leases as module
from gossamer.frontier.polite.ip_leases import REACH, IpLeases

HERE = "192.0.2.1"
SHARDS = 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    IpLeases.create(tmp_path / "gate", SHARDS)
    return tmp_path / "gate"


@pytest.fixture
def pair(path: Path) -> Iterator[tuple[IpLeases, IpLeases]]:
    first, second = IpLeases(path, 0, delay=2.0), IpLeases(path, 1, delay=2.0)
    yield first, second
    first.close()
    second.close()


def started(path: Path, work: str, me: int, share: int, at_once: int = 1) -> subprocess.Popen[str]:
    program = Path(__file__).with_name("gate_process.py")
    command = [sys.executable, str(program), str(path), work, str(me), str(share), str(at_once)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def said(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=60)


def visits(path: Path, at_once: int) -> dict[str, list[tuple[float, float]]]:
    """What several processes say of their visits, by address."""
    running = [started(path, "visit", me, 150, at_once) for me in range(SHARDS)]
    told: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in "".join(map(said, running)).splitlines():
        address, start, end = line.split()
        told[address].append((float(start), float(end)))
    assert sum(map(len, told.values())) == 150 * SHARDS
    return told


# ------------------------------------------------------------------- addresses


def test_an_address_has_one_visitor_and_then_rests(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    assert first.take(HERE, 10.0) == 0.0
    assert second.take(HERE, 11.0) == 11.5
    first.give(HERE, 12.0, visited=True)
    assert second.take(HERE, 13.0) == 14.0
    assert second.take(HERE, 14.0) == 0.0


def test_an_address_that_was_not_asked_needs_no_rest(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    first.take(HERE, 10.0)
    first.give(HERE, 10.0, visited=False)
    assert second.take(HERE, 10.0) == 0.0


def test_other_addresses_are_free(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    assert first.take(HERE, 10.0) == 0.0
    assert first.take("2001:db8::1", 10.0) == 0.0
    assert second.take("192.0.2.2", 10.0) == 0.0


def test_a_short_delay_is_not_asked_for_without_pause(path: Path) -> None:
    leases = IpLeases(path, 0, delay=0.01)
    leases.take(HERE, 10.0)
    assert leases.take(HERE, 10.0) == 10.0 + module.WAIT_LEAST
    leases.close()


def test_several_at_once_are_counted_over_all_shards(path: Path) -> None:
    first, second = (IpLeases(path, me, delay=2.0, at_once=3) for me in range(2))
    assert [first.take(HERE, 10.0), second.take(HERE, 10.0), first.take(HERE, 10.0)] == [0.0] * 3
    assert first.take(HERE, 10.0) > 10.0
    assert second.take(HERE, 10.0) > 10.0
    first.give(HERE, 10.0, visited=False)
    assert second.take(HERE, 10.0) == 0.0
    second.give(HERE, 11.0, visited=True)
    assert first.take(HERE, 12.0) == 13.0
    first.close()
    second.close()


def test_more_shards_than_one_row_can_count_wait_for_each_other(tmp_path: Path) -> None:
    IpLeases.create(tmp_path / "gate", 6)
    gates = [IpLeases(tmp_path / "gate", me, delay=2.0, at_once=10) for me in range(6)]
    answers = [leases.take(HERE, 10.0) for leases in gates]
    assert answers[:4] == [0.0] * 4
    assert min(answers[4:]) > 10.0
    gates[2].give(HERE, 10.0, visited=False)
    assert gates[5].take(HERE, 10.0) == 0.0
    for leases in gates:
        leases.close()


def test_what_a_dead_shard_held_rests_and_is_free_again(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    first.take(HERE, 10.0)
    second.take("192.0.2.2", 10.0)
    second.free(0, 11.0)
    assert second.take(HERE, 11.0) == 13.0
    assert second.take(HERE, 13.0) == 0.0
    assert first.take("192.0.2.2", 13.0) > 13.0


def test_a_full_table_makes_one_wait_and_rested_rows_are_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOTS", 1)
    IpLeases.create(tmp_path / "gate", 1)
    leases = IpLeases(tmp_path / "gate", 0, delay=2.0)
    names = [f"10.0.0.{number}" for number in range(REACH + 1)]
    *inside, outside = names
    assert [leases.take(name, 10.0) for name in inside] == [0.0] * REACH
    assert leases.take(outside, 10.0) == 10.5
    leases.give(inside[7], 11.0, visited=True)
    assert leases.take(outside, 12.0) == 12.5, "a row that rests is not taken over"
    assert leases.take(outside, 13.0) == 0.0
    assert leases.take(inside[7], 13.0) == 13.5
    for name in names:
        if name != inside[7]:
            leases.give(name, 14.0, visited=True)
    assert [leases.take(name, 15.0) for name in names if name != inside[7]] == [16.0] * REACH
    leases.close()


def test_a_row_is_found_again_after_one_before_it_was_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOTS", 1)
    IpLeases.create(tmp_path / "gate", 1)
    leases = IpLeases(tmp_path / "gate", 0, delay=2.0)
    for name in ("a", "b"):
        leases.take(name, 10.0)
    leases.give("a", 10.0, visited=False)
    assert leases.take("c", 10.0) == 0.0
    assert leases.take("b", 10.0) == 10.5
    leases.give("b", 11.0, visited=True)
    assert leases.take("b", 11.0) == 13.0
    leases.close()


def test_something_else_is_no_gate(tmp_path: Path) -> None:
    (tmp_path / "gate").write_bytes(b"\0" * 4096)
    with pytest.raises(Damaged, match="not a gate"):
        IpLeases(tmp_path / "gate", 0, delay=1.0)


def test_many_processes_never_meet_at_an_address_and_keep_its_delay(path: Path) -> None:
    for told in visits(path, at_once=1).values():
        told.sort()
        gaps = [after[0] - before[1] for before, after in pairwise(told)]
        assert min(gaps) >= DELAY


def test_many_processes_are_never_more_than_allowed_at_once(path: Path) -> None:
    for told in visits(path, at_once=2).values():
        for start, _ in told:
            assert sum(other[0] <= start <= other[1] for other in told) <= 2


def test_a_killed_holder_blocks_nobody_once_it_is_freed(path: Path) -> None:
    holder = started(path, "hold", 0, 3)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    killed(holder)
    leases = IpLeases(path, 1, delay=DELAY)
    now = time.monotonic()
    assert [leases.take(address, now) > now for address in ADDRESSES] == [True, True, True, False]
    leases.free(0, now)
    assert [leases.take(address, now) for address in ADDRESSES[:3]] == [now + DELAY] * 3
    assert [leases.take(address, now + DELAY) for address in ADDRESSES[:3]] == [0.0] * 3
    leases.close()


def test_kills_at_any_moment_leave_no_address_behind(path: Path) -> None:
    leases, chance = IpLeases(path, 1, delay=DELAY), random.Random(1)
    for _ in range(10):
        running = started(path, "rush", 0, 0)
        assert running.stdout is not None
        assert running.stdout.readline() == "running\n"
        for _ in range(chance.randrange(2_000)):
            leases.kept()
        killed(running)
        now = time.monotonic()
        leases.free(0, now)
        for address in ADDRESSES:
            assert leases.take(address, now + DELAY) == 0.0
            leases.give(address, now, visited=False)
    leases.close()


# ----------------------------------------------------------------------- pages


def begun(leases: IpLeases, *kept: int) -> None:
    for shard, pages in enumerate(kept):
        leases.begin(shard, pages)


def test_no_page_is_claimed_before_all_shards_have_said_what_they_have(pair: tuple[IpLeases, IpLeases]) -> None:
    first, _ = pair
    begun(first, 0, 0, 0)
    assert not first.claim(0, 10)
    first.begin(3, 0)
    assert first.claim(0, 10)


def test_kept_and_claimed_pages_of_all_shards_count(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    begun(first, 3, 4, 0, 0)
    assert first.claim(0, 9)
    assert second.claim(1, 9)
    assert not first.claim(0, 9)
    first.settle(0, kept=False)
    assert second.claim(1, 9)
    second.settle(1, kept=True)
    second.settle(1, kept=True)
    assert not first.claim(0, 9)
    assert first.kept() == 9


def test_claims_of_a_dead_shard_wait_for_it_or_are_dropped_when_it_leaves(pair: tuple[IpLeases, IpLeases]) -> None:
    first, second = pair
    begun(first, 0, 0, 0, 0)
    assert first.claim(0, 2)
    assert first.claim(0, 2)
    second.free(0, 10.0)
    assert not second.claim(1, 2)
    first.begin(0, 1)
    assert second.claim(1, 2)
    assert not second.claim(1, 2)
    second.leave(1)
    assert first.claim(0, 2)


def test_processes_that_race_keep_exactly_the_limit(path: Path) -> None:
    running = [started(path, "collect", me, 2_000) for me in range(SHARDS)]
    kept = [int(said(process)) for process in running]
    assert sum(kept) == 2_000
