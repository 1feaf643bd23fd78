"""A command loads what it needs: to load everything takes longer than most questions."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.options import parser
from gossamer.cli.preload import load_ahead
from gossamer.collection.crawl.wiring import preload
from gossamer.convert.content import DEFAULT, METHODS
from gossamer.frontier.queue.rank import ORDERS
from gossamer.plan import Plan
from gossamer.settings import SETTINGS
from gossamer.testing import MadeWeb, WebSpec

HEAVY = {
    "numpy",
    "tantivy",
    "pyarrow",
    "chardet",
    "importlib.metadata",
    "multiprocessing.spawn",
    "gossamer.collection.derive.indexer",
    "gossamer.convert.content",
    "gossamer.convert.files.pdf.pdf",
    "gossamer.depot.depot",
    "gossamer.search.searcher",
}
"""Modules that a crawl which only collects pages has no use for."""


def modules_after(program: str) -> set[str]:
    """What a new process has loaded after a program."""
    ended = f"{program}\nimport sys; print(*sys.modules, file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", ended], capture_output=True, text=True, timeout=60, check=True)
    return set(result.stderr.split())


def loaded_by(program: str) -> set[str]:
    """Which of them are heavy."""
    return HEAVY & modules_after(program)


def test_to_list_the_commands_loads_none() -> None:
    help_ = "from gossamer.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert loaded_by(f"{help_}\nassert 'gossamer.collection.collection' not in __import__('sys').modules") == set()


def test_a_shard_that_only_collects_begins_without_what_builds() -> None:
    lean, whole = preload(Plan(build=False)), preload(Plan())
    assert loaded_by(f"import {', '.join(lean)}") == set()
    assert {"numpy", "tantivy", "gossamer.convert.content"} <= loaded_by(f"import {', '.join(whole)}")


@pytest.mark.parametrize("shards", [1, 2])
def test_a_crawl_that_only_collects_never_loads_it(tmp_path: Path, shards: int) -> None:
    """From the first page to the status at the end."""
    with MadeWeb(WebSpec(seed=1, hosts=2, pages=8, names="ip")).serve() as served:
        web = tmp_path / "web"
        words = ["crawl", str(web), served.seed, "--no-build", "--delay", "0", "--shards", str(shards)]
        words += ["--allow-address", "127.0.0.0/8", "--scope", "any"]
        assert loaded_by(f"from gossamer.cli import main\nassert main({words!r}) == 0") == set()
    assert web.is_dir()


def test_nobody_looks_for_cycles_in_what_one_shard_has_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is a twentieth of what a crawl of one page costs."""
    frozen: list[None] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(None))
    given = ["crawl", str(tmp_path / "web"), "http://a.test/", "--no-build", "--shards", "1"]
    load_ahead(parser("crawl").parse_args(given))
    assert len(frozen) == 1


def test_what_may_be_chosen_is_what_there_is() -> None:
    assert tuple(METHODS) == SETTINGS["content"].choices
    assert SETTINGS["content"].default == DEFAULT
    assert tuple(ORDERS) == SETTINGS["order"].choices


CRAWLS = {"asyncio", "gossamer.convert", "gossamer.fetch.curl", "gossamer.frontier.frontier"}
DATES = {"gossamer.frontier.revisit.dating", "gossamer.freshness.price", "email.utils"}
UNASKED = {
    "status": CRAWLS | DATES | {"numpy", "tantivy"},
    "why": CRAWLS | {"numpy", "tantivy"},
    "show": CRAWLS | DATES | {"numpy", "tantivy"},
    "search": CRAWLS | DATES,
}
"""Modules that a question has no use for: to load them takes longer than the answer."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    with MadeWeb(WebSpec(seed=1, hosts=2, pages=8, names="ip")).serve() as served:
        folder = tmp_path_factory.mktemp("start") / "web"
        with gossamer.open(folder) as collection:
            collection.crawl(served.seed, allow_addresses=("127.0.0.0/8",), delay=0, ip_delay=0, scope="any", shards=2)
        return folder, served.seed


@pytest.mark.parametrize("verb", UNASKED)
def test_a_question_loads_nothing_that_crawls_or_reads_pages(web: tuple[Path, str], verb: str) -> None:
    folder, seed = web
    words = [verb, str(folder), *{"status": [], "search": ["the"]}.get(verb, [seed])]
    loaded = modules_after(f"from gossamer.cli import main\nassert main({words!r}) == 0")
    assert "gossamer.collection.ask.reading" in loaded
    assert not loaded & UNASKED[verb]


def test_no_face_has_a_name_that_a_module_would_take() -> None:
    """`gossamer.convert.document` is a function and a module: a face that loads it late would give either."""
    for name in ("gossamer", "gossamer.collection", "gossamer.engine", "gossamer.fetch", "gossamer.frontier"):
        package = importlib.import_module(name)
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
        assert not modules & set(package.__all__), name
        assert all(getattr(package, each) is not None for each in package.__all__)


STRUCK = """
import os, signal, sys

class Striking:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Striking())
from gossamer.cli import main
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
sys.exit(main(["--version"]))
"""


@pytest.mark.parametrize(("module", "code"), [("gossamer.cli.options", -signal.SIGINT), ("none", 0)])
def test_an_interrupt_while_a_command_is_loaded_ends_it_without_a_word(module: str, code: int) -> None:
    program = STRUCK.format(module=module)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (code, "")


def test_who_stands_in_a_directory_that_was_removed_is_told_so(tmp_path: Path) -> None:
    (here := tmp_path / "here").mkdir()
    program = (
        f"import os; os.rmdir({str(here)!r}); from gossamer.cli import main; raise SystemExit(main(['status', 'web']))"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=here, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (
        2,
        "gossamer: the directory this was started in was removed; `cd` to one that is there\n",
    )
