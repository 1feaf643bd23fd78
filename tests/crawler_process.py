"""The command line and the made web as processes of their own, so that they can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.warm import WARM


@dataclass(frozen=True)
class Served:
    """A made web in another process."""

    seed: str
    port: int
    log: Path


@contextmanager
def served_web(log: Path, *options: str) -> Iterator[Served]:
    """Serve a made web until the test is over."""
    command = [sys.executable, "-m", "gossamer.testing", "--log", str(log), *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline())
        yield Served(ready["seed"], ready["port"], log)
    finally:
        server.terminate()
        server.wait(120)
        if server.stdout is not None:
            server.stdout.close()


def gossamer_command(*arguments: str) -> list[str]:
    """The command line as a process of its own."""
    return [sys.executable, "-m", "gossamer", *arguments]


def run_gossamer(*arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    if WARM.is_usual:
        return WARM.run(("gossamer", *arguments), timeout)
    return subprocess.run(gossamer_command(*arguments), capture_output=True, text=True, timeout=timeout, check=False)


def exported(folder: Path) -> list[dict[str, object]]:
    """What `export jsonl` writes."""
    result = run_gossamer("export", str(folder), "jsonl")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def with_room(folder: Path) -> Path:
    """A collection to be made that does not mind how full the disk of this machine is."""
    folder.mkdir(exist_ok=True)
    if not (folder / "plan.toml").exists():
        (folder / "plan.toml").write_text("disk_pause = 0\ndisk_pause_share = 0\n")
    return folder


def crawl_arguments(folder: Path, seed: str, *more: str) -> Sequence[str]:
    """A crawl of loopback addresses, fast but with a real delay."""
    with_room(folder)
    polite = ("--delay", "0.05", "--patience", "0", "--allow-address", "127.0.0.0/8")
    return ("crawl", str(folder), seed, "--scope", "any", *polite, *more)


def descendants(process: int) -> list[int]:
    """The processes below one, each after its parent."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            parent = stat.read_text().rpartition(") ")[2].split()[1]
            parents.setdefault(int(parent), []).append(int(stat.parent.name))
    found = [process]
    for each in found:
        found += parents.get(each, [])
    return found[1:]


def shard_of(process: int) -> int | None:
    """Which shard a process writes to, by the files that it holds open; None when it is none, or not yet."""
    with suppress(OSError):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                parts = os.readlink(handle).split("/")
                if "shards" in parts and "table" in parts:
                    return int(parts[parts.index("shards") + 1])
    return None


def wait_for(happened: Callable[[], bool], patience: float = 150.0) -> None:
    """Look again and again until something has happened."""
    until = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
