"""Memory that is a file: it is there again, and it never runs out of disk while it is used."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from gossamer.errors import StorageError
from gossamer.store.mapped import Mapped


def test_a_new_file_is_zeros_and_an_old_one_is_as_it_was_left(tmp_path: Path) -> None:
    first = Mapped(tmp_path / "file", 100)
    assert first.memory[:] == bytes(100)
    first.memory[10:14] = b"here"
    first.close()
    second = Mapped(tmp_path / "file", 100)
    assert second.memory[10:14] == b"here"
    second.close()


def test_two_who_have_it_open_see_the_same(tmp_path: Path) -> None:
    first, second = Mapped(tmp_path / "file", 100), Mapped(tmp_path / "file", 100)
    first.memory[0] = 7
    assert second.memory[0] == 7
    first.close()
    second.close()


def test_a_full_disk_is_told_at_the_start_and_not_by_a_signal_later(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(StorageError, match="is there room"):
            Mapped(tmp_path / "file", 5_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="may we write there"):
        Mapped(tmp_path / "missing" / "file", 100)
