"""What the command line says when a crawl is steered, and when there is none to be steered."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from crawler_process import with_room
from gossamer.cli.main import main
from gossamer.collection.lock import CRAWL, exclusive
from named_web import NamedWeb, named_web


@pytest.fixture(scope="module")
def web() -> Iterator[NamedWeb]:
    with named_web() as served:
        served.link("site", "/", [served.url("site", "/missing")])
        yield served


@pytest.fixture
def folder(web: NamedWeb, tmp_path: Path) -> str:
    settings = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        collection.crawl(web.url("site"), **settings)
    return str(tmp_path / "web")


def test_settings_are_said_with_what_they_were(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", folder, "delay=2", "exclude=/calendar/", "pages=0"]) == 0
    told = [
        "delay = 2 (was 0)",
        'exclude = ["/calendar/"] (was [])',
        "pages = 0, as it was",
        "ip_delay = 2 (was 0)",
        "the next crawl goes by it",
    ]
    assert capsys.readouterr().out.splitlines() == told
    assert main(["set", folder, "on_page=books:about"]) == 0
    assert f"`gossamer build {folder} --convert` calls it with the pages" in capsys.readouterr().out
    assert main(["set", folder, "delay=3", "ip_delay=2"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["delay = 3 (was 2)", "ip_delay = 2, as it was"]
    assert main(["set", folder, "proxy=http://me:secret@proxy.test:1", "--json"]) == 0
    said = capsys.readouterr().out
    assert json.loads(said) == {"settings": {"proxy": "http://proxy.test:1"}, "running": False}


@pytest.mark.parametrize("wrong", ["delay", "dely=1", "delay=soon", "shards=3"])
def test_what_is_no_setting_is_refused_in_a_line(folder: str, wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["set", folder, wrong]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gossamer: set ") or "shard" in line


def test_seeds_and_retries_are_counted(web: NamedWeb, folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", folder, web.url("other"), web.url("site")]) == 0
    assert capsys.readouterr().out == f"1 new seed, 1 known; the next crawl takes them: `gossamer crawl {folder}`\n"
    assert main(["retry", folder, "--site", "site.localhost"]) == 0
    assert capsys.readouterr().out == f"1 failure; the next crawl takes them: `gossamer crawl {folder}`\n"
    assert main(["retry", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"failed": 1, "running": False}


@pytest.mark.parametrize("verb", ["pause", "resume", "stop"])
def test_where_no_crawl_runs_that_is_said(folder: str, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, folder]) == 2
    said = f"gossamer: {folder}: no crawl runs; `gossamer crawl {folder}` begins one, or goes on\n"
    assert capsys.readouterr().err == said


def test_status_says_of_a_crawl_that_it_crawls(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    with exclusive(Path(folder), CRAWL):
        assert main(["status", folder]) == 0
    assert f"now         crawling, process {os.getpid()}\n" in capsys.readouterr().out
    with exclusive(Path(folder)):
        assert main(["status", folder]) == 0
    assert f"now         in use, process {os.getpid()}\n" in capsys.readouterr().out
