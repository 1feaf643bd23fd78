"""An import of many shards, or of one in many lives, told as one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer.collection.crawl.shard import Job
from gossamer.collection.imports import importing
from gossamer.collection.imports.import_source import Imported
from gossamer.plan import Plan


def test_what_went_wrong_in_any_life_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lives(job: Job, heard: Callable[[int, Imported], None], stop: Any) -> None:
        heard(0, Imported(captures=1, problems=("one", "two")))
        heard(0, Imported(captures=5, problems=("two", "three")))

    monkeypatch.setattr(importing, "_here", lives)
    told: list[int] = []
    job = Job(tmp_path, Plan(shards=1))
    found = asyncio.run(importing.run(job, -1, lambda look: told.append(look.captures), None))
    assert (told, found.captures, found.problems) == ([1, 5], 5, ("one", "two", "three"))


def test_several_shards_are_processes_and_what_they_took_in_adds_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[Any] = []

    class FakeCharge:
        def __init__(self, job: Job, lock: int, report: Any, imported: Callable[[int, Imported], None]) -> None:
            met.append(lock)
            report("what a crawl would tell is not told")
            self._imported = imported

        async def run(self, stop: Any) -> None:
            met.append(stop)
            self._imported(0, Imported(captures=1, problems=("one",)))
            self._imported(1, Imported(captures=2, problems=("two",)))

    monkeypatch.setattr(importing, "CrawlSupervisor", FakeCharge)
    told: list[int] = []
    job, stop = Job(tmp_path, Plan(shards=2)), asyncio.Event()
    found = asyncio.run(importing.run(job, 99, lambda look: told.append(look.captures), stop))
    assert (told, found.captures, found.problems) == ([1, 3], 3, ("one", "two"))
    assert met == [99, stop]


def test_a_file_is_read_when_all_shards_have_what_is_theirs_and_each_reads_its_own() -> None:
    one = Imported(1, 3, 500, 900, seconds=9.0, refused={"a": 1})
    other = Imported(2, 3, 300, 900, seconds=2.0, refused={"a": 1, "b": 2})
    found = importing.together({0: other, 1: one})
    assert (found.files, found.bytes, found.seconds, found.refused) == (1, 800, 9.0, {"a": 2, "b": 2})


def test_the_last_look_is_taken_when_all_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FakeSession:
        def __init__(self, *_: object, **__: object) -> None:
            self._captures = 1

        async def run(self, asked: Any, report: Callable[[None], None]) -> None:
            report(None)
            self._captures = 5

        def imported(self) -> Imported:
            return Imported(captures=self._captures)

        def stop(self) -> None: ...

    monkeypatch.setattr(importing, "Session", FakeSession)
    told: list[int] = []
    job = Job(tmp_path, Plan(shards=1))
    found = asyncio.run(importing.run(job, -1, lambda look: told.append(look.captures), None))
    assert (told, found.captures) == ([1, 5], 5)
