"""What every store has to do, and which are refused."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faulty_s3 import faulty_s3
from made_store import MemoryObjects

from gossamer.depot.depot import Depot, opened, require_sound
from gossamer.depot.objects import Objects, settled
from gossamer.depot.shared_folder import SharedFolder
from gossamer.errors import Damaged, StorageError, StoreAway, UsageError

RACERS = 8
KEYS = 6


@pytest.fixture(params=["folder", "S3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "S3":
        return opened(request.getfixturevalue("bucket"))
    (tmp_path / "store").mkdir()
    return opened(str(tmp_path / "store"))


def test_of_eight_who_create_an_object_at_once_one_succeeds(objects: Objects) -> None:
    with ThreadPoolExecutor(RACERS) as pool:
        for key in range(KEYS):
            words = [b"%d" % racer for racer in range(RACERS)]
            won = list(pool.map(lambda word, key=key: objects.create(f"race/{key}", word), words))
            assert won.count(True) == 1
            assert objects.get(f"race/{key}") == words[won.index(True)]


def test_what_is_kept_is_given_back(objects: Objects) -> None:
    data = bytes(range(256)) * 5_000
    objects.put("a/b/c", data)
    assert objects.get("a/b/c") == data
    assert objects.get_range("a/b/c", 700, 300) == data[700:1_000]
    assert objects.get_range("a/b/c", 0, 0) == b""
    objects.put("a/b/c", b"other")
    assert objects.get("a/b/c") == b"other"


def test_an_object_without_end_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(Damaged, match="larger than any"):
        opened(str(tmp_path)).get("large")


def test_names_are_listed_in_order_and_go_when_they_are_deleted(objects: Objects) -> None:
    for name in ("x/2", "x/10", "x/1/3", "y/1"):
        objects.put(name, b"1")
    assert objects.names("x/") == ["x/1/3", "x/10", "x/2"]
    objects.delete("x/10")
    objects.delete("x/10")
    assert objects.names("x/") == ["x/1/3", "x/2"]
    assert objects.names("none/") == []


def test_what_is_not_there_is_said_to_be_missing(objects: Objects) -> None:
    for ask in (lambda: objects.get("none"), lambda: objects.get_range("none", 0, 10)):
        with pytest.raises(FileNotFoundError):
            ask()


def test_a_sound_store_is_taken_and_nothing_of_the_probe_stays(objects: Objects) -> None:
    require_sound(objects, "the store")
    assert objects.names("probe/") == []


# ------------------------------------------------------------------------- refused


class Overwriting(MemoryObjects):
    """Takes the condition and ignores it."""

    def create(self, name: str, data: bytes) -> bool:
        self.put(name, data)
        return True


class Blind(MemoryObjects):
    """Lists nothing of late."""

    def names(self, prefix: str) -> list[str]:
        return []


class Forgetful(MemoryObjects):
    """Gives back something else."""

    def get(self, name: str) -> bytes:
        return b"something"


@pytest.mark.parametrize(
    ("kind", "words"), [(Overwriting, "8 of 8"), (Blind, "does not list"), (Forgetful, "does not give back")]
)
def test_a_store_that_cannot_be_relied_on_is_refused_with_the_reason(kind: type[MemoryObjects], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Depot("the store", kind()).probe()


def test_a_server_that_ignores_the_condition_is_refused(s3: str, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_s3(s3) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
        Depot(bucket).probe()
        server.conditions = False
        with pytest.raises(UsageError, match="If-None-Match"):
            Depot(bucket).probe()


def test_a_server_that_fails_is_away_and_says_why(s3: str, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_s3(s3) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
        for status in (503, 507):
            server.status = status
            with pytest.raises(StoreAway, match=str(status)):
                opened(bucket).put("a", b"1")


def test_a_bucket_that_is_not_there_is_no_empty_store(bucket: str) -> None:
    with pytest.raises(StorageError, match="nobody-has-this"):
        Depot("s3://nobody-has-this/web").probe()


def test_a_folder_that_is_not_mounted_is_away_and_not_empty(tmp_path: Path) -> None:
    store = SharedFolder(tmp_path / "store")
    store.begin()
    store.put("a", b"1")
    (tmp_path / "store").rename(tmp_path / "gone")
    for ask in (lambda: store.get("a"), lambda: store.names("heads/"), lambda: store.create("b", b"2")):
        with pytest.raises(StoreAway):
            ask()
    with pytest.raises(StoreAway, match="mounted"):
        SharedFolder(tmp_path / "none" / "store").begin()
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("place", ["FIFO", "link", "link above"])
def test_nothing_is_read_written_or_deleted_behind_what_is_no_object(place: str, tmp_path: Path) -> None:
    store, outside = SharedFolder(tmp_path / "store"), tmp_path / "outside"
    store.begin()
    outside.mkdir()
    (outside / "a").write_bytes(b"not ours")
    if place == "link above":
        (tmp_path / "store" / "heads").symlink_to(outside)
    else:
        (tmp_path / "store" / "heads").mkdir()
        inside = tmp_path / "store" / "heads" / "a"
        if place == "FIFO":
            os.mkfifo(inside)
        else:
            inside.symlink_to(outside / "a")
    for ask in (
        lambda: store.get("heads/a"),
        lambda: store.get_range("heads/a", 0, 1),
        lambda: store.delete("heads/a"),
    ):
        with pytest.raises(Damaged):
            ask()
    if place == "link above":
        with pytest.raises(Damaged):
            store.put("heads/b", b"1")
        with pytest.raises(Damaged):
            store.names("heads/")
    assert [path.name for path in outside.iterdir()] == ["a"]


def test_the_store_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "store").symlink_to(tmp_path / "disk")
    store = SharedFolder(tmp_path / "store")
    store.begin()
    store.put("heads/a", b"1")
    assert (store.names("heads/"), store.get("heads/a")) == (["heads/a"], b"1")


def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.delitem(sys.modules, "gossamer.depot.bucket", raising=False)
    with pytest.raises(UsageError, match=r"pip install '\.\[cluster\]'"):
        opened("s3://bucket/path")


@pytest.mark.parametrize("url", ["ftp://host/path", "s3://", "s3:///path"])
def test_what_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="a store is a folder or s3://BUCKET/PATH"):
        opened(url)


def test_a_folder_is_written_down_by_its_full_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert settled("store") == str(tmp_path / "store")
    assert settled("s3://bucket/path") == "s3://bucket/path"
    assert settled("") == ""
