"""`gossamer serve` and `crawl --serve`, as processes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest

import gossamer
from gossamer.testing import MadeWeb, WebSpec
from harness.ports import free_port

COMMAND = (sys.executable, "-m", "gossamer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("serve") / "w"
    with MadeWeb(WebSpec(seed=2, hosts=1, pages=4, names="ip")).serve() as web, gossamer.open(made) as collection:
        collection.crawl(web.seed, delay=0, ip_delay=0, allow_addresses=("127.0.0.0/8",), shards=1)
    return made


def begun(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [*COMMAND, "serve", *map(str, arguments), "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_says_where_it_is_and_ends_in_good_order(folder: Path) -> None:
    with begun(folder, "--port", "0") as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        assert b"4 pages" in urllib.request.urlopen(address).read()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert said == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--public",), 2, "GOSSAMER_PASSWORD"),
        (("--port", "nonsense"), 2, "not a port"),
        (("--port", "99999"), 2, "not a port"),
    ],
)
def test_what_cannot_be_served_is_said(folder: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "GOSSAMER_PASSWORD"}
    done = subprocess.run(
        [*COMMAND, "serve", str(folder), *arguments], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == code
    assert words in done.stderr


def test_a_folder_that_is_no_collection_is_not_served(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "serve", str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 3


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_who_watches_hears_that_the_server_ends_and_the_terminal_hears_nothing(folder: Path, stop: int) -> None:
    with begun(folder, "--port", "0") as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(f"{address}crawl/events", timeout=120) as events:
            assert any(line.startswith(b"data: ") for line in iter(events.readline, b""))
            process.send_signal(stop)
            *_, kind, data, _ = events.read().splitlines()
        _, said = process.communicate(timeout=120)
    assert kind == b"event: end"
    told = json.loads(data.removeprefix(b"data: "))
    told.pop("disk", None)  # others write to it meanwhile
    assert told == {"ended": "The server has ended. `gossamer serve w` shows the collection again."}
    assert (process.returncode, said) == (0, "")


def test_who_is_cut_off_at_the_end_costs_no_word(folder: Path) -> None:
    with begun(folder, "--port", "0") as process:
        assert process.stdout is not None
        address = urlsplit(json.loads(process.stdout.readline())["url"])
        head = (
            "POST /crawl/steer/pause HTTP/1.1", f"host: {address.netloc}", f"origin: http://{address.netloc}",
            "content-type: application/x-www-form-urlencoded", "content-length: 9", "expect: 100-continue", "", "",
        )  # fmt: skip
        with socket.create_connection((address.hostname or "", address.port or 0), timeout=120) as client:
            client.sendall("\r\n".join(head).encode())
            assert client.recv(100).startswith(b"HTTP/1.1 100"), "the server waits for the rest"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")


def test_the_end_of_a_crawl_is_told_to_who_watches_and_on_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "my web"
    with MadeWeb(WebSpec(seed=2, hosts=1, pages=12, names="ip")).serve() as web:
        polite = ("--delay", "0.5", "--allow-address", "127.0.0.0/8", "--shards", "1", "--no-build")
        command = [*COMMAND, "crawl", str(folder), web.seed, *polite, "--serve", str(free_port())]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            assert process.stderr is not None
            found = next(filter(None, (re.search(r"served at (\S+)", line) for line in process.stderr)))
            with urllib.request.urlopen(f"{found[1]}crawl/events", timeout=120) as events:
                sent = events.read().decode().splitlines()
            said = process.stderr.read()
            assert process.wait(60) == 0
    words: dict[str, str] = {}
    for line in sent:
        words |= json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
    assert words["ended"] == (
        "The crawl has ended, and this server with it. `gossamer serve 'my web'` shows the collection again."
    )
    assert words["state"] == "At rest. Nothing is left to do."
    assert words["pages"] == "12"
    assert f"the server has ended with the crawl; `gossamer serve '{folder}'` shows it again" in said
    assert "ERROR" not in said
    assert "Traceback" not in said


def test_a_crawl_is_shown_while_it_runs_and_no_longer(tmp_path: Path) -> None:
    with MadeWeb(WebSpec(seed=2, hosts=1, pages=12, names="ip")).serve() as web:
        polite = ("--delay", "0.5", "--allow-address", "127.0.0.0/8", "--shards", "1")
        command = [*COMMAND, "crawl", str(tmp_path / "w"), web.seed, *polite, "--serve", str(free_port())]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            assert process.stderr is not None
            found = next(filter(None, (re.search(r"served at (\S+)", line) for line in process.stderr)))
            assert b"Running" in urllib.request.urlopen(f"{found[1]}crawl").read()
            process.kill()
            process.wait()
            assert process.stderr.read() == "", "it ends when the server has"
    with pytest.raises(URLError):
        urllib.request.urlopen(found[1])
