"""Whatever is planted in a collection, nothing outside it is touched: see `harness.hostile_collections`."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from gossamer.errors import Damaged
from harness.hostile_collections import (
    IN_PLACE_OF_A_FILE,
    LOGS,
    PLANTS,
    VERBS,
    WRITING,
    Web,
    copied,
    make,
    problems,
    run,
    seen,
)
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


WRITTEN_BY_A_CRAWL = [
    *("id", "id.partial", "asked", "asked.partial", "plan.toml.partial", "shards/00/reading"),
    *("shards/00/seen/00000009.keys.partial", "shards/00/prints/00000009.partial"),
]


@pytest.mark.parametrize("kind", ["a link", "a link to nothing", "a folder", "a FIFO"])
def test_verify_names_what_a_crawl_would_refuse(kind: str, sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    for place in WRITTEN_BY_A_CRAWL:
        (web.folder / place).unlink(missing_ok=True)
        IN_PLACE_OF_A_FILE[kind](web.folder / place, web)
    is_ = f"is {' '.join(kind.split()[:2])}, and a collection has a file here; put "
    with gossamer.open(web.folder) as collection:
        named = [each for each in collection.verify().problems if is_ in each]
        assert {each.partition(": ")[0] for each in named} == {str(web.folder / each) for each in WRITTEN_BY_A_CRAWL}
        if "link" in kind:  # whoever has made it has lost nothing, so it is left alone
            with pytest.raises(Damaged, match="is a link"):
                collection.repair()
            for place in WRITTEN_BY_A_CRAWL:
                (web.folder / place).unlink()
        else:
            assert collection.repair().left == ()
        assert collection.verify().problems == []


def test_a_folder_of_a_users_own_is_in_nobodys_way(sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    for place in ("notes", "shards/00/notes", "shards/00/seen/notes", "shards/00/prints/old"):
        (web.folder / place).mkdir(parents=True)
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems == []
