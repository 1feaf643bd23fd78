"""Whatever is planted in a collection, nothing outside it is touched: see `harness.hostile_collections`."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.errors import Damaged
from harness.hostile_collections import LOGS, PLANTS, VERBS, WRITING, Web, copied, make, problems, run, seen
from harness.kills import Nest

FEW = 30


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
    found: list[str] = []
    shared = copied(sound, tmp_path / "shared")
    PLANTS[plant](shared)
    for verb in VERBS:
        web = shared
        if verb in WRITING:
            web = copied(sound, tmp_path / verb)
            PLANTS[plant](web)
        found += problems(web, verb, nest)
        shutil.rmtree(tmp_path / verb, ignore_errors=True)
    assert found == []


@pytest.mark.parametrize("kind", LOGS)
def test_a_log_of_links_that_was_made_to_harm_is_damage_with_a_cure(
    kind: str, sound: Web, nest: Nest, tmp_path: Path
) -> None:
    web = copied(sound, tmp_path)
    PLANTS[f"a log of links {kind}"](web)
    for verb, code in (("build", Damaged.exit_code), ("verify", Damaged.exit_code), ("repair", 0), ("build", 0)):
        assert run(VERBS[verb](web), nest, web.beside / "said") == code, verb


def test_a_part_that_was_moved_to_another_disk_is_named_before_anything_is_done(
    sound: Web, nest: Nest, tmp_path: Path
) -> None:
    web = copied(sound, tmp_path)
    (web.folder / "graph").rename(tmp_path / "other disk")
    (web.folder / "graph").symlink_to(tmp_path / "other disk")
    before = seen(web.folder), seen(tmp_path / "other disk")
    for verb in VERBS.values():
        assert run(verb(web), nest, web.beside / "said") == Damaged.exit_code
    assert (seen(web.folder), seen(tmp_path / "other disk")) == before


def test_the_folder_of_a_collection_may_be_a_link(sound: Web, nest: Nest, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "link").symlink_to(web.folder)
    for folder in (tmp_path / "far" / "link", tmp_path / "far" / ".." / "web"):
        for words in (["search", str(folder), "the"], ["build", str(folder)], ["verify", str(folder)]):
            assert run(words, nest, web.beside / "said") == 0
