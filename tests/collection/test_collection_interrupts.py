"""An interrupt ends a crawl in good order, wherever it comes from, and never in the middle of a page."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, descendants, gossamer_command, wait_for
from gossamer.collection import Collection
from gossamer.collection.crawl.running import run
from gossamer.collection.lock import holder
from gossamer.errors import INTERRUPTED
from gossamer.frontier import Frontier
from gossamer.frontier.discover.discovery import Discovery
from gossamer.frontier.taking_back import TakingBack
from gossamer.store.commits import Commits
from gossamer.testing import MadeWeb, WebSpec

SPEC = WebSpec(seed=9, hosts=2, pages=8, names="ip")
FAST: dict[str, Any] = {
    "scope": "any",
    "delay": 0.0,
    "ip_delay": 0.0,
    "patience": 0.0,
    "allow_addresses": ("127.0.0.0/8",),
    "shards": 1,
}


@pytest.fixture
def web() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as web:
        yield web


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as collection:
        yield collection


@pytest.fixture(autouse=True)
def _hears_interrupts() -> Iterator[None]:
    """A shell that starts the tests in the background has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    """As Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)


def after(call: Callable[..., Any], number: int, act: Callable[[], None]) -> Callable[..., Any]:
    """The same call, and something besides at the end of the n-th."""
    left = [number]

    def counted(*told: Any, **named: Any) -> Any:
        result = call(*told, **named)
        left[0] -= 1
        if left[0] == 0:
            act()
        return result

    return counted


def raising() -> None:
    raise KeyboardInterrupt


def assert_goes_on(collection: Collection, web: MadeWeb) -> None:
    """Nobody holds it, and all pages come, each once."""
    assert holder(collection.path) is None
    assert collection.crawl().pages == len(web.reachable())
    assert {page.url for page in collection.pages()} == web.reachable()
    assert collection.verify().problems == []


def assert_once(web: MadeWeb) -> None:
    """No page was asked for twice."""
    pages = [entry.url for entry in web.log.entries if entry.url in web.reachable()]
    assert len(pages) == len(set(pages))


@pytest.mark.parametrize("number", [2])
@pytest.mark.parametrize(
    ("owner", "name"), [(TakingBack, "done"), (Frontier, "sift"), (Discovery, "admit"), (Commits, "begin")]
)
def test_an_interrupt_in_the_middle_of_anything_waits_for_its_end(
    web: MadeWeb, collection: Collection, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, number: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, after(getattr(owner, name), number, interrupt))
        with pytest.raises(KeyboardInterrupt):
            collection.crawl(web.seed, **FAST)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert_goes_on(collection, web)
    assert_once(web)


@pytest.mark.parametrize("number", [2])
@pytest.mark.parametrize(("owner", "name"), [(TakingBack, "done"), (Discovery, "admit"), (Commits, "begin")])
def test_an_interrupt_that_comes_as_an_exception_commits_nothing_by_half(
    web: MadeWeb,
    collection: Collection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: Any,
    name: str,
    number: int,
) -> None:
    async def crawl() -> None:
        await collection.crawl_async(web.seed, **FAST)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, after(getattr(owner, name), number, raising))
        with pytest.raises((KeyboardInterrupt, BaseExceptionGroup)):
            asyncio.run(crawl())
    gc.collect()
    assert "never retrieved" not in caplog.text
    assert_goes_on(collection, web)
    if owner is not Commits:  # then it is in the archive, and not only in flight
        assert_once(web)


def test_an_interrupt_in_a_notebook_ends_the_crawl_before_it_is_raised(web: MadeWeb, collection: Collection) -> None:
    """There a loop runs already, and the crawl is in a thread."""
    begun = threading.Event()

    async def cell() -> None:
        collection.crawl(web.seed, report=lambda _: begun.set(), **{**FAST, "delay": 5.0})

    def press() -> None:
        begun.wait(120)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        presser.join()
        loop.close()
    assert not any(thread.name == "gossamer-crawl" for thread in threading.enumerate())
    assert holder(collection.path) is None
    assert collection.crawl(delay=0.0).pages == len(web.reachable())


def test_what_does_not_finish_after_an_interrupt_is_dropped() -> None:
    dropped = []

    async def never(stop: asyncio.Event) -> None:
        signal.raise_signal(signal.SIGINT)
        await stop.wait()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            dropped.append(stop)
            raise

    with pytest.raises(KeyboardInterrupt):
        run(never, finish=0.01)
    assert len(dropped) == 1


@pytest.mark.parametrize(("finish", "times"), [(60.0, 3), (0.0, 2)])
def test_who_asks_again_and_again_is_not_kept_waiting_by_a_long_step(finish: float, times: int) -> None:
    steps = []

    async def busy(stop: asyncio.Event) -> None:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
            steps.append(stop.is_set())

    with pytest.raises(KeyboardInterrupt):
        run(busy, finish=finish)
    assert steps == [False] * (times - 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_last_ctrl_c_leaves_no_task_behind_when_a_worker_is_in_the_middle_of_something() -> None:
    """It is raised in a task that others wait for; all of them are ended in good order all the same."""
    ended = []

    async def worker() -> None:
        await asyncio.sleep(0)
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)

    async def other() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(0)
            ended.append("other")

    async def work(stop: asyncio.Event) -> None:
        task = asyncio.get_running_loop().create_task(other())
        await asyncio.sleep(0)
        busy = asyncio.get_running_loop().create_task(worker())
        with suppress(KeyboardInterrupt):
            await asyncio.gather(task, busy)

    with pytest.raises(KeyboardInterrupt):
        run(work, finish=60.0)
    assert ended == ["other"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_at_the_very_end_is_not_lost() -> None:
    async def work(stop: asyncio.Event) -> None:
        asyncio.get_running_loop().call_soon(asyncio.get_running_loop().call_soon, interrupt)

    with pytest.raises(KeyboardInterrupt):
        run(work, finish=60.0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_that_the_program_sets_in_the_middle_of_a_crawl_stays() -> None:
    heard: list[int] = []

    def own(number: int, frame: object) -> None:
        heard.append(number)

    async def work(stop: asyncio.Event) -> None:
        signal.signal(signal.SIGINT, own)

    run(work)
    assert signal.getsignal(signal.SIGINT) is own


def test_a_program_that_handles_interrupts_itself_is_left_alone() -> None:
    heard: list[int] = []

    async def work(stop: asyncio.Event) -> bool:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        return stop.is_set()

    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        assert run(work) is False
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


HANGING = """
import importlib, os, time
begin = importlib.import_module("gossamer.convert").begin

def hanging(*told, **named):
    open(os.environ["HANGS"], "w").close()
    while True:
        time.sleep(0.01)

importlib.import_module("gossamer.convert").begin = hanging
"""


@pytest.mark.parametrize("shards", ["1", "2"])
def test_one_ctrl_c_ends_a_crawl_that_hangs_in_a_page(web: MadeWeb, tmp_path: Path, shards: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(HANGING)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    words = crawl_arguments(tmp_path / "web", web.seed, "--shards", shards)
    environment = {**os.environ, "PYTHONPATH": paths, "HANGS": str(tmp_path / "hangs")}
    with subprocess.Popen(gossamer_command(*words), stderr=subprocess.PIPE, text=True, env=environment) as crawler:
        wait_for((tmp_path / "hangs").exists)
        processes = [crawler.pid, *descendants(crawler.pid)]
        crawler.send_signal(signal.SIGINT)
        said = crawler.communicate(timeout=120)[1]
    assert crawler.returncode == INTERRUPTED, said
    wait_for(lambda: not any(Path(f"/proc/{process}").exists() for process in processes))
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.crawl().pages == len(web.reachable())
        assert collection.verify().problems == []


def test_a_script_that_is_interrupted_ends_as_scripts_do(web: MadeWeb, tmp_path: Path) -> None:
    script = f"""
import gossamer
try:
    gossamer.open({str(tmp_path / "web")!r}).crawl({web.seed!r}, **{ {**FAST, "delay": 5.0}!r}, report=print)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=120)
    assert told.splitlines()[-1] == "interrupted", said
    assert process.returncode == 0
