"""A crawl that runs is paused, stopped and changed by way of its directory, and nothing of that is lost by a kill."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, descendants, gossamer_command, shard_of, wait_for, with_room
from gossamer.collection import Progress, Status, steering
from gossamer.collection.crawl import requests
from gossamer.collection.lock import exclusive
from gossamer.collection.steering import FILE, Orders, OrdersWatch, Steering
from gossamer.errors import InvalidPattern, InvalidPlan, InvalidURL, Locked, NotACollection, StorageError, UsageError
from gossamer.frontier import Frontier
from gossamer.frontier.discover import reconsideration
from gossamer.plan import Plan
from named_web import NamedWeb, Reply, named_web

QUICK = {"delay": 0.02, "ip_delay": 0.0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "scope": "any"}
MANY = 400
"""Pages of the web: more than any crawl here gets done before it is told what to do."""


@pytest.fixture
def web() -> Iterator[NamedWeb]:
    with named_web() as served:
        pages = [served.url("site", f"/{number}") for number in range(MANY)]
        served.link("site", "/", pages)
        for number in range(MANY):
            served.link("site", f"/{number}", [])
        yield served


class Running:
    """A crawl in a thread of its own, and what it reports."""

    def __init__(self, folder: Path, seed: str, settings: dict[str, Any]) -> None:
        self.looks: list[Progress] = []
        self.status: Status | None = None
        self.folder = folder
        self._thread = threading.Thread(target=self._run, args=(seed, settings))
        self._thread.start()

    def _run(self, seed: str, settings: dict[str, Any]) -> None:
        with gossamer.open(with_room(self.folder)) as collection:
            self.status = asyncio.run(collection.crawl_async(seed, report=self.looks.append, **QUICK | settings))

    def wait(self, happened: Callable[[Progress], bool]) -> None:
        wait_for(lambda: bool(self.looks) and happened(self.looks[-1]))

    def end(self) -> Status:
        self._thread.join(60)
        assert self.status is not None
        return self.status


@contextmanager
def running(folder: Path, seed: str, **settings: Any) -> Iterator[Running]:
    crawl = Running(folder, seed, settings)
    try:
        crawl.wait(lambda now: now.pages > 2)
        yield crawl
    finally:
        if crawl.status is None and crawl._thread.is_alive():
            gossamer.open(folder).stop()
        crawl.end()


# ------------------------------------------------------------------------------ a crawl that runs


@pytest.mark.parametrize("shards", [1, 2])
def test_a_paused_crawl_fetches_nothing_until_it_goes_on(web: NamedWeb, tmp_path: Path, shards: int) -> None:
    with running(tmp_path / "web", web.url("site"), shards=shards) as crawl, gossamer.open(tmp_path / "web") as asked:
        asked.pause()
        crawl.wait(lambda now: now.paused and not now.out)
        assert asked.is_paused
        asked.close()
        now = asked.status()
        assert (now.paused, now.crawling is not None, now.left) == (True, True, None)
        came, looks = len(web.log), len(crawl.looks)
        crawl.wait(lambda _: len(crawl.looks) >= looks + 3)
        assert len(web.log) == came
        asked.resume()
        crawl.wait(lambda now: not now.paused and len(web.log) > came)
        assert not asked.is_paused


@pytest.mark.parametrize("shards", [1, 2])
def test_a_crawl_that_is_paused_at_its_end_waits_for_more(web: NamedWeb, tmp_path: Path, shards: int) -> None:
    web.link("later", "/", [])
    with running(tmp_path / "web", web.url("site"), shards=shards) as crawl, gossamer.open(tmp_path / "web") as asked:
        asked.pause()
        crawl.wait(lambda now: now.paused and not now.out)
        asked.change(exclude=("/[0-9]+$",))
        crawl.wait(lambda now: now.queued == 0)
        looks = len(crawl.looks)
        crawl.wait(lambda _: len(crawl.looks) > looks + 3)
        assert crawl.status is None
        pages = crawl.looks[-1].pages
        assert asked.add(web.url("later")) == 1
        crawl.wait(lambda now: now.queued > 0)
        asked.resume()
        assert crawl.end().pages == pages + 1


def test_a_crawl_that_is_stopped_ends_and_the_next_one_goes_on(web: NamedWeb, tmp_path: Path) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1) as crawl:
        gossamer.open(tmp_path / "web").stop()
        status = crawl.end()
    assert status.queued > 0
    assert not (tmp_path / "web" / FILE).exists()
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.crawl(delay=0.0).pages == MANY + 1  # which nobody has stopped
        assert collection.verify().problems == []


def test_a_program_whose_crawl_is_stopped_gets_its_status(web: NamedWeb, tmp_path: Path) -> None:
    def stop(now: Progress) -> None:
        if now.pages > 2 and not (tmp_path / "web" / FILE).exists():
            gossamer.open(tmp_path / "web").stop()

    with gossamer.open(with_room(tmp_path / "web")) as collection:
        assert collection.crawl(web.url("site"), report=stop, shards=1, **QUICK).queued > 0


def test_a_lower_limit_and_a_larger_one_hold_at_once(web: NamedWeb, tmp_path: Path) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1) as crawl:
        gossamer.open(tmp_path / "web").change(pages=1)
        status = crawl.end()
    assert 2 < status.pages < MANY
    assert status.queued
    assert gossamer.open(tmp_path / "web").plan.pages == 1


@pytest.mark.parametrize("shards", [1, 2])
def test_all_shards_stop_at_a_limit_that_comes_later(web: NamedWeb, tmp_path: Path, shards: int) -> None:
    for name in ("other", "third", "fourth"):
        web.link(name, "/", [web.url(name, f"/{number}") for number in range(MANY)])
        for number in range(MANY):
            web.link(name, f"/{number}", [])
    web.link("site", "/", [web.url(name, f"/{each}") for each in range(MANY) for name in ("site", "other", "third")])
    settings = {"shards": shards, "suffixes": ("localhost",)}
    with running(tmp_path / "web", web.url("site"), **settings) as crawl:
        gossamer.open(tmp_path / "web").pause()
        crawl.wait(lambda now: now.paused and not now.out)
        asked = gossamer.open(tmp_path / "web")
        limit = crawl.looks[-1].pages + 40
        asked.change(pages=limit)
        crawl.wait(lambda now: now.limit == limit)
        asked.resume()
        assert crawl.end().pages == limit


def test_another_delay_holds_for_hosts_that_wait_already(web: NamedWeb, tmp_path: Path) -> None:
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        collection.crawl(web.url("site"), shards=1, pages=3, **QUICK)
    with running(tmp_path / "web", web.url("site"), shards=1, pages=6, delay=3_600.0) as crawl:
        gossamer.open(tmp_path / "web").change(delay=0.01)
        assert crawl.end().pages == 6


def test_patterns_take_queued_addresses_out_and_let_others_in(web: NamedWeb, tmp_path: Path) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1, exclude=("/1[0-9]+$",)) as crawl:
        asked = gossamer.open(tmp_path / "web")
        asked.change(exclude=("/[2-9][0-9]+$",), delay=0.0)
        status = crawl.end()
    with gossamer.open(tmp_path / "web") as collection:
        late = web.url("site", "/399")
        assert collection.why(late).reason == "excluded by pattern /[2-9][0-9]+$"
        assert collection.page(web.url("site", "/111")).url == web.url("site", "/111")
        assert collection.verify().problems == []
    assert status.queued == 0


def test_pages_come_while_a_new_scope_is_held_against_what_is_known(
    web: NamedWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[int] = []
    slice_of = Frontier.reconsider

    def slowly(self: Frontier) -> None:
        came.append(len(web.log))
        threading.Event().wait(0.005)
        slice_of(self)

    monkeypatch.setattr(reconsideration, "SLICE", 2)
    monkeypatch.setattr(Frontier, "reconsider", slowly)
    with running(tmp_path / "web", web.url("site"), shards=1, exclude=("/1[0-9]+$",)) as crawl:
        gossamer.open(tmp_path / "web").change(exclude=("/[2-9][0-9]+$",))
        crawl.wait(lambda _: len(came) >= MANY // 2)
        late = [entry.path for entry in list(web.log)[came[0] :]]
        assert len(late) > 2, "it goes on meanwhile"
        assert sum(bool(re.search("/[2-9][0-9]+$", path)) for path in late) <= 1, "only what was under way"
        gossamer.open(tmp_path / "web").change(delay=0.0)
        status = crawl.end()
    assert len(came) >= MANY // 2
    assert (status.queued, status.pages) == (0, len({*pages_of(tmp_path / "web")}))
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.page(web.url("site", "/111")).url == web.url("site", "/111")
        assert collection.verify().problems == []


def pages_of(folder: Path) -> list[str]:
    with gossamer.open(folder) as collection:
        return [each.url for each in collection.addresses(state="page")]


def test_seeds_are_added_to_a_crawl_that_runs(web: NamedWeb, tmp_path: Path) -> None:
    web.link("later", "/", [web.url("later", "/deep")])
    web.link("later", "/deep", [])
    with running(tmp_path / "web", web.url("site"), shards=1, scope="host", pages=0) as crawl:
        asked = gossamer.open(tmp_path / "web")
        assert asked.add(web.url("later"), web.url("site")) == 1
        asked.change(delay=0.0)
        assert crawl.end().pages == MANY + 3
    assert gossamer.open(tmp_path / "web").plan.seeds == (web.url("site"), web.url("later"))
    assert not (tmp_path / "web" / "asked").exists()


def test_a_long_list_is_added_to_a_crawl_that_runs(web: NamedWeb, tmp_path: Path) -> None:
    web.link("later", "/", [])
    names = [f"http://later.localhost:{web.port}/?{number}" for number in range(1_200)]
    with running(tmp_path / "web", web.url("site"), shards=1, exclude=("[?][1-9]",), scope="host") as crawl:
        asked = gossamer.open(tmp_path / "web")
        assert asked.add(names, web.url("later")) == 1_201
        asked.change(delay=0.0)
        crawl.end()
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.page(web.url("later")).url == web.url("later")
        assert collection.status().excluded == 1_199


def test_failures_are_tried_again_by_a_crawl_that_runs(web: NamedWeb, tmp_path: Path) -> None:
    web.link("site", "/", [web.url("site", "/missing"), *(web.url("site", f"/{number}") for number in range(MANY))])
    with running(tmp_path / "web", web.url("site"), shards=1) as crawl, gossamer.open(tmp_path / "web") as asked:
        crawl.wait(lambda now: now.failed == 1)
        web.put("site", "/missing", Reply("<title>back</title>here"))
        wait_for(lambda: (asked.close(), asked.status().failed == 1)[1])
        assert asked.retry(site="other.test") == 0
        assert asked.retry() == 1
        asked.change(delay=0.0)
        status = crawl.end()
    assert (status.failed, status.pages) == (0, MANY + 2)


def test_what_may_not_change_meanwhile_is_refused_with_the_cure(web: NamedWeb, tmp_path: Path) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1):
        asked = gossamer.open(tmp_path / "web")
        before = asked.plan
        for setting in ({"proxy": "http://evil.test:1"}, {"workers": 3}, {"shards": 2}, {"allow_addresses": ()}):
            with pytest.raises(UsageError, match="cannot change while a crawl runs; `gossamer stop DIR` ends it"):
                asked.change(**setting)
        with pytest.raises(InvalidPattern):
            asked.change(exclude="(")
        assert asked.plan == before


def test_a_crawl_goes_by_nothing_of_the_plan_that_opens_the_network(web: NamedWeb, tmp_path: Path) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1) as crawl:
        plan = tmp_path / "web" / "plan.toml"
        plan.write_text(plan.read_text().replace('# proxy = ""', 'proxy = "http://127.0.0.1:1"'))
        gossamer.open(tmp_path / "web").change(pages=40)
        assert crawl.end().pages == 40  # which a proxy that is none would not have brought


def test_a_plan_that_cannot_be_read_leaves_the_crawl_as_it_is(
    web: NamedWeb, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path / "web", web.url("site"), shards=1, pages=60) as crawl:
        plan = tmp_path / "web" / "plan.toml"
        whole = plan.read_text()
        plan.write_text(f"pages = [\n{whole}")
        Steering(tmp_path / "web").tell()
        wait_for(lambda: "goes on by the settings that it has" in caplog.text)
        plan.write_text(whole)
        assert crawl.end().pages == 60


@pytest.mark.parametrize("spoilt", ["fifo", "link", "folder", "nonsense", "large", "unknown"])
def test_a_file_that_says_anything_else_is_passed_over_with_a_warning(
    web: NamedWeb, tmp_path: Path, spoilt: str, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('{"paused": true}')
    path = tmp_path / "web" / FILE
    with running(tmp_path / "web", web.url("site"), shards=1, pages=60) as crawl:
        match spoilt:
            case "fifo":
                os.mkfifo(path)
            case "link":
                path.symlink_to(elsewhere)
            case "folder":
                path.mkdir()
            case "nonsense":
                path.write_bytes(b"\xff[[[")
            case "large":
                path.write_text('{"paused": true}' + " " * 10_000)
            case "unknown":
                path.write_text('{"paused": true, "proxy": "http://evil.test"}')
        wait_for(lambda: "says nothing that a crawl could do" in caplog.text)
        assert not crawl.looks[-1].paused
        path.rmdir() if spoilt == "folder" else path.unlink()
        assert crawl.end().pages == 60
    assert elsewhere.read_text() == '{"paused": true}'


# --------------------------------------------------------------------------------------- kills


def test_a_shard_that_is_killed_stays_paused_and_goes_by_the_new_plan(web: NamedWeb, tmp_path: Path) -> None:
    folder = tmp_path / "web"
    command = gossamer_command(*crawl_arguments(folder, web.url("site"), "--shards", "2", "--set", "ip_delay=0"))
    crawler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: len(web.log) > 5)
        asked = gossamer.open(folder)
        asked.pause()
        wait_for(lambda: is_still(web))
        asked.change(pages=1, delay=0.0)
        (busy,) = [each for each in descendants(crawler.pid) if shard_of(each) == shard_with_pages(folder)]
        came = len(web.log)
        os.kill(busy, signal.SIGKILL)
        again = lambda: [each for each in descendants(crawler.pid) if shard_of(each) is not None]  # noqa: E731  # asked often
        wait_for(lambda: len(again()) == 2 and busy not in again())
        assert is_still(web)
        assert len(web.log) == came
        asked.resume()
        assert crawler.wait(60) == 0
        assert len(web.log) == came  # the limit of one page is reached
    finally:
        crawler.kill()
        crawler.communicate()


def is_still(web: NamedWeb) -> bool:
    """Nothing has come for a second, which is far longer than a gap."""
    came = len(web.log)
    return not threading.Event().wait(1.0) and len(web.log) == came


def shard_with_pages(folder: Path) -> int:
    return max((0, 1), key=lambda index: sum(f.stat().st_size for f in (folder / f"shards/{index:02}").rglob("*.gz")))


def test_a_crawl_that_was_killed_while_paused_goes_on_and_says_so(
    web: NamedWeb, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "web"
    command = gossamer_command(*crawl_arguments(folder, web.url("site"), "--shards", "1", "--set", "ip_delay=0"))
    crawler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: len(web.log) > 5)
    asked = gossamer.open(folder)
    asked.pause()
    asked.add(web.url("later"))
    crawler.kill()
    crawler.wait()
    web.link("later", "/", [])
    with gossamer.open(folder) as collection:
        assert collection.is_paused
        now = collection.status()
        assert (now.paused, now.crawling) == (True, None)
        assert collection.crawl(delay=0.0).pages == MANY + 2
        assert "was paused, and goes on" in caplog.text
        assert not collection.is_paused


# ------------------------------------------------------------------------ a collection at rest


@pytest.fixture
def rested(web: NamedWeb, tmp_path: Path) -> Path:
    with gossamer.open(with_room(tmp_path / "rested")) as collection:
        collection.crawl(web.url("site", "/1"), shards=1, **QUICK | {"scope": "page"})
    return tmp_path / "rested"


def test_without_a_crawl_there_is_nothing_to_pause_or_stop(rested: Path) -> None:
    collection = gossamer.open(rested)
    for ask in (collection.pause, collection.resume, collection.stop):
        with pytest.raises(UsageError, match="no crawl runs; `gossamer crawl DIR` begins one"):
            ask()
    assert not (rested / FILE).exists()
    for verb in ("pause", "resume", "stop", "retry"):
        with pytest.raises(NotACollection):
            getattr(gossamer.open(rested.parent / "none"), verb)()
    with pytest.raises(NotACollection):
        gossamer.open(rested.parent / "none").change(delay=2)


def test_settings_are_kept_in_the_plan_with_its_comments(rested: Path) -> None:
    plan = rested / "plan.toml"
    plan.write_text(f"# mine\n{plan.read_text()}")
    collection = gossamer.open(rested)
    assert collection.change(delay=7, workers=3, proxy="http://proxy.test:1").delay == 7
    assert plan.read_text().startswith("# mine\n")
    assert (collection.plan.workers, collection.plan.proxy) == (3, "http://proxy.test:1")
    assert not (rested / FILE).exists()
    with pytest.raises(UsageError, match="made with 1 shard, and that is fixed"):
        collection.change(shards=2)
    with pytest.raises(InvalidPlan, match="unknown setting dely"):
        collection.change(dely=1)


def test_what_is_set_in_a_strangers_collection_is_not_trusted_by_that(
    rested: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))
    collection = gossamer.open(rested)
    collection.change(proxy="http://proxy.test:1")
    with pytest.raises(UsageError, match="was made by somebody else"):
        collection.crawl()


def test_the_next_crawl_takes_seeds_and_retries(web: NamedWeb, rested: Path) -> None:
    web.put("site", "/there", Reply("<title>there</title>now"))
    with gossamer.open(rested) as collection:
        take_seeds_and_retries(web, collection)
    assert not (rested / requests.FILE).exists()


def take_seeds_and_retries(web: NamedWeb, collection: gossamer.Collection) -> None:
    assert collection.add(web.url("site", "/there"), web.url("site", "/gone")) == 2
    assert (collection.crawl().pages, collection.status().failed) == (2, 1)
    web.put("site", "/gone", Reply("<title>gone</title>back"))
    assert collection.crawl().pages == 2
    assert collection.retry(site="elsewhere.test") == 0
    assert collection.crawl().pages == 2
    assert collection.retry(site="site.localhost") == 1
    assert (collection.crawl().pages, collection.status().failed) == (3, 0)
    with pytest.raises(UsageError, match="no seed"):
        collection.add()
    with pytest.raises(InvalidURL):
        collection.add("http://")


def test_only_a_crawl_is_steered(rested: Path) -> None:
    collection = gossamer.open(rested)
    assert not collection.is_busy
    with exclusive(rested):
        assert collection.is_busy
        with pytest.raises(UsageError, match="no crawl runs"):
            collection.pause()
        with pytest.raises(Locked):
            collection.change(delay=2)


def test_two_who_change_it_at_once_do_so_one_after_the_other(rested: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steering, "PATIENCE", 0.05)
    with (
        Steering(rested).alone(),
        pytest.raises(Locked, match="somebody else is changing it"),
        Steering(rested).alone(),
    ):
        pass


def test_who_finds_another_at_it_waits_for_him(rested: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as other:
        other.enter_context(Steering(rested).alone())
        monkeypatch.setattr(steering.time, "sleep", lambda _: other.close())
        with Steering(rested).alone():
            pass


def test_a_change_that_cannot_be_written_is_told(rested: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gossamer.files.replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        Steering(rested).tell(paused=True)


def test_a_look_costs_nothing_until_something_was_said(tmp_path: Path) -> None:
    watch, told = OrdersWatch(tmp_path), Steering(tmp_path)
    assert watch.news() is None
    told.tell(paused=True)
    said = watch.news()
    assert said is not None
    assert said.paused
    assert watch.news() is None
    told.tell(stop="me")
    assert watch.news() == Orders(told.orders().mark, True, "me")
    assert told.clear()
    assert watch.news() == Orders()
    assert not told.clear()


def test_the_settings_that_change_at_once_open_nothing() -> None:
    from gossamer.collection.trust import OPENING

    assert not set(steering.SOON) & {*OPENING, "shards", "names", "contact"}
    assert set(steering.SOON) <= set(vars(Plan()))
