"""Every verb that changes a collection, killed at moments that chance picks: it ends as if it had not been."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crawler_process import descendants, wait_for
from gossamer.testing import MadeWeb
from harness.kills import (
    SPEC,
    VERBS,
    Kill,
    Nest,
    Place,
    at_step,
    at_time,
    everybody,
    in_peace,
    one_of,
    role_of,
    supervisor,
    survives,
)

CRAWLS = ("first crawl", "more seeds", "revisit")
LIVES = 4
"""Kills in a row of one collection in a soak."""
KILLS = 1_000
"""Of all verbs together in a soak."""


@dataclass(frozen=True)
class Calm:
    """A verb that was left in peace: where it begins, the steps that it takes, and what it leaves."""

    place: Place
    steps: int
    look: Any

    def copy(self, folder: Path) -> Place:
        there = replace(self.place, folder=folder)
        for old, new in ((self.place.folder, there.folder), (self.place.beside, there.beside)):
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
def nest() -> Iterator[Nest]:
    nest = Nest()
    yield nest
    nest.close()


@pytest.fixture(scope="module")
def before(web: MadeWeb, nest: Nest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int, Path], None]:
    """Makes what a verb works on; the same for several verbs is made once."""
    known: dict[tuple[object, int], Calm] = {}

    def make(name: str, shards: int, folder: Path) -> None:
        kind = VERBS[name].before, shards
        if kind not in known:
            place = Place(tmp_path_factory.mktemp("made") / "before", web, nest, shards)
            VERBS[name].before(place)
            known[kind] = Calm(place, 0, None)
        known[kind].copy(folder)

    return make


@pytest.fixture
def calm(
    request: pytest.FixtureRequest,
    web: MadeWeb,
    nest: Nest,
    before: Callable[[str, int, Path], None],
    tmp_path: Path,
) -> Calm:
    name, shards = request.param
    verb, folder = VERBS[name], tmp_path / "before"
    before(name, shards, folder)
    place = Place(folder, web, nest, shards)  # it begins now
    peaceful = Calm(place, 0, None).copy(tmp_path / "calm")
    steps = in_peace(peaceful, verb.words(peaceful))
    return Calm(place, steps, verb.look(peaceful))


@pytest.mark.parametrize(("calm", "name"), [((name, 1), name) for name in VERBS], indirect=["calm"])
def test_a_verb_that_is_killed_twice_ends_as_if_it_had_not_been(calm: Calm, name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    kills = [at_step(chance.randrange(calm.steps) + 1, victim) for victim in ("all", "self")]
    survives(VERBS[name], calm.copy(tmp_path / "storm"), calm.look, kills)


@pytest.mark.parametrize(("calm", "name"), [((name, 1), name) for name in CRAWLS], indirect=["calm"])
@pytest.mark.parametrize("steps", [(2, 10), pytest.param((4, 6, 8, 12, 14, 16, 18), marks=pytest.mark.soak)])
def test_what_a_crawl_is_asked_for_is_asked_for_until_a_commit_has_it(
    calm: Calm, name: str, steps: tuple[int, ...], tmp_path: Path
) -> None:
    for step in steps:
        survives(VERBS[name], calm.copy(tmp_path / f"storm-{step}"), calm.look, [at_step(step, "all")])


@pytest.mark.parametrize(("calm", "name"), [(("first crawl", 2), "first crawl")], indirect=["calm"])
@pytest.mark.parametrize("role", ["zygote", "fork server", "shard"])
def test_a_crawl_goes_on_without_what_it_is_forked_from(calm: Calm, name: str, role: str, tmp_path: Path) -> None:
    """As soon as it is there: the zygote before its first shard, or while that is born."""

    def strike(command: int) -> None:
        wait_for(lambda: role in {role_of(process, command) for process in descendants(command)})
        one_of(role, random.Random(role))(command)

    place = calm.copy(tmp_path / "storm")
    run = at_time(0.0, strike)(place, VERBS[name].words(place))
    assert (run.code, run.struck) == (0, True), run.said
    assert VERBS[name].look(place) == calm.look


@pytest.mark.soak
@pytest.mark.parametrize(("calm", "name"), [((name, 2), name) for name in VERBS], indirect=["calm"])
def test_a_thousand_kills_of_any_process_change_nothing(calm: Calm, name: str, tmp_path: Path) -> None:
    """As many of each verb. Some come too late and are not counted."""
    struck = number = 0
    while struck < KILLS / len(VERBS):
        chance, number = random.Random(f"{name} {number}"), number + 1
        folder = tmp_path / f"storm-{number}"
        kills = [drawn(chance, calm.steps) for _ in range(LIVES)]
        struck += survives(VERBS[name], calm.copy(folder), calm.look, kills)
        shutil.rmtree(folder)
        assert number < KILLS, "nothing can be killed"


def drawn(chance: random.Random, steps: int) -> Kill:
    """Any moment from the first byte on, any process, or all of them."""
    match chance.randrange(8):
        case 0:
            return at_time(chance.uniform(0.0, 1.5), supervisor)
        case 1:
            return at_time(chance.uniform(0.0, 1.5), everybody)
        case 2 | 3:
            role = chance.choice(("shard", "shard", "fork server", "reader", "zygote"))
            return at_time(chance.uniform(0.0, 1.5), one_of(role, chance))
        case _:
            return at_step(chance.randrange(steps) + 1, chance.choice(("self", "all")))
