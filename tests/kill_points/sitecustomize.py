"""Python loads this before a crawler whose PYTHONPATH names this folder: the process kills itself at a named point.

    GOSSAMER_TEST_KILL     the point, and the calls that are survived in one life at most: "table committed:7"
    GOSSAMER_TEST_KILLS    a file with one line for each kill, so that all processes together die no more than
    GOSSAMER_TEST_MOST     so many times

Which call it is, is drawn from the number of kills so far, so that a test that is run again dies at the same calls.
`kill_steps` counts steps instead.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import random
import signal
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple


class Point(NamedTuple):
    """A call of the crawler, and whether it is cut off before or after it has done its work."""

    module: str
    owner: str
    name: str
    after: bool


POINTS = {
    "capture written": Point("gossamer.store.warc.writer", "Writer", "capture", True),
    "capture half written": Point("gossamer.store.warc.writer", "", "_write", False),
    "text about to be written": Point("gossamer.store.warc.texts", "Texts", "write", False),
    "text written": Point("gossamer.store.warc.texts", "Texts", "write", True),
    "archive about to sync": Point("gossamer.store.archive", "Archive", "prepare", False),
    "archive synced": Point("gossamer.store.archive", "Archive", "prepare", True),
    "file of the archive begun": Point("gossamer.store.warc.writer", "Writer", "start_another", True),
    "table about to commit": Point("gossamer.store.table.table", "Table", "commit", False),
    "table committed": Point("gossamer.store.table.table", "Table", "commit", True),
    "captures rolled forward": Point("gossamer.collection.crawl.recover", "Recovery", "roll_forward", True),
    "page about to be read": Point("gossamer.convert", "", "begin", False),
    "page taken in": Point("gossamer.frontier.frontier", "Frontier", "done", True),
    "visit handed out": Point("gossamer.frontier.handing_out", "HandingOut", "_go", True),
    "addresses about to be sifted": Point("gossamer.store.url_seen", "Sieve", "prepare", False),
    "addresses sifted": Point("gossamer.store.url_seen", "Sieve", "prepare", True),
    "run of addresses written": Point("gossamer.runs.sorted", "", "write", True),
    "runs of addresses merged": Point("gossamer.store.url_seen", "Sieve", "_merged", True),
    "run of prints written": Point("gossamer.dedupe.print_runs", "", "write", True),
    "runs of prints merged": Point("gossamer.dedupe.print_runs", "PrintRuns", "_merged", True),
    "copies marked": Point("gossamer.collection.derive.near_copies", "Prints", "prepare", True),
    "turns saved": Point("gossamer.frontier.queue.waiting_origins", "WaitingOrigins", "save", True),
    "outbox about to be closed": Point("gossamer.frontier.shards.exchange", "Exchange", "prepare", False),
    "outbox closed": Point("gossamer.frontier.shards.exchange", "Exchange", "prepare", True),
    "batches about to be sent": Point("gossamer.frontier.shards.exchange", "Exchange", "committed", False),
    "batches sent": Point("gossamer.frontier.shards.exchange", "Exchange", "committed", True),
    "batch about to be taken": Point("gossamer.frontier.shards.exchange", "Exchange", "receive", False),
    "batch taken": Point("gossamer.frontier.shards.exchange", "Exchange", "receive", True),
    "batch applied": Point("gossamer.frontier.frontier", "Frontier", "take", True),
    "page claimed": Point("gossamer.frontier.polite.ip_leases", "IpLeases", "claim", True),
    "address taken": Point("gossamer.frontier.polite.ip_leases", "IpLeases", "take", True),
    "others greeted": Point("gossamer.frontier.shards.peers", "Peers", "greet", True),
    "verdict heard": Point("gossamer.frontier.shards.peers", "Peers", "order", True),
    "about to end": Point("gossamer.collection.crawl.session", "Session", "_finish", False),
}


def arm() -> None:
    """Do what the environment says."""
    if "GOSSAMER_TEST_KILL" in os.environ:
        _arm()
    if "GOSSAMER_TEST_STEPS" in os.environ:
        importlib.import_module("kill_steps").arm()


def _arm() -> None:
    name, _, most = os.environ["GOSSAMER_TEST_KILL"].partition(":")
    point = POINTS[name]
    module = importlib.import_module(point.module)
    owner = getattr(module, point.owner) if point.owner else module
    if name != "about to end":  # what that point may lose is what no commit has made durable
        _hurry()
    call = getattr(owner, point.name)
    setattr(owner, point.name, _deadly(call, point.after, int(most)))


def _hurry() -> None:
    """A small web is crawled in a second: meanwhile there are to be many commits, files, and runs that are merged."""
    importlib.import_module("gossamer.store.commits").INTERVAL = 0.05
    importlib.import_module("gossamer.collection.crawl.session").REPORT_EVERY = 0.1
    sieve = importlib.import_module("gossamer.store.url_seen")
    growing = importlib.import_module("gossamer.runs.growing")
    sieve.Sieve.__init__.__defaults__ = (growing.Shape(generation=16, fan=2, at_once=64),)
    lookup = importlib.import_module("gossamer.dedupe.lookup").Lookup
    lookup.__init__.__kwdefaults__["shape"] = growing.Shape(generation=6, fan=2, at_once=64)
    writer = importlib.import_module("gossamer.store.warc.writer").Writer
    writer._max_bytes = property(lambda self: 10_000, lambda self, value: None)


def _deadly(call: Callable[..., Any], after: bool, most: int) -> Callable[..., Any]:
    left: dict[int, int] = {}

    @wraps(call)
    def deadly(*arguments: Any, **named: Any) -> Any:
        life = os.getpid()  # a shard is forked from a process that has loaded this
        left[life] = left.get(life) or random.Random(f"{call.__qualname__} {_kills()}").randrange(most) + 1
        left[life] -= 1
        if left[life] == 0 and not after:
            _die(partial(_half, *arguments) if call.__name__ == "_write" else None)
        result = call(*arguments, **named)
        if left[life] == 0:
            _die()
        return result

    return deadly


def _half(file: int, parts: Sequence[bytes], start: int) -> None:
    """A kill may come between two writes of one capture."""
    whole = b"".join(parts)
    os.pwrite(file, whole[: len(whole) // 2], start)


def _kills() -> int:
    with open(os.environ["GOSSAMER_TEST_KILLS"], "a+") as file:
        file.seek(0)
        return len(file.readlines())


def _die(last: Callable[[], None] | None = None) -> None:
    with open(os.environ["GOSSAMER_TEST_KILLS"], "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if len(file.readlines()) >= int(os.environ["GOSSAMER_TEST_MOST"]):
            return
        file.write(f"{os.getpid()}\n")
        file.flush()
        if last is not None:
            last()
        os.kill(os.getpid(), signal.SIGKILL)


arm()
