"""The parts of one crawl, put together: what each is given, and what becomes of mistakes, stops and shortages."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import pytest
from small_shard import BEGAN, answer, read, said

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import page_reader, shard_identity, start
from gossamer.collection.crawl.gauge import UNKNOWN, Hold
from gossamer.collection.crawl.large_pages import HERE, LINKS_HERE
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.recover import PassedOver
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.running import garbage_at_ease, stoppable
from gossamer.collection.crawl.session import Session
from gossamer.collection.crawl.stages import fold_copy
from gossamer.collection.crawl.wiring import ShardPlan, info_of, prefix_of, preload
from gossamer.collection.derive.underived import Underived
from gossamer.collection.progress import Progress, last_look
from gossamer.errors import Damaged, StorageError, UsageError
from gossamer.fetch import Fetcher
from gossamer.frontier import Frontier
from gossamer.frontier.queue.backlog import Stretch
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Capture, Page, Visit
from gossamer.plan import Plan
from gossamer.store.disk import Room
from gossamer.store.table.table import Table
from gossamer.store.warc.replay import Replayed

A, B = "http://a.test/", "http://b.test/"


class Clock:
    """It stands until somebody sets it."""

    def __init__(self) -> None:
        self.now = 100.0

    def wall(self) -> float:
        return BEGAN + self.now

    def steady(self) -> float:
        return self.now


async def never(visit: Visit) -> Capture:
    raise AssertionError(visit)


@contextmanager
def session(folder: Path, plan: Plan | None = None, clock: Clock | None = None) -> Iterator[Any]:
    """One that fetches nothing. Its parts may be replaced."""
    folder.mkdir(exist_ok=True)
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        outside = Outside(clock or Clock(), never, room=lambda _: Room(1 << 40, 1 << 40))
        made = Session(folder, plan or Plan(seeds=(A,), build=False), table, outside)
        parts = (made.frontier, made.archive, made._derived, made._network, made._reader)
        try:
            yield made
        finally:
            for part in parts:
                part.close()


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Any]:
    with session(tmp_path) as made:
        yield made


def raising(error: BaseException) -> Callable[..., Any]:
    def broken(*_: object, **__: object) -> None:
        raise error

    return broken


# ----------------------------------------------------------------------- names and loads


def test_files_are_named_after_their_shard_unless_it_is_alone() -> None:
    assert (prefix_of(None), prefix_of(0), prefix_of(12)) == ("gossamer", "gossamer-00", "gossamer-12")


def test_files_say_who_made_them() -> None:
    assert info_of(Plan()).operator is None
    info = info_of(Plan(contact="me@example.org"))
    assert info.operator == "me@example.org"
    assert info.software.startswith("Gossamer/")
    assert info.agent == Plan(contact="me@example.org").as_identity().agent


def test_a_crawl_that_only_collects_loads_and_makes_nothing_else(tmp_path: Path) -> None:
    assert preload(Plan(build=False)) == ("gossamer.collection.crawl.shard",)
    assert set(preload(Plan())) > {"gossamer.collection.crawl.shard", "gossamer.collection.derive.derived"}
    with session(tmp_path / "bare", Plan(build=False)) as made:
        assert isinstance(made._derived, Underived)
    with session(tmp_path / "whole", Plan()) as made:
        assert not isinstance(made._derived, Underived)


def test_cycles_are_collected_seldom_while_a_crawl_runs_and_as_before_after_it() -> None:
    before = gc.get_threshold()
    with suppress(ValueError), garbage_at_ease():
        assert gc.get_threshold() == (20_000, 50, 1_000)
        raise ValueError("broken")
    assert gc.get_threshold() == before


def test_a_crawl_does_not_pass_over_what_its_program_has_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """To count it takes hundredths of a second, and some thousand crawls of a program pay for that."""
    for name in ("freeze", "unfreeze", "get_freeze_count", "collect"):
        monkeypatch.delattr(gc, name)
    with garbage_at_ease():
        pass


def test_one_process_at_a_time_is_alone_in_a_folder(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        with page_reader._alone_in(tmp_path), pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(handle)


# ----------------------------------------------------------------------- how it ends


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (UsageError("odd"), UsageError),
        (OSError(errno.ENOSPC, "full"), StorageError),
        (OSError(errno.EXDEV, "elsewhere"), OSError),
        (ValueError("odd"), ExceptionGroup),
    ],
)
def test_a_crawl_ends_with_the_error_that_ended_it(error: Exception, seen: type[Exception], crawl: Any) -> None:
    async def broken(*_: object) -> None:
        raise ExceptionGroup("outer", [ExceptionGroup("inner", [error])])

    crawl._crawl = broken
    with pytest.raises(seen) as caught:
        asyncio.run(crawl.run((), lambda _: None))
    assert caught.type is seen or issubclass(caught.type, seen)
    if seen is OSError:
        assert caught.value is error


class Noted:
    """The parts that are settled and closed at the end."""

    def __init__(self, crawl: Any, broken: bool = False, stopping: bool = False) -> None:
        self.calls: list[str] = []
        for name in ("frontier", "archive", "_derived", "_network", "_reader", "_import_source"):
            setattr(crawl, name, SimpleNamespace(close=self.noting(f"close {name.strip('_')}")))
        crawl.frontier.settle = self.noting("settle")
        crawl.frontier.is_stopping = stopping
        crawl._derived.finish = self.noting("finish")
        crawl._commits = SimpleNamespace(now=self.noting("commit"), broken=broken)

    def noting(self, name: str) -> Callable[..., None]:
        return lambda **how: self.calls.append(" ".join([name, *(each for each in how if how[each])]))

    @property
    def closed(self) -> set[str]:
        return {call.removeprefix("close ") for call in self.calls if call.startswith("close ")}


ALL = {"frontier", "archive", "derived", "network", "reader", "import_source"}


@pytest.mark.parametrize(
    ("error", "stopping", "committed"),
    [
        (None, False, ["settle", "commit", "finish"]),
        (None, True, ["settle", "commit", "finish hurried"]),  # whoever stops it waits for the end
        (asyncio.CancelledError(), False, ["settle", "commit", "finish hurried"]),
        (KeyboardInterrupt(), True, []),
    ],
)
def test_what_ends_or_is_stopped_is_committed_and_what_breaks_is_not(
    error: BaseException | None, stopping: bool, committed: list[str], tmp_path: Path
) -> None:
    with session(tmp_path) as crawl:
        noted = Noted(crawl, stopping=stopping)
        with nullcontext() if error is None else pytest.raises(type(error)), crawl._closing():
            if error is not None:
                raise error
    assert [call for call in noted.calls if "close" not in call] == committed
    assert noted.closed == ALL


def test_nothing_is_made_of_pages_whose_commit_broke(tmp_path: Path) -> None:
    with session(tmp_path) as crawl:
        noted = Noted(crawl, broken=True)
        crawl._finish(hurried=False)
    assert noted.calls == ["settle", "commit"]


def test_the_seconds_of_all_runs_are_added_up(tmp_path: Path) -> None:
    clock = Clock()
    with session(tmp_path, clock=clock) as crawl:
        crawl._gauge._seconds_before = 40.0
        clock.now += 2.5
        crawl._gauge.account()
        assert crawl.frontier.ledger.counts.seconds == 42.5
        assert crawl.progress().seconds == 2.5
        crawl._import_source = SimpleNamespace(look=lambda seconds: seconds, close=lambda: None)
        assert crawl.imported() == 2.5


def stopped(work: Callable[[asyncio.Event], Any], *, stop: bool = True) -> list[str]:
    """Run some work that can be stopped; what the session was told."""
    told: list[str] = []

    async def live() -> None:
        event = asyncio.Event()
        await stoppable(work(event), lambda: told.append("stop"), event if stop else None)
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1  # nobody waits any more

    asyncio.run(live())
    return told


def test_a_session_is_stopped_when_somebody_says_so_and_not_before() -> None:
    async def asked(event: asyncio.Event) -> None:
        event.set()
        for _ in range(3):
            await asyncio.sleep(0)

    async def quiet(event: asyncio.Event) -> None:
        await asyncio.sleep(0)

    assert stopped(asked) == ["stop"]
    assert stopped(quiet) == []
    assert stopped(quiet, stop=False) == []


@pytest.mark.parametrize(
    ("task", "raised"),
    [
        (None, KeyboardInterrupt),
        (SimpleNamespace(cancelling=lambda: 0), KeyboardInterrupt),
        (SimpleNamespace(cancelling=lambda: 1), asyncio.CancelledError),
    ],
    ids=["no task", "running", "cancelled for it already"],
)
def test_an_interrupt_is_raised_once(
    task: object, raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "current_task", lambda: task)
        with pytest.raises(raised):
            stoppable(interrupted(), lambda: None, None).send(None)


# ----------------------------------------------------------------------- what it asks for


class Asked:
    """A frontier that notes what it is asked for."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.retried: list[list[str]] = []
        self.revisits = 0
        self.ledger = SimpleNamespace(counts=None)

    def add(self, found: Iterator[Any]) -> None:
        self.added.extend(each.url for each in found)

    def requeue(self, which: partial[Any]) -> None:
        self.retried.append(list(which.keywords["urls"]))

    def revisit(self, *, full: bool = False) -> None:
        self.revisits += 1

    def close(self) -> None: ...


def asking(crawl: Any, asked: Asked, **parts: Any) -> start.Start:
    return replace(crawl._start(), frontier=cast(Frontier, asked), **parts)


def test_each_request_is_done_once_and_seeds_are_added_each_time(tmp_path: Path) -> None:
    with session(tmp_path, Plan(seeds=(A, B), build=False)) as crawl:
        requests = [CrawlRequest("1", (A,)), CrawlRequest("2", (), revisit=True)]
        for done in (([[A], []], 1), ([], 0)):
            asked = Asked()
            asking(crawl, asked)._ask_for(requests, seeds=True)
            assert asked.added == [A, B]
            assert (asked.retried, asked.revisits) == done
        asking(crawl, asked)._ask_for([*requests, CrawlRequest("3", (B,))], seeds=False)
        assert (asked.added, asked.retried) == ([A, B], [[B]])  # an import asks for no seeds


def test_only_what_belongs_to_a_shard_is_asked_for_there(crawl: Any) -> None:
    assert crawl._mine.owns(A)
    peers = cast(Peers, SimpleNamespace(owner=lambda url: int(url == B), me=0))
    mine, asked = ShardPlan(Plan(seeds=(A, B)), peers), Asked()
    assert mine.owns(A)
    assert not mine.owns(B)
    asking(crawl, asked, mine=mine)._ask_for([CrawlRequest("1", (A, B))], seeds=True)
    assert (asked.added, asked.retried) == ([A], [[A]])


def test_addresses_are_judged_again_when_the_scope_has_changed(crawl: Any) -> None:
    begun = crawl._start()
    assert not begun._scope_changed()
    assert not begun._scope_changed()
    begun = replace(begun, mine=ShardPlan(crawl.plan.changed(depth=3)))
    assert begun._scope_changed()
    assert not begun._scope_changed()


def test_a_name_has_at_most_four_addresses_and_is_looked_up_again_within_an_hour(crawl: Any) -> None:
    addresses, asked = tuple("abcdef"), []

    def resolving(expires: float) -> Any:
        async def resolve(host: str) -> Any:
            asked.append(host)
            return SimpleNamespace(addresses=addresses, expires=expires)

        return SimpleNamespace(resolve=resolve, close=lambda: None)

    crawl._network._resolver = resolving(100.0 + 60.0)
    assert asyncio.run(crawl._network.addresses("[::1]")) == (tuple("abcd"), 60.0)
    crawl._network._resolver = resolving(inf)
    assert asyncio.run(crawl._network.addresses("a.test")) == (tuple("abcd"), 3_600.0)
    assert asked == ["::1", "a.test"]

    async def lacking(host: str) -> Any:
        raise StorageError("too many open files")

    crawl._network._resolver = SimpleNamespace(resolve=lacking, close=lambda: None)
    assert asyncio.run(crawl._network.addresses("a.test")) == ((), 0.0)


# ----------------------------------------------------------------------- mistakes


def test_a_mistake_with_one_page_is_told_and_what_the_machine_lacks_is_raised() -> None:
    capture = answer(A, "words")
    page = page_reader.mistaken(capture, ValueError("odd"))
    assert (page.url, page.unread) == (A, "mistake")
    assert "odd" in page.problem
    with pytest.raises(StorageError):
        page_reader.mistaken(capture, OSError(errno.EMFILE, "too many"))


def test_a_mistake_about_copies_costs_only_the_mark(crawl: Any) -> None:
    page = Page(A)
    crawl._keeper._copies = SimpleNamespace(mark=raising(ValueError("odd")))
    assert crawl._keeper.mark(page) is page
    crawl._keeper._copies = SimpleNamespace(mark=raising(OSError("disk")))
    with pytest.raises(OSError, match="disk"):
        crawl._keeper.mark(page)
    crawl._keeper._copies = SimpleNamespace(mark=lambda page: Page(page.url, copy_of=B))
    assert crawl._keeper.mark(page).copy_of == B


class Store:
    """An archive that cannot store everything."""

    def __init__(self, crawl: Any, *errors: Exception | None) -> None:
        self.errors, self.noted = list(errors), []
        self.passed = SimpleNamespace(note=lambda *given: self.noted.append(given))
        crawl._keeper._archive = self

    def append(self, capture: Capture, page: Page) -> str:
        error = self.errors.pop(0)
        if error is not None:
            raise error
        return "version"

    def close(self) -> None: ...


def test_a_page_that_cannot_be_stored_is_stored_unread_or_noted(crawl: Any) -> None:
    capture = answer(A, said("fish"))
    page = read(capture)
    Store(crawl, None)
    assert crawl._keeper._append(capture, page) == (page, "version")
    store = Store(crawl, ValueError("odd"), None)
    unread, new = crawl._keeper._append(capture, page)
    assert (unread.unread, new, store.noted) == ("mistake", "version", [])
    store = Store(crawl, ValueError("odd"), ValueError("odder"))
    unread, new = crawl._keeper._append(capture, page)
    assert (unread.unread, new) == ("mistake", None)
    ((url, began, reason),) = store.noted
    assert (url, began) == (A, BEGAN)
    assert "odder" in reason


@pytest.mark.parametrize("errors", [[OSError("disk")], [ValueError("odd"), OSError("disk")]])
def test_a_disk_that_fails_is_no_fault_of_a_page(errors: list[Exception], crawl: Any) -> None:
    capture = answer(A, said("fish"))
    store = Store(crawl, *errors)
    with pytest.raises(OSError, match="disk"):
        crawl._keeper._append(capture, read(capture))
    assert store.noted == []


def test_a_capture_that_cannot_be_taken_in_again_is_noted_and_damage_is_not_hidden(crawl: Any) -> None:
    record = SimpleNamespace(place=SimpleNamespace(file="f", offset=1), url=A, began=BEGAN)
    for error in (Damaged("damaged"), OSError("disk"), MemoryError()):
        with pytest.raises(type(error)):
            crawl._replay()._take_safely(cast(Replayed, SimpleNamespace(response=record, capture=raising(error))))
    assert list(crawl.archive.passed.all()) == []
    crawl._replay()._take_safely(cast(Replayed, SimpleNamespace(response=record, capture=raising(ValueError("odd")))))
    ((url, reason),) = crawl.archive.passed.all()
    assert (url, "odd" in reason) == (A, True)


def test_a_page_that_killed_its_reader_again_and_again_is_not_read(crawl: Any) -> None:
    capture = answer(A, "<title>One</title>")
    crawl._reader.poison_pages = SimpleNamespace(quarantined=lambda url: url == A, close=lambda: None)
    page = crawl._reader.begin(capture)
    assert page.unread
    assert "died each time" in page.problem


def test_a_mistake_while_a_page_is_read_is_told(crawl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = answer(A, "<title>One</title>")
    assert crawl._reader.now(capture).title == "One"
    monkeypatch.setattr(page_reader.convert, "begin", raising(ValueError("odd")))
    assert "odd" in crawl._reader.now(capture).problem
    monkeypatch.setattr(page_reader.convert, "finish", raising(ValueError("odder")))
    assert "odder" in crawl._reader._finished(capture, None, Page(A)).problem


def test_a_mistake_with_a_page_that_is_read_again_is_made_once(crawl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = answer(A, said("fish"))
    crawl.archive.unread.note(A, BEGAN, page_reader.convert.unread(capture, "before"))
    crawl._table.commit()

    def taking(error: Exception) -> Callable[..., Iterator[str]]:
        def take_up(*_: object) -> Iterator[str]:
            yield A
            crawl._table.put("meta", b"half", b"done")
            raise error

        return take_up

    monkeypatch.setattr(start, "take_up", taking(OSError("disk")))
    with pytest.raises(OSError, match="disk"):
        crawl._start()._read_again()
    monkeypatch.setattr(start, "take_up", taking(ValueError("odd")))
    with pytest.raises(PassedOver):
        crawl._start()._read_again()
    crawl._table.drop_changes()
    assert crawl._table.get("meta", b"half") is None
    ((url, note),) = crawl.archive.unread.all()
    assert (url, note.hopeless, "odd" in note.problem) == (A, True, True)


# ----------------------------------------------------------------------- pages that are kept


def test_what_is_new_is_handed_to_what_is_made_of_it(crawl: Any) -> None:
    capture, kept, imported = answer(A, "words"), [], []
    crawl._keeper._derived = SimpleNamespace(keep=lambda *pair: kept.append(pair))
    crawl._keeper._stored = imported.append
    crawl._keeper.kept(capture, Page(A), None)
    assert (kept, imported) == ([], [capture])
    crawl._keeper.kept(capture, Page(A), "version")
    assert (kept, imported) == ([(capture, Page(A), "version")], [capture] * 2)


def test_a_copy_that_another_shard_knows_of_is_folded_if_the_page_is_still_that() -> None:
    folded: list[tuple[str, str]] = []
    derived: Any = SimpleNamespace(fold=lambda *pair: folded.append(pair))
    for marked in (False, True):
        archive: Any = SimpleNamespace(mark_copy=lambda url, digest, of, marked=marked: marked)
        assert fold_copy(archive, derived, A, "digest", B) is marked
        assert bool(folded) is marked
    assert folded == [(A, B)]


def test_large_pages_take_turns_and_those_of_an_import_do_not(crawl: Any) -> None:
    stages = crawl._stages
    small, large = answer(A, "x" * HERE), answer(A, "x" * (HERE + 1))
    assert (stages._is_large(small), stages._is_large(large)) == (False, True)
    entered: list[str] = []

    async def enter(host: str) -> None:
        entered.append(host)

    stages._lane = SimpleNamespace(enter=enter)
    asyncio.run(stages._turn(small))
    asyncio.run(stages._turn(large))
    assert entered == ["a.test"]
    stages._take_turns = False
    assert not stages._is_large(large)


@pytest.mark.parametrize("size", [10, HERE + 1])
def test_a_page_that_was_kept_frees_its_memory_and_its_place(size: int, crawl: Any) -> None:
    clock, stages, said_, calls = crawl._clock, crawl._stages, "x" * size, []
    store = Store(crawl, None)
    crawl._keeper.kept = lambda *_: setattr(clock, "now", clock.now + 2.0)
    stages._held = SimpleNamespace(free=lambda visit: calls.append(("free", visit.url)))
    stages._lane = SimpleNamespace(
        leave=lambda host, seconds: calls.append((host, seconds)), served=lambda: calls.append(("served",))
    )
    stages.keep(answer(A, said_), Page(A))
    assert calls == [("free", A), ("a.test", 2.0) if size > HERE else ("served",)]
    assert store.errors == []


# ----------------------------------------------------------------------- how it goes


class Going:
    """A frontier at some moment."""

    def __init__(self, **now: Any) -> None:
        names = ("queued", "besides", "done", "failed", "excluded", "pages", "bytes")
        counts = dict.fromkeys(names, 0) | {"seconds": 0.0}
        counts |= {name: now.pop(name) for name in counts if name in now}
        self.ledger = SimpleNamespace(counts=SimpleNamespace(**counts, kept=counts["pages"]))
        known: dict[str, Any] = {"out": 0, "hosts_waiting": 0, "network_gone": False, "longest": None, "waking": inf}
        self.__dict__.update(known | {"next_revisit": None, "has_turns": False} | now)

    def sift(self) -> None:
        self.ledger.counts.queued += 1  # what was found a moment ago

    def next_waking(self) -> float:
        return cast(float, self.waking)

    def close(self) -> None: ...


def looked(crawl: Any, **now: Any) -> Progress:
    crawl._gauge._frontier = Going(**now)
    return cast(Progress, crawl.progress())


def test_progress_tells_all_that_is_counted(crawl: Any) -> None:
    seen = looked(crawl, queued=4, pages=3, failed=2, bytes=9, out=6, hosts_waiting=7)
    assert (seen.queued, seen.pages, seen.failed, seen.bytes, seen.out, seen.waiting) == (5, 3, 2, 9, 6, 7)
    assert (seen.limit, seen.idle_seconds, seen.network_gone, seen.disk_free, seen.disk_wanted) == (0, 0.0, False, 0, 0)


def test_a_crawl_is_idle_if_nothing_is_out_nobody_has_a_turn_and_something_will_wake(crawl: Any) -> None:
    idle = looked(crawl, queued=4, waking=30.0, hosts_waiting=3)
    assert (idle.idle_seconds, idle.left) == (30.0, 30.0)
    assert idle.next_time == pytest.approx(crawl._clock.wall() + 30)
    assert "may be tried again" in idle.basis
    assert idle.waits
    assert not looked(crawl, queued=4, waking=crawl.plan.patience + 1).waits, "then it ends"
    for busy in ({"out": 1}, {"has_turns": True}, {"waking": inf}):
        seen = looked(crawl, **({"queued": 4, "waking": 30.0} | busy))
        assert (seen.idle_seconds, seen.basis) == (0.0, UNKNOWN.basis)


def test_where_the_network_is_gone_nothing_is_estimated(crawl: Any) -> None:
    seen = looked(crawl, queued=4, waking=30.0, network_gone=True)
    assert (seen.network_gone, seen.left, seen.basis) == (True, None, "")


def test_the_estimate_is_of_what_is_wanted_and_of_what_gets_done(crawl: Any) -> None:
    longest = Stretch("a.test", 50, 1.0)
    assert looked(crawl, queued=99, out=1, longest=longest).left == 50.0
    crawl._gauge.plan = crawl.plan.changed(pages=30)
    seen = looked(crawl, queued=99, pages=10, out=1, longest=longest)
    assert (seen.left, seen.limit) == (20.0, 30)
    assert looked(crawl, queued=4, pages=10, out=1, longest=longest).left == 5.0
    crawl._gauge._rate.note(0.0, 0)
    crawl._clock.now += 10.0
    seen = looked(crawl, queued=9, done=6, failed=4, out=1)
    assert (seen.left, seen.basis) == (10.0, "10 queued at 1 pages/s")


def test_a_disk_that_is_nearly_full_is_told_and_holds_the_crawl(crawl: Any) -> None:
    held: list[bool] = []
    short = SimpleNamespace(free=5, wanted=9)
    disk = crawl._gauge._disk = SimpleNamespace(check=lambda: None, shortage=short)
    crawl.frontier = crawl._gauge._frontier = going = Going()
    going.hold = lambda is_held, *, paused: held.append(is_held)  # type: ignore[attr-defined]  # a fake
    hold = Hold(going, crawl._gauge, disk, None)  # type: ignore[arg-type]  # fakes
    hold.watch_disk()
    seen = crawl.progress()
    disk.shortage = None
    hold.watch_disk()
    assert held == [True, False]
    assert (seen.disk_free, seen.disk_wanted) == (5, 9)


def test_a_shard_is_well_when_it_has_come_further(crawl: Any) -> None:
    well: list[None] = []
    crawl.follow(lambda: well.append(None))
    crawl._order._report_progress()
    assert len(well) == 0
    for number, name in enumerate(("queued", "done", "failed", "excluded", "bytes"), 1):
        setattr(crawl.frontier.ledger.counts, name, 1)
        crawl._order._report_progress()
        crawl._order._report_progress()
        assert len(well) == number
        assert len(crawl._gauge._sums()) == 5
    crawl._order.well = None
    crawl.frontier.ledger.counts.queued = 2
    crawl._order._report_progress()
    assert len(well) == 5


@pytest.mark.parametrize(
    ("peers", "out", "called"),
    [(None, 0, "when due"), (False, 0, "when due"), (True, 1, "when due"), (True, 0, "soon")],
)
def test_a_shard_that_others_wait_for_commits_sooner(peers: bool | None, out: int, called: str, crawl: Any) -> None:
    calls: list[str] = []
    crawl._order.peers = None if peers is None else SimpleNamespace(waiting=peers)
    crawl._order.frontier = Going(out=out)
    crawl._order.commits = SimpleNamespace(soon=lambda: calls.append("soon"), when_due=lambda: calls.append("when due"))
    crawl._order.when_due()
    assert calls == [called]


def test_a_session_that_is_stopped_stops_all_that_begins_anything(crawl: Any) -> None:
    calls: list[str] = []
    crawl._stages._lane = SimpleNamespace(hurry=lambda: calls.append("lane"))
    crawl._import_source = SimpleNamespace(stop=lambda: calls.append("import_source"), close=lambda: None)
    crawl.frontier = SimpleNamespace(stop=lambda: calls.append("frontier"), close=lambda: None)
    crawl.stop()
    assert sorted(calls) == ["frontier", "import_source", "lane"]


@pytest.mark.parametrize("case", ["read", "never fetched", "damaged"])
def test_a_list_that_is_read_on_is_handed_over_or_said_to_be_gone(case: str, crawl: Any) -> None:
    told: list[Page | None] = []
    gone_on: list[None] = []
    capture = answer(A, "<title>One</title>")
    crawl._lists._archive = SimpleNamespace(
        versions=SimpleNamespace(current=lambda url: None if case == "never fetched" else object()),
        capture=raising(Damaged("damaged")) if case == "damaged" else lambda url, version: capture,
    )
    crawl._lists._frontier = SimpleNamespace(go_on=lambda: gone_on.append(None))
    asyncio.run(crawl._lists._read_on(A, told.append))
    assert len(gone_on) == 1
    (page,) = told
    assert (page.title if page else None) == ("One" if case == "read" else None)


# ----------------------------------------------------------------------- beside others


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Any]:
    """Shard 1 of 2, whose other one is a fake."""
    others = MagicMock(me=1, waiting=False)
    others.owner.side_effect = lambda url: int(url != B)
    others.ours.side_effect = lambda found, recent: iter(found)
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        outside = Outside(Clock(), never, room=lambda _: Room(1 << 40, 1 << 40))
        plan = Plan(seeds=(A, B), shards=2, build=False)
        made: Any = Session(tmp_path, plan, table, outside, others)
        parts = (made.frontier, made.archive, made._derived, made._network, made._reader)
        yield made
        for part in parts:
            part.close()


def test_every_commit_has_what_is_posted_and_how_it_goes(beside: Any) -> None:
    assert last_look(beside._table) is None
    beside._peers.attach.assert_called_once_with(beside.frontier)
    beside._commits.now()
    assert beside._peers.prepare.call_count == beside._peers.committed.call_count == 1
    look = last_look(beside._table)
    assert look is not None
    assert look.limit == 0
    beside.frontier.ledger.counts.bytes += 1
    beside._commits.now()
    beside._peers.well.assert_called_once_with()


def test_a_shard_begins_with_its_own_seeds_and_greets_the_others(beside: Any) -> None:
    beside.frontier.ledger.counts.pages = 3
    beside._start().begin((), fetches=True)
    beside._peers.leases.begin.assert_called_once_with(1, 3)
    beside._peers.greet.assert_called_once_with()
    beside.frontier.sift()
    assert [url for url, _ in beside.frontier.ledger.all()] == [A]
    assert shard_identity.of(beside._table).shard == 1
    assert not beside.archive.texts.is_open
    names = [path.name for path in beside.archive.folder.iterdir()]
    assert all(name.startswith("gossamer-01") for name in names)


def test_a_shard_whose_table_is_made_again_is_still_the_same_one(beside: Any) -> None:
    beside._replay()._begin({})
    assert shard_identity.of(beside._table).shard == 1
    assert [url for url, _ in beside.frontier.ledger.all()] == [A]
    assert beside._table.pending == 0


def test_pages_are_really_fetched_unless_somebody_stands_in_for_the_network(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        made = Session(tmp_path, Plan(build=False, allow_addresses=("127.0.0.0/8",)), table, Outside(Clock()))
        assert isinstance(made._fetch, Fetcher)
        asyncio.run(made._network.hang_up())
        with suppress(KeyboardInterrupt), made._closing():
            raise KeyboardInterrupt


@pytest.mark.parametrize("build", [True, False])
def test_texts_are_kept_unless_a_crawl_only_collects(build: bool, tmp_path: Path) -> None:
    with session(tmp_path, Plan(seeds=(A,), build=build)) as crawl:
        crawl._start().begin((), fetches=True)
        assert crawl.archive.texts.is_open is build
        assert shard_identity.of(crawl._table).shard == 0


def test_an_unfinished_table_is_not_crawled(crawl: Any) -> None:
    shard_identity.set_unfinished(crawl._table, True)
    with pytest.raises(Damaged, match="was being repaired"):
        crawl._start().begin((), fetches=True)


# ----------------------------------------------------------------------- where pages are read


class Apart:
    """A process that reads what it is given, after it has noted it."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    async def soon(self, source: object) -> Page:
        self.calls.append(self.name)
        return Page(A, title=f"read in {self.name}")

    def close(self) -> None: ...


def converted(crawl: Any, capture: Capture) -> tuple[str, list[str]]:
    """The title, and what happened in which order."""
    calls: list[str] = []

    async def enter(host: str) -> None:
        calls.append(f"turn of {host}")

    crawl._reader._pages, crawl._reader._apart = Apart("pages", calls), Apart("apart", calls)
    crawl._stages._lane = SimpleNamespace(enter=enter)
    return asyncio.run(crawl._stages.convert(capture)).title, calls


def test_a_small_page_is_read_here_and_a_large_one_apart_when_it_is_its_turn(crawl: Any) -> None:
    small, large = "<title>One</title>words", "<title>One</title>" + "<p>words" * HERE
    assert converted(crawl, answer(A, small)) == ("One", [])
    assert converted(crawl, answer(A, large)) == ("read in pages", ["turn of a.test", "pages"])


def test_one_whose_main_content_is_not_looked_for_may_be_larger_and_its_reading_counts(crawl: Any) -> None:
    crawl._reader._blocks = None
    capture = answer(A, "<title>One</title>" + "<p>words" * (HERE * 7 // 8))
    assert HERE < len(capture.body) <= LINKS_HERE
    assert converted(crawl, capture) == ("One", ["turn of a.test"])
    left: list[float] = []
    crawl._stages._lane = SimpleNamespace(leave=lambda host, seconds: left.append(seconds))
    crawl._stages._read_for = 7.0
    for _ in range(2):
        crawl._stages.keep(capture, Page(A))
    assert left[0] >= 7.0 > left[1]
    larger = answer(A, "<title>One</title>" + "<p>words" * HERE)
    assert converted(crawl, larger) == ("read in pages", ["turn of a.test", "pages"])


def test_a_file_is_read_apart_and_then_waits_for_its_turn(crawl: Any) -> None:
    def file(body: str) -> Capture:
        return replace(answer(A, "%PDF-1.4\n" + body), headers=(("content-type", "application/pdf"),))

    assert converted(crawl, file("small")) == ("read in apart", ["apart"])
    assert converted(crawl, file("x" * HERE)) == ("read in apart", ["apart", "turn of a.test"])
