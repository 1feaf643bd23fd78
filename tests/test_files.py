"""The door to the files of a collection: nothing behind a link is ever touched."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer import files
from gossamer.errors import Damaged, StorageError
from gossamer.files import anchors, walk

ANY = re.compile(r".*")


@pytest.fixture(params=["in one call", "folder by folder"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel before 5.6 cannot be asked in one call, nor one whose sandbox knows no such call."""
    if request.param == "folder by folder":
        monkeypatch.setattr(walk, "_at_once", lambda path, flags, start: -1)


TAKES_A_FILE: dict[str, Callable[[Path], object]] = {
    "descriptor": lambda path: files.descriptor(path, os.O_RDWR | os.O_CREAT),
    "read": files.read,
    "write": lambda path: files.open(path, "wb"),
    "append": lambda path: files.open(path, "ab"),
    "size": files.size,
    "is_file": files.is_file,
    "replace": lambda path: files.replace(path, b"new"),
    "replaced by a partial": lambda path: files.replace(path.with_name(path.name.removesuffix(".partial")), b"new"),
    "move away": lambda path: files.move(path, path.with_name("moved")),
    "move there": lambda path: files.move(_file(path.with_name("other")), path),
    "remove": files.remove,
    "names": lambda path: files.names(path.parent, ANY),
    "require_plain": lambda path: files.require_plain(path.parent, writing=False),
}
TAKES_A_FOLDER: dict[str, Callable[[Path], object]] = {
    "is_folder": files.is_folder,
    "make_folder": files.make_folder,
    "make_folder below": lambda path: files.make_folder(path / "below"),
    "names": lambda path: files.names(path, ANY),
    "remove_folder": lambda path: files.remove_folder(path, ANY),
    "sync_folder": files.sync_folder,
    "require_plain": lambda path: files.require_plain(path, writing=True),
    "a file in it": lambda path: files.read(path / "kept"),
    "a file in it removed": lambda path: files.remove(path / "kept"),
    "a file in it replaced": lambda path: files.replace(path / "kept", b"new"),
}


def _file(path: Path, data: bytes = b"kept") -> Path:
    path.write_bytes(data)
    return path


def _outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    _file(outside / "kept")
    return outside


def _seen(folder: Path) -> list[tuple[str, bytes, int]]:
    return [(path.name, path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())]


def _inside(tmp_path: Path) -> Path:
    inside = tmp_path / "inside"
    inside.mkdir()
    return inside / "thing.partial"


@pytest.mark.parametrize("verb", TAKES_A_FILE)
def test_a_link_in_the_place_of_a_file_is_refused_with_the_cure(verb: str, tmp_path: Path) -> None:
    outside, link = _outside(tmp_path), _inside(tmp_path)
    link.symlink_to(outside / "kept")
    before = _seen(outside)
    with pytest.raises(Damaged, match=r"thing\.partial: is a link.* mount"):
        TAKES_A_FILE[verb](link)
    assert _seen(outside) == before
    assert link.is_symlink()


@pytest.mark.parametrize("verb", TAKES_A_FOLDER)
def test_a_link_in_the_place_of_a_folder_is_refused(verb: str, tmp_path: Path) -> None:
    outside, link = _outside(tmp_path), _inside(tmp_path)
    link.symlink_to(outside)
    before = _seen(outside)
    with pytest.raises(Damaged, match="is a link"):
        TAKES_A_FOLDER[verb](link)
    assert _seen(outside) == before
    assert link.is_symlink()


@pytest.mark.parametrize("verb", TAKES_A_FILE)
@pytest.mark.parametrize("kind", ["FIFO", "socket", "folder"])
def test_nothing_but_a_regular_file_is_opened(verb: str, kind: str, tmp_path: Path) -> None:
    if kind == "folder" and verb == "require_plain":
        return  # a library may have folders
    path = _inside(tmp_path)
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    with pytest.raises(Damaged, match=f"is a {kind}"):
        TAKES_A_FILE[verb](path)


@pytest.mark.parametrize("verb", TAKES_A_FOLDER)
def test_a_file_in_the_place_of_a_folder_is_refused(verb: str, tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="is a file, and a collection has a folder here"):
        TAKES_A_FOLDER[verb](_file(_inside(tmp_path)))


@pytest.mark.parametrize("verb", ["descriptor", "write", "append"])
def test_a_file_with_another_name_elsewhere_is_not_written_to(verb: str, tmp_path: Path) -> None:
    outside, path = _outside(tmp_path), _inside(tmp_path)
    os.link(outside / "kept", path)
    with pytest.raises(Damaged, match="hard link"):
        TAKES_A_FILE[verb](path)
    assert (outside / "kept").read_bytes() == files.read(path) == b"kept"
    files.replace(path, b"new")
    assert (outside / "kept").read_bytes() == b"kept"


def test_a_path_that_leads_up_is_refused(tmp_path: Path) -> None:
    outside, path = _outside(tmp_path), _inside(tmp_path)
    for bad in (path.parent / ".." / "outside" / "kept", path.parent / ".."):
        with pytest.raises(Damaged, match="leads out"):
            files.remove(bad)
    assert _seen(outside)


def test_a_library_is_kept_out_of_a_folder_with_a_link_however_deep(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    (folder / "lost").mkdir(parents=True)
    _file(folder / "CURRENT")
    files.require_plain(folder, writing=True)
    (folder / "lost" / "x").symlink_to(tmp_path)
    with pytest.raises(Damaged, match="lost/x: is a link"):
        files.require_plain(folder, writing=False)


def test_only_what_we_made_is_deleted_with_a_folder(tmp_path: Path) -> None:
    shape, folder = re.compile(r"\d+\.npy|voices/|voices/meta\.json"), tmp_path / "000001"
    for name in ("1.npy", "voices/meta.json", "voices/letter.txt", "diary.txt", "mine/1.npy"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        _file(folder / name)
    (folder / "empty").mkdir()
    (folder / "2.npy").symlink_to(folder / "diary.txt")
    files.remove_folder(folder, shape)
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    assert left == ["2.npy", "diary.txt", "empty", "mine", "mine/1.npy", "voices", "voices/letter.txt"]
    for name in ("2.npy", "diary.txt", "mine/1.npy", "voices/letter.txt"):
        (folder / name).unlink()
    for name in ("empty", "mine", "voices"):
        (folder / name).rmdir()
    _file(folder / "1.npy")
    files.remove_folder(folder, shape)
    assert not folder.exists()


def test_a_file_is_replaced_at_once_also_after_a_kill_left_half_of_the_next(tmp_path: Path) -> None:
    path = _file(tmp_path / "plan.toml", b"old")
    _file(tmp_path / "plan.toml.partial", b"half")
    files.replace(path, b"new", 0o600)
    assert files.read(path) == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert files.names(tmp_path, ANY) == ["plan.toml"]


def test_what_is_read_at_once_is_small(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Damaged, match="larger than any"):
        files.read(path)


def test_a_folder_that_may_only_be_passed_through_is_no_hindrance(tmp_path: Path) -> None:
    inner = tmp_path / "closed" / "mine"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o311)
    try:
        files.replace(inner / "file", b"x")
        assert files.read(inner / "file") == b"x"
    finally:
        inner.parent.chmod(0o755)


def test_relative_paths_are_walked_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files.make_folder(Path("a/b"))
    files.replace(Path("a/b/c"), b"x")
    files.replace(Path("d"), b"y")
    assert files.read(tmp_path / "a/b/c") + files.read(Path("d")) == b"xy"


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    outside, link = _outside(tmp_path), _inside(tmp_path)
    link.symlink_to(outside)
    before = os.listdir("/proc/self/fd")
    for verb in (*TAKES_A_FOLDER.values(), *TAKES_A_FILE.values()):
        with pytest.raises(Damaged):
            verb(link)
    files.make_folder(tmp_path / "x" / "y")
    files.replace(tmp_path / "x" / "z", b"")
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_folder_is_reached_in_one_call_where_the_kernel_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = walk._at_once(os.fsencode(tmp_path), walk.STEP, walk._AT_FDCWD)
    if found < 0:
        pytest.skip("this kernel, or what it is in, has no openat2")
    os.close(found)
    monkeypatch.setattr(walk, "_walked", None)
    files.replace(tmp_path / "file", b"x")
    assert files.read(tmp_path / "file") == b"x"


def test_what_may_not_be_looked_at_is_named_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 300)
    with pytest.raises(OSError, match="too long") as raised:
        files.kind(path)
    assert raised.value.filename == str(path)


def test_folders_and_files_that_are_made_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has a new name is on the disk before the name, and the name before anybody goes on."""
    done: list[str] = []
    rename, sync = os.rename, os.fsync

    def synced(handle: int) -> None:
        done.append(os.path.relpath(os.readlink(f"/proc/self/fd/{handle}"), tmp_path))
        sync(handle)

    def renamed(*told: Any, **named: Any) -> None:
        done.append("renamed")
        rename(*told, **named)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    files.make_folder(tmp_path / "shards" / "00")
    assert done == [".", "shards"]
    done.clear()
    files.replace(tmp_path / "shards" / "plan", b"new")
    assert done == ["shards/plan.partial", "renamed", "shards"]


# ---------------------------------------------------------------------------- anchors


@pytest.mark.parametrize("is_relative", [False, True])
def test_a_path_leads_into_the_folder_that_was_anchored_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_relative: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    moved, path = tmp_path / "moved", Path("dir") if is_relative else tmp_path / "dir"
    files.make_folder(path / "below")
    before = os.listdir("/proc/self/fd")
    with anchors.anchored(path), anchors.anchored(path, anchors.place_of(path)):
        anchors.require_in_place(path / "below")
        path.rename(moved)
        assert not anchors.is_in_place(path / "below")
        files.replace(path / "file", b"x")
        assert not path.exists()
        (path / "below").mkdir(parents=True)  # another one
        files.replace(path / "below" / "file", b"y")
        files.make_folder(path / "new")
        assert sorted(os.listdir(path / "below")) == []
        assert files.entries(path) == ["below", "file", "new"]
        with pytest.raises(StorageError, match=f"{tmp_path}/dir: was moved .*; it is {moved} now"):
            anchors.require_in_place(path / "below")
        with pytest.raises(StorageError, match="moved or replaced"), anchors.anchored(path, anchors.Place(1, 2)):
            pytest.fail("it is another one")
    assert (moved / "file").read_bytes() + (moved / "below" / "file").read_bytes() == b"xy"
    assert files.entries(path) == ["below"]
    assert anchors.is_in_place(path)  # nobody writes to it
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_what_is_wrong_in_an_anchored_folder_has_its_whole_name(tmp_path: Path) -> None:
    path = tmp_path / "dir"
    files.make_folder(path)
    (path / "link").symlink_to(tmp_path)
    with anchors.anchored(path):
        with pytest.raises(Damaged, match=re.escape(f"{path / 'link'}: is a link")):
            files.read(path / "link" / "file")
        with pytest.raises(FileNotFoundError) as raised:
            files.read(path / "none" / "file")
        assert str(raised.value.filename) == str(path / "none" / "file")
        files.make_folder(tmp_path / "dir2")  # which is no part of it
        assert files.entries(tmp_path / "dir2") == []


def test_a_folder_that_was_removed_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "dir"
    files.make_folder(path)
    with anchors.anchored(path):
        path.rmdir()
        with pytest.raises(StorageError, match="was removed"):
            anchors.require_in_place(path)


def test_a_forked_process_goes_by_the_names_again(tmp_path: Path) -> None:
    """It may have closed the descriptor, and opened something else."""
    path = tmp_path / "dir"
    files.make_folder(path)
    with anchors.anchored(path):
        child = os.fork()
        if not child:
            os._exit(len(walk.ANCHORS) + anchors.is_anchored(path))
        assert os.waitpid(child, 0)[1] == 0
        assert anchors.is_anchored(path)


def test_a_worker_finds_no_other_folder_in_the_place_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "dir"
    with pytest.raises(StorageError, match="moved or replaced"), anchors.anchored(path, anchors.Place(1, 2)):
        pytest.fail("it is not there")
    with pytest.raises(FileNotFoundError), anchors.anchored(path):
        pytest.fail("it is not there")
