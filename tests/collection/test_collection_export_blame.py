"""An export that fails names the file that failed: the one that was read, or the one that was written."""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from gossamer.collection.ask.export import to_path
from gossamer.errors import StorageError
from gossamer.files.walk import named


@contextmanager
def little_room(most: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_that_cannot_be_read_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    source = tmp_path / "captures.warc.gz"

    def write(out: BinaryIO) -> int:
        out.write(b"begun")
        with named(source):
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match=r"captures\.warc\.gz") as raised:
        to_path(write, tmp_path / "out")
    assert raised.value.filename == str(source)
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with little_room(4096), pytest.raises(StorageError, match=r"out: cannot be written: .*; nothing was left there"):
        to_path(lambda out: out.write(b"x" * 100_000), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StorageError, match=r"out: cannot be written"):
        to_path(lambda out: out.write(b"x"), tmp_path / "nowhere" / "out")
