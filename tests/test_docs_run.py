"""What the documentation shows works as printed: sessions, programs and answers."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

import gossamer
from crawler_process import with_room
from docs_session import agrees, session
from docs_web import DAY, START, DocsWeb
from documentation import GUIDE, ROOT, Block, blocks, every_block, page, steps
from gossamer.collection import Outside
from gossamer.plan import Plan
from gossamer.testing import Errors, MadeWeb, RobotsFiles, VirtualClock, WebSpec
from gossamer.testing.spec import from_settings

SESSION_LINES = 12
SESSION, *_ = [block for block in blocks(page("README.md"), "console") if "gossamer demo" in block]
RUN = ("console", "bash", "python")
SHOWN_ONLY = ("text", "toml", "yaml", "html", "json", "xml", "csv", "eml", "markdown", "tex", "srt")
SHOWN = [path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *GUIDE)]
FROM_NOTHING = ("README.md", "docs/crawling.md", "docs/recipes.md")
"""Pages whose reader begins with an empty folder; for all others there is `my-web`, crawled yesterday and today."""


def is_run(block: Block) -> bool:
    """Whether it is run as a part of its page: it is something to run, and what it needs is installed."""
    way, _, words = block.mark.partition(": ")
    if way == "needs":
        return all(map(importlib.util.find_spec, words.split(", ")))
    return block.language in RUN and not way


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the readers of most pages have already."""
    folder = tmp_path_factory.mktemp("crawled")
    web = DocsWeb(VirtualClock(START))
    with pytest.MonkeyPatch.context() as patch:
        reader = session(folder, web.clock, web.fetch, patch, web.pass_a_day)
        for command in ("gossamer crawl my-web https://example.org/ -q", "gossamer crawl my-web --revisit -q"):
            assert reader.run_command(command) == ("", 0)
    return folder


class Asked(NamedTuple):
    """The collection that resuming.md asks about, and what it came from."""

    folder: Path
    web: MadeWeb
    clock: VirtualClock


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Its clock begins now, so that its pauses are not over yet."""
    folder = tmp_path_factory.mktemp("asked")
    clock = VirtualClock(time.time())
    busy = Errors(missing=0.1, busy=0.1, retry_after=3600)
    spec = WebSpec(
        seed=3, hosts=2, pages=40, latency=(0.1, 0.4), errors=busy, robots=RobotsFiles(rules=1.0, delays=0.5)
    )
    web = MadeWeb(spec, clock=clock)
    with gossamer.open(folder / "my-web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    return Asked(folder, web, clock)


@pytest.mark.parametrize("name", [name for name in SHOWN if any(map(is_run, every_block(page(name))))])
def test_a_page_works_as_printed(
    name: str, crawled: Path, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = DocsWeb(
        VirtualClock(START if name in FROM_NOTHING else START + 2 * DAY), is_tomorrow=name not in FROM_NOTHING
    )
    if name == "docs/resuming.md":
        shutil.copytree(asked.folder, tmp_path, dirs_exist_ok=True)
        reader = session(tmp_path, asked.clock, asked.web.fetch, monkeypatch)
    else:
        if name not in FROM_NOTHING:
            shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
        reader = session(tmp_path, web.clock, web.fetch, monkeypatch, web.pass_a_day)
    shown = every_block(page(name))
    with closing(reader):
        for block, after in zip_longest(shown, shown[1:], fillvalue=Block("", "", "", is_next=False)):
            if is_run(block):
                reader.follow(block, after.text if after.is_next and after.language == "text" else "")


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_run_by_a_test_of_its_own_has_one(name: str) -> None:
    tests = [block.mark.removeprefix("run by: ") for block in every_block(page(name)) if "run by" in block.mark]
    assert [test for test in tests if not callable(globals().get(test)) and not (ROOT / test).is_file()] == []


def test_a_block_that_is_not_marked_is_run() -> None:
    (block,) = every_block("<!-- not run: it is long -->\n\n```console\n$ make test\n```\n")
    assert not is_run(block)
    (block,) = every_block("Some words.\n\n```console\n$ make test\n```\n")
    assert is_run(block)


@pytest.mark.parametrize("name", SHOWN)
def test_no_command_hides_in_a_block_that_is_only_shown(name: str) -> None:
    for block in every_block(page(name)):
        if block.language not in RUN and not block.mark:
            assert block.language in SHOWN_ONLY, block.text
            assert not re.search(r"(?m)^\$ ", block.text), block.text


@pytest.mark.parametrize("name", SHOWN)
def test_a_piece_of_a_plan_has_settings_that_there_are(name: str) -> None:
    settings = {spec.name for spec in dataclasses.fields(Plan)}
    for piece in map(tomllib.loads, blocks(page(name), "toml")):
        assert piece.keys() == {"project"} or piece.keys() <= settings  # or it is of a pyproject.toml


def test_every_folder_of_a_collection_is_in_the_tree_of_the_page_on_archives(crawled: Path) -> None:
    (tree, *_) = blocks(page("docs/archive.md"), "text")
    made = [crawled / "my-web", crawled / "my-web" / "shards" / "00"]
    names = {each.name + "/" * each.is_dir() for folder in made for each in folder.iterdir()}
    assert {name for name in names if not re.search(rf"(?m)(^| ){re.escape(name)}", tree)} == set()


# --------------------------------------------------------- sessions of their own


def run(command: str, folder: Path) -> str:
    """Run a command of the documentation in a folder; `gossamer` is the one under test."""
    program, *arguments = shlex.split(command)
    assert program == "gossamer"
    line = [sys.executable, "-m", "gossamer", *arguments]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_session_works_as_printed(tmp_path: Path) -> None:
    assert len(SESSION.splitlines()) <= SESSION_LINES
    first, *rest = steps(SESSION)
    assert first.command.rstrip() == "source .venv/bin/activate"  # which is what both commands above it install
    assert "VENV ?= .venv\n" in page("Makefile")
    for step in rest:
        assert steady(run(step.command, tmp_path)) == steady(step.printed), step.command


def steady(text: str) -> str:
    """Without what differs from run to run: ports, file names by date, places in files, questions about nonsense."""
    return re.sub(r":\d{4,5}/|gossamer-(?:\d\d-)?\d{14}-|byte \d+|[\d,]+ records", "#", text)


def test_the_session_about_copies_works_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve, *commands = steps(blocks(page("docs/duplicates.md"), "console")[0])
    settings = {name: json.loads(value) for name, value in re.findall(r"--([\w.]+) ([\d.]+)", serve.command)}
    clock = VirtualClock()
    reader = session(
        tmp_path, clock, MadeWeb(from_settings(settings | {"names": "ip"}), clock=clock).fetch, monkeypatch
    )
    for step in commands:
        told, code = reader.run_command(step.command)
        assert (code, agrees(told, step.printed)) == (0, True), f"{step.command}\n{told}"


def test_a_crawl_runs_in_a_notebook(tmp_path: Path) -> None:
    async def cell(seed: str) -> int:
        with gossamer.open(with_room(tmp_path / "my-web")) as web:
            return web.crawl(seed, allow_addresses=("127.0.0.0/8",), delay=0, ip_delay=0).pages

    with MadeWeb(WebSpec(seed=7, pages=12, crosslinks=0, names="ip")).serve() as served:
        assert asyncio.run(cell(served.seed)) == 12


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="mcp is not installed")
def test_the_session_with_a_language_model_works_as_printed(crawled: Path) -> None:
    text = page("docs/mcp.md")
    (program,), (printed,) = blocks(text, "python"), blocks(text, "text")
    tools = str(Path(sys.executable).parent)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=crawled,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == printed, done.stderr


REPLAY = """
import sys
from gevent.monkey import patch_all
patch_all()
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client
client = Client(FrontEndApp(config_file="config.yaml"))
for url in sys.argv[1:]:
    answer = client.get(f"/my-web/2026id_/{url}")
    print("answer", answer.status_code, answer.get_data().hex())
"""


@pytest.mark.skipif(importlib.util.find_spec("pywb") is None, reason="pywb is not installed")
def test_the_replay_works_as_described(asked: Asked, tmp_path: Path) -> None:
    text = page("docs/archive.md")
    index = re.search(r"`(gossamer export /path/to/my-web .*)`", text)
    (config,) = blocks(text, "yaml")
    assert index
    run(index[1].replace("/path/to", str(asked.folder)), tmp_path)
    (tmp_path / "config.yaml").write_text(config.replace("/path/to", str(asked.folder)))
    with gossamer.open(asked.folder / "my-web") as collection:
        pages = {found.url: found.capture.body for found in collection.pages()}
    line = [sys.executable, "-W", "ignore", "-c", REPLAY, *pages]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    answers = [row.split(" ") for row in done.stdout.splitlines() if row.startswith("answer ")]
    assert len(answers) == len(pages) >= 50, done.stderr
    for (_, status, body), expected in zip(answers, pages.values(), strict=True):
        assert (status, bytes.fromhex(body)) == ("200", expected)
