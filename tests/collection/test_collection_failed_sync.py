"""A sync that fails: the kernel takes for written what the disk does not have, and nobody may believe it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import with_room
from gossamer.collection import Collection, Outside
from gossamer.errors import StorageError
from gossamer.store.commits import Commits
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

SPEC = WebSpec(seed=5, hosts=2, pages=8)


class Pages:
    """What the disk has of the captures, when a sync that fails drops what was to be written.

    The kernel marks pages as written whether they were or not. So a sync makes durable what was written to the file
    since the last one, successful or not; what a failed one left out, no later one brings unless it is written again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fail: int) -> None:
        self.disk: dict[str, bytearray] = {}
        self.dirty: dict[str, list[tuple[int, bytes]]] = {}
        self.fail = fail
        self.syncs = 0
        self._real = {name: getattr(os, name) for name in ("pwritev", "pwrite", "fsync")}
        monkeypatch.setattr(os, "pwritev", self._pwritev)
        monkeypatch.setattr(os, "pwrite", self._pwrite)
        monkeypatch.setattr(os, "fsync", self._fsync)

    def _name(self, file: int) -> str:
        path = os.readlink(f"/proc/self/fd/{file}")
        return path if path.endswith(".warc.gz") and "/captures/" in path else ""

    def _note(self, file: int, offset: int, data: bytes) -> None:
        if name := self._name(file):
            self.dirty.setdefault(name, []).append((offset, data))

    def _pwritev(self, file: int, parts: Any, offset: int) -> int:
        self._note(file, offset, b"".join(parts))
        return int(self._real["pwritev"](file, parts, offset))

    def _pwrite(self, file: int, data: Any, offset: int) -> int:
        self._note(file, offset, bytes(data))
        return int(self._real["pwrite"](file, data, offset))

    def _fsync(self, file: int) -> None:
        name = self._name(file)
        if name:
            self.syncs += 1
            waiting = self.dirty.pop(name, [])
            if self.syncs == self.fail:
                raise OSError(errno.EIO, "Input/output error")
            there = self.disk.setdefault(name, bytearray())
            for offset, data in waiting:
                there.extend(bytes(max(offset + len(data) - len(there), 0)))
                there[offset : offset + len(data)] = data
        self._real["fsync"](file)

    def drop(self, file: int, *_: int) -> None:
        """The cache lets go of a file, which has what the disk has from now on."""
        if name := self._name(file):
            Path(name).write_bytes(self.disk[name])

    def power_cut(self) -> None:
        """The machine starts again, and files have what the disk had."""
        for name, data in self.disk.items():
            size = os.stat(name).st_size
            Path(name).write_bytes(bytes(data[:size]).ljust(size, b"\0"))


class Crawl:
    """A made web that is crawled in this process, with a commit after every page."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(SPEC, clock=self.clock)
        self.folder = folder

    def __call__(self) -> Collection:
        collection = gossamer.open(self.folder)
        outside = Outside(self.clock, self.web.fetch)
        try:
            self.clock.run(collection.crawl_async(self.web.seed, scope="any", outside=outside, build=False))
        except BaseException:
            collection.close()
            raise
        return collection


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    return Crawl(with_room(tmp_path / "web"))


@pytest.mark.parametrize("fail", [2, 3, 5, 8])
def test_what_a_failed_sync_has_lost_is_not_believed(fail: int, crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(monkeypatch, fail)
    with pytest.raises(StorageError, match="the disk fails"):
        crawl()
    with crawl() as collection:  # the cache still has it: what is taken in from there has to be written again
        found = {page.url for page in collection.pages()}
    pages.power_cut()
    with gossamer.open(crawl.folder) as collection:
        assert collection.verify().problems == []
        assert {page.url for page in collection.pages()} == found == crawl.web.reachable()


def test_what_a_failed_sync_has_lost_is_read_from_the_disk(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(monkeypatch, 4)
    with pytest.raises(StorageError):
        crawl()
    before = [entry.url for entry in crawl.web.log.entries]
    monkeypatch.setattr(os, "posix_fadvise", pages.drop)
    with crawl() as collection:
        assert {page.url for page in collection.pages()} == crawl.web.reachable()
        assert collection.verify().problems == []
    after = [entry.url for entry in crawl.web.log.entries[len(before) :]]
    assert {*before} & {*after} & crawl.web.reachable()  # the cache still had them, and nobody believed it


@pytest.mark.parametrize("fail", [3, 6])
def test_a_power_cut_after_a_failed_sync_costs_only_what_was_not_committed(
    fail: int, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Pages(monkeypatch, fail)
    with pytest.raises(StorageError):
        crawl()
    pages.power_cut()
    with crawl() as collection:
        assert collection.verify().problems == []
        assert {page.url for page in collection.pages()} == crawl.web.reachable()


def test_nothing_is_committed_after_a_sync_has_failed(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, commits = Pages(monkeypatch, 4), []
    commit = Table.commit

    def noted(self: Table) -> None:
        commits.append(pages.syncs)
        commit(self)

    monkeypatch.setattr(Table, "commit", noted)
    with pytest.raises(StorageError):
        crawl()
    assert max(commits) < 4
    assert pages.syncs == 4  # and the file is not synced again, which would say that all is well


def test_a_commit_that_fails_is_the_last(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    table: Any = type(
        "FullTable", (), {"commit": lambda self: (_ for _ in ()).throw(StorageError("full")), "pending": 0}
    )()
    commits = Commits(table, crawl.clock)
    with pytest.raises(StorageError):
        commits.now()
    assert commits.broken
    commits.now()  # does nothing
