"""A crawl on a cluster of this machine, and what can be seen of it from outside."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_process import gossamer_command, wait_for
from gossamer import plan as plans
from gossamer.depot.depot import Depot
from gossamer.testing import MadeWeb
from ray_cluster import processes_of, shards_at

DELAY, CHECKPOINT, LEASE = 0.3, 2.0, 4.0
JITTER = 0.05
"""Seconds by which the log of the server may be late."""
SETTINGS = f"""\
disk_pause = 0
disk_pause_share = 0
checkpoint_seconds = {CHECKPOINT}
lease = {LEASE}
"""


def begun(folder: Path, seed: str, *options: str, store: str = "", within: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A crawl on the cluster that RAY_ADDRESS names; `within` is a command that runs another one."""
    folder.mkdir()
    (folder / "plan.toml").write_text(SETTINGS + f'node_disk = "{folder.parent / "nodes"}"\n')
    polite = ("--delay", f"{DELAY}", "--patience", "0", "--allow-address", "127.0.0.0/8", "--scope", "any")
    where = ("--store", store or f"{folder}-store", "--engine", "ray")
    command = gossamer_command("crawl", str(folder), seed, *polite, *where, *options, "-q")
    return subprocess.Popen([*within, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def busy(nodes: list[Any], folder: Path) -> Any:
    """The first of some nodes with shards of a collection: on a slow machine one may have been given up before."""

    def at_work() -> list[Any]:
        return [node for node in nodes if numbers(folder, shards_at(processes_of(node)))]

    wait_for(lambda: bool(at_work()))
    return at_work()[0]


def numbers(folder: Path, shards: set[Path]) -> set[int]:
    """Those of one collection."""
    name = Depot(plans.load(folder / "plan.toml").store).name
    return {int(shard.name) for shard in shards if name in shard.parts}


def asked_for(web: MadeWeb, pages: int) -> None:
    wait_for(lambda: len(web.log.entries) > pages, patience=240.0)
