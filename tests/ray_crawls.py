"""A crawl on a cluster of this machine, and what can be seen of it from outside."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_process import gossamer_command, run_gossamer, wait_for
from gossamer import plan as plans
from gossamer.depot.depot import Depot
from gossamer.frontier.polite.ip_leases import IpLeases
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
    return subprocess.Popen(
        [*within, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )


def ended(running: subprocess.Popen[str], folder: Path, patience: float) -> str:
    """What a crawl has said at its end. One that does not end says what it waits for: how it stands, what each node has
    taken, and where its supervisor is."""
    try:
        return running.communicate(timeout=patience)[1]
    except subprocess.TimeoutExpired:
        standing = run_gossamer("status", str(folder), "--json").stdout
        plan = plans.load(folder / "plan.toml")
        newest = [Depot(plan.store).line(number).newest() for number in range(plan.shards)]
        heads = [f"shard {n}: term {h.term}, marks {h.marks}, {dict(h.counts)}" for n, h in enumerate(newest) if h]
        taken = [f"{path}: {held}" for path in folder.parent.glob("nodes/*/*/leases") if (held := taken_there(path))]
        running.send_signal(signal.SIGABRT)  # it says its stacks: see `begun`
        _, words = running.communicate(timeout=patience)
        raise AssertionError("\n".join(("it did not end", standing, *heads, *taken, words))) from None


def taken_there(path: Path) -> list[tuple[int, int]]:
    """Shards that visit IP addresses now, by the table of a node, and with how many requests."""
    table = IpLeases(path, 0, delay=0.0)
    rows = range(table._first, len(table._words), 4)
    holders = [holder for row in rows for holder in table._holders[2 * row + 4 : 2 * row + 8].tolist() if holder]
    table.close()
    return [((holder >> 16) - 1, holder & 0xFFFF) for holder in holders]


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
