"""Folders of shards and files of captures that somebody has put elsewhere: where each of them goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_shard import BEGAN, INFO, came, made

from gossamer import files
from gossamer.collection.crawl.shard_identity import Imprint
from gossamer.collection.folder import Folder
from gossamer.collection.maintain import misplaced_files
from gossamer.collection.maintain.misplaced_files import move_captures, rename_shards
from gossamer.collection.sites import owner_of
from gossamer.model import SystemClock
from gossamer.plan import Plan
from gossamer.store.warc.warc import payload_digest
from gossamer.store.warc.writer import Writer

PLAN = Plan(shards=2)
OURS, THEIRS = (
    [f"http://h{number}.test/" for number in range(40) if owner_of(PLAN)(f"http://h{number}.test/") == shard]
    for shard in (0, 1)
)

PLACES: dict[str, tuple[dict[int, int | None], dict[int, int]]] = {
    "all are where they belong": ({0: 0, 1: 1, 2: 2}, {}),
    "two have changed places": ({0: 1, 1: 0, 2: 2}, {0: 1, 1: 0}),
    "three went round": ({0: 1, 1: 2, 2: 0}, {0: 1, 1: 2, 2: 0}),
    "one got another number": ({0: 0, 7: 1, 2: 2}, {7: 1}),
    "one is where nobody knows its own": ({0: 1, 1: None, 2: 2}, {0: 1, 1: 0}),
    "a kill has left one beyond": ({0: 0, 2: 2, 3: None}, {3: 1}),
    "nobody knows anything": ({0: None, 7: None}, {}),
    "the only one knows nothing": ({7: None}, {}),
    "one knows nothing and is in nobody's way": ({0: 0, 1: None, 2: 2}, {}),
    "two say that they are the same": ({0: 1, 1: 1, 2: 2}, {}),
    "more are left than places": ({0: 0, 1: 1, 2: 2, 5: None}, {}),
}


@pytest.mark.parametrize(("known", "final"), PLACES.values(), ids=PLACES.keys())
def test_a_folder_gets_the_number_that_its_table_says(
    known: dict[int, int | None], final: dict[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    for number, shard in known.items():
        folder.table(number).mkdir(parents=True)
        (folder.shard(number) / "was").write_text(str(number))
        if shard is not None:
            (folder.table(number) / "imprint").write_text(str(shard))

    def imprint(folder: Folder, number: int) -> Imprint | None:
        path = folder.table(number) / "imprint"
        return Imprint(int(path.read_text()), 3, "") if path.exists() else None

    monkeypatch.setattr(misplaced_files, "_imprint", imprint)
    told = rename_shards(folder)
    assert sorted(told) == sorted(
        f"shards/{here:02}: was shard {there}, and is shards/{there:02} again" for here, there in final.items()
    )
    now = {int(path.parent.name): int(path.read_text()) for path in tmp_path.glob("shards/*/was")}
    assert now == {final.get(number, number): number for number in known}
    assert rename_shards(folder) == []


def test_names_that_are_back_last_through_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 1):
        Folder(tmp_path).table(number).mkdir(parents=True)
    synced: list[tuple[Path, bool]] = []
    monkeypatch.setattr(files, "sync_folder", lambda folder: synced.append((folder, (folder / "05").exists())))
    monkeypatch.setattr(misplaced_files, "_imprint", lambda folder, number: Imprint(number, 2, ""))
    assert rename_shards(Folder(tmp_path)) == []
    assert synced == []
    monkeypatch.setattr(misplaced_files, "_imprint", lambda folder, number: Imprint(5 * number, 9, ""))
    assert len(rename_shards(Folder(tmp_path))) == 1
    assert synced == [(tmp_path / "shards", True)]


def test_a_shard_says_its_number_by_its_table(tmp_path: Path) -> None:
    with made(tmp_path) as shard:
        misplaced_files.shard_identity.leave(shard.table, 4, Plan(shards=9))
        shard.commit()
    found = misplaced_files._imprint(Folder(tmp_path), 0)
    assert found is not None
    assert (found.shard, found.shards) == (4, 9)
    assert misplaced_files._imprint(Folder(tmp_path), 1) is None


def written(folder: Folder, index: int, *urls: str, prefix: str = "09") -> Path:
    place = folder.shard(index) / "captures"
    place.mkdir(parents=True, exist_ok=True)
    writer = Writer(place, INFO, SystemClock(), prefix=f"gossamer-{prefix}", max_bytes=1 << 30)
    for number, url in enumerate(urls):
        one = came(url, after=float(number))
        writer.capture(one, payload_digest(one.wire))
    writer.close()
    (path,) = place.glob(f"gossamer-{prefix}*")
    return path


def test_a_file_whose_captures_belong_to_another_shard_is_moved_there(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    astray, ours, mixed, empty = (
        written(folder, 0, *urls, prefix=prefix)
        for prefix, urls in (("01", THEIRS), ("02", OURS), ("03", [*OURS, *THEIRS]), ("04", []))
    )
    there = folder.shard(1) / "captures" / astray.name
    assert list(move_captures(folder, PLAN)) == [f"{astray}: has captures of shards/01, and is there now"]
    assert there.exists()
    assert [path.exists() for path in (astray, ours, mixed, empty)] == [False, True, True, True]
    assert list(move_captures(folder, PLAN)) == []


def test_no_file_takes_the_place_of_another_and_one_shard_has_nothing_to_move(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    astray = written(folder, 0, *THEIRS)
    assert list(move_captures(folder, Plan(shards=1))) == []
    there = folder.shard(1) / "captures" / astray.name
    there.parent.mkdir(parents=True)
    there.write_bytes(b"theirs")
    assert list(move_captures(folder, PLAN)) == []
    assert (astray.exists(), there.read_bytes()) == (True, b"theirs")


def test_a_file_that_a_row_of_its_shard_knows_stays(tmp_path: Path) -> None:
    """Who belongs where may have changed with the suffixes of the plan."""
    with made(tmp_path) as shard:
        shard.keep(THEIRS[0])
        shard.keep(THEIRS[1], b"<p>another")
        shard.commit()
        shard.archive.versions.remove(THEIRS[0], BEGAN)
        shard.commit()
    (path,) = (tmp_path / "shards/00/captures").iterdir()
    assert list(move_captures(Folder(tmp_path), PLAN)) == []
    assert files.is_file(path)
