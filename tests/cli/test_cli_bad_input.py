"""Bad input gets one clear line, its documented exit code, and damages nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler_process import crawl_arguments, gossamer_command, run_gossamer, served_web, with_room
from gossamer.cli.main import main

LOOPBACK = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0")


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> str:
    with served_web(tmp_path_factory.mktemp("server") / "log", "--pages", "5") as web:
        yield web.seed  # type: ignore[misc]  # a fixture is a generator that yields once


def refused(code: int, words: str, *arguments: str) -> None:
    result = run_gossamer(*arguments)
    assert result.returncode == code, result.stderr
    # a line of progress comes each minute, which a busy machine may need
    lines = [line for line in result.stderr.splitlines() if not re.match(r"hint:|gossamer: [\d,]+ pages? ", line)]
    assert len(lines) == 1, result.stderr
    assert words in lines[0]
    assert result.stdout == ""


def test_an_unknown_host(tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    refused(5, "no-such-host", "crawl", str(folder), "http://no-such-host.invalid/", "--patience", "0")


def test_a_forbidden_address(tmp_path: Path) -> None:
    refused(5, "blocked-address", "crawl", str(with_room(tmp_path / "web")), "http://127.0.0.1:1/")


def test_a_file_as_directory(tmp_path: Path, seed: str) -> None:
    path = tmp_path / "file"
    path.write_text("precious")
    refused(3, "is a file", "crawl", str(path), seed)
    refused(3, "is a file", "status", str(path))
    assert path.read_text() == "precious"


def test_a_directory_that_is_no_collection(tmp_path: Path, seed: str) -> None:
    (tmp_path / "letter.txt").write_text("precious")
    refused(3, "holds other files", "crawl", str(tmp_path), seed)
    for verb in ("status", "verify"):
        refused(3, "not a collection", verb, str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("verb", ["status", "verify", "why x/", "show x/", "export jsonl"])
def test_a_directory_that_is_not_there(tmp_path: Path, verb: str) -> None:
    name, *rest = verb.split()
    refused(3, "no such directory", name, str(tmp_path / "nowhere"), *rest)
    assert not (tmp_path / "nowhere").exists()


def test_a_question_in_the_place_of_the_directory_is_told_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["search", "river", "old bank"]) == 3
    assert "the collection comes first, as in `gossamer search my-web river 'old bank'`" in capsys.readouterr().err
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "plan.toml").touch()
    assert main(["search", "river", "bank"]) == 3
    assert "`gossamer search shop river bank`" in capsys.readouterr().err
    assert main(["why", "nowhere", "example.org"]) == 3
    assert "`gossamer why shop example.org`" in capsys.readouterr().err


@pytest.mark.parametrize(
    "malformed", ["http://", "http://exa mple/", "gopher://example.org/", "http://[::1/", "javascript:x"]
)
def test_a_malformed_seed(tmp_path: Path, malformed: str) -> None:
    refused(2, repr(malformed)[1:-1], "crawl", str(tmp_path / "web"), malformed)
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize("option", ["--include", "--exclude"])
def test_a_bad_pattern(tmp_path: Path, seed: str, option: str) -> None:
    refused(2, "(?=look", "crawl", str(tmp_path / "web"), seed, option, "(?=look")
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--allow-address", "10.0.0.0/99"),
        ("--pages", "-1"),
        ("--per-host", "0"),
        ("--url-rule", "x"),
    ],
)
def test_a_setting_out_of_range(tmp_path: Path, seed: str, option: str, value: str) -> None:
    refused(2, value, "crawl", str(tmp_path / "web"), seed, option, value)
    assert not (tmp_path / "web").exists()


def test_a_place_for_a_secret_without_a_secret(tmp_path: Path, seed: str) -> None:
    refused(2, "none is given", "crawl", str(tmp_path / "web"), seed, "--send-to", "example.org")
    assert not (tmp_path / "web").exists()


def test_no_seed(tmp_path: Path) -> None:
    refused(2, "no seed", "crawl", str(tmp_path / "web"))
    assert not (tmp_path / "web").exists()


def test_a_directory_that_cannot_be_made(seed: str) -> None:
    refused(6, "cannot be made", "crawl", "/proc/self/gossamer", seed)


def test_an_unknown_address_or_host(tmp_path: Path, seed: str) -> None:
    folder = str(with_room(tmp_path / "web"))
    assert run_gossamer("crawl", folder, seed, *LOOPBACK).returncode == 0
    refused(8, "not in the collection", "why", folder, "http://elsewhere.example/")
    refused(8, "no such host", "why", folder, "elsewhere.example")
    refused(8, "no page", "show", folder, f"{seed}nowhere")
    refused(2, "not a time", "show", folder, seed, "--at", "tomorrow")
    refused(2, "no such directory", "export", folder, "jsonl", "-o", str(tmp_path / "no" / "where"))


def test_a_broken_plan_names_the_setting(tmp_path: Path, seed: str) -> None:
    folder = with_room(tmp_path / "web")
    assert run_gossamer("crawl", str(folder), seed, *LOOPBACK).returncode == 0
    plan = (folder / "plan.toml").read_text()
    for line, words in (("speed = 9", "speed"), ("depth = 'deep'", "depth"), ("= =", "TOML")):
        (folder / "plan.toml").write_text(f"{line}\n{plan}")
        refused(2, words, "crawl", str(folder))


def test_a_second_crawl_is_told_who_holds_the_collection(tmp_path: Path) -> None:
    with served_web(tmp_path / "log", "--pages", "500", "--latency", "0.05", "0.05") as web:
        arguments = crawl_arguments(tmp_path / "web", web.seed)
        first = subprocess.Popen(gossamer_command(*arguments), stdout=subprocess.DEVNULL)
        try:
            wait_for(tmp_path / "web" / "shards" / "00" / "table" / "CURRENT")
            refused(4, f"process {first.pid}", *arguments)
            refused(4, f"process {first.pid}", "verify", str(tmp_path / "web"))
            assert run_gossamer("status", str(tmp_path / "web"), "--json").returncode == 0
        finally:
            first.kill()
            first.wait()
        again = run_gossamer(*arguments, "--pages", "5")
        assert again.returncode == 0, again.stderr


def wait_for(path: Path) -> None:
    wait_until(path.exists)


def wait_until(it_is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not it_is_so():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 6 megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(disk)], check=False).returncode:
        pytest.skip("this system does not let us mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def resize(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path, small_disk: Path) -> None:
    with served_web(tmp_path / "log", "--pages", "3000", "--words", "400", "800") as web:
        folder = small_disk / "web"
        refused(6, "MiB free", "crawl", str(folder), web.seed, *LOOPBACK)
        marks = "disk_pause = 0\ndisk_pause_share = 0\ndisk_stop = 0\n"
        (folder / "plan.toml").write_text(marks + (folder / "plan.toml").read_text())
        refused(6, "disk is full", "crawl", str(folder), web.seed, *LOOPBACK, "--per-host", "4")
        resize(small_disk, "200m")
        verified = run_gossamer("verify", str(folder))
        assert verified.returncode == 0, verified.stdout + verified.stderr
        more = run_gossamer("crawl", str(folder), "--pages", str(status_of(folder)["pages"] + 100))
        assert more.returncode == 0, more.stderr
        verified = run_gossamer("verify", str(folder))
        assert verified.returncode == 0, verified.stdout


def test_a_crawl_waits_for_room_on_a_real_disk(tmp_path: Path, small_disk: Path) -> None:
    folder = small_disk / "web"
    folder.mkdir()
    (folder / "plan.toml").write_text("disk_pause = 50_000_000\ndisk_stop = 1_000_000\n")
    with served_web(tmp_path / "log", "--pages", "20") as web:
        crawler = subprocess.Popen(gossamer_command("crawl", str(folder), web.seed, *LOOPBACK), stdout=subprocess.PIPE)
        try:
            wait_until(lambda: status_of(folder).get("disk_wanted") == 55_000_000)
            assert web.log.read_text() == ""
            assert 1_000_000 < status_of(folder)["disk_free"] < 6 << 20
            resize(small_disk, "200m")
            told, _ = crawler.communicate(timeout=120)
        finally:
            crawler.kill()
            crawler.wait()
    assert (crawler.returncode, told.split(b",")[0]) == (0, b"done: 20 pages")
    assert status_of(folder)["disk_wanted"] == 0


def status_of(folder: Path) -> dict[str, Any]:
    """What `status` says, as soon as there is something to say."""
    result = run_gossamer("status", str(folder), "--json")
    return dict(json.loads(result.stdout)) if result.returncode == 0 else {}


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_stops_and_loses_nothing(tmp_path: Path, times: int) -> None:
    with served_web(tmp_path / "log", "--pages", "400", "--latency", "0.05", "0.05") as web:
        arguments = crawl_arguments(tmp_path / "web", web.seed)
        crawler = subprocess.Popen(gossamer_command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(tmp_path / "web" / "shards" / "00" / "table" / "CURRENT")
        time.sleep(0.5)
        for _ in range(times):
            crawler.send_signal(signal.SIGINT)
        _, errors = crawler.communicate(timeout=120)
        assert crawler.returncode == 130, errors
        verified = run_gossamer("verify", str(tmp_path / "web"))
        assert verified.returncode == 0, verified.stdout
