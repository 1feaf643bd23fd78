"""A server or a crawl is killed in the middle of its work: the other goes on, and nothing is lost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest

import gossamer
from gossamer.testing import MadeWeb, WebSpec

COMMAND = (sys.executable, "-m", "gossamer")
WEB = WebSpec(seed=5, hosts=2, pages=12, names="ip")
POLITE, QUICK = (("--pages", "0", "--allow-address", "127.0.0.0/8", "--delay", delay) for delay in ("0.3", "0"))
ASKED = ("", "?q=word", "crawl", "hosts", "broken", "map", "api/v1/status", "api/v1/export.jsonl")
FORGIVING = 60.0


@contextmanager
def process(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A command of ours, which is over with the block."""
    started = subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    with started:
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def asked_all_the_time(address: str) -> Iterator[None]:
    """By somebody who takes whatever comes."""
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            for path in ASKED:
                with suppress(OSError, ValueError):
                    urllib.request.urlopen(address + path, timeout=FORGIVING).read()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def steer(address: str, action: str) -> None:
    said = json.load(urllib.request.urlopen(f"{address}api/v1/steering", timeout=FORGIVING))
    headers = {"x-gossamer-token": said["token"]}
    with suppress(HTTPError):  # it has ended meanwhile
        urllib.request.urlopen(urllib.request.Request(f"{address}api/v1/steering/{action}", b"{}", headers))


def address_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    return str(json.loads(server.stdout.readline())["url"])


def pages(folder: Path) -> int:
    with suppress(gossamer.GossamerError), gossamer.open(folder) as web:
        return web.status().pages
    return 0


def wait_for(folder: Path, number: int) -> None:
    end = time.monotonic() + FORGIVING
    while pages(folder) < number:
        assert time.monotonic() < end
        time.sleep(0.05)


def wait_until_at_rest(address: str) -> None:
    """Shards of a crawl that is killed have a moment to notice it, and hold the collection until then."""
    end = time.monotonic() + FORGIVING
    while b"At rest" not in urllib.request.urlopen(f"{address}crawl", timeout=FORGIVING).read():
        assert time.monotonic() < end
        time.sleep(0.05)


def kill_both(folder: Path, after: float) -> None:
    """The server in the middle of its answers, then the crawl while another server is asked."""
    with process("serve", folder, "--port", "0", "--json") as server:
        address = address_of(server)
        with process("crawl", folder, *POLITE, "-q") as crawl:
            wait_for(folder, pages(folder) + 1)
            with asked_all_the_time(address):
                steer(address, "pause")
                time.sleep(after)
                server.kill()
                server.wait()
            assert crawl.poll() is None
            with process("serve", folder, "--port", "0", "--json") as another:
                address = address_of(another)
                steer(address, "resume")
                with asked_all_the_time(address):
                    wait_for(folder, pages(folder) + 1)
                    crawl.kill()
                    crawl.wait()
                    wait_until_at_rest(address)


def calm(folder: Path) -> int:
    """Nobody kills anything any more."""
    assert subprocess.run([*COMMAND, "crawl", folder, *QUICK, "-q"], timeout=300).returncode == 0
    with gossamer.open(folder) as web:
        assert web.verify().problems == []
        return web.status().pages


@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=pytest.mark.soak) for each in range(1, 20))])
def test_a_kill_of_server_or_crawl_harms_neither_the_other_nor_the_collection(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "w"
    with MadeWeb(WEB).serve() as web:
        with gossamer.open(folder) as made:
            made.crawl(web.seed, scope="any", pages=1, allow_addresses=("127.0.0.0/8",), shards=2)
        kill_both(folder, random.Random(number).uniform(0, 0.3))
        assert calm(folder) == WEB.hosts * WEB.pages
