"""A plan that is lost is written again from what the shards remember, and one that somebody can mend is left alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from small_shard import small_shard

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.shard_identity import Imprint
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.replan import replan
from gossamer.errors import InvalidPlan
from gossamer.frontier.entries import META
from gossamer.model import Kind, Visit
from gossamer.plan import Plan
from gossamer.store.table.table import Table

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


def made(path: Path, *numbers: int, plan: Plan | None = None) -> Folder:
    """A collection of these shards; with a plan, each remembers it."""
    folder = Folder(path)
    for number in numbers:
        folder.shard(number).mkdir(parents=True)
        with Table.open(folder.table(number), FAMILIES, writable=True) as table:
            if plan is not None:
                shard_identity.leave(table, number, plan)
            table.commit()
    return folder


def test_a_sound_plan_is_left_alone(tmp_path: Path) -> None:
    for shards in (0, 1):
        folder = made(tmp_path / str(shards), 0, plan=Plan(shards=shards))
        folder.save_plan(Plan(shards=shards, delay=7.0))
        before = folder.plan_file.read_bytes()
        assert replan(folder) == ([], None)
        assert folder.plan_file.read_bytes() == before


def test_a_plan_that_is_lost_has_the_settings_of_the_last_crawl(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, 1, plan=Plan(shards=2, delay=7.0, seeds=(A,)))
    (problem,), aside = replan(folder)
    assert problem == f"{folder.plan_file}: is missing; the settings of the last crawl are back"
    assert aside is None
    assert folder.load_plan() == Plan(shards=2, delay=7.0, seeds=(A,))


def test_a_damaged_plan_is_put_aside(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, plan=Plan(delay=7.0))
    folder.plan_file.write_text("")
    (problem,), aside = replan(folder)
    assert "is empty" in problem
    assert aside is not None
    assert aside.read_text() == ""
    assert folder.load_plan().delay == 7.0


def test_the_first_copy_that_can_be_read_counts(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, 1, plan=Plan(shards=2, delay=7.0))
    with Table.open(folder.table(0), FAMILIES, writable=True) as table:
        table.put(META, b"imprint", msgspec.msgpack.encode(Imprint(0, 2, "colour = 1")))
        table.commit()
    replan(folder)
    assert folder.load_plan() == Plan(shards=2, delay=7.0)


def test_without_any_copy_there_are_as_many_shards_as_the_last_one_says(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, 2)
    (problem,), _ = replan(folder)
    assert "no copy of it was found: 0 seeds are back" in problem
    assert folder.load_plan() == Plan(shards=3)


def test_a_plan_with_another_number_of_shards_than_were_made_is_mended(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, 1, plan=Plan(shards=2))
    folder.save_plan(Plan(shards=3, delay=7.0))
    (problem,), aside = replan(folder)
    assert problem == f"{folder.plan_file}: has 3 shards, but 2 were made; it says so now"
    assert aside is None
    assert folder.load_plan() == Plan(shards=2, delay=7.0)


def test_a_plan_of_ours_that_is_no_toml_any_more_is_replaced(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, plan=Plan(delay=7.0))
    folder.save_plan(Plan(delay=7.0))
    folder.plan_file.write_text(f"= =\n{folder.plan_file.read_text()}")
    (problem,), aside = replan(folder)
    assert "cannot be read" in problem
    assert aside is not None
    assert folder.load_plan().delay == 7.0


def test_a_setting_that_there_is_not_is_the_users_to_mend(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, plan=Plan())
    folder.save_plan(Plan())
    slip = f"colour = 1\n{folder.plan_file.read_text()}"
    folder.plan_file.write_text(slip)
    with pytest.raises(InvalidPlan, match="colour"):
        replan(folder)
    assert folder.plan_file.read_text() == slip


def test_seeds_are_the_pages_that_nothing_pointed_to(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.shard(0).mkdir(parents=True)
    with small_shard(folder.shard(0)) as shard:
        shard.keep(A, "seed")
        shard.keep("http://a.test/robots.txt", "", visit=Visit("http://a.test/robots.txt", Kind.ROBOTS))
        shard.keep("http://a.test/linked", "", visit=Visit("http://a.test/linked", depth=0, referrer=A))
        shard.keep("http://a.test/deep", "", visit=Visit("http://a.test/deep", depth=1))
        shard.keep(B, "seed")
        shard.keep(A, "again", began=2_000_000_000.0)
        shard.commit()
    replan(folder)
    assert folder.load_plan().seeds == (A, B)


def test_only_the_first_file_of_a_shard_is_read_for_seeds(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.shard(0).mkdir(parents=True)
    for url, prefix in ((A, "gossamer-01"), (B, "gossamer")):
        with small_shard(folder.shard(0), prefix) as shard:
            shard.keep(url, "seed")
            shard.commit()
    assert len(list((folder.shard(0) / "captures").iterdir())) == 2
    replan(folder)
    assert folder.load_plan().seeds == (A,)
