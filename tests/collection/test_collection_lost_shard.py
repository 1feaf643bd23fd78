"""A shard of several is lost, or only its table: all verbs say so, and a repair brings back what can be had."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Collection
from gossamer.errors import Damaged
from gossamer.testing import Copies, MadeWeb, Redirects, WebSpec
from harness.seldom import seldom

SPEC = WebSpec(
    seed=7, hosts=6, pages=8, names="ip", redirects=Redirects(chains=0.2, across=0.6), copies=Copies(exact=0.2)
)
FAST = {
    "scope": "any",
    "delay": 0.01,
    "ip_delay": 0.01,
    "patience": 0,
    "allow_addresses": ("127.0.0.0/8",),
    "disk_pause": 0,
    "disk_pause_share": 0,
}
SHARDS = 3


@pytest.fixture(scope="module")
def made() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as served:
        yield served


@pytest.fixture(scope="module")
def sound(made: MadeWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "web"
    with gossamer.open(path) as collection:
        collection.crawl(made.seed, shards=SHARDS, **FAST)
    return path


@pytest.fixture
def web(sound: Path, tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(shutil.copytree(sound, tmp_path / "web")) as collection:
        yield collection


def pages(collection: Collection) -> set[str]:
    return {page.url for page in collection.pages()}


def refused(collection: Collection) -> None:
    for verb in (collection.status, collection.crawl, collection.build):
        with pytest.raises(Damaged, match="--repair"):
            verb()
    assert collection.verify().problems
    collection.close()


@pytest.mark.parametrize("index", seldom([SHARDS - 1, 1, 0], 3))
def test_a_shard_that_was_removed_is_fetched_again(made: MadeWeb, web: Collection, index: int) -> None:
    before, shard = pages(web), web.path / "shards" / f"{index:02}"
    web.close()
    held = {url for url in before if (shard / "captures").is_dir()}
    assert held == before == made.reachable()
    shutil.rmtree(shard)
    refused(web)
    done = web.repair()
    assert done.left == ()
    assert "captures with it" in done.problems[0]
    assert pages(web) < before
    web.close()
    web.crawl()
    assert pages(web) == before
    assert web.verify().problems == []


def test_a_shard_that_lost_its_table_fetches_nothing_again(made: MadeWeb, web: Collection) -> None:
    before, status = pages(web), web.status()
    web.close()
    shutil.rmtree(web.path / "shards" / "01" / "table")
    refused(web)
    assert web.repair().left == ()
    assert pages(web) == before
    web.close()
    asked = len(made.log.entries)
    web.crawl()
    fetched = {entry.url for entry in made.log.entries[asked:] if entry.status == 200 and entry.path != "/robots.txt"}
    assert not fetched & before
    after = web.status()
    assert (after.pages, after.duplicates, after.queued) == (status.pages, status.duplicates, 0)
    assert web.verify().problems == []


def test_all_tables_are_made_again(made: MadeWeb, web: Collection) -> None:
    before = pages(web)
    web.close()
    for index in range(SHARDS):
        shutil.rmtree(web.path / "shards" / f"{index:02}" / "table")
    (web.path / "plan.toml").unlink()
    assert web.repair().left == ()
    web.close()
    web.crawl(**FAST)
    assert pages(web) == before
    assert web.plan.shards == SHARDS


def exchange(one: Path, two: Path) -> None:
    """Each is where the other was."""
    beside = one.with_name("beside")
    one.rename(beside)
    two.rename(one)
    beside.rename(two)


def changed_places(shards: Path) -> None:
    exchange(shards / "00", shards / "02")


def went_round(shards: Path) -> None:
    exchange(shards / "00", shards / "01")
    exchange(shards / "01", shards / "02")


def killed_between(shards: Path) -> None:
    (shards / "00").rename(shards / "07")
    (shards / "02").rename(shards / "00")


def got_another_number(shards: Path) -> None:
    (shards / "01").rename(shards / "05")


def lost_a_table_besides(shards: Path) -> None:
    exchange(shards / "00", shards / "01")
    shutil.rmtree(shards / "00" / "table")


def changed_captures(shards: Path) -> None:
    exchange(shards / "00" / "captures", shards / "01" / "captures")


def changed_tables(shards: Path) -> None:
    exchange(shards / "00" / "table", shards / "01" / "table")


@pytest.mark.parametrize(
    "stray",
    seldom(
        (
            changed_places,
            went_round,
            killed_between,
            got_another_number,
            lost_a_table_besides,
            changed_captures,
            changed_tables,
        ),
        2,
    ),
)
def test_what_was_put_into_another_folder_is_put_back(stray: Callable[[Path], None], web: Collection) -> None:
    before, shards = pages(web), web.path / "shards"
    web.close()
    stray(shards)
    told = verify(web)
    assert told
    assert stray is not changed_places or "`gossamer verify DIR --repair` gives it its name back" in told[0]
    done = web.repair()
    assert done.left == done.lost == done.gone == ()
    assert any("again" in each or "is there now" in each for each in done.problems)
    assert sorted(path.name for path in shards.iterdir()) == ["00", "01", "02"]
    assert pages(web) == before
    assert all(web.why(url).state == "done" for url in before)
    web.close()
    assert web.repair().problems == ()


def verify(web: Collection) -> list[str]:
    try:
        return web.verify().problems
    except Damaged as error:
        return [str(error)]


def test_captures_of_other_shards_are_named_and_not_taken_in(web: Collection) -> None:
    before, status = pages(web), web.status()
    web.close()
    every = sorted((web.path / "shards").glob("*/captures/*.warc.gz"))
    strange = every[0].with_name(every[0].name.replace("-20", "-19"))
    strange.write_bytes(b"".join(path.read_bytes() for path in every))
    assert any("no row knows this capture" in each for each in web.verify().problems)
    done = web.repair()
    assert done.adopted == 0
    assert any("has captures of other shards" in each for each in done.problems)
    assert any("no row knows this capture" in each for each in done.left)
    assert (pages(web), web.status().pages) == (before, status.pages)
