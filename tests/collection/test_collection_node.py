"""What a node of a cluster does beside the processes of its shards: their folder, what they share, and who hangs."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.collection.crawl import node
from gossamer.collection.crawl.node import LOOK, STUCK, Node, Sent, encode
from gossamer.collection.crawl.shard import Job
from gossamer.collection.folder import Folder
from gossamer.frontier.answer.poison_pages import READING, ROOM
from gossamer.plan import Plan
from gossamer.testing.clock import VirtualClock


def sent(place: Path, **given: object) -> Sent:
    job = Job(place / "elsewhere", Plan(shards=2, node_disk=str(place), ip_delay=1.0))
    return Sent(job, "name", {"id": b"1", "asked": None}, time.time(), None, **given)  # type: ignore[arg-type]  # its own fields


@contextmanager
def begun(place: Path, killed: list[int] | None = None) -> Iterator[Node]:
    here = Node(sent(place), 0, (killed if killed is not None else []).append)
    try:
        yield here
    finally:
        here.close()


def reading(folder: Path, url: bytes, turn: int) -> None:
    note = len(url).to_bytes(8, sys.byteorder) + url.ljust(ROOM, b"\0") + turn.to_bytes(8, sys.byteorder)
    if not (folder / READING).exists():
        (folder / READING).write_bytes(note)
    else:
        with (folder / READING).open("r+b") as file:
            file.write(note)


def test_each_node_of_a_machine_has_the_first_folder_that_nobody_holds(tmp_path: Path) -> None:
    async def main() -> None:
        with begun(tmp_path) as first:
            assert first.keep
            with begun(tmp_path):
                assert sorted(path.name for path in (tmp_path / "name").iterdir()) == ["000", "001"]
        with begun(tmp_path), begun(tmp_path):
            assert len(list((tmp_path / "name").iterdir())) == 2

    asyncio.run(main())


def test_a_machine_on_which_all_folders_are_held_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "FOLDERS_MOST", 0)

    async def main() -> None:
        with begun(tmp_path), begun(tmp_path), pytest.raises(node.StorageError, match="all folders are held"):
            Node(sent(tmp_path), 0, lambda index: None)

    asyncio.run(main())


def test_small_files_are_those_of_the_crawl_as_they_are_now_and_for_nobody_else(tmp_path: Path) -> None:
    async def main() -> None:
        folder = tmp_path / "name" / "000"
        with begun(tmp_path) as here:
            assert (folder / "id").read_bytes() == b"1"
            assert (folder / "id").stat().st_mode & 0o777 == 0o600
            here.heard(encode({"asked": b"more", "id": None}))
            assert (folder / "asked").read_bytes() == b"more"
            assert not (folder / "id").exists()
        assert not (folder / "leases").exists()

    asyncio.run(main())


def test_a_shard_that_reads_the_same_page_for_a_minute_is_ended_and_one_that_gets_on_is_not(tmp_path: Path) -> None:
    killed: list[int] = []
    clock = VirtualClock()

    async def main() -> None:
        folder = tmp_path / "name" / "000"
        with begun(tmp_path, killed) as here:
            here.adopt(0)
            here.adopt(1)  # it reads nothing: there is no note
            shard = Folder(folder).shard(0)
            reading(shard, b"http://a.example/", 1)
            await asyncio.sleep((STUCK + 1) * LOOK + 1)
            assert not killed, "what stood there at the beginning is of a life that is over"
            for turn in range(2, 2 + STUCK + 2):
                reading(shard, b"http://a.example/", turn)
                await asyncio.sleep(LOOK)
            assert not killed, "each time another page"
            await asyncio.sleep((STUCK - 2) * LOOK)
            assert not killed
            await asyncio.sleep(3 * LOOK)
            assert killed == [0]
            (shard / READING).unlink()
            reading(shard, b"http://a.example/", 50)  # restored: another file, and again what stood there before
            await asyncio.sleep((STUCK + 1) * LOOK)
            reading(shard, b"http://b.example/", 51)
            await asyncio.sleep((STUCK - 1) * LOOK)
            assert killed == [0]
            await asyncio.sleep(3 * LOOK)
            assert killed == [0, 0]

    clock.run(main())


def test_times_of_the_crawl_are_told_on_the_clock_of_the_node(tmp_path: Path) -> None:
    told = sent(tmp_path)
    wall, steady = time.time(), time.monotonic()
    job = node._on_this_clock(Sent(told.job, "name", {}, wall - 60, wall + 600), tmp_path / "here")
    assert job.path == tmp_path / "here"
    assert job.began == pytest.approx(steady - 60, abs=30)
    assert job.fresh_until == pytest.approx(steady + 600, abs=30)
    assert node._on_this_clock(told, tmp_path).fresh_until is None


def test_folders_of_nodes_are_where_the_plan_says_or_with_what_is_kept_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert node._place("/disk/x") == Path("/disk/x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert node._place("") == tmp_path / "gossamer" / "nodes"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert node._place("") == Path(os.path.expanduser("~/.cache/gossamer/nodes"))
