"""The command line and the made web as processes of their own, so that they can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


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
        server.wait(30)
        if server.stdout is not None:
            server.stdout.close()


def gossamer_command(*arguments: str) -> list[str]:
    """The command line as a process of its own."""
    return [sys.executable, "-m", "gossamer", *arguments]


def run_gossamer(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(gossamer_command(*arguments), capture_output=True, text=True, timeout=timeout, check=False)


def exported(folder: Path) -> list[dict[str, object]]:
    """What `export jsonl` writes."""
    result = run_gossamer("export", str(folder), "jsonl")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def crawl_arguments(folder: Path, seed: str, *more: str) -> Sequence[str]:
    """A crawl of loopback addresses, fast but with a real delay."""
    polite = ("--delay", "0.05", "--patience", "0", "--allow-address", "127.0.0.0/8")
    return ("crawl", str(folder), seed, "--scope", "any", *polite, *more)
