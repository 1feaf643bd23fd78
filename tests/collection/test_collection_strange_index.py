"""An index of another log of links is thrown away and made again, whatever it says that it covers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive.indexer import Indexer
from gossamer.index.shard_index import ShardIndex
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.seldom import seldom


class Web:
    """A web, and a collection of it that grew in two crawls."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.clock = path, VirtualClock()
        self.web = MadeWeb(WebSpec(seed=seed, hosts=2, pages=8), clock=self.clock)
        with gossamer.open(path) as collection:
            self.crawl(collection, self.web.seed, scope="any", pages=6)
            shutil.copytree(path / INDEX, path.parent / "old index")
            self.crawl(collection, pages=0)
            self.hits = found(collection)

    def crawl(self, collection: Collection, *seeds: str, **settings: Any) -> None:
        outside = Outside(self.clock, self.web.fetch)
        self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings))


INDEX = Path("shards", "00", "index")


def found(collection: Collection) -> set[str]:
    return {hit.url for hit in collection.search("page", 100).hits}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return Web(tmp_path_factory.mktemp("sound") / "web", seed=3)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return Web(tmp_path_factory.mktemp("other") / "web", seed=4)


@pytest.fixture
def web(sound: Web, tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(shutil.copytree(sound.path, tmp_path / "web")) as collection:
        yield collection


def put(web: Collection, index: Path) -> None:
    (web.path / INDEX).rename(web.path.parent / "put away")  # a thread of a reader that was closed may still look at it
    shutil.copytree(index, web.path / INDEX)


def foreign(web: Collection, other: Web) -> None:
    put(web, other.path / INDEX)


def foreign_of_the_same_length(web: Collection, other: Web) -> None:
    shard_reader = ShardIndex(web.path / INDEX)
    length = shard_reader.covered
    shard_reader.close()
    put(web, other.path / INDEX)
    recovered(web, length)


def within_a_chunk(web: Collection, other: Web) -> None:
    recovered(web, 11)


def foreign_of_an_older_version(web: Collection, other: Web) -> None:
    """Neither of them says of which log it is."""
    with Table.open(web.path / "shards" / "00" / "table", FAMILIES, writable=True) as table:
        table.delete(STATE, b"links-drawn")
        table.commit()
    put(web, other.path / INDEX)
    shard_reader = ShardIndex(web.path / INDEX)
    covered = shard_reader.covered
    shard_reader.close()
    recovered(web, min(covered, 1_001), 0)


def recovered(web: Collection, length: int, source: int | None = None) -> None:
    shard_reader = ShardIndex(web.path / INDEX)
    shard_reader.commit(length, source)
    shard_reader.close()


STRANGE = [foreign, foreign_of_the_same_length, within_a_chunk, foreign_of_an_older_version]


@pytest.mark.parametrize(
    ("cure", "damage"), seldom([(cure, damage) for cure in ("repair", "build", "crawl") for damage in STRANGE], 3)
)
def test_an_index_of_another_log_is_named_and_made_again(
    sound: Web, other: Web, web: Collection, damage: Callable[[Collection, Web], None], cure: str
) -> None:
    damage(web, other)
    assert any("the index " in problem and "--repair" in problem for problem in web.verify().problems)
    assert web.not_indexed > 0
    web.close()
    if cure == "crawl":
        sound.crawl(web)
    else:
        getattr(web, cure)()
    assert web.verify().problems == []
    assert web.not_indexed == 0
    assert found(web) == sound.hits


def test_a_search_of_a_strange_index_names_a_cure_that_works(
    sound: Web, other: Web, web: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign(web, other)
    assert main(["search", str(web.path), "page"]) in (0, 1)
    assert f"`gossamer build {web.path}` adds them" in capsys.readouterr().err
    assert main(["build", str(web.path)]) == 0
    capsys.readouterr()
    assert main(["search", str(web.path), "page"]) == 0
    assert capsys.readouterr().err == ""


def test_an_older_index_of_the_same_log_only_lacks_pages(sound: Web, web: Collection) -> None:
    put(web, sound.path.parent / "old index")
    assert web.verify().problems == []
    assert 0 < web.not_indexed < len(list(web.pages()))
    web.close()
    web.build()
    assert found(web) == sound.hits


class Killed(BaseException):
    """As by a signal."""


@pytest.mark.parametrize("cure", ["repair", "build", "crawl"])
def test_a_repair_killed_before_the_index_is_committed_leaves_no_old_one_as_whole(
    sound: Web, web: Collection, monkeypatch: pytest.MonkeyPatch, cure: str
) -> None:
    put(web, sound.path.parent / "old index")
    log = web.path / "shards" / "00" / "links" / "log"
    log.write_bytes(log.read_bytes()[:50])

    def killed(self: Indexer) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Indexer, "finish", killed)
        with pytest.raises(Killed):
            web.repair()
    web.close()
    assert not web.is_built
    assert web.verify().problems == []  # what is missing is but to be built
    assert web.not_indexed > 0
    web.close()
    if cure == "crawl":
        sound.crawl(web)
    web.repair() if cure == "repair" else web.build()
    assert web.is_built
    assert web.verify().problems == []
    assert found(web) == sound.hits
