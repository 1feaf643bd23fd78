"""A shard of several is lost, or only its table: all verbs say so, and a repair brings back what can be had."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Collection
from gossamer.errors import Damaged
from gossamer.testing import Copies, MadeWeb, Redirects, WebSpec

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


@pytest.mark.parametrize("index", range(SHARDS))
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
