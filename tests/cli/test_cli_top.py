"""The live view: one view on a pipe; on a terminal it is drawn again and again, and ends by a key."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

import gossamer
from crawler_process import gossamer_command, run_gossamer, with_room
from named_web import named_web


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = with_room(tmp_path_factory.mktemp("top") / "web")
    with named_web() as web, gossamer.open(place) as collection:
        web.link("site", "/", [web.url("site", "/missing"), web.url("site", "/there")])
        web.link("site", "/there", [])
        settings = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}
        collection.crawl(web.url("site"), **settings)
    return place


class Terminal:
    """`gossamer top` on a terminal of a size."""

    def __init__(self, folder: Path, rows: int, columns: int, **environment: str) -> None:
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(self.master)
        self.resize(rows, columns)
        usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        command = gossamer_command("top", str(folder))
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
            env={**usual, "TERM": "xterm", **environment},
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, words: str, times: int = 1) -> None:
        until = time.monotonic() + 60
        while self.seen.count(words) < times:
            assert time.monotonic() < until, self.seen
            if select.select([self.master], [], [], 1.0)[0]:
                with suppress(OSError):
                    self.seen += os.read(self.master, 65_536).decode()

    def end(self) -> int:
        code = self.process.wait(30)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        self.process.stderr.close()
        self.wait("\x1b[?1049l")
        assert termios.tcgetattr(self.master)[3] == self.before[3]
        os.close(self.master)
        return code


def test_without_a_terminal_one_view_is_printed(folder: Path) -> None:
    result = run_gossamer("top", str(folder))
    assert (result.returncode, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    lines = result.stdout.splitlines()
    assert lines[0] == "pages       2", "a rate needs two views"
    assert "now         at rest" in lines
    assert not any(each.startswith("time left") for each in lines), "nothing is to be done"
    assert "failed because:" in lines
    assert [each for each in lines if "site.localhost" in each and "1 failed" in each]


def test_machines_get_an_object(folder: Path) -> None:
    found = json.loads(run_gossamer("top", str(folder), "--json").stdout)
    assert (found["pages"], found["failing"][0]["host"], found["hosts"]) == (2, "site.localhost", [])
    assert found["disk"] > 0


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM])
def test_it_is_drawn_again_until_somebody_has_seen_enough(folder: Path, number: signal.Signals | None) -> None:
    terminal = Terminal(folder, 30, 100)
    terminal.wait("q ends this view, and not the crawl", 2)
    terminal.wait("crawled for", 2)
    if number:
        os.killpg(terminal.process.pid, number)
    else:
        os.write(terminal.master, b"q")
    assert terminal.end() == 0
    assert "\x1b[1m" in terminal.seen


def test_it_fits_the_window_and_follows_its_size(folder: Path) -> None:
    terminal = Terminal(folder, 4, 20, NO_COLOR="1")
    terminal.wait("\x1b[J", 1)
    first = terminal.seen.partition("\x1b[H")[2].partition("\x1b[J")[0]
    drawn = [each.removesuffix("\x1b[K") for each in first.split("\r\n")]
    assert len(drawn) <= 4
    assert all(len(each) <= 20 for each in drawn)
    assert "failed because" not in first
    terminal.resize(30, 100)
    os.killpg(terminal.process.pid, signal.SIGWINCH)
    terminal.wait("failed because")
    os.write(terminal.master, b"q")
    assert terminal.end() == 0
    assert "\x1b[1m" not in terminal.seen


def test_a_reason_is_wrapped_and_not_cut(folder: Path) -> None:
    terminal = Terminal(folder, 40, 60, NO_COLOR="1")
    terminal.wait("\x1b[J", 1)
    drawn = terminal.seen.partition("\x1b[H")[2].partition("\x1b[J")[0].replace("\x1b[K", "").split("\r\n")
    assert all(len(each) <= 60 for each in drawn)
    printed = run_gossamer("top", str(folder)).stdout
    row = next(each for each in printed.splitlines() if "site.localhost" in each)
    assert len(row) > 60
    assert "".join(row.split()) in "".join("".join(drawn).split())
    os.write(terminal.master, b"q")
    assert terminal.end() == 0


def test_it_is_for_collections_alone(tmp_path: Path) -> None:
    result = run_gossamer("top", str(tmp_path / "none"))
    assert result.returncode == 3
    assert "no such directory" in result.stderr
