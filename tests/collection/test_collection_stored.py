"""A collection whose disk is lost, whose store is away, and which two machines want."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import descendants, gossamer_command, run_gossamer, wait_for, with_room
from gossamer.collection import stored
from gossamer.collection.folder import Folder
from gossamer.depot.depot import Depot
from gossamer.errors import StoreAway, UsageError
from gossamer.plan import Plan
from gossamer.testing import Copies, MadeWeb, Redirects, Sitemaps, WebSpec
from harness.kills import contents_of

SPEC = WebSpec(
    seed=11,
    hosts=4,
    pages=7,
    names="ip",
    redirects=Redirects(chains=0.2, across=0.5),
    copies=Copies(exact=0.2),
    sitemaps=Sitemaps(hosts=0.5, orphans=2),
)
OPEN = ("--allow-address", "127.0.0.0/8")
FAST = ("--scope", "any", "--delay", "0.1", "--patience", "0", *OPEN, "--set", "checkpoint_seconds=0.3")


@pytest.fixture(scope="module")
def web() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as served:
        yield served


@pytest.fixture(scope="module")
def whole(web: MadeWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a crawl brings that nothing happens to."""
    folder = with_room(tmp_path_factory.mktemp("whole") / "web")
    done(run_gossamer("crawl", str(folder), web.seed, *FAST, "--shards", "2"))
    return comparable(folder)


def comparable(folder: Path) -> dict[str, Any]:
    found = contents_of(folder, 2)
    return {**found, "states": {url: row[:2] for url, row in found["states"].items()}}


def done(run: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert run.returncode == 0, run.stderr
    return run


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl, which is gone at the end with all its processes."""
    process = subprocess.Popen(gossamer_command(*words), stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        kill(process)
        assert process.stderr is not None
        process.stderr.close()


def kill(process: subprocess.Popen[str]) -> None:
    for each in [process.pid, *descendants(process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    process.wait(60)


def kept_pages(store: Path) -> int:
    """In the checkpoints of all shards."""
    heads = [Depot(str(store)).line(shard).newest() for shard in range(2)] if store.is_dir() else []
    return sum(int(head.counts.get("pages", 0)) for head in heads if head)


def crawling(web: MadeWeb, folder: Path, store: Path | str) -> list[str]:
    return ["crawl", str(with_room(folder)), web.seed, *FAST, "--shards", "2", "--store", str(store)]


def test_a_crawl_that_is_killed_with_its_disk_goes_on_from_the_store(
    web: MadeWeb, whole: dict[str, Any], tmp_path: Path
) -> None:
    folder, store = tmp_path / "web", tmp_path / "store"
    with running(*crawling(web, folder, store)) as process:
        wait_for(lambda: kept_pages(store) >= 10)
        kill(process)
    before = kept_pages(store)
    assert before < whole["sums"]["pages"]
    shutil.rmtree(folder)
    done(run_gossamer("crawl", str(folder), *FAST, "--store", str(store)))
    assert comparable(folder) == whole
    shutil.rmtree(folder)
    done(run_gossamer("fetch-collection", str(store), str(folder)))
    assert comparable(folder) == whole


@pytest.fixture(scope="module")
def made(web: MadeWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection and its store."""
    place = tmp_path_factory.mktemp("made")
    done(run_gossamer(*crawling(web, place / "web", place / "store")))
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """The same for one test."""
    return Path(shutil.copytree(made, tmp_path / "place"))


@pytest.mark.soak
def test_a_shard_alone_that_is_lost_comes_back(place: Path, whole: dict[str, Any]) -> None:
    folder, store = place / "web", place / "store"
    shutil.rmtree(folder / "shards" / "01")
    done(run_gossamer("crawl", str(folder), *FAST, "--store", str(store)))
    assert comparable(folder) == whole


def test_a_store_that_is_away_holds_the_crawl_up_and_nothing_is_lost(
    web: MadeWeb, whole: dict[str, Any], tmp_path: Path
) -> None:
    folder, store, away = tmp_path / "web", tmp_path / "store", tmp_path / "away"
    with running(*crawling(web, folder, store)) as process:
        wait_for(lambda: kept_pages(store) >= 5)
        store.rename(away)
        wait_for(lambda: waits(folder))
        assert process.poll() is None
        away.rename(store)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "nothing is fetched until it is back" in said
    assert comparable(folder) == whole


def waits(folder: Path) -> bool:
    run = run_gossamer("status", str(folder), "--json")
    return run.returncode == 0 and "the store cannot be written to" in json.loads(run.stdout)["store_away"]


def test_of_two_machines_the_later_has_it_and_the_other_ends(web: MadeWeb, tmp_path: Path) -> None:
    store = tmp_path / "store"
    slow = [*crawling(web, tmp_path / "web", store), "--delay", "2"]
    with running(*slow) as first:
        wait_for(lambda: kept_pages(store) >= 1)
        second = done(run_gossamer("crawl", str(tmp_path / "other"), *FAST, "--store", str(store), "--pages", "20"))
        _, said = first.communicate(timeout=60)
    assert first.returncode == 4, said
    assert "another machine has taken it over" in said
    assert "may still crawl" in second.stderr


def test_what_was_done_to_a_collection_at_rest_is_published_first(web: MadeWeb, place: Path) -> None:
    folder, store = place / "web", place / "store"
    done(run_gossamer("remove", str(folder), web.seed, "--yes", "--archive"))
    done(run_gossamer("crawl", str(folder), *FAST, "--store", str(store)))
    done(run_gossamer("fetch-collection", str(folder), str(place / "copy")))
    assert "removed" in run_gossamer("why", str(place / "copy"), web.seed).stdout
    with gossamer.open(place / "copy") as copy:
        assert copy.verify().problems == []
        assert copy.plan.store == ""


def test_what_changes_while_it_runs_is_kept_and_what_the_store_missed_is_kept_later(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "web")
    folder.create()
    folder.save_plan(Plan(seeds=("http://a.test/",), proxy="http://me:secret@proxy:80", shards=1))
    depot, known = Depot(str(tmp_path / "store")), dict[str, Any]()
    with pytest.raises(StoreAway):
        stored.keep(folder, depot, known)
    depot.begin()
    stored.keep(folder, depot, known)
    text = (depot.file("plan.toml") or b"").decode()
    assert "http://a.test/" in text
    assert "secret" not in text
    (folder.path / "asked").write_text("[]")
    stored.keep(folder, depot, known)
    assert depot.file("asked") == b"[]"
    (folder.path / "asked").unlink()
    stored.keep(folder, depot, known)
    assert depot.file("asked") is None


def test_a_collection_is_fetched_while_it_is_crawled_and_what_is_added_meanwhile_is_kept(
    web: MadeWeb, tmp_path: Path
) -> None:
    folder, store = tmp_path / "web", tmp_path / "store"
    with running(*crawling(web, folder, store), "--delay", "1"):
        wait_for(lambda: kept_pages(store) >= 3)
        done(run_gossamer("fetch-collection", str(folder), str(tmp_path / "copy")))
        with gossamer.open(tmp_path / "copy") as copy:
            assert copy.verify().problems == []
            assert copy.status().pages >= 3
        done(run_gossamer("add", str(folder), "http://added.test/"))
        wait_for(lambda: b"http://added.test/" in (Depot(str(store)).file("plan.toml") or b""))


# -------------------------------------------------------------------------- refused


def test_a_store_of_another_collection_is_refused(web: MadeWeb, place: Path, tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    done(run_gossamer("crawl", str(folder), web.seed, *FAST, "--shards", "2", "--pages", "3"))
    before, kept = run_gossamer("list", str(folder)).stdout, files_below(place / "store")
    run = run_gossamer("crawl", str(folder), *FAST, "--store", str(place / "store"))
    assert run.returncode == 2
    assert "holds another collection" in run.stderr
    assert run_gossamer("list", str(folder)).stdout == before
    assert files_below(place / "store") == kept
    done(run_gossamer("crawl", str(folder), *FAST))  # its plan names no store that is not its own


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("folder", "store"), [("a", "a"), ("a", "a/store"), ("a/web", "a")])
def test_a_store_does_not_lie_in_its_own_collection(folder: str, store: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    run = run_gossamer("crawl", str(tmp_path / folder), "http://a.test/", "--store", str(tmp_path / store))
    assert run.returncode == 2
    assert "in each other" in run.stderr
    assert not any((tmp_path / "a").iterdir())


def test_the_plan_of_a_store_is_a_strangers_until_somebody_agrees(place: Path, tmp_path: Path) -> None:
    words = ("crawl", str(tmp_path / "web"), "--store", str(place / "store"))
    run = run_gossamer(*words)
    assert run.returncode == 2
    assert "--trust-plan" in run.stderr
    assert not (tmp_path / "web").exists()
    done(run_gossamer(*words, "--trust-plan"))


def test_what_another_machine_has_changed_comes_with_its_checkpoints(place: Path, tmp_path: Path) -> None:
    first, other, store = str(place / "web"), str(tmp_path / "other"), str(place / "store")
    done(run_gossamer("alert", "add", first, "old", "page"))
    done(run_gossamer("crawl", first, *FAST, "--store", store))
    done(run_gossamer("crawl", other, "--store", store, "--trust-plan", "--set", "depth=7"))
    done(run_gossamer("alert", "add", other, "new", "page"))
    done(run_gossamer("crawl", other))
    run = done(run_gossamer("crawl", first))
    assert "the plan in the store takes its place" in run.stderr
    for folder in (first, other):
        with gossamer.open(folder) as web:
            assert web.plan.depth == 7
            assert sorted(web.alerts) == ["new", "old"]
    assert b"depth = 7" in (Depot(store).file("plan.toml") or b"")
    done(run_gossamer("set", first, "depth=9"))
    assert "takes its place" not in done(run_gossamer("crawl", first)).stderr
    assert b"depth = 9" in (Depot(store).file("plan.toml") or b"")


def test_a_known_collection_does_not_believe_what_somebody_opened_in_the_store(place: Path) -> None:
    folder, depot = str(place / "web"), Depot(str(place / "store"))
    plan = (depot.file("plan.toml") or b"").decode()
    depot.keep_file("plan.toml", f'on_page = "evil:page"\n{plan}'.encode())
    depot.keep_file("writer", b"somebody")
    run = run_gossamer("crawl", folder, "--store", depot.url)
    assert run.returncode == 2
    assert "evil:page" in run.stderr
    assert "--trust-plan" in run.stderr
    assert "evil" not in (place / "web" / "plan.toml").read_text()


@pytest.mark.soak
def test_an_old_copy_of_the_disk_is_not_taken_for_the_newest(place: Path, whole: dict[str, Any]) -> None:
    """It is of a life that went on after the copy was made."""
    words = ("crawl", str(place / "web"), *FAST, "--store", str(place / "store"))
    with running(*words, "--revisit", "--delay", "1") as process:
        head = published(place, 0)
        wait_for(lambda: published(place, 0) > head + 1)
        shutil.copytree(place / "web" / "shards" / "00", place / "backup", ignore=shutil.ignore_patterns("*.partial"))
        before = published(place, 0)
        wait_for(lambda: published(place, 0) > before + 1)
        kill(process)
    shutil.rmtree(place / "web" / "shards" / "00")
    shutil.move(place / "backup", place / "web" / "shards" / "00")
    run = run_gossamer(*words)
    assert run.returncode == 7
    assert "copied back from a backup" in run.stderr
    shutil.rmtree(place / "web" / "shards" / "00")
    done(run_gossamer(*words))
    assert set(comparable(place / "web")["pages"]) == set(whole["pages"])


def published(place: Path, shard: int) -> int:
    head = Depot(str(place / "store")).line(shard).newest()
    return head.number if head else 0


def test_a_store_that_cannot_be_made_ends_the_command(web: MadeWeb, tmp_path: Path) -> None:
    run = run_gossamer("crawl", str(tmp_path / "web"), web.seed, *FAST, "--store", str(tmp_path / "none" / "store"))
    assert run.returncode == 6
    assert "mounted" in run.stderr
    run = run_gossamer("crawl", str(tmp_path / "web"), web.seed, *FAST, "--store", "ftp://host/store")
    assert run.returncode == 2


def test_there_must_be_something_to_fetch_and_an_empty_place_for_it(made: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run_gossamer("fetch-collection", str(tmp_path / "empty"), str(tmp_path / "copy")).returncode == 3
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert run_gossamer("fetch-collection", str(made / "store"), str(tmp_path / "full")).returncode == 2
    assert not (tmp_path / "copy").exists()


def test_what_is_not_whole_yet_is_gone_on_with_and_what_is_somebody_elses_is_left(made: Path, tmp_path: Path) -> None:
    partial, store = tmp_path / "copy.partial", str(made / "store")
    partial.mkdir()
    (partial / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"copy\.partial: is there already"):
        stored.fetch(store, tmp_path / "copy")
    assert [each.name for each in partial.iterdir()] == ["mine.txt"]
    (partial / "mine.txt").rename(partial / stored.FETCHED)
    (partial / stored.FETCHED).write_text(store)
    stored.fetch(store, tmp_path / "copy")
    assert not partial.exists()
    assert not (tmp_path / "copy" / stored.FETCHED).exists()
