"""What a crawl on a cluster refuses, in words that say what to do; the crawl itself is in `tests/test_ray.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gossamer
from gossamer import plan as plans
from gossamer.collection import Outside, stored
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import cluster
from gossamer.collection.crawl.plan_check import check
from gossamer.collection.folder import Folder
from gossamer.depot.depot import Depot
from gossamer.errors import UsageError
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.ports import free_port
from named_web import named_web

SEED = "http://127.0.0.1:1/"
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own
FAST = {"delay": 0.0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "disk_pause": 0, "disk_pause_share": 0}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"engine": "spark"}, "there are local, ray and ray://HOST:PORT"),
        ({"engine": "ray://"}, "there are local, ray and ray://HOST:PORT"),
        ({"store": ""}, "--engine ray needs --store"),
        ({"render": "auto"}, "render: not on a cluster yet"),
        ({"on_page": "a.py:b"}, "on_page: not on a cluster yet"),
        ({"seeds": ("gemini://a.example/",)}, "seeds of other protocols: not on a cluster yet"),
    ],
)
def test_what_a_cluster_does_not_do_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(Plan(**{"engine": "ray", "store": "/tmp/store", **settings}))


def test_without_ray_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    code = "import sys; sys.modules['ray'] = None; from gossamer.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ("crawl", str(tmp_path / "web"), SEED, "--engine", "ray", "--store", str(tmp_path / "store"))
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    said = ended.stderr.strip().splitlines()
    assert (ended.returncode, len(said)) == (2, 1)
    assert "pip install '.[cluster]'" in said[0]


def test_a_cluster_that_is_not_there_is_said_at_once_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    with pytest.raises(UsageError, match=rf"no Ray cluster at 127.0.0.1:{port} .*`ray start --head`"):
        gossamer.open(tmp_path / "web").crawl(SEED, engine="ray", store=str(tmp_path / "store"))
    assert not (tmp_path / "web").exists()


def test_a_cluster_without_a_store_is_told(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, pages=1), clock=clock)
    with gossamer.open(tmp_path) as here:
        clock.run(here.crawl_async(web.seed, shards=1, build=False, outside=Outside(clock, web.fetch)))
    (tmp_path / "plan.toml").write_text(plans.dump(here.plan.changed(engine="ray")))
    with gossamer.open(tmp_path) as far, pytest.raises(UsageError, match=r"is ray, and it has no store; `gossamer set"):
        far.repair()


def test_what_lies_here_of_a_cluster_is_a_copy_that_is_read_and_not_changed(tmp_path: Path) -> None:
    with named_web() as web:
        web.link("one", "/", [])
        with gossamer.open(tmp_path / "web") as here:
            here.crawl(web.url("one"), shards=2, store=str(tmp_path / "store"), **FAST)
    folder = Folder(tmp_path / "far")
    (tmp_path / "far").mkdir()
    plan = here.plan.changed(engine="ray")
    folder.plan_file.write_text(plans.dump(plan))
    with gossamer.open(folder.path) as far:
        assert far.status().pages == 1, "it comes from the store"
        for change in (lambda: far.remove("one"), lambda: far.prune("last 1"), far.repair):
            with pytest.raises(UsageError, match="here is a copy"):
                change()
        with pytest.raises(UsageError, match="watch: not on a cluster yet"):
            far.watch(trust_plan=True)
    before = [path.stat().st_ino for path in sorted(folder.shard(0).rglob("*.warc.gz"))]
    stored.refresh(folder, plan)
    assert [path.stat().st_ino for path in sorted(folder.shard(0).rglob("*.warc.gz"))] == before
    assert Depot(plan.store).line(0).newest() is not None


@pytest.mark.parametrize(
    ("is_here", "newest", "ahead"),
    [
        (False, None, False),
        (True, None, True),  # the store has nothing of it
        (True, SimpleNamespace(files=(), claim="c", sequence=0), True),
        (True, SimpleNamespace(files=("a",), claim="c", sequence=9), False),  # of another disk
    ],
)
def test_a_disk_is_ahead_with_what_the_store_does_not_have(
    tmp_path: Path, is_here: bool, newest: Any, ahead: bool
) -> None:
    folder, line = Folder(tmp_path / "web"), SimpleNamespace(newest=lambda: newest)
    depot: Any = SimpleNamespace(line=lambda index: line)
    if is_here:
        Table.open(folder.table(0), FAMILIES, writable=True).close()
    assert cluster._is_ahead(depot, folder, 0) is ahead
