"""Files of this machine: which are found, which are read, and what is said of the others."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gossamer.fetch import Limits
from gossamer.fetch.local import reading, walking
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain, opened
from gossamer.fetch.local.reading import FileFetcher
from gossamer.fetch.local.walking import Walk
from gossamer.model import Capture, Fault, SystemClock, Visit
from gossamer.urls import paths
from gossamer.urls.scope import Scope

NOBODY = 65_534


def fetched(root: Path, path: bytes | str | Path, *, etag: str | None = None, limits: Limits | None = None) -> Capture:
    """What a visit to a path brings."""
    roots = (os.fsencode(root),)
    scope = Scope("folders", frozenset({paths.address_of(roots[0])}), max_length=16_384)
    fetcher = FileFetcher(scope, roots, Ignoring(roots), limits or Limits(), SystemClock())
    try:
        return asyncio.run(fetcher(Visit(paths.address_of(os.fsencode(path)), etag=etag)))
    finally:
        fetcher.close()


def found(root: Path, *, hidden: bool = False, heed: bool = True, without: Path | None = None) -> list[str]:
    """The files of a folder, by their names below it."""
    name = os.fsencode(root)
    own = () if without is None else (os.fsencode(without),)
    walk = Walk(Ignoring((name,), hidden=hidden, heed=heed), without=own)
    return [os.fsdecode(each.path[len(name) + 1 :]) for each in walk.files(name, name)]


def reason(capture: Capture) -> str:
    return capture.head.split(b"\r\n")[0].split(b" ", 2)[2].decode()


# ------------------------------------------------------------------------ walking


def test_a_walk_finds_each_file_once_and_follows_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "deep.txt").write_text("deep")
    (root / "top.txt").write_text("top")
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to(outside)
    (root / "secret.txt").symlink_to(outside / "secret.txt")
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(root / "socket"))
    assert found(root) == ["top.txt", "a/b/deep.txt"]


def test_names_of_any_bytes_are_found_and_read(tmp_path: Path) -> None:
    names = [b"new\nline", b"latin-\xe9\xff", b"n" * 255, b"sp ace #?%41", b"\xf0\x9f\x90\xa8"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(b"said by " + name)
    root = os.fsencode(tmp_path)
    walked = [each.path for each in Walk(Ignoring((root,))).files(root, root)]
    assert walked == sorted(os.path.join(root, name) for name in names)
    for path, name in zip(sorted(os.path.join(root, name) for name in names), sorted(names), strict=True):
        assert fetched(tmp_path, path).body == b"said by " + name


def test_hidden_files_and_those_of_version_control_are_passed_over(tmp_path: Path) -> None:
    for name in (".secret", ".git/config", "CVS/Entries", ".config/app", "seen"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert found(tmp_path) == ["seen"]
    assert found(tmp_path, hidden=True) == [".secret", "seen", ".config/app"]


def test_ignore_files_mean_what_git_says_of_them(tmp_path: Path) -> None:
    for name in ("a.log", "keep.log", "build/x", "top", "sub/top", "sub/b.log", "sub/deep/c.log", "n.txt", "m.tmp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_bytes(b"*.log\n!keep.log\nbuild/\n/top\n*.tmp\n\xff\n# n.txt\n")
    (tmp_path / "sub" / ".gitignore").write_text("!b.log\n")
    (tmp_path / ".ignore").write_text("!*.tmp\n")
    assert found(tmp_path) == ["keep.log", "m.tmp", "n.txt", "sub/b.log", "sub/top"]
    assert len(found(tmp_path, heed=False)) == 9
    capture = fetched(tmp_path, tmp_path / "build" / "x")
    assert (capture.status, reason(capture)) == (410, f"ignored by {tmp_path}/.gitignore")


def test_what_is_passed_over_is_so_where_a_walk_begins_there(tmp_path: Path) -> None:
    for name in ("build/x", ".secret", "seen"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("build/\n")
    root = os.fsencode(tmp_path)
    walk = Walk(Ignoring((root,)))
    starts = [os.path.join(root, name) for name in (b"build", b"build/x", b".secret", b"seen")]
    assert [each.path for start in starts for each in walk.files(start, root)] == starts[3:]


def test_the_first_two_thousand_lines_of_an_ignore_file_are_heeded(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("".join(f"{number}.txt\n" for number in range(2_001)))
    for number in (0, 1_999, 2_000):
        (tmp_path / f"{number}.txt").write_text("words")
    assert found(tmp_path) == ["2000.txt"]


@pytest.mark.parametrize(
    "said",
    [
        b"".join(b"p%d*q\n" % number for number in range(12_000)),
        b"*a" * 100_000,
        b"\0" * 500_000,
        b"*a" * 500 + b"\n[" * 300,
    ],
    ids=["many", "long", "zeros", "costly"],
)
def test_an_ignore_file_that_is_too_much_is_heeded_as_far_as_it_goes(tmp_path: Path, said: bytes) -> None:
    (tmp_path / ".gitignore").write_bytes(b"gone.txt\n!p1back.txtq\n" + said)
    for name in ("gone.txt", "kept.txt", "p1back.txtq"):
        (tmp_path / name).write_text("words")
    assert found(tmp_path) == (["kept.txt"] if said.startswith(b"p0") else ["kept.txt", "p1back.txtq"])


def test_lines_end_and_bytes_compare_as_in_git(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"foo\x0b*.txt\na\xc2\x85*.md\r\nz\xff.t\n")
    for name in (b"keep.txt", b"k.md", b"z\xfe.t", b"z\xff.t"):
        (tmp_path / os.fsdecode(name)).write_text("words")
    assert [*map(os.fsencode, found(tmp_path))] == [b"k.md", b"keep.txt", b"z\xfe.t"]


def test_a_pattern_that_is_made_to_be_costly_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*a" * 40 + "b\n" + "[" * 500 + "\n***\n")
    (tmp_path / ("a" * 250)).write_text("x")
    assert found(tmp_path) in ([], ["a" * 250])


def test_the_collection_is_not_walked(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "plan.toml").write_text("x")
    (tmp_path / "a").write_text("x")
    assert found(tmp_path, without=tmp_path / "own") == ["a"]


def test_a_root_that_is_not_there_is_no_folder_without_files(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path / "not mounted")
    walk = Walk(Ignoring((root,)))
    assert list(walk.files(root, root)) == []
    assert walk.unsure == [root]


# ------------------------------------------------------------------------ reading


def test_a_file_is_answered_like_a_page_and_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    first = fetched(tmp_path, tmp_path / "a.txt")
    assert (first.status, first.body, first.truncated) == (200, b"hello", None)
    assert first.header("content-type") == "text/plain"
    again = fetched(tmp_path, tmp_path / "a.txt", etag=first.header("etag"))
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("change", ["contents", "contents with the old date", "mode", "another file in its place"])
def test_every_change_gives_another_validator(tmp_path: Path, change: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    about, before = path.stat(), fetched(tmp_path, path).header("etag")
    match change:
        case "mode":
            path.chmod(0o600 if about.st_mode & 0o777 != 0o600 else 0o640)
        case "another file in its place":
            (tmp_path / "b.txt").write_text("world")
            os.utime(tmp_path / "b.txt", ns=(about.st_atime_ns, about.st_mtime_ns))
            (tmp_path / "b.txt").replace(path)
        case _:
            path.write_text("world")
    if "old date" in change:
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert fetched(tmp_path, path, etag=before).status == 200


def test_only_what_lies_below_a_root_is_read(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "root2" / "secret.txt"
    root.mkdir()
    outside.parent.mkdir()
    outside.write_text("secret")
    (root / "folder").symlink_to(outside.parent)
    (root / "link").symlink_to(outside)
    for path in (outside, root / ".." / "root2" / "secret.txt", Path("/etc/passwd"), root / "folder" / "secret.txt"):
        capture = fetched(root, path)
        assert (capture.status, capture.body) == (410, b"")
    assert reason(fetched(root, outside)) == "outside the folders that were named"
    assert reason(fetched(root, root / "link")) == "a link, and no regular file"
    assert reason(fetched(root, root / "folder" / "secret.txt")) == "behind a link, which is not followed"


def test_an_address_of_the_web_is_never_asked_for(tmp_path: Path) -> None:
    roots = (os.fsencode(tmp_path),)
    scope = Scope("folders", frozenset({paths.address_of(roots[0])}))
    fetcher = FileFetcher(scope, roots, Ignoring(roots), Limits(), SystemClock())
    assert asyncio.run(fetcher(Visit("http://127.0.0.1/"))).status == 410


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert reason(fetched(tmp_path, tmp_path / "fifo")) == "a FIFO, and no regular file"
    assert reason(fetched(tmp_path.parent, tmp_path)) == "a folder, and no regular file"
    with pytest.raises(NotPlain), opened(b"/dev/null"):
        pass


@pytest.mark.parametrize("code", [errno.ELOOP, errno.ENXIO])
def test_a_file_that_was_exchanged_a_moment_ago_is_no_regular_file(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("x")
    real = os.open

    def exchanged(path: Any, *given: Any, **more: Any) -> int:
        if path == "a":
            raise OSError(code, os.strerror(code))
        return real(path, *given, **more)

    monkeypatch.setattr(os, "open", exchanged)
    with pytest.raises(NotPlain, match="no regular file"), opened(os.fsencode(tmp_path / "a")):
        pass


def test_what_is_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    for name in ("never", "no/folder"):
        capture = fetched(tmp_path, tmp_path / name)
        assert (capture.status, reason(capture)) == (404, "no such file")
    (tmp_path / "file").write_text("x")
    assert fetched(tmp_path, tmp_path / "file" / "below").status == 404


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "closed.txt").write_text("secret")
    (tmp_path / "closed.txt").chmod(0)
    with as_nobody():
        capture = fetched(tmp_path, tmp_path / "closed.txt")
    assert (capture.status, reason(capture), capture.body) == (410, "permission denied", b"")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything, and would not notice."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_sparse_file_of_many_gigabytes_takes_no_time_and_no_memory(tmp_path: Path) -> None:
    for name, start in (("a.dat", b""), ("b.txt", b"text " * 2_000)):
        with (tmp_path / name).open("wb") as file:
            file.write(start)
            file.truncate(10 << 30)
    empty = fetched(tmp_path, tmp_path / "a.dat")
    assert (empty.status, empty.body, empty.truncated) == (200, b"", "length")
    cut = fetched(tmp_path, tmp_path / "b.txt", limits=Limits(text=20_000))
    assert (len(cut.body), cut.truncated, cut.header("content-length")) == (20_000, "length", str(10 << 30))


def test_pictures_and_programs_are_known_by_their_names_alone(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "a.so").write_bytes(b"\x7fELF" + bytes(100))
    assert [fetched(tmp_path, tmp_path / name).body for name in ("a.png", "a.so")] == [b"", b""]


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.py", b"# one\n\n# two\n\n- [x](./y)\n", "text/plain"),
        ("a.html", b"no tag at all", "text/html"),
        ("notes.md", b"<p align=center>x</p>", "text/plain"),
        ("README", b"# Title\n", None),
        ("cur/1500.M1.host:2,S", b"From: a\nTo: b\nSubject: c\n\nx", None),
        ("new/1500.M1.host", b"From: a\nTo: b\nSubject: c\n\nx", None),
        ("a.pdf", b"%PDF-1.4\n", "application/pdf"),
    ],
)
def test_the_name_of_a_file_tells_what_kind_of_text_it_is(
    tmp_path: Path, name: str, data: bytes, told: str | None
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(data)
    assert fetched(tmp_path, tmp_path / name).header("content-type") == told


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("first")
    whole = reading.FileFetcher._contents
    changes = iter(["second", "third"])

    def changing(self: FileFetcher, visit: Visit, handle: int, about: os.stat_result) -> object:
        said = whole(self, visit, handle, about)
        if text := next(changes, None):
            path.write_text(text)
        return said

    monkeypatch.setattr(reading.FileFetcher, "_contents", changing)
    monkeypatch.setattr(reading, "RESTED", 0.0)
    capture = fetched(tmp_path, path)
    assert (capture.body, capture.header("etag") is not None) == (b"third", True)


def test_a_file_that_never_rests_is_kept_without_a_validator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    whole = reading.FileFetcher._contents

    def changing(self: FileFetcher, visit: Visit, handle: int, about: os.stat_result) -> object:
        said = whole(self, visit, handle, about)
        path.write_text(path.read_text() + "x")
        return said

    monkeypatch.setattr(reading.FileFetcher, "_contents", changing)
    monkeypatch.setattr(reading, "RESTED", 0.0)
    capture = fetched(tmp_path, path)
    assert (capture.status, capture.header("etag")) == (200, None)


def test_a_share_that_does_not_answer_is_a_failure_that_may_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("x")
    monkeypatch.setattr(reading, "is_at_hand", lambda root: False)

    def broken(self: FileFetcher, visit: Visit, path: bytes, *, last: bool) -> object:
        raise OSError(5, "Input/output error")

    assert fetched(tmp_path, tmp_path / "a.txt").body == b"x"
    monkeypatch.setattr(reading.FileFetcher, "_read", broken)
    capture = fetched(tmp_path, tmp_path / "a.txt")
    assert capture.status == 0
    assert capture.failure is not None
    assert str(capture.failure) == f"{Fault.UNREADABLE}: Input/output error"


def test_mounts_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:5 / /proc rw - proc proc rw\n"
        "3 1 0:6 / /mnt/my\\040share rw - nfs4 host:/x rw\n4 1 0:7 / /home rw master:1 - btrfs /dev/sdb rw\n"
    )
    monkeypatch.setattr(walking, "_TABLE", str(table))
    assert list(walking.shown_by_the_system()) == [b"/proc"]
    roots = (b"/home/me", b"/etc", b"/mnt/my share/x", b"/mnt", b"/")
    assert [walking.is_at_hand(root) for root in roots] == [True, True, False, False, False]
    monkeypatch.setattr(walking, "_TABLE", str(tmp_path / "none"))
    assert not walking.is_at_hand(b"/home")
