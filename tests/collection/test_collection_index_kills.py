"""The index holds exactly the committed pages, whatever happens to the process that writes it, or to its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

import index_process
from gossamer.collection.derive.index_check import check
from gossamer.collection.folder import INDEX
from gossamer.index.shard_index import ShardIndex
from index_process import opened

PROGRAM = Path(index_process.__file__)


def killed(folder: Path, number: int, random: Random) -> int:
    """Let a process index pages, kill it somewhere after a few commits; the number that it said last."""
    command = [sys.executable, str(PROGRAM), str(folder), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(random.randrange(1, 30)):
            number = int(process.stdout.readline())
        for _ in range(random.randrange(200_000)):  # somewhere between two commits, or within one
            pass
        process.kill()
        rest = process.stdout.read().split()
    return int(rest[-1]) if rest else number


def assert_exact(folder: Path) -> int:
    """After a restart the index has all committed pages, each as it was last, and no other."""
    with opened(folder) as (_table, _archive, findable):
        for _ in findable.catch_up():
            pass
    with opened(folder) as (table, archive, _indexer):  # nothing merges now: what is merged away looks missing
        assert list(check(folder, table, archive)) == []
        newest = {url: version.title for url, version in archive.versions.pages()}
    shard_reader = ShardIndex(folder / INDEX)
    assert {shown.url: shown.title for shown in shard_reader.all()} == newest
    return len(newest)


def storm(folder: Path, kills: int, seed: int) -> None:
    random, number, pages = Random(seed), 0, 0
    for _ in range(kills):
        number = killed(folder, number, random)
        now = assert_exact(folder)
        assert now >= pages
        pages = now
    assert pages > 4 * kills


def test_a_kill_while_indexing_leaves_exactly_the_committed_pages(tmp_path: Path) -> None:
    storm(tmp_path, 4, seed=3)


@pytest.mark.soak
def test_fifty_kills_while_indexing_leave_exactly_the_committed_pages(tmp_path: Path) -> None:
    storm(tmp_path, 50, seed=4)


def damaged(path: Path, random: Random) -> None:
    """One byte is another; or the file ends early; or it is gone."""
    data = bytearray(path.read_bytes())
    match random.randrange(3):
        case 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
            path.write_bytes(data)
        case 1:
            os.truncate(path, random.randrange(len(data)))
        case _:
            path.unlink()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "shard"
    killed(folder, 0, Random(7))
    assert_exact(folder)
    return folder


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_index_is_recognised_and_made_again(whole: Path, tmp_path: Path, seed: int) -> None:
    random, folder = Random(seed), copytree(whole, tmp_path / "shard")
    files = [path for path in (folder / INDEX).iterdir() if path.stat().st_size and not path.name.startswith(".")]
    damaged(random.choice(sorted(files)), random)
    assert_exact(folder)
