"""Workers on the nodes of a Ray cluster: the same promises as on one machine. One cluster for all of these tests."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "engine"))

import toy_workers
from crews import LONGEST, Told

import gossamer
from crawler_process import run_gossamer, wait_for
from gossamer import plan as plans
from gossamer.dedupe.groups import Group
from gossamer.depot.depot import Depot
from gossamer.engine import Reports, Work
from gossamer.engine.ray.crew import RayCrew
from gossamer.engine.ray.station import Kit, Leasing
from gossamer.errors import StorageError
from gossamer.testing import Copies, Log, MadeWeb, WebSpec
from gossamer.urls import keys, site
from named_web import NamedWeb, named_web
from ray_cluster import NODE, processes_of, ray_cluster, redis, shards_at, signal_all
from ray_crawls import CHECKPOINT, DELAY, JITTER, asked_for, begun, busy, ended, numbers

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray's own, of which there are many
    pytest.mark.timeout(900),  # the first test of each crawl has the crawl before it, with all that is done to it
]
NODES = 3
BALLS = 200


@pytest.fixture(scope="module")
def behind() -> Iterator[str]:
    """The Redis behind the head; nothing where there is none."""
    with redis() as place:
        yield place


@pytest.fixture(scope="module")
def cluster(behind: str) -> Iterator[Any]:
    with ray_cluster(NODES, behind) as made:
        yield made


async def run(work: Work, count: int, told: Told) -> Told | Exception:
    """What its owner was told, or what was raised."""
    kit = Kit(count, partial(toy_workers.Unattended, work), leasing=Leasing(4.0))
    crew = RayCrew("ray", kit, Reports(told.hear, told.bury, told.fail))
    told.crew = crew  # type: ignore[assignment]  # it does what `Crew` does
    try:
        async with asyncio.timeout(LONGEST):
            await crew.run()
    except StorageError as error:
        return error
    return told


def terminate_when_ready(told: Told, workers: int) -> Callable[[Any, int, bytes], None]:
    def heard(crew: Any, index: int, message: bytes) -> None:
        if len(told.heard) == workers:
            crew.terminate()

    return heard


@pytest.fixture(scope="module")
def outcomes(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Some crews side by side: to start their stations takes longest."""
    folder = tmp_path_factory.mktemp("lives")
    ended = Told()
    ended.on_heard = terminate_when_ready(ended, 2)
    crews: dict[str, tuple[Work, int, Told]] = {
        "balls": (partial(toy_workers.ping_pong, balls=BALLS), 2, Told()),
        "stream": (partial(toy_workers.stream, count=50_000), 2, Told()),
        "large": (partial(toy_workers.exchange_large, count=3), 3, Told()),
        "deaths": (partial(toy_workers.die_young, folder=folder, times=2), 4, Told()),
        "error": (toy_workers.fail, 2, Told(on_failed=lambda crew, *_: crew.send_all(toy_workers.STOP))),
        "ended": (toy_workers.clean_up_when_cancelled, 2, ended),
    }

    async def all_of_them() -> list[Told | Exception]:
        return await asyncio.gather(*(run(*crew) for crew in crews.values()))

    return dict(zip(crews, asyncio.run(all_of_them()), strict=True))


def test_messages_go_to_and_fro_between_nodes_in_order(outcomes: dict[str, Told]) -> None:
    assert sorted(outcomes["balls"].heard) == [(0, b"%d" % BALLS), (1, b"%d" % (BALLS - 1))]
    assert outcomes["balls"].died == []


def test_a_stream_of_messages_arrives_whole_and_in_order_in_few_calls(outcomes: dict[str, Told]) -> None:
    assert outcomes["stream"].heard == [(1, b"49999")]
    crew: Any = outcomes["stream"].crew
    assert 0 < crew.calls < 500


def test_large_messages_arrive_unchanged_from_every_node_at_every_node(outcomes: dict[str, Told]) -> None:
    whole = hashlib.sha256(b"".join(map(toy_workers.large_message, range(3)))).hexdigest().encode()
    assert sorted(outcomes["large"].heard) == [(index, whole) for index in range(3) for _ in range(2)]


def test_a_killed_worker_comes_back_at_its_node_and_all_others_hear_of_it(outcomes: dict[str, Told]) -> None:
    told = outcomes["deaths"]
    assert told.died == [(0, "was killed by SIGKILL")] * 2
    for other in (1, 2, 3):
        assert told.from_worker(other)[-3:] == [b"reborn 0"] * 2 + [b"heard 0"]


def test_an_error_of_ours_ends_its_worker_for_good_and_is_raised(outcomes: dict[str, Any]) -> None:
    assert isinstance(outcomes["error"], StorageError)
    assert str(outcomes["error"]) == "the disk is full; buy another"


def test_terminated_workers_clean_up_and_are_not_restarted(outcomes: dict[str, Told]) -> None:
    assert sorted(outcomes["ended"].heard) == [(0, b"clean"), (0, b"ready"), (1, b"clean"), (1, b"ready")]
    assert outcomes["ended"].died == []


# ---------------------------------------------------------------------- a crawl

WEB = WebSpec(seed=11, hosts=9, pages=40, names="ip", copies=Copies(exact=0.1))
NAMES, PATHS = ("one", "two", "seven"), 12
SHARDS = 6


@dataclass
class Crawl:
    """What became of a crawl through which one node was killed, one frozen and one added."""

    web: MadeWeb
    log: Log
    """What it had been asked for at the end."""
    folder: Path
    code: int
    words: str
    lost: list[set[int]]
    """Shards that were on the node that was killed, and on the one that was frozen."""
    zombies: set[Path]
    while_it_ran: str
    without_head: int
    """Requests while the head was away."""


@dataclass
class SharedAddress:
    """A crawl of several hosts on one IP address, through the same faults."""

    web: NamedWeb
    folder: Path
    code: int
    words: str


@pytest.fixture(scope="module")
def crawls(
    cluster: Any, outcomes: object, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Crawl, SharedAddress]]:
    place = tmp_path_factory.mktemp("crawl")
    with MadeWeb(WEB).serve() as web, named_web() as named:
        for name, other in pairwise((*NAMES, NAMES[0])):
            paths = [f"/{number}" for number in range(PATHS)]
            named.link(name, "/", [named.url(name, path) for path in paths] + [named.url(other)])
            for path in paths:
                named.link(name, path, [])
        first = begun(place / "web", web.seed, "--shards", f"{SHARDS}")
        second = begun(place / "named", named.url(NAMES[0]), "--shards", f"{len(NAMES)}")
        try:
            faulty = with_faults(cluster, web, place / "web", first)
            words = ended(second, place / "named", LONGEST)
            yield faulty, SharedAddress(named, place / "named", second.returncode, words)
        finally:
            for running in (first, second):
                with running:  # which closes its pipes
                    running.kill()


@pytest.fixture
def crawl(crawls: tuple[Crawl, SharedAddress]) -> Crawl:
    return crawls[0]


@pytest.fixture
def shared_address(crawls: tuple[Crawl, SharedAddress]) -> SharedAddress:
    return crawls[1]


def with_faults(cluster: Any, web: MadeWeb, folder: Path, running: subprocess.Popen[str]) -> Crawl:
    nodes = cluster.list_all_nodes()[1:]
    asked_for(web, 40)
    without_head = restart_head(cluster, web) if os.environ.get("RAY_REDIS_ADDRESS") else 0
    first = busy(nodes, folder)
    killed = processes_of(first)
    lost = [shards_at(killed)]
    signal_all(killed, signal.SIGKILL)
    cluster.remove_node(first, allow_graceful=False)
    for shard in lost[0]:
        shutil.rmtree(shard)
    added = cluster.add_node(wait=False, **NODE)
    wait_for(lambda: bool(numbers(folder, shards_at(processes_of(added)))), patience=LONGEST)  # it has got its share
    second = busy([node for node in nodes if node is not first], folder)
    raylet, frozen = second.all_processes["raylet"][0].process.pid, processes_of(second)
    lost.append(shards_at(frozen))
    signal_all([raylet, *frozen], signal.SIGSTOP)
    before = terms(folder)
    while_it_ran = run_gossamer("status", str(folder), "--json").stdout
    frozen_shards = numbers(folder, lost[1])
    wait_for(lambda: all(terms(folder)[shard] > before[shard] for shard in frozen_shards))
    signal_all(frozen, signal.SIGCONT)  # the node stays frozen, and what runs there does not know
    words = ended(running, folder, LONGEST)
    zombies = shards_at(frozen)
    signal_all([raylet], signal.SIGKILL)
    lost_shards = [numbers(folder, each) for each in lost]
    return Crawl(
        web, copy.deepcopy(web.log), folder, running.returncode, words, lost_shards, zombies, while_it_ran, without_head
    )


def restart_head(cluster: Any, web: MadeWeb) -> int:
    """How many requests came while it was away."""
    cluster.head_node.kill_gcs_server()
    before = len(web.log.entries)
    asked_for(web, before + 20)
    cluster.head_node.start_gcs_server()
    return len(web.log.entries) - before


def terms(folder: Path) -> list[int]:
    """Of the last heads of all shards."""
    depot = Depot(plans.load(folder / "plan.toml").store)
    heads = [depot.line(shard).newest() for shard in range(SHARDS)]
    return [head.term if head else 0 for head in heads]


def test_pages_are_those_of_a_crawl_that_was_left_in_peace(crawl: Crawl) -> None:
    assert crawl.code == 0, crawl.words
    with gossamer.open(crawl.folder) as collection:
        pages = [page.url for page in collection.pages()]
        assert len(pages) == len({*pages})
        assert {*pages} == crawl.web.reachable()
        assert collection.status().duplicates == len(pages) - len({page.version.digest for page in collection.pages()})
        assert collection.search("the"), "what the nodes have indexed is found here"
        assert collection.verify().problems == []


def test_links_copies_and_ranks_are_those_of_one_process(crawl: Crawl, tmp_path: Path) -> None:
    """Of the collection that is left when the cluster is gone."""
    run_gossamer("fetch-collection", str(crawl.folder), str(tmp_path / "fetched"))
    alone = {"delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "allow_addresses": ("127.0.0.0/8",), "scope": "any"}
    with gossamer.open(tmp_path / "fetched") as fetched, gossamer.open(tmp_path / "alone") as other:
        other.crawl(crawl.web.seed, shards=1, **alone)
        groups = [{members(each) for each in web.duplicates().groups} for web in (fetched, other)]
        assert groups[0] == groups[1] != set()
        for url in crawl.web.reachable():
            found, expected = fetched.links(url), other.links(url)
            assert {*found.outgoing} == {*expected.outgoing}
            assert {*found.incoming} == {*expected.incoming}
            assert found.rank == pytest.approx(expected.rank, rel=1e-9)


def members(group: Group) -> frozenset[str]:
    return frozenset((group.url, *(each.url for each in group.copies)))


def test_the_head_is_started_again_and_nobody_is_held_up(crawl: Crawl, behind: str) -> None:
    """After that two nodes are lost and one joins."""
    if not behind:
        pytest.skip("redis-server is missing; `apt-get install redis-server` brings it")
    assert crawl.without_head >= 20
    assert crawl.code == 0, crawl.words


def test_both_nodes_are_given_up_and_what_was_frozen_ends_by_itself(crawl: Crawl) -> None:
    assert crawl.words.count("is given up") >= 2
    assert all(crawl.lost), "both had something to do"
    assert crawl.zombies == set()


def test_no_host_is_asked_too_soon_whoever_asks(crawl: Crawl) -> None:
    hosts = {entry.host for entry in crawl.log.entries}
    assert min(gap for host in hosts for gap in crawl.log.gaps(host)) >= DELAY - JITTER


def test_what_is_fetched_again_was_fetched_since_the_last_checkpoint(crawl: Crawl) -> None:
    """Of each host as much as its delay allows for between two of them, and what was under way when a shard moved."""
    repeats = Counter({url: count - 1 for url, count in crawl.log.counts(whole=True).items()})
    shards = Counter(shard_of(url) for url in repeats.elements() if not url.endswith("/robots.txt"))
    hosts = Counter(shard_of(f"http://{host}/") for host in {entry.host for entry in crawl.log.entries})
    lost = Counter(shard for each in crawl.lost for shard in each)
    for shard, count in shards.items():
        assert count <= hosts[shard] * (1 + lost[shard] * 2 * CHECKPOINT / DELAY), (shards, lost, hosts)


def shard_of(url: str, shards: int = SHARDS) -> int:
    return keys.shard(site(url), shards)


def test_the_status_is_that_of_the_last_checkpoints_while_it_runs(crawl: Crawl) -> None:
    told = json.loads(crawl.while_it_ran)
    assert 0 < told["pages"] < len(crawl.web.reachable())


def test_nodes_shards_and_takeovers_are_told_while_it_runs_and_after(crawl: Crawl) -> None:
    now = json.loads(crawl.while_it_ran)["cluster"]
    places = sorted(shard for node in now["nodes"] for shard in node["shards"])
    assert places == sorted(shard["number"] for shard in now["shards"] if shard["node"])
    assert now["takeovers"] >= len(crawl.lost[0])
    with gossamer.open(crawl.folder) as collection:
        after = collection.status().cluster
    assert after is not None
    assert after.takeovers >= sum(map(len, crawl.lost))
    assert after.moves >= 1, "the node that has joined got its share"
    assert all(shard.kept and shard.seconds > 0 for shard in after.shards)
    assert sum(shard.bytes for shard in after.shards) > 0


def test_hosts_of_one_address_on_several_nodes_take_turns_there(shared_address: SharedAddress) -> None:
    assert shared_address.code == 0, shared_address.words
    with gossamer.open(shared_address.folder) as collection:
        assert len([*collection.pages()]) == len(NAMES) * (PATHS + 1)
    assert {shard_of(shared_address.web.url(name), len(NAMES)) for name in NAMES} != {0}, "they are on several shards"
    assert min(shared_address.web.gaps()) >= DELAY - JITTER
