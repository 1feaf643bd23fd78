"""What is derived can be made again at any time, and a build that is killed does no harm."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec
import pytest

import gossamer
from crawler_process import crawl_arguments, gossamer_command, run_gossamer
from gossamer import convert
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive import indexer, shard_build
from gossamer.collection.folder import Folder
from gossamer.collection.lock import exclusive
from gossamer.errors import Locked, NotACollection
from gossamer.index.shard_index import ShardIndex
from gossamer.index.soundness import part_sizes
from gossamer.model import Page
from gossamer.store.table.table import Table
from gossamer.testing import Copies, Errors, MadeWeb, VirtualClock, WebSpec

SPEC = WebSpec(seed=4, hosts=2, pages=15, names="ip", errors=Errors(missing=0.1), copies=Copies(exact=0.2))
KILLER = Path(__file__).parents[1] / "kill_points"


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Collection]:
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        yield collection


@pytest.fixture
def shouting(crawled: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of today reads otherwise than that of the crawl."""
    read = convert.read

    def shout(*told: Any, **named: Any) -> Page:
        page = read(*told, **named)
        return replace(page, text=page.text.upper(), title=page.title.upper())

    monkeypatch.setattr(convert, "read", shout)


def contents(collection: Collection) -> dict[str, Any]:
    """What the pages say, but for what is content of it: that depends on the pages that were read before."""
    return {page.url: (page.text, page.title, [link[:4] for link in page.links]) for page in collection.pages()}


def shouted(before: dict[str, Any]) -> dict[str, Any]:
    return {url: (text.upper(), title.upper(), links) for url, (text, title, links) in before.items()}


def text_files(collection: Collection) -> list[str]:
    return [path.name for path in sorted(collection.path.glob("shards/*/texts/*.warc.gz"))]


def test_nothing_is_made_where_nothing_is_missing(crawled: Collection) -> None:
    files = text_files(crawled)
    built = crawled.build()
    assert (built.texts, built.looked, built.problems) == (0, len(list(crawled.pages())), ())
    assert text_files(crawled) == files


def test_texts_that_were_deleted_are_made_again(crawled: Collection) -> None:
    before = contents(crawled)
    rmtree(crawled.path / "shards" / "00" / "texts")
    assert crawled.verify().problems
    built = crawled.build()
    assert built.texts == sum(1 for page in crawled.pages() if page.version.text)
    assert crawled.verify().problems == []
    assert contents(crawled) == before


def test_a_collection_from_before_there_were_texts_gets_them(crawled: Collection) -> None:
    before = contents(crawled)
    crawled.close()
    with Table.open(Folder(crawled.path).table(0), FAMILIES, writable=True) as table:
        for key, data in table.scan("captures"):
            table.put("captures", key, msgspec.msgpack.encode(msgspec.msgpack.decode(data)[:19]))
        table.delete("archive", b"texts")
        table.commit()
    rmtree(crawled.path / "shards" / "00" / "texts")
    assert contents(crawled) == before
    assert crawled.build().texts == len(before)
    assert all(page.version.text for page in crawled.pages())
    assert contents(crawled) == before
    assert crawled.verify().problems == []


@pytest.mark.usefixtures("shouting")
def test_convert_reads_all_pages_with_the_code_of_today(crawled: Collection) -> None:
    before, old = contents(crawled), text_files(crawled)
    assert before != shouted(before)
    built = crawled.build(convert=True)
    assert built.texts == sum(1 for page in crawled.pages() if page.version.text)
    assert contents(crawled) == shouted(before)
    assert not set(text_files(crawled)) & set(old)
    assert crawled.verify().problems == []


@pytest.mark.usefixtures("shouting")
def test_a_build_that_ends_in_the_middle_leaves_every_page_with_a_text(
    crawled: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, old = contents(crawled), text_files(crawled)
    monkeypatch.setattr(shard_build, "BATCH", 5)
    crawled.close()
    steps = shard_build.steps(shard_build.Job(crawled.path, crawled.plan, True), 0)
    assert next(steps).texts == next(steps).texts - 5
    steps.close()  # type: ignore[attr-defined] # it is a generator
    mixed = contents(crawled)
    new = [url for url in before if mixed[url] == shouted(before)[url]]
    assert 5 <= len(new) < len(before)
    assert all(mixed[url] in (before[url], shouted(before)[url]) for url in before)
    assert crawled.verify().problems == []
    crawled.build(convert=True)
    assert contents(crawled) == shouted(before)
    assert not set(text_files(crawled)) & set(old)
    assert crawled.verify().problems == []


def test_a_shard_that_is_started_again_goes_on_and_does_not_begin_again(
    crawled: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_build, "BATCH", 5)
    total = sum(1 for page in crawled.pages() if page.version.text)
    job = shard_build.Job(crawled.path, crawled.plan, True)
    crawled.close()
    steps = shard_build.steps(job, 0)
    done = next(steps).texts
    steps.close()  # type: ignore[attr-defined] # it is a generator
    assert list(shard_build.steps(job, 0))[-1].texts == total - done
    assert crawled.verify().problems == []


def test_a_capture_that_is_damaged_is_told_and_the_others_go_on(crawled: Collection) -> None:
    pages = [page for page in crawled.pages() if page.version.text]
    path = crawled.file_of(pages[0])
    data = bytearray(path.read_bytes())
    version = pages[0].version
    data[version.offset + version.length // 2] ^= 0xFF
    path.write_bytes(data)
    crawled.close()
    built = crawled.build(convert=True)
    assert len(built.problems) == 1
    assert pages[0].url in built.problems[0]
    assert built.texts == len(pages) - 1
    assert run_gossamer("build", str(crawled.path), "--convert").returncode == 7


def test_only_one_may_build_and_only_in_a_collection(crawled: Collection, tmp_path: Path) -> None:
    with exclusive(crawled.path), pytest.raises(Locked):
        crawled.build()
    with pytest.raises(NotACollection):
        gossamer.open(tmp_path / "nothing").build()


def test_a_crawl_goes_on_after_a_build(crawled: Collection) -> None:
    clock = VirtualClock(crawled.page(next(crawled.pages()).url).version.began + 86_400)
    web = MadeWeb(SPEC, clock=clock)
    before = contents(crawled)
    crawled.build(convert=True)
    clock.run(crawled.crawl_async(revisit=True, outside=Outside(clock, web.fetch)))
    assert contents(crawled) == before
    assert crawled.verify().problems == []


@pytest.fixture(scope="module")
def two_shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "web"
    with MadeWeb(SPEC).serve() as web:
        result = run_gossamer(*crawl_arguments(folder, web.seed, "--shards", "2", "--delay", "0.001"))
    assert result.returncode == 0, result.stderr
    return folder


def test_every_shard_is_built_and_the_command_says_how_much(two_shards: Path) -> None:
    with gossamer.open(two_shards) as collection:
        before, old = contents(collection), text_files(collection)
        texts = sum(1 for page in collection.pages() if page.version.text)
    done = run_gossamer("build", str(two_shards), "--convert")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"made {texts} texts; looked at {len(before)} pages\n"
    assert run_gossamer("build", str(two_shards)).stdout == f"no text is missing; looked at {len(before)} pages\n"
    with gossamer.open(two_shards) as collection:
        assert contents(collection) == before
        assert not set(text_files(collection)) & set(old)


@pytest.mark.parametrize("point", ["text written:9", "table committed:2"])
def test_a_build_that_is_killed_again_and_again_does_no_harm(two_shards: Path, tmp_path: Path, point: str) -> None:
    with gossamer.open(two_shards) as collection:
        before = contents(collection)
    kills = tmp_path / "kills"
    deadly = {
        **os.environ,
        "PYTHONPATH": f"{KILLER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "GOSSAMER_TEST_KILL": point,
        "GOSSAMER_TEST_KILLS": str(kills),
        "GOSSAMER_TEST_MOST": "3",
    }
    command = gossamer_command("build", str(two_shards), "--convert")
    done = subprocess.run(command, env=deadly, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    assert kills.read_text()
    with gossamer.open(two_shards) as collection:
        assert contents(collection) == before
        assert collection.verify().problems == []
        collection.build(convert=True)
        assert contents(collection) == before


def test_a_build_runs_in_a_notebook(crawled: Collection) -> None:
    async def cell() -> int:
        return crawled.build(convert=True).texts

    assert asyncio.run(cell()) > 0


def test_a_shard_without_pages_is_built_too(tmp_path: Path) -> None:
    with MadeWeb(replace(SPEC, hosts=1)).serve() as web:
        settings = {"shards": 2, "delay": 0.001, "ip_delay": 0.001, "allow_addresses": ("127.0.0.0/8",)}
        with gossamer.open(tmp_path / "web") as collection:
            collection.crawl(web.seed, build=False, **settings)
            assert not collection.is_built
            collection.build()
            assert collection.is_built
            assert collection.not_indexed == 0
            collection.remove(max(page.url for page in collection.pages()))
            assert collection.is_built


def index_parts(collection: Collection) -> list[int]:
    return [len(part_sizes(each)) for each in sorted(collection.path.glob("shards/*/index"))]


def test_an_index_of_many_parts_becomes_one_of_at_most_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the parts of a large one are: the engine would bring them together by eights."""
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with monkeypatch.context() as patch, gossamer.open(tmp_path / "web") as collection:
        patch.setattr(indexer, "COMMIT_EVERY", 6)
        patch.setattr(ShardIndex, "gather", lambda index: None)
        outside = Outside(clock, web.fetch)
        clock.run(collection.crawl_async(web.seed, scope="any", outside=outside, shards=1))
        collection.build()
        [many] = index_parts(collection)
        before = answers(collection)
        assert collection.build(compact=True).indexed > 0
        assert many > 2 >= index_parts(collection)[0]
        assert answers(collection) == before
        assert collection.build(compact=True).indexed == 0, "there is nothing to do"
        assert not collection.verify().problems


def answers(collection: Collection) -> list[list[tuple[str, float]]]:
    collection.close()
    return [
        [(hit.url, round(hit.score, 4)) for hit in collection.search(text, 50)]
        for text in ("type:html", "water", "page")
    ]
