"""One shard folder: kept, lost, restored, and taken over."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.snapshot import taken
from gossamer.depot.depot import Depot
from gossamer.depot.heads import Head, KeptFile, Line, Piece, decode, digest_of, encode
from gossamer.depot.restoring import fit_together, heads_together
from gossamer.depot.shard_claim import Life, Published
from gossamer.errors import Damaged, Fenced, UsageError
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table


@pytest.fixture(params=["folder", "S3"])
def depot(request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
    if request.param == "S3":
        return Depot(request.getfixturevalue("bucket"))
    (tmp_path / "store").mkdir()
    return Depot(str(tmp_path / "store"))


class Place:
    """A shard on some disk."""

    def __init__(self, depot: Depot, folder: Path, term: int | None = None) -> None:
        self.folder = folder
        self.life = Life.begin(depot, 0, folder, is_here=(folder / "table").is_dir(), term=term)
        self.table = Table.open(folder / "table", FAMILIES, writable=True)

    def put(self, *words: str) -> None:
        for word in words:
            self.table.put(META, word.encode(), word.encode())
        self.table.commit()

    def publish(self, **more: bool) -> Published:
        with taken(self.folder, self.table, self.life.head.claim) as snapshot:
            return self.life.publish(snapshot, **more)

    def words(self) -> set[str]:
        return {key.decode() for key, _ in self.table.scan(META)}

    def close(self) -> None:
        self.table.close()


def test_a_shard_whose_disk_is_lost_comes_back_as_it_was_published(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    place.put("a", "b")
    place.publish()
    place.put("c")
    place.close()
    shutil.rmtree(tmp_path / "here")
    again = Place(depot, tmp_path / "here")
    assert again.words() == {"a", "b"}
    assert not again.life.is_behind(again.table.sequence)
    again.close()


def test_only_what_is_new_travels(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    place.table.put(META, b"large", bytes(range(256)) * 8_000)
    place.table.commit()
    (place.folder / "captures").mkdir()
    first = place.publish()
    place.put("b")
    second = place.publish()
    assert second.octets < first.octets / 2
    place.close()


def test_a_disk_that_is_ahead_goes_on_and_is_known_to_be(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    place.put("a")
    place.publish()
    place.put("b")
    place.close()
    again = Place(depot, tmp_path / "here")
    assert again.words() == {"a", "b"}
    assert again.life.is_behind(again.table.sequence)
    again.publish()
    assert not again.life.is_behind(again.table.sequence)
    again.close()


def test_whoever_takes_over_fences_the_other(depot: Depot, tmp_path: Path) -> None:
    old = Place(depot, tmp_path / "old")
    old.put("a")
    old.publish()
    new = Place(depot, tmp_path / "new")
    old.put("b")
    with pytest.raises(Fenced):
        old.publish()
    new.put("c")
    new.publish()
    with pytest.raises(Fenced):
        old.publish()
    old.close()
    new.close()


def test_whoever_comes_later_has_it_also_if_the_other_publishes_meanwhile(
    depot: Depot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Place(depot, tmp_path / "old")
    old.put("a")
    old.publish()
    claim, races = Line.claim, ["b", "c"]

    def raced(*given: Any) -> Head:
        if races:
            old.put(races.pop())
            old.publish()
        return claim(*given)

    monkeypatch.setattr(Line, "claim", raced)
    new = Place(depot, tmp_path / "new")
    assert new.words() == {"a", "b", "c"}
    with pytest.raises(Fenced):
        old.publish()
    old.close()
    new.close()


def test_a_sleeper_is_fenced_also_after_its_heads_were_swept(depot: Depot, tmp_path: Path) -> None:
    old = Place(depot, tmp_path / "old")
    old.put("a")
    old.publish()
    new = Place(depot, tmp_path / "new")
    for number in range(20):
        new.put(f"c{number}")
        new.publish()
    new.publish(at_rest=True)
    assert len(depot.line(0).numbers()) == 3
    old.put("b")
    with pytest.raises(Fenced):
        old.publish()
    assert depot.line(0).newest() == new.life.head
    old.close()
    new.close()


def test_a_lower_term_may_not_claim(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here", term=7)
    place.put("a")
    place.publish()
    place.close()
    with pytest.raises(Fenced, match="given to another"):
        Life.begin(depot, 0, tmp_path / "there", is_here=False, term=6)
    Life.begin(depot, 0, tmp_path / "there", is_here=False, term=7)


def test_a_disk_that_is_out_of_date_is_replaced(depot: Depot, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    old = Place(depot, tmp_path / "old")
    old.put("a")
    old.publish(at_rest=True)
    old.close()
    new = Place(depot, tmp_path / "new")
    new.put("b")
    new.publish(at_rest=True)
    new.close()
    again = Place(depot, tmp_path / "old")
    assert again.words() == {"a", "b"}
    assert "the store is ahead of this disk" in caplog.text
    again.close()


def test_a_store_of_another_collection_is_refused_and_nothing_is_touched(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    place.put("a")
    place.publish()
    place.close()
    with Table.open(tmp_path / "other" / "table", FAMILIES, writable=True) as table:
        table.put(META, b"mine", b"1")
        table.commit()
    with pytest.raises(UsageError, match="another collection"):
        Life.begin(depot, 0, tmp_path / "other", is_here=True)
    with Table.open(tmp_path / "other" / "table", FAMILIES, writable=True) as table:
        assert table.get(META, b"mine") == b"1"


def test_damage_in_the_store_is_found_and_named(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    place.put("a")
    place.publish()
    place.close()
    (name,) = (each for each in depot.objects.names("shards/00/objects/") if each.endswith(".pack"))
    data = bytearray(depot.objects.get(name))
    data[0] ^= 0xFF
    depot.objects.put(name, bytes(data))
    with pytest.raises(Damaged, match="damaged in the store"):
        Life.begin(depot, 0, tmp_path / "there", is_here=False)
    assert not (tmp_path / "there").exists()


def test_shards_that_changed_places_in_the_store_are_told(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    depot = Depot(str(tmp_path / "store"))
    place = Place(depot, tmp_path / "here")
    place.put("a")
    place.publish()
    place.close()
    before = sorted(depot.line(0).numbers())
    (tmp_path / "store" / "shards" / "00").rename(tmp_path / "store" / "shards" / "01")
    with pytest.raises(Damaged, match="is a checkpoint of shards/00, and not of shards/01; give the folders"):
        Life.begin(depot, 1, tmp_path / "there", is_here=False)
    assert sorted(depot.line(1).numbers()) == before


def test_what_is_no_head_and_no_object_is_passed_over_and_stays(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    strange = ["shards/00/heads/.nfs0000000000c0ffee", "shards/00/objects/.nfs01", "shards/00/objects/1-notes.txt"]
    for name in strange:
        depot.objects.put(name, b"x")
    place.put("a")
    place.publish(at_rest=True)
    place.close()
    assert {*strange} <= {*depot.objects.names("shards/")}
    assert Place(depot, tmp_path / "there").words() == {"a"}


@pytest.mark.parametrize(
    "piece",
    [
        ("/etc/passwd", 0, 1),
        ("shards/00/objects/../../../x", 0, 1),
        ("shards/00/objects/a\0", 0, 1),
        ("shards/00/objects/a", -1, 1),
        ("shards/00/objects/a", 1 << 70, 1),
        ("shards/00/objects/a", 0, -1),
        ("shards/00/objects/a", 0, 1 << 60),
        ("shards/00/objects/a", 0, 1 << 30),
    ],
)
def test_a_head_that_cannot_be_is_refused(piece: tuple[str, int, int]) -> None:
    kept = KeptFile((Piece(*piece, digest_of(b"x")),))
    data = encode(Head(number=1, life=1, claim="x", term=1, files={"table/CURRENT": kept}))
    with pytest.raises(Damaged, match="no head of ours"):
        decode(data, "head")


def test_objects_of_no_use_are_collected(depot: Depot, tmp_path: Path) -> None:
    place = Place(depot, tmp_path / "here")
    for number in range(12):
        place.put(f"word {number}")
        place.publish()
    place.publish(at_rest=True)
    named = {
        piece.object
        for number in depot.line(0).numbers()
        for kept in depot.line(0).at(number).files.values()
        for piece in kept.pieces
    }
    assert set(depot.objects.names("shards/00/objects/")) == named
    place.close()
    shutil.rmtree(tmp_path / "here")
    again = Place(depot, tmp_path / "here")
    assert len(again.words()) == 12
    again.close()


def test_heads_fit_together_when_nobody_has_what_was_not_sent(depot: Depot) -> None:
    def head(*marks: tuple[int, int]) -> Head:
        return Head(number=1, life=1, claim="", term=1, marks=marks)

    sent_five = head((0, 0), (5, 2))
    assert fit_together([sent_five, head((2, 5), (0, 0))])
    assert fit_together([sent_five, head((3, 4), (0, 0))])
    assert not fit_together([sent_five, head((2, 6), (0, 0))])
    assert not fit_together([sent_five, head((1, 5), (0, 0))])
    with pytest.raises(Damaged, match="0 of 2 shards"):
        heads_together(depot, 2)
