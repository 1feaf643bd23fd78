"""The zygote: fork servers are copies of a command that had nothing open, and nobody is left when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """
import os, resource, signal, socket, sys
from gossamer.engine import zygote
from gossamer.engine.fork_client import ForkClient
from gossamer.engine.proc import descendants

def asked(client):
    ours, theirs = socket.socketpair()
    with theirs:
        return client.fork([theirs.fileno()]), ours

def answer(client, code):
    birth, line = asked(client)
    said = line.recv(1_000).decode()
    line.send(bytes([code]))
    return f"{said}, {client.end_of(birth)}"

sys.modules["here"] = sys
zygote.begin()
WORK = "from nursling import child"
"""
"""A command in short."""
NURSLING = """
import os, resource, sys
from gossamer.engine import zygote

def child(line):
    forked, asks = "here" in sys.modules, zygote.held() is not None
    line.send(f"{forked} {asks} {resource.getrlimit(resource.RLIMIT_NOFILE)[0]} {os.getcwd()}".encode())
    os._exit(line.recv(1)[0])
"""
"""What its processes do: they say whether they were forked from it, and whether they may ask for servers."""


def begun(program: str, folder: Path, output: int) -> subprocess.Popen[str]:
    (folder / "nursling.py").write_text(NURSLING)
    program = f"{COMMAND}sys.path.append({str(folder)!r})\n{program}"
    return subprocess.Popen([sys.executable, "-c", program], stdout=output, cwd=folder, text=True)


def said_by(program: str, folder: Path) -> list[str]:
    with begun(program, folder, subprocess.PIPE) as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return said.splitlines()


def test_servers_are_copies_of_the_command_and_only_workers_may_ask_for_more(tmp_path: Path) -> None:
    program = """
for shares in (True, False):
    client = ForkClient(["json"], WORK, shares=shares)
    print(answer(client, 7))
    print(answer(client, 8))
    client.close()
"""
    said = [f"{line.split()[:2]} {line.split()[-1]}" for line in said_by(program, tmp_path)]
    assert said == [f"['True', '{asks}'] {code}" for asks in (True, False) for code in (7, 8)]


def test_a_server_may_open_as_much_and_stands_where_the_command_stands_now(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    program = """
resource.setrlimit(resource.RLIMIT_NOFILE, (77, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
os.chdir("elsewhere")
client = ForkClient([], WORK)
print(answer(client, 7))
client.close()
"""
    assert said_by(program, tmp_path) == [f"True False 77 {tmp_path.resolve()}/elsewhere, 7"]


def test_without_its_zygote_a_command_starts_servers_as_new_processes(tmp_path: Path) -> None:
    program = """
(nest,) = descendants(os.getpid())
os.kill(nest, signal.SIGKILL)
os.waitpid(nest, 0)
client = ForkClient(["json"], WORK)
print(answer(client, 7))
client.close()
"""
    (said,) = said_by(program, tmp_path)
    assert said.startswith("False False")
    assert said.endswith(", 7")


def test_a_server_of_the_zygote_that_dies_is_replaced(tmp_path: Path) -> None:
    program = """
client = ForkClient([], WORK)
print(answer(client, 7))
client._server.kill()
print(client.end_of(asked(client)[0]))
print(answer(client, 8))
client.close()
"""
    first, lost, last = said_by(program, tmp_path)
    assert lost == "None"
    assert first.startswith("True")
    assert last.startswith("True")
    assert last.endswith(", 8")


def test_a_server_of_the_zygote_says_what_it_cannot_load(tmp_path: Path) -> None:
    program = """
client = ForkClient(["no_such_module"], WORK)
birth, _ = asked(client)
client.end_of(birth)
print(birth.failure)
"""
    assert "No module named 'no_such_module'" in said_by(program, tmp_path)[0]


@pytest.mark.parametrize("ends", ["", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_when_the_command_is_gone_so_is_its_zygote(tmp_path: Path, ends: str) -> None:
    """Also when it is killed. Whoever is left holds its output."""
    read, write = os.pipe()
    process = begun(f"client = ForkClient([], WORK)\nanswer(client, 7)\n{ends}", tmp_path, write)
    os.close(write)
    with open(read, "rb") as held:
        assert process.wait(60) == (-signal.SIGKILL if ends else 0)
        assert held.read() == b""


INTERRUPTED = """
import os, signal, sys
from gossamer.engine import zygote
from gossamer.engine.proc import descendants

fork = os.fork

def interrupted():
    process = fork()
    signal.raise_signal(int(sys.argv[1]))
    return process

os.fork = interrupted
signal.signal(int(sys.argv[1]), signal.default_int_handler)
try:
    zygote.begin()
except KeyboardInterrupt:
    print("interrupted", zygote.held() is not None, len(descendants(os.getpid())))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_it_is_forked_is_heard_once_and_by_the_command(number: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED, f"{number:d}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("interrupted True 1\n", 0), done.stderr
