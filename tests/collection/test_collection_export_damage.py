"""An export has every capture that the collection has, or it is none: it ends with an error, and leaves nothing."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import gossamer
from gossamer import files
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection.ask import consistent_read
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged, StorageError, UsageError
from gossamer.files.holes import holes
from gossamer.store.archive import Archive
from gossamer.store.repair import completeness
from gossamer.store.table.table import Table
from gossamer.store.warc.gzip_members import RECORD_MOST
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.read_only import read_only
from harness.reading_verbs import EXPORTS
from harness.seldom import seldom

SPEC = WebSpec(seed=4, hosts=6, pages=25, names="ip", copies=Copies(exact=0.2))
SMALL = 65_536
SHARDS = (0, 1)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shards, each of several files."""
    folder, clock = tmp_path_factory.mktemp("sound"), VirtualClock(1_790_000_000.0)
    made = MadeWeb(SPEC, clock=clock)
    with gossamer.open(folder / "crawled") as crawled:
        clock.run(crawled.crawl_async(made.seed, scope="any", outside=Outside(clock, made.fetch)))
        with (folder / "all.warc.gz").open("wb") as out:
            crawled.export("warc", out)
    with gossamer.open(folder / "web") as collection:
        settings: dict[str, Any] = {"shards": len(SHARDS), "warc_bytes": SMALL, "disk_pause": 0, "disk_pause_share": 0}
        collection.import_files(folder / "all.warc.gz", **settings)
    assert all(len(captures(folder / "web", shard)) > 1 for shard in SHARDS)
    return folder / "web"


@pytest.fixture
def web(sound: Path, tmp_path: Path) -> Path:
    shutil.copy(sound.parent / "all.warc.gz", tmp_path)
    return shutil.copytree(sound, tmp_path / "web")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def captures(folder: Path, shard: int) -> list[Path]:
    return sorted((folder / f"shards/{shard:02}/captures").glob("*.warc.gz"))


def first_is_missing(folder: Path) -> None:
    captures(folder, 1)[0].unlink()


def last_is_missing(folder: Path) -> None:
    captures(folder, 1)[-1].unlink()


def all_are_missing(folder: Path) -> None:
    for path in captures(folder, 1):
        path.unlink()


def folder_is_missing(folder: Path) -> None:
    shutil.rmtree(folder / "shards/01/captures")


def first_is_cut(folder: Path) -> None:
    os.truncate(captures(folder, 1)[0], captures(folder, 1)[0].stat().st_size - 1)


def last_is_cut(folder: Path) -> None:
    os.truncate(captures(folder, 1)[-1], captures(folder, 1)[-1].stat().st_size // 2)


DAMAGES = (first_is_missing, last_is_missing, all_are_missing, folder_is_missing, first_is_cut, last_is_cut)


def exports(folder: Path, place: Path) -> Iterator[list[str]]:
    """Every format to a file, and the WARC files one by one."""
    for form in EXPORTS:
        yield ["export", str(folder), form, "-o", str(place / f"out.{form}")]
    yield ["export", str(folder), "warc", "-o", str(place)]


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_export_leaves_out_what_is_missing_or_cut(
    web: Path, place: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    damage(web)
    for arguments in exports(web, place):
        assert main(arguments) == Damaged.exit_code, arguments
        assert f"gossamer verify {web} --repair" in capsys.readouterr().err
        assert list(place.iterdir()) == []


@pytest.mark.parametrize("damage", seldom([first_is_missing, all_are_missing, last_is_cut], 3))
def test_after_a_repair_the_rest_can_be_exported(web: Path, place: Path, damage: Callable[[Path], None]) -> None:
    damage(web)
    with gossamer.open(web) as collection:
        assert any("captures" in each or ".warc.gz" in each for each in collection.verify().problems)
        assert collection.repair().left == ()
    for arguments in exports(web, place):
        assert main(arguments) == 0, arguments


def test_an_import_goes_on_after_the_last_file_was_lost(web: Path) -> None:
    with gossamer.open(web) as collection:
        before = collection.export("cdxj", io.BytesIO())
    last_is_missing(web)
    with gossamer.open(web) as collection:
        lost = collection.repair().lost
        again = web.parent / "again.warc.gz"  # another file with the same captures: the old one was imported
        again.write_bytes((web.parent / "all.warc.gz").read_bytes() * 2)
        collection.import_files(again)
        assert lost
        assert collection.verify().problems == []
        assert collection.export("cdxj", io.BytesIO()) == before


def test_a_missing_file_without_a_capture_is_missing_too(web: Path) -> None:
    """A row alone says that it was there."""
    with gossamer.open(web) as collection:
        archive = collection._readers().archives[1]
        name, length = archive.files.committed()
        assert archive.files.missing() == []
    captures(web, 1)[-1].rename(web / "elsewhere")
    with gossamer.open(web) as collection:
        archive = collection._readers().archives[1]
        assert archive.files.missing() == [name]
        assert archive.files.lengths()[name] == length
        assert f"{name}: is missing" in collection.verify().problems


def test_what_may_not_be_read_is_said_and_not_left_out(web: Path, place: Path) -> None:
    closed = captures(web, 1)[0]
    closed.chmod(0)
    lines = [*exports(web, place), ["verify", str(web)]]
    for arguments, (code, errors) in zip(lines, read_only(lines), strict=True):
        assert code == StorageError.exit_code, (arguments, errors)
        assert closed.name in errors
        assert "check its owner and mode" in errors
    assert list(place.iterdir()) == []


def test_a_disk_that_fails_is_said_as_such(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = files.open

    def fails(path: Path, *how: Any, **named: Any) -> BinaryIO:
        if path.name.endswith(".warc.gz"):
            raise OSError(5, "Input/output error", str(path))
        return opened(path, *how, **named)

    monkeypatch.setattr(files, "open", fails)
    with gossamer.open(web) as collection, pytest.raises(StorageError, match="the disk fails"):
        collection.export("cdxj", io.BytesIO())


def test_files_beyond_those_that_a_reader_can_hold_are_exported(
    web: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    monkeypatch.setattr(consistent_read, "SHARE", most)  # one file is held
    with gossamer.open(web) as collection:
        assert collection.export_files(place) == sum(len(captures(web, shard)) for shard in SHARDS)
        assert collection.verify().problems == []


def test_a_file_that_is_cut_while_it_is_copied_is_noticed(web: Path) -> None:
    path = captures(web, 0)[0]
    size = path.stat().st_size
    copied = completeness.pieces(path, size, 1_000)
    next(copied)
    os.truncate(path, 9_000)
    with pytest.raises(Damaged, match="ends at byte"):
        list(copied)


def test_files_one_by_one_are_all_there_or_none(web: Path, place: Path) -> None:
    mine = place / captures(web, 1)[-1].name
    mine.write_text("mine")
    with gossamer.open(web) as collection, pytest.raises(UsageError, match="is there already"):
        collection.export_files(place)
    assert [path.read_text() for path in place.iterdir()] == ["mine"]


def test_it_is_said_that_files_were_joined(web: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = sum(len(captures(web, shard)) for shard in SHARDS)
    assert main(["export", str(web), "warc", "-o", str(place / "all.warc.gz")]) == 0
    assert capsys.readouterr().out == f"joined {count} files into {place / 'all.warc.gz'}\n"
    assert main(["export", str(web), "warc", "--json", "-o", str(place / "json.warc.gz")]) == 0
    told = {"format": "warc", "path": str(place / "json.warc.gz"), "count": count}
    assert json.loads(capsys.readouterr().out) == told


@pytest.mark.parametrize("listed", [True, False])
def test_a_file_that_is_mostly_holes_is_damage_and_not_copied(web: Path, place: Path, listed: bool) -> None:
    """Whether the table says how long it is, and lies, or does not say it at all."""
    path = captures(web, 0)[0]
    os.truncate(path, 1 << 40)
    with Table.open(Folder(web).table(0), FAMILIES, writable=True) as table:
        archive = Archive(table, Folder(web).shard(0), lambda each: each)
        archive.files.set_length(path.name, 1 << 40 if listed else None)
        table.commit()
    for form in ("warc", "wacz"):
        with gossamer.open(web) as collection, pytest.raises(Damaged, match=r"holes.*--repair"):
            collection.export(form, Nowhere())
        assert main(["export", str(web), form, "-o", str(place / "out")]) == 7
    assert list(place.iterdir()) == []
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        collection.export("warc", io.BytesIO())


class Nowhere(io.BytesIO):
    """Nothing is written."""

    def write(self, data: object) -> int:
        raise AssertionError("an export has begun")


def test_a_few_holes_that_a_backup_has_made_of_zeros_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        for at in (1 << 20, 3 << 20, 9 << 20):
            file.seek(at)
            file.write(b"x" * 4096)
    size = path.stat().st_size
    with path.open("rb") as opened:
        if os.lseek(opened.fileno(), 0, os.SEEK_DATA) != 1 << 20:
            pytest.skip("this file system does not say where holes are")
        assert holes(opened.fileno(), size, RECORD_MOST) == size - 3 * 4096
        assert holes(opened.fileno(), 1 << 19, RECORD_MOST) == 1 << 19
