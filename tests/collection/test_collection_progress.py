"""What is told of a crawl that is going on is true at that moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import assembly
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.session import Session
from gossamer.fetch.memory_budget import Held
from gossamer.frontier.discover.discovery import Found
from gossamer.model import Capture, Visit
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import run, running_clock

HOME = "http://a.example/"


async def never(visit: Visit) -> Capture:
    raise AssertionError(visit)


def test_progress_counts_what_was_found_a_moment_ago(tmp_path: Path) -> None:
    async def job() -> int:
        with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
            session = Session(tmp_path, Plan(seeds=(HOME,)), table, Outside(running_clock(), never))
            session.frontier.add(Found(f"{HOME}{number}", 1) for number in range(9))
            queued = session.progress().queued
            session.frontier.close()
            return queued

    assert run(job()) == 9


@pytest.mark.parametrize(("shards", "share"), [(1, 6_000_000), (2, 3_000_000), (3, 2_000_000)])
def test_shards_share_the_memory_for_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int, share: int
) -> None:
    made: list[tuple[float, int]] = []

    def noted(most: float, visits: int) -> Held:
        made.append((most, visits))
        return Held(most, visits)

    async def job() -> None:
        plan = Plan(seeds=(HOME,), memory=6_000_000, shards=shards, workers=20)
        with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
            Session(tmp_path, plan, table, Outside(running_clock(), never)).frontier.close()

    monkeypatch.setattr(assembly, "Held", noted)
    run(job())
    assert made == [(share, 40)]  # as many visits may drip along beside those that are under way


@pytest.mark.parametrize(
    ("render", "heads", "opens"), [("auto", False, True), ("auto", True, False), ("never", False, False)]
)
def test_a_browser_is_for_crawls_that_read_pages(tmp_path: Path, render: str, heads: bool, opens: bool) -> None:
    async def job() -> bool:
        with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
            outside = Outside(running_clock(), never, heads=heads)
            session = Session(tmp_path, Plan(seeds=(HOME,), render=render), table, outside)
            session.frontier.close()
            return session._rendering is not None

    assert run(job()) is opens
