"""Whatever is planted in a collection, nothing outside it is touched: see `harness.hostile_collections`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.hostile_collections import PLANTS, VERBS, WRITING, Web, copied, make, problems
from harness.kills import Nest

FEW = 36


@pytest.fixture(scope="module")
def nest() -> Iterator[Nest]:
    nest = Nest()
    yield nest
    nest.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return make(tmp_path_factory.mktemp("sound"))


def some() -> list[tuple[str, str]]:
    """Plants and verbs, drawn so that every verb comes about as often; those that write more often."""
    draw = random.Random(16)
    plants = draw.sample(list(PLANTS), FEW)
    return [(plant, draw.choice(WRITING if number % 2 else list(VERBS))) for number, plant in enumerate(plants)]


@pytest.mark.parametrize(("plant", "verb"), some())
def test_nothing_outside_is_touched(plant: str, verb: str, sound: Web, nest: Nest, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    PLANTS[plant](web)
    assert problems(web, verb, nest) == []


@pytest.mark.soak
@pytest.mark.parametrize("plant", PLANTS)
def test_nothing_outside_is_touched_by_any_verb(plant: str, sound: Web, nest: Nest, tmp_path: Path) -> None:
    found = []
    for number, verb in enumerate(VERBS):
        web = copied(sound, tmp_path / str(number))
        PLANTS[plant](web)
        found += problems(web, verb, nest)
    assert found == []
