"""All shards of a collection are read as one, and as they were at one moment; and a shard is opened to be changed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from small_shard import answer, said, small_shard

from gossamer.collection.ask import shard_readers
from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.writable_shard import opened
from gossamer.dedupe.column_families import PRINTS
from gossamer.errors import Damaged, NotFound
from gossamer.model import Visit
from gossamer.pinned_path import Held
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.urls import keys

URLS = [f"http://{number}.test/" for number in range(8)]


def owner(url: str) -> int:
    return keys.shard(keys.host(url), 2)


def made(path: Path) -> Folder:
    """Two shards, with each address in its own."""
    folder = Folder(path)
    for index in range(2):
        folder.shard(index).mkdir(parents=True)
        with small_shard(folder.shard(index)) as shard:
            shard_identity.leave(shard.table, index, Plan(shards=2))
            for url in URLS:
                if owner(url) == index:
                    shard.keep(url, said(url))
            shard.commit()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return made(tmp_path)


def test_every_address_is_found_in_its_shard(folder: Folder) -> None:
    found = ShardReaders(folder, Plan(shards=2))
    assert {found.number(url) for url in URLS} == {0, 1}
    for url in URLS:
        assert found.number(url) == owner(url)
        assert found.of(url) is found.all[owner(url)]
        version = found.current(url)
        assert version is not None
        assert found.of(url).archive.capture(url, version).visit.url == url
    assert found.current("http://0.test/never") is None
    assert found.tables == [shard_reader.table for shard_reader in found.all]
    assert found.archives == [shard_reader.archive for shard_reader in found.all]
    assert [str(place) for place in found.places] == [str(folder.shard(index)) for index in range(2)]
    assert len(found.lookups) == 2
    found.close()


def test_files_are_held_that_a_writer_may_delete(folder: Folder) -> None:
    found = ShardReaders(folder, Plan(shards=2))
    for index, archive in enumerate(found.archives):
        for path, _ in archive.files.all():
            held = found.places[index] / "captures" / path.name
            assert isinstance(held, Held)
            assert held.handle is not None
            Path(path).unlink()
    url = URLS[0]
    version = found.current(url)
    assert version is not None
    assert found.of(url).archive.capture(url, version).body == said(url).encode()
    found.close()


def test_a_collection_from_before_there_were_prints_is_told_to_build(tmp_path: Path) -> None:
    folder, without = Folder(tmp_path), [name for name in FAMILIES if name != PRINTS]
    folder.shard(0).mkdir(parents=True)
    with Table.open(folder.table(0), without, writable=True) as table:
        table.commit()
    found = ShardReaders(folder, Plan())
    with pytest.raises(NotFound, match="gossamer build"):
        _ = found.lookups
    found.close()


def test_one_shard_without_prints_is_enough_to_be_told_to_build(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ShardReaders(folder, Plan(shards=2))
    tables = [SimpleNamespace(families=families) for families in ((PRINTS,), ())]
    monkeypatch.setattr(ShardReaders, "tables", tables)
    with pytest.raises(NotFound, match="gossamer build"):
        _ = found.lookups
    found.close()


def test_a_shard_that_is_another_or_unfinished_is_not_read(folder: Folder) -> None:
    with Table.open(folder.table(1), FAMILIES, writable=True) as table:
        shard_identity.set_unfinished(table, True)
        table.commit()
    with pytest.raises(Damaged, match="was being repaired"):
        ShardReaders(folder, Plan(shards=2))
    with Table.open(folder.table(1), FAMILIES, writable=True) as table:
        shard_identity.set_unfinished(table, False)
        shard_identity.leave(table, 0, Plan(shards=2))
        table.commit()
    with pytest.raises(Damaged, match="was made as shard 0"):
        ShardReaders(folder, Plan(shards=2))
    with pytest.raises(Damaged, match="has 1 shard,"):
        ShardReaders(folder, Plan())


def looks(folder: Folder, monkeypatch: pytest.MonkeyPatch, replaced: list[bool]) -> tuple[int, int]:
    """How often a reader looked, and how many tables it left open."""
    monkeypatch.setattr(shard_readers, "LOOKS_MOST", 4)
    monkeypatch.setattr(Moment, "is_replaced", lambda *_: replaced.pop(0))
    tables: list[Table] = []
    real, closed = Table.open, Table.close
    ended: list[Table] = []

    def opening(path: Path, families: tuple[str, ...], *, writable: bool) -> Table:
        tables.append(real(path, families, writable=writable))
        return tables[-1]

    monkeypatch.setattr(Table, "open", opening)
    monkeypatch.setattr(Table, "close", lambda table: (ended.append(table), closed(table))[1])
    found = ShardReaders(folder, Plan(shards=2))
    counted = len(tables), len(tables) - len(ended)
    found.close()
    return counted


def test_a_reader_begins_again_while_the_log_of_links_is_replaced(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert looks(folder, monkeypatch, [False, True, True, False]) == (4, 2)


def test_but_not_for_ever(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks(folder, monkeypatch, [False, *[True] * 9]) == (1 + 4, 2)


# --------------------------------------------------------------------------- workshop


@pytest.mark.parametrize(("shards", "prefix"), [(0, "gossamer"), (1, "gossamer"), (2, "gossamer-01")])
def test_a_shard_on_the_bench_can_be_written_to(shards: int, prefix: str, tmp_path: Path) -> None:
    folder, index, url = Folder(tmp_path), 1, "http://a.test/"
    folder.shard(index).mkdir(parents=True)
    plan = Plan(shards=shards)
    with opened(folder, plan, index) as bench:
        assert (bench.path, bench.plan, bench.prefix) == (folder.shard(index), plan, prefix)
        assert bench.archive.texts.is_open
        bench.open_captures()
        capture = answer(url, "<title>A word</title><p>More of them.", visit=Visit(url))
        page = bench.read(capture)
        assert page.title == "A word"
        bench.archive.append(capture, page)
        bench.archive.prepare()
        bench.table.commit()
        archive = bench.archive
    assert not archive.texts.is_open
    names = [path.name for path in (folder.shard(index) / "captures").iterdir()]
    assert len(names) == 1
    assert names[0].startswith(f"{prefix}-2")
    with opened(folder, plan, index) as bench:
        assert bench.archive.versions.current(url) is not None


def test_the_bench_is_cleared_when_something_breaks(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.shard(0).mkdir(parents=True)
    with pytest.raises(ValueError, match="broken"), opened(folder, Plan(), 0) as bench:
        raise ValueError("broken")
    assert not bench.archive.texts.is_open
