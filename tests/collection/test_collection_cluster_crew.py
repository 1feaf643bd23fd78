"""What the shards of a crawl or a build on a cluster are told, without a cluster."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection.crawl import cluster
from gossamer.collection.crawl.shard import Job as CrawlJob
from gossamer.collection.derive import build, cluster_build
from gossamer.collection.derive.shard_build import Job
from gossamer.engine import Reports
from gossamer.plan import Plan

REPORTS = Reports(lambda *_: None, lambda *_: None, lambda *_: None)


class Head(SimpleNamespace):
    term: int
    at_rest: bool


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Any:
    """How the crew was made, with heads of shards in the store as given."""

    def crew(job: CrawlJob, *heads: Head | None) -> SimpleNamespace:
        lines = [SimpleNamespace(newest=lambda head=head: head) for head in heads]
        monkeypatch.setattr(cluster, "Depot", lambda store: SimpleNamespace(name="web", line=lines.__getitem__))
        monkeypatch.setattr(cluster, "RayCrew", lambda engine, kit, reports, **more: SimpleNamespace(kit=kit, **more))
        return cluster.crew(job, REPORTS)  # type: ignore[return-value]  # made above

    return crew


def test_a_crew_has_a_higher_term_than_any_before_and_knows_whether_one_was_cut_off(tmp_path: Path, made: Any) -> None:
    job = CrawlJob(tmp_path, Plan(shards=3, lease=7.0))
    first = made(job, None, None, None)
    assert (first.term, first.unclean, first.kit.leasing.lease) == (1, False, 7.0)
    later = made(job, Head(term=4, at_rest=True), None, Head(term=2, at_rest=True))
    assert (later.term, later.unclean) == (5, False)
    assert made(job, Head(term=4, at_rest=True), None, Head(term=2, at_rest=False)).unclean


def test_times_are_sent_to_the_nodes_by_the_clock_on_the_wall(tmp_path: Path, made: Any) -> None:
    steady, wall = time.monotonic(), time.time()
    job = CrawlJob(tmp_path, Plan(shards=1), began=steady - 1_000, fresh_until=steady + 5_000)
    sent = made(job, None).kit.attend.args[0]
    assert sent.began == pytest.approx(wall - 1_000, abs=60)
    assert sent.fresh_until == pytest.approx(wall + 5_000, abs=60)
    unsaid = made(CrawlJob(tmp_path, Plan(shards=1)), None).kit.attend.args[0]
    assert unsaid.began == pytest.approx(wall, abs=60)
    assert unsaid.fresh_until is None


def test_a_build_publishes_what_is_here_runs_and_brings_here_what_the_shards_have_become(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    async def publish(folder: Any, plan: Plan) -> None:
        done.append("published")

    class Crew:
        async def run(self) -> None:
            done.append("run")

    monkeypatch.setattr(cluster, "publish_first", publish)
    monkeypatch.setattr(cluster, "crew", lambda job, reports, build: Crew())
    monkeypatch.setattr(cluster_build, "refresh", lambda folder, plan: done.append("brought"))
    job = Job(tmp_path, Plan(shards=2), anew=False)
    asyncio.run(cluster_build.build(job, lambda built: None))
    assert done == ["published", "run", "brought"]


def test_a_node_publishes_a_shard_before_and_after_it_is_built_and_writes_to_it_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    class Kept:
        @classmethod
        async def begin(cls, plan: Plan, folder: Any, index: int, clock: Any, *, term: int | None) -> Kept:
            done.append(("claimed", index, term))
            return cls()

        async def first(self, table: str) -> None:
            done.append(("first", table))

        async def last(self, table: str) -> None:
            done.append(("last", table))

    @contextmanager
    def opened(path: Path, families: Any, *, writable: bool) -> Iterator[str]:
        yield f"{path.relative_to(tmp_path)} {writable}"
        done.append("closed")

    async def built(job: Job, link: Any) -> None:
        done.append("built")

    monkeypatch.setattr(build, "Checkpoints", Kept)
    monkeypatch.setattr(build, "Table", SimpleNamespace(open=opened))
    monkeypatch.setattr(build, "work", built)
    link: Any = SimpleNamespace(index=1, term=4)
    asyncio.run(build.work_at_node(Job(tmp_path, Plan(shards=2), anew=False), link))
    assert done == [
        ("claimed", 1, 4),
        ("first", "shards/01/table True"),
        "closed",
        "built",
        ("last", "shards/01/table True"),
        "closed",
    ]
