"""What travels with a checkpoint, and what it is packed with."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from made_store import MemoryObjects

from gossamer.depot import uploading
from gossamer.depot.heads import Head
from gossamer.depot.parts import Fixed, Growing, Part, Small, Snapshot, Stamp
from gossamer.depot.restoring import restore
from gossamer.depot.uploading import Uploader
from gossamer.errors import Damaged

FIRST = Head(number=1, life=1, claim="here", term=1)


class Shard:
    """A folder, and what the store has of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = MemoryObjects()
        self.head = FIRST
        self.stamps: dict[str, Stamp] = {}
        self._uploader = Uploader(self.objects, "shards/00", 1)

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        return path

    def upload(self, *parts: Part) -> int:
        done = self._uploader.upload(Snapshot(parts, 0), self.head, self.stamps)
        self.stamps = dict(done.stamps)
        number = self.head.number + 1
        self.head = Head(number=number, life=1, claim="here", term=1, files=done.files, packs=done.packs)
        return done.octets

    def restored(self, folder: Path) -> dict[str, bytes]:
        restore(self.objects, self.head, folder)
        return {name: (folder / name).read_bytes() for name in self.head.files}


@pytest.fixture
def shard(tmp_path: Path) -> Shard:
    return Shard(tmp_path / "here")


def test_a_file_that_never_changes_travels_once(shard: Shard) -> None:
    one = Fixed("table/1.sst", shard.write("table/1.sst", b"one" * 100))
    assert shard.upload(one) == 300
    assert shard.upload(one, Fixed("table/2.sst", shard.write("table/2.sst", b"two"))) == 3
    assert len(shard.objects.kept) == 2


def test_another_file_of_the_same_name_is_not_taken_for_it(shard: Shard, tmp_path: Path) -> None:
    shard.upload(Fixed("seen/1.keys", shard.write("seen/1.keys", b"before")))
    shard.upload(Fixed("seen/1.keys", shard.write("seen/1.keys", b"after!")))
    assert shard.restored(tmp_path / "there") == {"seen/1.keys": b"after!"}


def test_of_a_file_that_grows_only_the_end_travels(shard: Shard, tmp_path: Path) -> None:
    path = shard.write("captures/a", b"x" * 1_000)
    assert shard.upload(Growing("captures/a", path, 600)) == 600
    assert shard.upload(Growing("captures/a", path, 1_000)) == 400
    assert shard.upload(Growing("captures/a", path, 1_000)) == 0
    assert shard.restored(tmp_path / "there") == {"captures/a": b"x" * 1_000}


def test_one_that_was_begun_anew_travels_as_a_whole(shard: Shard, tmp_path: Path) -> None:
    shard.upload(Growing("links/log", shard.write("links/log", b"before"), 6, "1"))
    shard.upload(Growing("links/log", shard.write("links/log", b"after that"), 10, "2"))
    assert shard.restored(tmp_path / "there") == {"links/log": b"after that"}


def test_a_small_file_travels_when_it_has_changed(shard: Shard) -> None:
    assert shard.upload(Small("table/CURRENT", b"MANIFEST-1")) == 10
    assert shard.upload(Small("table/CURRENT", b"MANIFEST-1")) == 0
    assert shard.upload(Small("table/CURRENT", b"MANIFEST-02")) == 11


def test_no_checkpoint_is_made_of_a_file_that_is_too_short(shard: Shard) -> None:
    with pytest.raises(Damaged, match="ends at byte 4"):
        shard.upload(Growing("captures/a", shard.write("captures/a", b"1234"), 5))
    assert shard.head == FIRST


def test_what_is_left_of_a_pack_that_is_hardly_used_is_packed_again(shard: Shard, tmp_path: Path) -> None:
    small = Fixed("table/1.sst", shard.write("table/1.sst", b"small"))
    large = Fixed("table/2.sst", shard.write("table/2.sst", b"large" * 100))
    shard.upload(small, large)
    assert shard.upload(small) == 5
    assert len(shard.head.packs) == 1
    assert shard.upload(small) == 0
    assert shard.restored(tmp_path / "there") == {"table/1.sst": b"small"}


def test_no_object_is_larger_than_its_limit_and_no_file_has_many_small_pieces(
    shard: Shard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "OBJECT_MOST", 1_000)
    monkeypatch.setattr(uploading, "PIECES_MOST", 8)
    chance, data, other = random.Random(3), b"", b""
    for _ in range(200):
        data += chance.randbytes(chance.randrange(200))
        other += chance.randbytes(chance.randrange(30))
        shard.upload(
            Growing("captures/a", shard.write("captures/a", data), len(data)),
            Growing("texts/b", shard.write("texts/b", other), len(other)),
            Fixed("table/1.sst", shard.write("table/1.sst", chance.randbytes(2_500))),
        )
        assert all(len(each.pieces) <= 8 + len(data) // 500 + 1 for each in shard.head.files.values())
    assert max(map(len, shard.objects.kept.values())) <= 1_000
    found = shard.restored(tmp_path / "there")
    assert (found["captures/a"], found["texts/b"]) == (data, other)


def test_what_is_restored_stays_and_what_is_not_its_own_goes(shard: Shard, tmp_path: Path) -> None:
    there = tmp_path / "there"
    shard.upload(Small("table/CURRENT", b"new"), Fixed("table/1.sst", shard.write("table/1.sst", b"one")))
    (there / "table").mkdir(parents=True)
    (there / "table" / "CURRENT").write_bytes(b"old")
    (there / "table" / "9.sst").write_bytes(b"stray")
    (there / "table" / "1.sst").write_bytes(b"one")
    before = (there / "table" / "1.sst").stat().st_ino
    assert shard.restored(there) == {"table/CURRENT": b"new", "table/1.sst": b"one"}
    assert (there / "table" / "1.sst").stat().st_ino == before
    assert not (there / "table" / "9.sst").exists()


@pytest.mark.parametrize("name", ["../escaped", "table/../../escaped", "/etc/passwd", "a/b/c/d", "a\nb", "", "a" * 300])
def test_a_name_that_leads_elsewhere_is_refused(shard: Shard, name: str, tmp_path: Path) -> None:
    shard.upload(Small(name, b"1"))
    with pytest.raises(Damaged, match="no file of a shard"):
        shard.restored(tmp_path / "place" / "there")
    assert not (tmp_path / "escaped").exists()
