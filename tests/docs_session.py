"""Runs what a page of the documentation shows, block by block, in one folder, and compares what comes out.

Commands are run in this process, over the web of `docs_web`, on its clock; what needs a shell is run by one.
What differs from run to run is masked. A line of three dots in the page stands for any lines.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from docs_web import FILES
from documentation import Block, Step, steps
from gossamer.cli import crawling
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.crawl import running
from gossamer.model import Capture, Visit
from gossamer.store.disk import Room
from gossamer.testing import VirtualClock
from gossamer.testing.clock import _VirtualLoop

Fetch: TypeAlias = Callable[[Visit], Awaitable[Capture]]
SHELL = re.compile(r"[|<>&;*`$]|^(?!gossamer )|^gossamer import")
SERVED = "127.0.0.1:8360"
"""Where a server is that a page shows."""
MASKS = [
    (r"(?m), in [\d.,]+ (?:h|min|s)$", ""),  # left out where it was none
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?", "TIME"),
    (r"\d{4}-\d\d-\d\d", "DAY"),
    (r"\b\d{14}\b", "STAMP"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r":\d{4,5}/", ":PORT/"),
    (r"\b[\d,.]+ (?:k|M)?B\b", "SIZE"),
    (r"\b(?:[\d.]+ (?:h|min|s|ms) ?)+(?![\w])", "DURATION"),
]


def masked(text: str) -> str:
    """Without what differs from run to run: times, names made of them, ports, sizes with times in them."""
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


PROGRESS = re.compile(r"(?m)^gossamer: [\d,]+ pages?  [\d.,]+/s  .*\n")


def agrees(printed: str, page: str) -> bool:
    """Whether it is what the page shows. That a crawl goes on is said on a pipe only, and the page may leave it out."""
    if not PROGRESS.search(page):
        printed = PROGRESS.sub("", printed)
    parts = re.split(r"(?m)^\.\.\.$\n?", masked(page) + "\n")
    return re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), masked(printed) + "\n") is not None


@dataclass
class Session:
    """A reader who follows a page from its top to its end."""

    folder: Path
    pass_a_day: Callable[[], None]
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    server: subprocess.Popen[str] | None = None
    place: str = SERVED
    """Where the server is that a page has started."""

    def follow(self, block: Block, said: str) -> None:
        """Run a block. `said` is what the page says that a program prints, if it does."""
        if block.language == "python":
            told = self.run_program(block.text)
            assert not said or agrees(told, said), f"{block.text}\nprints:\n{told}"
            return
        found = steps(block.text) if block.language == "console" else [Step(block.text.strip(), "")]
        shows = any(step.printed.strip() for step in found)
        for step in found:
            told, code = self.run_command(step.command)
            assert code == 0 or re.search(r"(?m)^gossamer: ", step.printed), f"{step.command}\n{told}"
            assert not shows or agrees(told, step.printed), f"{step.command}\nprints:\n{told}"

    def run_program(self, program: str) -> str:
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(program, "docs", "exec"), self.names)
        return out.getvalue()

    def run_command(self, command: str) -> tuple[str, int]:
        if re.search(r"--revisit|^gossamer files \S+$", command):
            self.pass_a_day()
        if command.startswith("gossamer serve "):
            return self._serve(command.removesuffix("&")), 0
        command = command.replace(SERVED, self.place)
        return self._shell(command) if SHELL.search(re.sub(r"'[^']*'", "", command)) else self._here(command)

    def _serve(self, command: str) -> str:
        """Until the end of the page, at a port that is free."""
        line = [sys.executable, "-m", *shlex.split(command), "--port", "0"]
        self.server = subprocess.Popen(line, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout is not None
        told = self.server.stdout.readline()
        found = re.search(r"http://([\w.:]+)/", told)
        assert found, told
        self.place = found[1]
        return told

    def close(self) -> None:
        """End what the page has left running."""
        if self.server is not None:
            self.server.terminate()
            self.server.communicate()

    def _here(self, command: str) -> tuple[str, int]:
        data = io.BytesIO()
        out = io.TextIOWrapper(data, "utf-8", write_through=True)
        with redirect_stdout(out), redirect_stderr(out):
            try:
                code = main(shlex.split(command)[1:])
            except SystemExit as end:
                code = int(end.code or 0)
        return data.getvalue().decode(), code

    def _shell(self, command: str) -> tuple[str, int]:
        tools = str(Path(sys.executable).parent)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        return done.stdout, done.returncode


def session(
    folder: Path, clock: VirtualClock, fetch: Fetch, patch: pytest.MonkeyPatch, pass_a_day: Callable[[], None] = int
) -> Session:
    """From now on every crawl of this process visits what answers here, in virtual time."""
    outside = Outside(clock, fetch, room=lambda _: Room(1 << 40, 1 << 41))
    patch.chdir(folder)
    for name, value in {"TZ": "UTC", "COLUMNS": "100", "GOSSAMER_PASSWORD": "secret"}.items():
        patch.setenv(name, value)
    for method in (Collection.crawl_async, Collection.external_async):
        patch.setitem(method.__kwdefaults__, "outside", outside)
    patch.setattr(running, "fast_loop", lambda: lambda: _VirtualLoop(clock))
    patch.setattr("gossamer.collection.fast_loop", running.fast_loop, raising=False)
    patch.setattr(crawling, "monotonic", clock.steady)
    patch.setattr("gossamer.cli.progress.EVERY", inf)  # what is said when work takes long depends on the machine
    patch.setattr(asyncio, "run", clock.run)
    patch.setattr("gossamer.fetch.local.priority.step_back", lambda: None)  # the tests of this process go on after it
    for name, data in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return Session(folder, pass_a_day)
