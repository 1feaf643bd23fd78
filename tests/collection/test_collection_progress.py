"""What is told of a crawl that is going on is true at that moment."""

from __future__ import annotations

from pathlib import Path

from gossamer.collection.session import FAMILIES, Outside, Session
from gossamer.frontier.discovery import Found
from gossamer.model import Capture, Visit
from gossamer.plan import Plan
from gossamer.store.table import Table
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
