"""Processes that need not load everything again: each is forked from one that has done so once.

A crawl with several shards, a build and a reader of documents each start a fork server, which first loads all modules,
and so does every command: half a second of CPU, some thousand times in a run of the tests. Here one process of each
kind loads them and then only waits; the others are its children. They get the same code, descriptors, environment and
folder as a new process would, and are processes as others are: they can be killed and waited for.

Where the environment is another than when the tests began in what only a new process takes notice of, a process is
started as always.
"""

from __future__ import annotations

import ast
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, Any

import pytest

from gossamer.engine import fork_client, proc
from harness.warm_template import PACKET
from kill_points.kill_nest import LOADED

_AT_START = re.compile("PYTHON|LD_|LC_|LANG|MALLOC|GOSSAMER_TEST")
VERBS = ("cli.main", "cli.interrupts", "cli.login", "cli.seeds", "cli.talk", "collection.ask.changes")
VERBS += ("collection.ask.history", "collection.ask.links", "collection.maintain.verifying", "convert.html.structured")
VERBS += ("collection.maintain.put_aside", "frontier.why", "frontier.worth.rendering", "topic.judge")
VERBS += tuple(f"cli.{name}" for name in ("commands", "connections", "finding", "reports", "steering", "top"))
VERBS += tuple(f"cli.options.{name}" for name in ("asking", "fetching", "showing", "steering", "upkeep"))
VERBS += ("cli.options.without_collection",)
COMMANDS = (*(f"gossamer.{name}" for name in (*VERBS, *LOADED)), "numpy.ma", "encodings.utf_8_sig")
"""What verbs load when they need it, too: most tests ask for one of them."""
_PRELOAD = re.compile(r"serve\(\d+, (\(.*\)), child\)$")


def _at_start() -> dict[str, str]:
    """What a process takes notice of when it starts."""
    return {name: value for name, value in os.environ.items() if _AT_START.match(name)}


class WarmProcess:
    """Its parent is a template. What `ForkClient` asks of a `Popen`."""

    def __init__(self, process: int) -> None:
        self.pid = process
        self._handle: int | None = None
        with suppress(ProcessLookupError):  # it has ended already
            self._handle = os.pidfd_open(process)

    def wait(self, timeout: float | None = None) -> int:
        if self._handle is not None:
            gone = select.poll()
            gone.register(self._handle, select.POLLIN)
            if not gone.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired("fork server", timeout or 0)
            os.close(self._handle)
            self._handle = None
        return 0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """And what it has started."""
        for each in [self.pid, *proc.descendants(self.pid)]:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)


class Template:
    """A process that has loaded what one kind of process loads."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            work = f"wait_to_fork({theirs.fileno()}, {modules!r})"
            code = f"import sys; sys.path[:] = {sys.path!r}; from harness.warm_template import wait_to_fork; {work}"
            command = [sys.executable, "-c", code]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])

    def fork(self, code: str, handles: Mapping[int, int]) -> WarmProcess:
        """A process that runs this code. It has these descriptors of ours, under the numbers that lead to them."""
        told = {"code": code, "places": list(handles), "folder": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(self._line, [json.dumps(told).encode()], list(handles.values()))
        return WarmProcess(int(self._line.recv(PACKET)))

    def close(self) -> None:
        self._line.close()
        self._process.wait(120)


class Warm:
    """All templates of a run, and what takes the place of `subprocess` in `fork_client`."""

    DEVNULL = subprocess.DEVNULL
    TimeoutExpired = subprocess.TimeoutExpired

    def __init__(self) -> None:
        self._began = _at_start()
        self._templates: dict[tuple[str, ...], Template] = {}

    def Popen(self, command: Sequence[str], **how: Any) -> Any:
        """A fork server."""
        code = command[-1]
        preload = _PRELOAD.search(code)
        if preload is None or not self.is_usual:
            return subprocess.Popen(command, **how)
        modules = (*re.findall(r"from (gossamer[\w.]+) import", code), *ast.literal_eval(preload[1]))
        (handle,) = how["pass_fds"]
        return self._of(modules).fork(code, {handle: handle, 1: 1, 2: 2})

    def run(self, command: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
        """The command line, or a program of ours by its path, to its end."""
        with TemporaryFile() as out, TemporaryFile() as errors:
            ended, status = os.pipe()
            code = f"from harness.warm_template import command; command({status}, {list(command)!r})"
            process = self._of(COMMANDS).fork(code, {status: status, 1: out.fileno(), 2: errors.fileno()})
            os.close(status)
            with open(ended, "rb", buffering=0) as file:
                if not select.select([file], [], [], timeout)[0]:
                    process.kill_all()
                    raise subprocess.TimeoutExpired(list(command), timeout, _text(out), _text(errors))
                ended_with = int(file.read())
            process.wait()
            return subprocess.CompletedProcess(list(command), ended_with, _text(out), _text(errors))

    @property
    def is_usual(self) -> bool:
        """Whether a process that was started now would be as one that was started when the tests began."""
        return _at_start() == self._began

    @contextmanager
    def used(self) -> Iterator[None]:
        """Fork servers are warm."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fork_client, "subprocess", self)
            yield

    def close(self) -> None:
        for template in self._templates.values():
            template.close()
        self._templates.clear()

    def _of(self, modules: tuple[str, ...]) -> Template:
        if modules not in self._templates:
            self._templates[modules] = Template(modules)
        return self._templates[modules]


def _text(file: IO[bytes]) -> str:
    """As `subprocess` reads text."""
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


WARM = Warm()
