"""Old versions go by a rule: what is left can be read as before, and the archive is as much smaller."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.maintain import pruning
from gossamer.errors import InvalidPlan, UsageError
from gossamer.store.repair import prune
from gossamer.store.retention import Rule
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import records
from gossamer.testing import Changes, Copies, MadeWeb, VirtualClock, WebSpec
from gossamer.urls import keys
from harness.seldom import seldom

DAY = 86_400
ROUNDS = 4
SPEC = WebSpec(seed=3, hosts=2, pages=10, copies=Copies(exact=0.4), changes=Changes(pages=0.6, rate=(1.0, 1.0)))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Asked again every few days, most of its pages changed each time."""
    folder, clock = tmp_path_factory.mktemp("prune") / "web", VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(folder) as collection:
        for number in range(ROUNDS):
            seeds: dict[str, Any] = {"scope": "any", "warc_bytes": 65_536} if not number else {"revisit": True}
            crawl = collection.crawl_async(*[web.seed][number:], outside=Outside(clock, web.fetch), **seeds)
            clock.run(crawl)
            clock.advance(5 * DAY)
    return folder


@pytest.fixture
def collection(crawled: Path, tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(shutil.copytree(crawled, tmp_path / "web")) as collection:
        yield collection


def texts(collection: Collection) -> dict[str, str]:
    return {page.url: page.text for page in collection.pages()}


def moments(collection: Collection) -> dict[str, list[float]]:
    """Of all addresses, the newest first."""
    found: dict[str, list[float]] = {}
    for reader in collection._readers().all:
        for url, version in reader.archive.versions.all():
            found.setdefault(url, []).append(version.began)
    return found


def recorded(folder: Path, part: str) -> int:
    return sum(1 for path in (folder / "shards").glob(f"*/{part}/*.warc.gz") for _ in records(path))


def octets(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "shards").glob("*/*/*.warc.gz"))


def pointed_at(collection: Collection) -> set[tuple[str, float]]:
    """Versions whose payload or text others show."""
    found = set()
    for each in (page.version for page in collection.pages()):
        found |= {(each.original, each.original_began), (each.text_of, each.text_began)}
    return {(url, began) for url, began in found if url}


def test_the_last_stay_with_what_they_need_and_the_archive_is_smaller(collection: Collection) -> None:
    before, had, size = texts(collection), moments(collection), octets(collection.path)
    needed = pointed_at(collection)
    assert any(len(each) > 2 for each in had.values())
    told = collection.prunable("last 1")
    done = collection.prune("last 1")
    assert (done.versions, done.bytes, done.pages) == (told.versions, told.bytes, told.pages)
    gone = {url: len(kept) - len(moments(collection)[url]) for url, kept in had.items()}
    assert done.pages == {url: number for url, number in gone.items() if number}
    assert list(done.pages) == sorted(done.pages, key=keys.row)
    assert done.versions > 0
    assert done.freed == size - octets(collection.path) >= done.bytes * 0.9
    assert texts(collection) == before
    for url, kept in moments(collection).items():
        assert kept[0] == had[url][0]
        assert all((url, began) in needed for began in kept[1:])
    assert collection.verify().problems == []
    assert not any("no longer" in note for note in collection.verify().notes)
    assert collection.prune("last 1").versions == 0


def test_what_a_page_was_within_the_time_can_still_be_read(collection: Collection) -> None:
    had = moments(collection)
    assert collection.prune("9999 days").versions == 0
    assert moments(collection) == had


def test_bytes_of_a_file_that_is_mostly_of_use_stay_until_somebody_asks(
    collection: Collection,
) -> None:
    folder, plan, count = collection._folder, collection.plan, recorded(collection.path, "captures")
    collection.close()
    done = pruning.prune(folder, plan, Rule.of("last 1"), 0.0, wasted=1.0)
    assert done.versions > 0 == done.freed
    assert recorded(collection.path, "captures") == count
    checked = collection.verify()
    assert checked.problems == []
    assert any(f"{done.versions} records of old versions" in note for note in checked.notes)
    assert collection.repair().left == ()
    had = moments(collection)
    assert collection.prune("last 1").freed > 0
    assert moments(collection) == had
    assert not any("no longer" in note for note in collection.verify().notes)


@pytest.mark.parametrize("at", seldom(range(1, 9), 2))
def test_a_kill_at_any_commit_leaves_what_the_next_run_finishes(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    before, calm = texts(collection), shutil.copytree(collection.path, tmp_path / "calm")
    commit, made = Table.commit, 0

    def dies(table: Table) -> None:
        nonlocal made
        made += 1
        if made == at:
            raise KeyboardInterrupt
        commit(table)

    monkeypatch.setattr(prune, "BATCH", 5)
    collection.close()
    with monkeypatch.context() as patched:
        patched.setattr(Table, "commit", dies)
        with suppress(KeyboardInterrupt):
            collection.prune("last 1")
    assert texts(collection) == before
    assert collection.verify().problems == []
    collection.prune("last 1")
    with gossamer.open(calm) as other:
        other.prune("last 1")
        assert moments(collection) == moments(other)
        assert recorded(collection.path, "captures") == recorded(calm, "captures")
        assert recorded(collection.path, "texts") == recorded(calm, "texts")
    assert collection.verify().problems == []


def test_who_reads_meanwhile_reads_what_was_there(collection: Collection) -> None:
    with gossamer.open(collection.path) as reader:
        before, had = texts(reader), moments(reader)
        assert collection.prune("last 1").freed > 0
        assert (texts(reader), moments(reader)) == (before, had)


def test_a_page_that_comes_back_to_what_was_pruned_is_kept_again(collection: Collection) -> None:
    collection.prune("last 1")
    clock = VirtualClock()
    clock.advance(100 * DAY)
    web = MadeWeb(SPEC, clock=clock)
    clock.run(collection.crawl_async(outside=Outside(clock, web.fetch), revisit=True))
    assert collection.verify().problems == []
    assert all(page.text for page in collection.pages() if page.status == 200)


def test_without_a_rule_nothing_goes(collection: Collection) -> None:
    with pytest.raises(UsageError, match="--keep 'last 5'"):
        collection.prune()
    with pytest.raises(InvalidPlan, match="'last 5' or '90 days'"):
        collection.prune("some")


def test_the_command_says_what_goes_and_asks(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    folder, had = str(collection.path), moments(collection)
    collection.close()
    assert main(["prune", folder]) == 2
    assert main(["prune", folder, "--keep", "last 1"]) == 2  # nobody is there to be asked
    assert "--yes" in capsys.readouterr().err
    assert main(["prune", folder, "--keep", "last 1", "--dry-run"]) == 0
    *named, total, unchanged = capsys.readouterr().out.splitlines()
    assert "nothing was changed" in unchanged
    assert sum(int(each.split()[0]) for each in named) == int(total.split()[0])
    assert all(each.split()[1] in had for each in named)
    assert moments(collection) == had
    assert main(["prune", folder, "--keep", "last 1", "--yes"]) == 0
    assert "smaller" in capsys.readouterr().out
    assert main(["prune", folder, "--keep", "last 1", "--yes"]) == 0
    assert "nothing to let go" in capsys.readouterr().out
