"""Questions to a collection that changes, from many at once."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

import gossamer
from gossamer.collection import Collection
from gossamer.collection.ask.remembered import Remembered
from gossamer.errors import NotACollection, NotFound
from gossamer.testing import MadeWeb, WebSpec
from gossamer.web import leases as module
from gossamer.web.leases import Busy, Leases

T = TypeVar("T")


def live(path: Path, work: Callable[[Leases], Coroutine[Any, Any, T]], **how: Any) -> T:
    async def living() -> T:
        leases = Leases(path, **how)
        try:
            return await work(leases)
        finally:
            leases.close()

    return asyncio.run(living())


def test_many_may_ask_at_once_and_each_has_a_reader_alone(collection: Path) -> None:
    inside: set[int] = set()
    met: list[int] = []

    def question(web: Collection) -> int:
        assert id(web) not in inside
        inside.add(id(web))
        met.append(len(inside))
        time.sleep(0.01)
        pages = web.status().pages
        inside.discard(id(web))
        return pages

    async def ask(leases: Leases) -> list[int]:
        return await asyncio.gather(*(leases.ask(question) for _ in range(20)))

    assert len(set(live(collection, ask, at_once=3))) == 1
    assert 1 < max(met) <= 3


def test_who_comes_when_all_are_busy_is_told_to_come_again(collection: Path) -> None:
    go = threading.Event()

    async def ask(leases: Leases) -> str:
        slow = asyncio.create_task(leases.ask(lambda web: go.wait(30)))
        await asyncio.sleep(0.05)
        try:
            with pytest.raises(Busy, match="ask again") as refused:
                await leases.ask(lambda web: 1)
        finally:
            go.set()
        await slow
        assert await leases.ask(lambda web: 2) == 2
        return str(refused.value)

    assert live(collection, ask, at_once=1, wait=0.05)


def test_an_answer_that_takes_too_long_is_given_up_and_its_reader_comes_back(collection: Path) -> None:
    go = threading.Event()

    async def ask(leases: Leases) -> int:
        try:
            with pytest.raises(Busy, match="longer than"):
                await leases.ask(lambda web: go.wait(30), limit=0.05)
        finally:
            go.set()
        return await leases.ask(lambda web: 3)

    assert live(collection, ask, at_once=1) == 3


def test_a_fault_reaches_who_asked_and_nobody_else(collection: Path) -> None:
    async def ask(leases: Leases) -> int:
        with pytest.raises(NotFound):
            await leases.ask(lambda web: web.page("http://no.example/"))
        return await leases.ask(lambda web: web.status().pages)

    assert live(collection, ask, at_once=1) > 0


def test_what_a_crawl_commits_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRESH", 0.0)
    monkeypatch.setattr(module, "SHARE", 0)
    settings: dict[str, Any] = {"delay": 0, "ip_delay": 0, "allow_addresses": ("127.0.0.0/8",), "shards": 1}

    async def ask(leases: Leases) -> list[int]:
        counts = [await leases.ask(lambda web: web.status().pages)]
        await asyncio.to_thread(crawl, pages=4)
        counts.append(await leases.ask(lambda web: web.status().pages))
        return counts

    with MadeWeb(WebSpec(seed=1, hosts=1, pages=6, names="ip")).serve() as web:

        def crawl(pages: int) -> None:
            with gossamer.open(tmp_path / "w") as collection:
                collection.crawl(web.seed, pages=pages, **settings)

        crawl(pages=1)
        assert live(tmp_path / "w", ask, at_once=1) == [1, 4]


def test_a_reader_that_saw_no_change_is_not_opened_again(collection: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRESH", 0.0)
    monkeypatch.setattr(module, "SHARE", 0)
    closed: list[Collection] = []
    close = Collection.close

    def noted(web: Collection) -> None:
        closed.append(web)
        close(web)

    monkeypatch.setattr(Collection, "close", noted)

    async def ask(leases: Leases) -> int:
        for _ in range(5):
            await leases.ask(lambda web: web.status())
        return len(closed)

    assert live(collection, ask, at_once=1) == 1


def test_whoever_asks_after_a_change_from_here_sees_it(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRESH", 600.0)
    own = Path(shutil.copytree(collection, tmp_path / "own"))

    async def ask(leases: Leases) -> list[str]:
        states = [await leases.ask_at(lambda web, state: state)]
        gossamer.open(own).change(pages=123)
        states.append(await leases.ask_at(lambda web, state: state))
        leases.changed()
        return [*states, await leases.ask_at(lambda web, state: state)]

    before, meanwhile, after = live(own, ask, at_once=1)
    assert before == meanwhile != after


@pytest.mark.parametrize("linked", [False, True])
def test_another_directory_in_its_place_answers_at_once_and_it_is_said(
    linked: bool, collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FRESH", 600.0)
    old, new, served = (tmp_path / name for name in ("old", "new", "served"))
    for number, folder in enumerate((old, new), 1):
        shutil.copytree(collection, folder)
        gossamer.open(folder).change(pages=number)
    old.rename(served) if not linked else served.symlink_to(old)

    def swap() -> None:
        served.unlink() if linked else served.rename(old)
        served.symlink_to(new) if linked else new.rename(served)

    async def ask(leases: Leases) -> list[int]:
        asked = [await leases.ask(lambda web: web.plan.pages)]
        swap()
        kept = Remembered[str]()
        asked += [await leases.ask(lambda web: web.plan.pages) for _ in range(3)]
        state = await leases.ask_at(lambda web, state: state)
        kept.get("", "another place:1", lambda: "old")
        assert kept.get("", state, lambda: "new") == "new"
        return asked

    assert live(served, ask, at_once=2) == [1, 2, 2, 2]
    assert [record.getMessage() for record in caplog.records] == [
        f"{served}: is another directory now, and answers from it"
    ]


def test_a_directory_that_is_gone_is_said_and_comes_back(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FRESH", 600.0)
    own, elsewhere = Path(shutil.copytree(collection, tmp_path / "own")), tmp_path / "elsewhere"
    away, back = partial(own.rename, elsewhere), partial(elsewhere.rename, own)

    async def ask(leases: Leases) -> int:
        before = await leases.ask(lambda web: web.status().pages)
        away()
        with pytest.raises(NotACollection):
            await leases.ask(lambda web: web.status())
        back()
        return before - await leases.ask(lambda web: web.status().pages)

    assert live(own, ask, at_once=1) == 0
    assert f"{own}: is gone" in caplog.messages
