"""Readers that were killed leave nothing for good."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gossamer.files import scratch


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def dead() -> int:
    """The number of a process that is gone."""
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    return child.pid


def left_by(process: int, place: Path, name: str = "abc_123") -> Path:
    """What a reader of that number would have left."""
    ours = scratch.prefix().rpartition(f"{os.getpid()}-")[0]
    folder = place / f"{ours}{process}-{name}"
    (folder / "table").mkdir(parents=True)
    (folder / "table" / "MANIFEST-000001").symlink_to(place / "precious")
    return folder


def test_the_next_reader_clears_what_the_dead_have_left(place: Path) -> None:
    (place / "precious").write_text("precious")
    old, living, foreign = left_by(dead(), place), left_by(os.getppid(), place), left_by(10**9 - 1, place, "a b")
    elsewhere = place / f"gossamer-reader-00000000-{dead()}-abcdefgh"
    other = place / "gossamer-reader-abcdefgh"
    for folder in (elsewhere, other):
        folder.mkdir()
    link = place / f"{scratch.prefix().rpartition(f'{os.getpid()}-')[0]}{dead()}-linked"
    link.symlink_to(living)
    program = "from gossamer.files import scratch; scratch.prefix()"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "TMPDIR": str(place)}, check=True)
    assert not old.exists()
    assert all(each.exists() for each in (living, foreign, elsewhere, other, link, place / "precious"))
    assert (living / "table").is_dir()


def test_a_full_temporary_folder_holds_no_reader_up(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "CLEARED_MOST", 3)
    process = dead()
    folders = [left_by(process, place, f"name{number}") for number in range(5)]
    scratch._clear.cache_clear()
    scratch.prefix()
    assert sum(each.exists() for each in folders) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_what_another_user_has_left_stays(place: Path) -> None:
    folder = left_by(dead(), place)
    os.chown(folder, 65_534, 65_534)
    scratch._clear.cache_clear()
    scratch.prefix()
    assert folder.exists()
