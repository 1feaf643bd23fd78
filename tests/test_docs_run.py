"""What the documentation shows works as printed: sessions, programs and answers."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from crawler_process import with_room
from documentation import Step, blocks, page, steps
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.testing import Errors, MadeWeb, RobotsFiles, VirtualClock, WebSpec
from gossamer.testing.spec import from_settings

EXAMPLE = "https://example.org/"
SESSION_LINES = 12
SITE = WebSpec(seed=7, hosts=1, pages=12, crosslinks=0, names="ip")
SESSION, *_ = [block for block in blocks(page("README.md"), "console") if "gossamer demo" in block]
ANSWERS = [
    step for block in blocks(page("docs/resuming.md"), "console") for step in steps(block) if step.printed.strip()
]


def run(command: str, folder: Path) -> str:
    """Run a command of the documentation in a folder; `gossamer` is the one under test."""
    program, *arguments = shlex.split(command)
    assert program == "gossamer"
    line = [sys.executable, "-m", "gossamer", *arguments]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_program(program: str, folder: Path) -> None:
    line = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[MadeWeb]:
    """A site in the place of example.org; the collection `my-web` may visit it without delay."""
    with MadeWeb(SITE).serve() as served:
        with gossamer.open(with_room(tmp_path / "my-web")) as web:
            web.crawl(served.seed, pages=1, allow_addresses=("127.0.0.0/8",), delay=0, ip_delay=0)
        yield served


def test_the_readme_session_works_as_printed(tmp_path: Path) -> None:
    assert len(SESSION.splitlines()) <= SESSION_LINES
    for step in steps(SESSION):
        assert steady(run(step.command, tmp_path)) == steady(step.printed), step.command


def steady(text: str) -> str:
    """Without what differs from run to run: ports, file names by date, places in files, questions about nonsense."""
    return re.sub(r":\d{4,5}/|gossamer-(?:\d\d-)?\d{14}-|byte \d+|[\d,]+ records", "#", text)


def test_the_session_about_copies_works_as_printed(tmp_path: Path) -> None:
    serve, *session = steps(blocks(page("docs/duplicates.md"), "console")[0])
    asked = {name: json.loads(value) for name, value in re.findall(r"--([\w.]+) ([\d.]+)", serve.command)}
    spec = from_settings(asked | {"names": "ip"})
    with_room(tmp_path / "my-web")
    with MadeWeb(spec).serve() as web:
        for step in session:
            told = run(step.command.replace(":8000", f":{web.spec.port}"), tmp_path)
            shown = re.sub(r"\d+\.\d kB", "40.0 kB", told.replace(f":{web.spec.port}", ":8000"))
            assert re.sub(r", in \d+ s", ", in 2 s", shown) == step.printed, step.command


def test_the_first_crawl_of_the_readme_works(tmp_path: Path, site: MadeWeb) -> None:
    block = next(block for block in blocks(page("README.md"), "console") if EXAMPLE in block)
    (step,) = steps(block)
    assert run(step.command.replace(EXAMPLE, site.seed), tmp_path).startswith("done: 12 pages, ")


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/python.md", "docs/duplicates.md", "docs/search.md", "docs/table.md", "docs/versions.md"],
)
def test_the_programs_run_as_printed(name: str, tmp_path: Path, site: MadeWeb) -> None:
    program = "\n".join(blocks(page(name), "python"))
    with_room(tmp_path / "rehearsal")
    run_program(program.replace(EXAMPLE, site.seed), tmp_path)


def test_a_crawl_runs_in_a_notebook(tmp_path: Path, site: MadeWeb) -> None:
    async def cell() -> int:
        with gossamer.open(tmp_path / "my-web") as web:
            return web.crawl(pages=0).pages

    assert asyncio.run(cell()) == SITE.pages


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection that resuming.md asks about; its clock begins now, so that its pauses are not over yet."""
    folder = tmp_path_factory.mktemp("asked")
    clock = VirtualClock(time.time())
    busy = Errors(missing=0.1, busy=0.1, retry_after=3600)
    spec = WebSpec(
        seed=3, hosts=2, pages=40, latency=(0.1, 0.4), errors=busy, robots=RobotsFiles(rules=1.0, delays=0.5)
    )
    web = MadeWeb(spec, clock=clock)
    with gossamer.open(folder / "my-web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    return folder


@pytest.mark.parametrize("step", ANSWERS, ids=lambda step: step.command)
def test_the_answers_are_those_that_are_printed(
    step: Step, asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked)
    assert main(shlex.split(step.command)[1:]) == 0
    assert undated(capsys.readouterr().out) == undated(step.printed)


def undated(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DATE", text).strip()


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
def test_the_replay_works_as_described(asked: Path, tmp_path: Path) -> None:
    text = page("docs/archive.md")
    index = re.search(r"`(gossamer export /path/to/my-web .*)`", text)
    (config,) = blocks(text, "yaml")
    assert index
    run(index[1].replace("/path/to", str(asked)), tmp_path)
    (tmp_path / "config.yaml").write_text(config.replace("/path/to", str(asked)))
    with gossamer.open(asked / "my-web") as collection:
        pages = {found.url: found.capture.body for found in collection.pages()}
    line = [sys.executable, "-W", "ignore", "-c", REPLAY, *pages]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    answers = [row.split(" ") for row in done.stdout.splitlines() if row.startswith("answer ")]
    assert len(answers) == len(pages) >= 50, done.stderr
    for (_, status, body), expected in zip(answers, pages.values(), strict=True):
        assert (status, bytes.fromhex(body)) == ("200", expected)


FORMAT_STEPS = [step for block in blocks(page("docs/formats.md"), "console") for step in steps(block)]
NEEDED = ("pyarrow", "networkx", "scipy", "warcio")


@pytest.mark.skipif(not all(map(importlib.util.find_spec, NEEDED)), reason="an example needs what is not installed")
def test_the_page_on_formats_works_as_printed(tmp_path: Path, site: MadeWeb) -> None:
    with gossamer.open(tmp_path / "my-web") as web:
        web.crawl(pages=0)
    exports = [step.command for step in FORMAT_STEPS if "gossamer export" in step.command]
    imports = [step.command for step in FORMAT_STEPS if "gossamer import" in step.command]
    assert (len(exports), len(imports)) == (7, 1)
    for command in exports:
        run(command, tmp_path)
    (tmp_path / "crawl.warc.gz").symlink_to("my-web.warc.gz")
    (tmp_path / "site.wacz").symlink_to("my-web.wacz")
    with_room(tmp_path / "my-archive")
    for command in imports:
        assert run(command, tmp_path).startswith("imported: ")
    for program in blocks(page("docs/formats.md"), "python"):
        run_program(program, tmp_path)
