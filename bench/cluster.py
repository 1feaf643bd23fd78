"""What does a cluster cost? The same crawl by processes of this machine and by two nodes of Ray on it, with a store.

    python bench/cluster.py [--pages 60 240] [--rounds 3]

To start costs the same whatever is crawled, so what a page costs is told by two crawls of different length; of several
rounds the cheapest counts, because whatever else runs on the machine only adds. The nodes are on this machine: the time
of a real network comes to that, and costs no CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ray.cluster_utils import Cluster
from run import OURS, cpu_of, served

SHARDS = 2
NODES = 2
EVERY = 0.1
"""Seconds between looks."""
TICKS = os.sysconf("SC_CLK_TCK")
SAID = re.compile(r"(\d+) calls with (\d+) bytes between")
TOLD = (
    "import logging, sys; from gossamer.cli import main; logging.getLogger('gossamer').setLevel(logging.INFO);"
    " handler = logging.FileHandler(sys.argv[1]); logging.getLogger('gossamer').addHandler(handler);"
    " sys.exit(main(sys.argv[2:]))"
)


class Cost(NamedTuple):
    """Of one crawl."""

    cpu: float
    pages: int
    calls: int = 0
    bytes: int = 0


class Meter:
    """CPU of all processes of a cluster. Ray does not wait for those that end, so they are looked at while they run."""

    def __init__(self, cluster: Any) -> None:
        nodes = cluster.list_all_nodes()
        self._roots = {each.process.pid for node in nodes for some in node.all_processes.values() for each in some}
        self._ticks: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Meter:
        self._look()
        self._before = sum(self._ticks.values())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def seconds(self) -> float:
        return (sum(self._ticks.values()) - self._before) / TICKS

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
            self._look()

    def _look(self) -> None:
        parents: dict[int, int] = {}
        ticks: dict[int, int] = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = stat.read_text().rpartition(") ")[2].split()
                parents[int(stat.parent.name)] = int(fields[1])
                ticks[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
        found = [*self._roots]
        for process in found:
            found += [child for child, parent in parents.items() if parent == process]
        self._ticks |= {process: ticks[process] for process in found if process in ticks}


Crawl = Callable[[str, Path], Cost]


def crawled(seed: str, place: Path, *more: str) -> Cost:
    """A crawl by a process of its own, and what it logged."""
    words = ("crawl", str(place / "web"), seed, *OURS, "--shards", str(SHARDS), "--store", str(place / "store"), *more)
    cpu, said = cpu_of([sys.executable, "-c", TOLD, str(place / "log"), *words, "--json"])
    found = SAID.search((place / "log").read_text())
    return Cost(cpu, json.loads(said)["pages"], *(map(int, found.groups()) if found else ()))


def on_cluster(cluster: Any, seed: str, place: Path) -> Cost:
    with Meter(cluster) as meter:
        cost = crawled(seed, place, "--engine", "ray", "--set", f"node_disk={place / 'nodes'}")
    return cost._replace(cpu=cost.cpu + meter.seconds)


def measured(name: str, count: int, crawl: Crawl) -> Cost:
    """One crawl of so many pages on each host, told."""
    with served(count) as seed, tempfile.TemporaryDirectory() as place:
        cost = crawl(seed, Path(place))
    told = f", {cost.calls / cost.pages:.2f} calls and {cost.bytes / cost.pages:.0f} bytes a page" if cost.calls else ""
    print(f"{name}: {cost.pages} pages, {cost.cpu:.1f} s of CPU{told}", flush=True)
    return cost


def slope(first: Cost, last: Cost) -> float:
    """CPU milliseconds of one more page."""
    return 1_000 * (last.cpu - first.cpu) / (last.pages - first.pages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, nargs=2, default=[60, 240], help="pages on each of eight hosts")
    parser.add_argument("--rounds", type=int, default=3, help="crawls of each kind, of which the cheapest counts")
    options = parser.parse_args()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    ways: dict[str, Crawl] = {
        "processes": crawled,
        "nodes": lambda seed, place: on_cluster(cluster, seed, place),
    }
    least: dict[tuple[str, int], Cost] = {}
    try:
        for _ in range(NODES):
            cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
        os.environ["RAY_ADDRESS"] = cluster.address
        for _ in range(options.rounds):
            for name, crawl in ways.items():
                for count in options.pages:
                    cost = measured(name, count, crawl)
                    least[name, count] = min(cost, least.get((name, count), cost))
    finally:
        cluster.shutdown()
    few, many = options.pages
    local, nodes = (slope(least[name, few], least[name, many]) for name in ways)
    print(f"a page costs {local:.2f} ms by processes, {nodes:.2f} ms by nodes: {nodes / local - 1:+.1%}")
    begun = least["nodes", few].cpu - least["processes", few].cpu
    print(f"to start costs {begun:.1f} s more by nodes")


if __name__ == "__main__":
    main()
