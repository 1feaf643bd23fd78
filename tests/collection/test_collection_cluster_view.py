"""How the nodes of a crawl stand: written by the crawl, read by whoever asks, and shown where there are any."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

import gossamer
from crawler_process import run_gossamer
from gossamer import plan as plans
from gossamer.collection import Outside, cluster_view
from gossamer.collection.cluster_view import FILE, ClusterView, Event, NodeView, ShardView, view_of
from gossamer.collection.crawl.checkpoints import Kept
from gossamer.collection.progress import Progress
from gossamer.engine.ray.node_status import CrewStanding, StationStanding
from gossamer.plan import Plan
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.served import serving

ON_CLUSTER = Plan(engine="ray", store="/elsewhere", shards=3)
PROGRESS = Progress(1, 0, 0, 0, 0, 0, 1.0, unsent=7, lag=2.5)


def view(now: float, shards: int = 3) -> ClusterView:
    return ClusterView(
        now,
        (NodeView("left", 8, (0, 2) if shards > 2 else (0,)), NodeView("<right>", 4, (), drained=True, silent=3.0)),
        (
            ShardView(0, "left", 3, kept=now - 40.0, bytes=5_000_000, seconds=0.25, unsent=7, lag=2.5),
            ShardView(1, "", 2),
            ShardView(2, "left", 1, kept=now - 20.0, bytes=1_000, seconds=0.125),
        )[:shards],
        moves=1,
        takeovers=2,
        restarts=3,
        events=(Event(now - 5.0, 1, "was on node <right>, which is gone"),),
    )


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """One that was crawled here, whose plan says that a cluster goes on with it."""
    clock = VirtualClock()
    web, folder = MadeWeb(WebSpec(seed=3, pages=4), clock=clock), tmp_path / "web"
    with gossamer.open(folder) as made:
        clock.run(made.crawl_async(web.seed, scope="any", shards=1, outside=Outside(clock, web.fetch)))
    return folder


def on_cluster(folder: Path, store: Path) -> None:
    plan = plans.load(folder / "plan.toml").changed(engine="ray", store=str(store))
    (folder / "plan.toml").write_text(plans.dump(plan))


def test_ages_are_of_now_while_it_runs_and_of_its_end_after_that(tmp_path: Path) -> None:
    cluster_view.write(tmp_path, view(time.time() - 1000.0))
    ended, running = (view_of(tmp_path, ON_CLUSTER, is_running=each) for each in (False, True))
    assert ended is not None
    assert running is not None
    assert [shard.age for shard in ended.shards] == [40.0, None, 20.0]
    assert ended.oldest is None, "one shard has none"
    assert [shard.age >= 1020.0 for shard in running.shards if shard.age is not None] == [True, True]
    assert (ended.unsent, ended.lag) == (7, 2.5)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"time": "now"}', b"\xff", b"[" * 100_000, b" " * (5 << 20)])
def test_what_is_no_view_is_passed_over(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    assert view_of(tmp_path, ON_CLUSTER, is_running=True) is None


NODE = {"name": "n", "cores": 1, "shards": [0]}
SHARD = {"number": 0}


@pytest.mark.parametrize(
    "said",
    [
        {"time": 1e308, "shards": [{"number": 0, "kept": -1e308}]},
        {"shards": [{"number": 0, "lag": 1e300}]},
        {"shards": [{"number": 0, "bytes": -1}]},
        {"shards": [{"number": 3}]},
        {"shards": [SHARD] * 2},
        {"nodes": [{**NODE, "shards": [0] * 300_000}]},
        {"nodes": [NODE | {"shards": []}] * 10_000},
        {"nodes": [{**NODE, "name": "n" * 10_000}]},
        {"events": [{"time": 0, "shard": 0, "words": ""}] * 10_000},
    ],
)
def test_what_no_crawl_of_the_plan_has_written_is_passed_over(tmp_path: Path, said: dict[str, object]) -> None:
    whole = {"time": 1e9, "nodes": [NODE], "shards": [SHARD]}
    for data, is_read in ((whole, True), (whole | said, False)):
        (tmp_path / FILE).write_text(json.dumps(data))
        assert (view_of(tmp_path, ON_CLUSTER, is_running=False) is not None) == is_read


def test_a_folder_in_its_place_is_passed_over_and_put_aside_by_a_repair(collection: Path) -> None:
    (collection / FILE).mkdir()
    assert view_of(collection, ON_CLUSTER, is_running=True) is None
    with gossamer.open(collection) as made:
        assert any(FILE in problem for problem in made.verify().problems)
    run_gossamer("verify", str(collection), "--repair")
    assert not (collection / FILE).exists()


def test_a_crawl_of_this_machine_has_none(collection: Path) -> None:
    cluster_view.write(collection, view(time.time()))
    with gossamer.open(collection) as made:
        assert made.status().cluster is None
    assert "nodes" not in run_gossamer("status", str(collection)).stdout
    with serving(collection) as served:
        assert 'id="cluster"' not in served.get("/crawl").text
        assert served.get("/crawl/cluster").text.strip() == ""


def test_status_the_dashboard_and_the_interface_show_the_same(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.collection.stored.refresh", lambda *_: None)  # nothing is kept elsewhere
    on_cluster(collection, tmp_path / "store")
    cluster_view.write(collection, view(time.time(), shards=1))
    with gossamer.open(collection) as made:
        status = made.status()
    assert status.cluster is not None
    assert status.as_json()["cluster"] == asdict(status.cluster)
    from gossamer.cli.answers import status as told

    assert "\nnodes       2, with shards: left 1, <right> 0 (drained)\n" in told(status)
    assert "\nshards      1; 1 moved, 2 taken over, 3 started again\n" in told(status)
    assert "\ncheckpoints the oldest is 40 s old; the last ones had 5.0 MB, the slowest took 0.2 s\n" in told(status)
    assert "\nexchange    7 on their way between shards, the oldest for 2 s\n" in told(status)
    with serving(collection) as served:
        page = served.get("/crawl").text
        assert served.get("/crawl/cluster").status == 200
        answer: Any = json.loads(served.get("/api/v1/status").text)
    assert answer["cluster"]["shards"][0]["bytes"] == 5_000_000
    assert 'id="cluster"' in page
    assert "<right>" not in page
    assert "&lt;right&gt;" in page
    assert "40 s ago" in page
    assert "when the last crawl ended" in page


def test_the_crawl_notes_what_its_crew_and_its_shards_say(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="`pip install '.[cluster]'` brings it")
    assert ray
    from gossamer.collection.crawl.cluster_notes import ClusterNotes

    class Crew:
        def standing(self) -> CrewStanding:
            return CrewStanding((StationStanding("left", 8, False, 0.5, (1,)),), (4, 5), 1, 2, 3)

    notes = ClusterNotes(tmp_path, Crew(), 2)  # type: ignore[arg-type]  # all that is asked of it
    assert view_of(tmp_path, ON_CLUSTER, is_running=True) is not None, "what was there before is not of this crawl"
    notes.kept(1, msgspec.msgpack.encode(Kept(1_000, 0.5)))
    notes.happened(0, "goes on at another node")
    notes.write([None, PROGRESS])
    found = view_of(tmp_path, ON_CLUSTER, is_running=True)
    assert found is not None
    assert found.nodes == (NodeView("left", 8, (1,), silent=0.5),)
    assert (found.moves, found.takeovers, found.restarts) == (1, 2, 3)
    first, second = found.shards
    assert (first.node, first.term, first.kept, first.age) == ("", 4, None, None)
    assert (second.node, second.term, second.bytes, second.seconds) == ("left", 5, 1_000, 0.5)
    assert (second.unsent, second.lag) == (7, 2.5)
    assert second.age is not None
    assert [event.words for event in found.events] == ["goes on at another node"]
