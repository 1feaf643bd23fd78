"""A crawl with nothing left to do says so, and starts nothing: until anything has changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection.crawl import finished, supervisor
from gossamer.collection.lock import exclusive
from gossamer.testing import MadeWeb, WebSpec

OPEN = {"allow_addresses": ("127.0.0.0/8",), "delay": 0, "ip_delay": 0}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("rest") / "web"
    with MadeWeb(WebSpec(seed=1, hosts=2, pages=8, names="ip")).serve() as served:
        with gossamer.open(folder) as web:
            web.crawl(served.seed, **OPEN, scope="any", shards=2)
        return folder, served.seed


@pytest.fixture
def web(made: tuple[Path, str], tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    shutil.copytree(made[0], folder)  # with the times of its files
    return folder


def crawls(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> bool:
    """Does a crawl start its shards?"""
    started: list[int] = []
    monkeypatch.setattr(supervisor.CrawlSupervisor, "__init__", lambda *_, **told: started.append(1))

    async def run(*_: object) -> None:
        return None

    monkeypatch.setattr(supervisor.CrawlSupervisor, "run", run)
    main(["crawl", str(folder), *words, "-q"])
    return bool(started)


def test_a_crawl_with_nothing_left_to_do_starts_and_loads_nothing(made: tuple[Path, str]) -> None:
    folder, seed = made
    for words in ([], [seed]):
        program = f"import sys; from gossamer.cli import main; main({['crawl', str(folder), *words, '--json']!r})"
        ended = f"{program}\nprint(*sys.modules, file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", ended], capture_output=True, text=True, timeout=60, check=True)
        status = json.loads(done.stdout)
        assert (status["pages"], status["queued"], status["crawling"]) == (16, 0, None)
        loaded = set(done.stderr.split())
        assert not loaded & {"numpy", "tantivy", "pycurl", "gossamer.convert", "gossamer.frontier.frontier"}
        assert "gossamer.collection.crawl.supervisor" not in loaded


def test_nothing_is_written_either(web: Path) -> None:
    before = finished.stamp(web, ("lock",))
    assert main(["crawl", str(web), "-q"]) == 0
    assert finished.stamp(web, ("lock",)) == before


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


CHANGES: dict[str, Callable[[Path], object]] = {
    "an index that is gone": lambda web: shutil.rmtree(web / "shards" / "00" / "index"),
    "a graph that is gone": lambda web: shutil.rmtree(web / "graph"),
    "captures of a crawl that was killed": lambda web: [spoil(each) for each in web.glob("shards/*/captures/*")],
    "a plan that was edited": lambda web: (web / "plan.toml").write_text(
        "# edited\n" + (web / "plan.toml").read_text()
    ),
    "a mark that is none": lambda web: (web / "rest").write_text("?"),
    "no mark": lambda web: (web / "rest").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_has_changed_a_crawl_looks_at_it(
    web: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    assert not crawls(web, monkeypatch)
    change(web)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gossamer.collection.collection.Collection._link_up", lambda _: None)
        patch.setattr("gossamer.collection.trust.is_known", lambda _: True)
        assert crawls(web, monkeypatch)


@pytest.mark.parametrize("words", [["--revisit"], ["--depth", "3"], ["http://127.0.9.9/"]])
def test_whoever_asks_for_anything_gets_a_crawl(web: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert crawls(web, monkeypatch, *words)


def test_a_collection_in_use_is_in_use(web: Path) -> None:
    with exclusive(web):
        assert main(["crawl", str(web), "-q"]) == 4


def test_what_a_limit_has_left_is_not_nothing(made: tuple[Path, str], tmp_path: Path) -> None:
    with MadeWeb(WebSpec(seed=1, hosts=1, pages=8, names="ip")).serve() as served, gossamer.open(tmp_path / "w") as web:
        web.crawl(served.seed, **OPEN, pages=3, shards=1)
        assert not (tmp_path / "w" / "rest").exists()
        web.crawl(pages=0)
        assert (tmp_path / "w" / "rest").exists()
        assert web.status().pages == 8


def test_a_mark_holds_until_a_file_changes_or_somebody_begins(tmp_path: Path) -> None:
    assert not finished.holds(tmp_path)
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "file").write_text("a")
    finished.note(tmp_path)
    assert finished.holds(tmp_path)
    (tmp_path / "lock").write_text("who holds it says nothing of what is in it")
    assert finished.holds(tmp_path)
    (tmp_path / "shards" / "file").write_text("other")
    assert not finished.holds(tmp_path)
    finished.note(tmp_path)
    assert finished.holds(tmp_path)
    finished.forget(tmp_path)
    assert not finished.holds(tmp_path)
    assert not (tmp_path / "rest").exists()


def test_a_mark_of_another_version_or_machine_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished.note(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(finished, "VERSION", "0.0.0")
        assert not finished.holds(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(finished.os, "uname", lambda: SimpleNamespace(nodename="another"))
        assert not finished.holds(tmp_path)
    assert finished.holds(tmp_path)


def test_where_no_mark_can_be_written_nothing_is_said(tmp_path: Path) -> None:
    nowhere = tmp_path / "none"
    finished.note(nowhere)
    finished.forget(nowhere)
    assert not finished.holds(nowhere)
