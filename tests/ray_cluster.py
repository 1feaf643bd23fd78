"""A Ray cluster of a few nodes on this machine, each with processes of its own, as if they were machines."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from crawler_process import descendants, wait_for
from harness import debian
from harness.ports import free_port

HERE = Path(__file__).parent
QUICK = {
    # A node that is gone is noticed soon; for machines that are far or busy these would be too short.
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # What the tests define is found by processes that do not run pytest.
    "PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE / "engine"))),
}
NODE = {"object_store_memory": 80 << 20, "num_cpus": 1}


@contextmanager
def redis() -> Iterator[str]:
    """Where a Redis of our own listens; nothing where there is none."""
    program = debian.sought("redis-server")
    if program is None:
        yield ""
        return
    port = free_port()
    command = [program, "--bind", "127.0.0.1", "--port", f"{port}", "--save", ""]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: _listens(port))
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def ray_cluster(nodes: int, redis: str = "") -> Iterator[Any]:
    """A head that does no work, and so many nodes. RAY_ADDRESS names it, as for everybody who uses Ray.

    With a Redis behind it, the head may end and be started again.
    """
    quick = {**QUICK, **({"RAY_REDIS_ADDRESS": redis} if redis else {})}
    before = {name: os.environ.get(name) for name in (*quick, "RAY_ADDRESS")}
    os.environ.update(quick)
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            cluster.add_node(wait=False, **NODE)
        cluster.wait_for_nodes()
        os.environ["RAY_ADDRESS"] = cluster.address
        yield cluster
    finally:
        if "ray" in sys.modules:
            sys.modules["ray"].shutdown()
        cluster.shutdown()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray leaves its log files to the collector, which would complain later
            vars(cluster).clear()
            gc.collect()
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def processes_of(node: Any) -> list[int]:
    """Those below the raylet of a node: its station, and the shards that this has started."""
    raylet = node.all_processes["raylet"][0].process.pid
    return descendants(raylet)


def signal_all(processes: list[int], number: signal.Signals) -> None:
    """Send a signal to those that are still there."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def shards_at(processes: list[int]) -> set[Path]:
    """The folders of the shards that they work on."""
    found: set[Path] = set()
    for process in processes:
        with suppress(OSError):
            for handle in Path(f"/proc/{process}/fd").iterdir():
                with suppress(OSError):
                    parts = Path(os.readlink(handle)).parts
                    place = parts.index("shards") + 2 if "shards" in parts[:-1] else 0
                    if place and parts[place - 1].isdecimal() and "table" in parts[place:]:
                        found.add(Path(*parts[:place]))
    return found
