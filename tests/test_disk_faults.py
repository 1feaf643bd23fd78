"""Every verb that changes a collection, on a disk that fails: it ends with a word, and goes on on a sound one."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gossamer.testing import MadeWeb
from harness.disk_faults import FAULTS, Disk, compiler, counted, weathers
from harness.kills import SPEC, VERBS, Place, in_peace
from harness.seldom import seldom

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler: the shim that fails calls cannot be made")
QUICK = [("import", name, 1) for name in FAULTS]
QUICK += [("first crawl", "failed sync", 2), ("build anew", "full disk", 2)]
QUICK += [("repair", "write error", 2), ("remove", "failed sync", 2)]
"""A verb, what fails, and at how many moments."""


class Calm(NamedTuple):
    """A verb in peace: where it begins and what it leaves."""

    place: Place
    left: Any


def copy(place: Place, folder: Path) -> Place:
    there = replace(place, folder=folder)
    for old, new in ((place.folder, there.folder), (place.beside, there.beside)):
        if old.is_dir():
            shutil.copytree(old, new)
        elif old.exists():
            shutil.copy(old, new)
    return there


@pytest.fixture(scope="module")
def web() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as web:
        yield web


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    disk = Disk(tmp_path_factory.mktemp("disk"))
    yield disk
    disk.close()


@pytest.fixture(scope="module")
def calm_of(web: MadeWeb, disk: Disk, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Each verb is run in peace once."""
    known: dict[tuple[str, int], Calm] = {}

    def calm(name: str, shards: int) -> Calm:
        if (name, shards) not in known:
            folder = tmp_path_factory.mktemp("calm")
            place = Place(folder / "before", web, disk.nest, shards)
            VERBS[name].before(place)
            place = Place(folder / "before", web, disk.nest, shards)
            peaceful = copy(place, folder / "calm")
            in_peace(peaceful, VERBS[name].words(peaceful))
            known[name, shards] = Calm(place, VERBS[name].look(peaceful))
        return known[name, shards]

    return calm


@pytest.mark.parametrize(("name", "fault", "rounds"), seldom(QUICK, 2))
def test_a_disk_that_fails_once_changes_nothing(
    name: str, fault: str, rounds: int, calm_of: Any, disk: Disk, tmp_path: Path
) -> None:
    calm, chance = calm_of(name, 1), random.Random(f"{name} {fault}")
    place = copy(calm.place, tmp_path / "count")
    calls = counted(disk, place, VERBS[name].words(place), FAULTS[fault])
    for number in range(rounds):
        nth = chance.randrange(calls) + 1
        weathers(disk, VERBS[name], copy(calm.place, tmp_path / f"{number}"), calm.left, FAULTS[fault], nth)


@pytest.mark.soak
@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", VERBS)
def test_a_disk_may_fail_at_any_call(
    name: str, fault: str, shards: int, calm_of: Any, disk: Disk, tmp_path: Path
) -> None:
    """Call after call, until one run is over before its turn has come; reading, of which there is much, by strides."""
    calm, nth, number = calm_of(name, shards), 1, 0
    while True:
        place = copy(calm.place, tmp_path / f"{nth}")
        if not weathers(disk, VERBS[name], place, calm.left, FAULTS[fault], nth):
            return
        shutil.rmtree(place.folder)
        number += 1
        nth += 1 if FAULTS[fault].call != "read" or number < 50 else nth // 10
