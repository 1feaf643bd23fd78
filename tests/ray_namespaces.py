"""A Ray cluster whose nodes are network namespaces of this machine: the way to one can be cut. It takes root."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from crawler_process import wait_for
from gossamer.testing import MadeWeb, WebSpec
from gossamer.testing.server import listen, serving
from ray_cluster import QUICK, signal_all

NETWORK = "10.213.77"
PORT = 6379
STARTING, TRIES = 120.0, 4
_NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of setns(2)."""


def missing() -> str:
    """What it takes and is not here."""
    if os.geteuid() != 0:
        return "to make network namespaces takes root"
    return "" if shutil.which("ip") else "`ip` is missing; `apt-get install iproute2` brings it"


@dataclass(frozen=True)
class Namespaces:
    """A switch, and nodes that hang on it; the first is the head."""

    switch: str
    nodes: Sequence[str]

    def within(self, node: int) -> list[str]:
        """What runs a command on a node."""
        return ["ip", "netns", "exec", self.nodes[node]]

    def cut(self, node: int) -> None:
        """Nothing comes or goes between this node and the others. Its own loopback is as it was."""
        _ip("-n", self.switch, "link", "set", f"port{node}", "down")

    def heal(self, node: int) -> None:
        _ip("-n", self.switch, "link", "set", f"port{node}", "up")

    def processes(self, node: int) -> list[int]:
        """Those that run there."""
        return [int(each) for each in _ip("netns", "pids", self.nodes[node]).split()]

    def end(self) -> None:
        """All of them."""
        for number in range(len(self.nodes)):
            signal_all(self.processes(number), signal.SIGKILL)


@contextmanager
def namespaces(nodes: int) -> Iterator[Namespaces]:
    """So many, each with an address on one network."""
    names = [f"gsm{os.getpid()}-{number}" for number in range(nodes + 1)]
    made = Namespaces(names[-1], names[:-1])
    try:
        for name in names:
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", made.switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", made.switch, "link", "set", "bridge", "up")
        for number, name in enumerate(made.nodes):
            port = f"port{number}"
            _ip("link", "add", port, "netns", made.switch, "type", "veth", "peer", "name", "wire", "netns", name)
            _ip("-n", made.switch, "link", "set", port, "master", "bridge", "up")
            _ip("-n", name, "address", "add", f"{NETWORK}.{number + 1}/24", "dev", "wire")
            _ip("-n", name, "link", "set", "wire", "up")
            _ip("-n", name, "route", "add", "default", "dev", "wire")  # by which Ray finds out its own address
        yield made
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


@contextmanager
def ray_within(made: Namespaces) -> Iterator[None]:
    """A head that does no work, and nodes, each in a namespace of its own. RAY_ADDRESS names the cluster."""
    environment = {**os.environ, **QUICK, "RAY_ADDRESS": ""}
    ray, place = str(Path(sys.executable).parent / "ray"), tempfile.mkdtemp(prefix="gsm", dir="/tmp")
    common = ["--object-store-memory", f"{80 << 20}", "--disable-usage-stats"]
    head = ["--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={place}"]
    before = {name: os.environ.get(name) for name in (*QUICK, "RAY_ADDRESS")}
    try:
        for number in range(len(made.nodes)):
            part = head if number == 0 else [f"--address={NETWORK}.1:{PORT}", "--num-cpus=1"]
            own = f"--node-ip-address={NETWORK}.{number + 1}"
            _start(made, number, [ray, "start", *part, own, *common], environment)
        os.environ.update(QUICK, RAY_ADDRESS=f"{NETWORK}.1:{PORT}")
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        made.end()
        wait_for(lambda: _gone(place))


def _start(made: Namespaces, node: int, words: list[str], environment: dict[str, str]) -> None:
    """Ray gives a node half a minute to start, which a busy machine may not have."""
    for left in reversed(range(TRIES)):
        command = [*made.within(node), *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=STARTING, check=False)
        if done.returncode == 0:
            return
        assert left, done.stdout + done.stderr
        signal_all(made.processes(node), signal.SIGKILL)


def _gone(place: str) -> bool:
    """Processes that were killed may still write there."""
    shutil.rmtree(place, ignore_errors=True)
    return not Path(place).exists()


@contextmanager
def served_within(spec: WebSpec, made: Namespaces) -> Iterator[MadeWeb]:
    """One web with one log, on the loopback of each namespace: whatever is cut, every node can ask it. It comes before
    all else that runs there, because its port has to be free in each."""
    listeners = _listening(made.nodes[0], 0)
    port = listeners[0].getsockname()[1]
    for name in made.nodes[1:]:
        listeners += _listening(name, port)
    web = MadeWeb(replace(spec, port=port))
    with serving(web._origin, listeners):
        yield web


def _listening(name: str, port: int) -> list[socket.socket]:
    """Sockets stay in the namespace that they were made in; a thread goes there, makes them, and ends."""
    found: list[socket.socket] = []

    def make() -> None:
        with Path("/run/netns", name).open("rb") as there:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(there.fileno(), _NEW_NETWORK):
                raise OSError(ctypes.get_errno(), f"setns {name}")
        found.extend(listen(["127.0.1.1"], port))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    assert found, f"nothing listens in {name}"
    return found
