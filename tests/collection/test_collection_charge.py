"""Who is in charge of the shards hears them, stops them, and gives back what they held; without a process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gossamer.collection import trust
from gossamer.collection.crawl import page_reader
from gossamer.collection.crawl import session as sessions
from gossamer.collection.crawl import supervisor as crews
from gossamer.collection.crawl.running import stoppable
from gossamer.collection.crawl.shard import HELLO, IMPORTED, PROGRESS, QUIET, STOP, Hearing, Job, Telling
from gossamer.collection.crawl.supervisor import LOOK, STUCK, CrawlSupervisor, look_after
from gossamer.collection.derive.build import _together
from gossamer.collection.derive.shard_build import Built
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_source import Imported
from gossamer.collection.maintain.repair import Loss, Repaired
from gossamer.collection.progress import Progress
from gossamer.engine import SUPERVISOR, termination
from gossamer.errors import Damaged, GossamerError, StorageError, UsageError
from gossamer.frontier.answer.poison_pages import PoisonPages, Watch
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.model import Capture, Visit
from gossamer.plan import Plan
from gossamer.store.repair.verify import Gap
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock


class Spy:
    """Remembers what it was asked to do."""

    def __init__(self) -> None:
        self.did: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *told, **named: self.did.append((name, *told, *named.values()))


class FakeCrew(Spy):
    """In the place of processes."""

    def __init__(self, work: Any, count: int, reports: Any, **named: Any) -> None:
        super().__init__()
        self.count, self.named = count, named

    async def run(self) -> None:
        await asyncio.sleep(0)


@pytest.fixture
def supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CrawlSupervisor]:
    monkeypatch.setattr(crews, "Crew", FakeCrew)
    folder = Folder(tmp_path)
    folder.make_shards(2)
    made = CrawlSupervisor(Job(tmp_path, Plan(shards=2, ip_delay=7.0)), 99, told.append, lambda *one: told.append(one))
    told.clear()
    yield made
    asyncio.run(made.run(None))
    assert not folder.leases.exists()


told: list[Any] = []


def did(supervisor: CrawlSupervisor) -> list[tuple[Any, ...]]:
    return supervisor._crew.did  # type: ignore[attr-defined] # of the fake


def look(pages: int) -> Progress:
    return Progress(pages, 0, 0, 0, 0, 0, 1.0)


def test_all_tables_are_there_before_a_shard_begins(supervisor: CrawlSupervisor, tmp_path: Path) -> None:
    crew: Any = supervisor._crew
    assert (crew.count, crew.named["outfit"].keep) == (2, (99,))
    for index in range(2):
        assert (Folder(tmp_path).table(index) / "CURRENT").exists()
    assert Folder(tmp_path).leases.exists()


def test_what_shards_tell_is_added_up_and_told_on(supervisor: CrawlSupervisor) -> None:
    supervisor._heard(0, PROGRESS + msgspec.msgpack.encode(look(3)))
    supervisor._heard(1, PROGRESS + msgspec.msgpack.encode(look(4)))
    supervisor._heard(0, IMPORTED + msgspec.msgpack.encode(Imported(5)))
    assert [each.pages for each in told[:2]] == [3, 7]
    assert told[2] == (0, Imported(5))
    assert did(supervisor) == []


def test_a_shard_that_begins_while_all_stop_is_told_so(supervisor: CrawlSupervisor) -> None:
    supervisor._heard(0, HELLO)
    assert did(supervisor) == []
    supervisor._stop()
    supervisor._heard(1, HELLO)
    assert did(supervisor) == [("send_all", STOP), ("send", 1, STOP)]


def test_when_all_are_quiet_all_are_asked(supervisor: CrawlSupervisor) -> None:
    report = termination.Report(True, (0, 0), (0, 0))
    for index in range(2):
        supervisor._heard(index, QUIET + termination.encode(report))
    assert did(supervisor) == [("send_all", termination.encode(termination.Ask(1)))]
    supervisor._died(0, "was killed")
    assert did(supervisor)[1:] == [("send_all", termination.encode(termination.GoOn(1)))]


def test_what_a_dead_shard_held_is_free_and_a_failed_one_stops_all(
    supervisor: CrawlSupervisor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leases = IpLeases(Folder(tmp_path).leases, 1, delay=7.0)
    other = IpLeases(Folder(tmp_path).leases, 0, delay=7.0)
    assert leases.take("192.0.2.1", 10.0) == 0.0
    assert other.take("192.0.2.1", 10.0) > 0
    supervisor._died(1, "was killed by signal 9")
    assert "shard 1 was killed by signal 9; it is started again" in caplog.text
    assert 0 < other.take("192.0.2.1", 10.0) < 1e9
    assert leases.take("192.0.2.2", 10.0) == 0.0
    supervisor._failed(1, GossamerError("x"))
    assert did(supervisor) == [("send_all", STOP)]
    for each in (leases, other):
        each.close()


def test_a_charge_that_is_stopped_tells_its_shards(supervisor: CrawlSupervisor) -> None:
    async def main() -> None:
        stop = asyncio.Event()
        running = asyncio.ensure_future(supervisor._crew.run())
        watching = asyncio.ensure_future(supervisor._watch(stop))
        await asyncio.sleep(0)
        assert did(supervisor) == []
        stop.set()
        await watching
        running.cancel()

    asyncio.run(main())
    assert did(supervisor) == [("send_all", STOP)]


def test_a_charge_runs_until_all_have_ended_and_hears_that_it_is_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Long(FakeCrew):
        async def run(self) -> None:
            for _ in range(5):
                await asyncio.sleep(0)

    monkeypatch.setattr(crews, "Crew", Long)
    Folder(tmp_path).make_shards(2)
    for asked in (True, False, None):
        supervisor = CrawlSupervisor(Job(tmp_path, Plan(shards=2)), 99, told.append)

        async def main(supervisor: CrawlSupervisor = supervisor, asked: bool | None = asked) -> int:
            stop = asyncio.Event()
            if asked:
                stop.set()
            await supervisor.run(None if asked is None else stop)
            await asyncio.sleep(0)
            return len(asyncio.all_tasks())

        assert asyncio.run(main()) == 1  # nobody watches any more
        assert did(supervisor) == ([("send_all", STOP)] if asked else [])


def test_a_shard_that_hangs_in_a_page_is_ended(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert (LOOK, STUCK) == (5.0, 12)
    clock, crew = VirtualClock(), Spy()
    paths = [tmp_path / str(index) for index in range(2)]
    with Table.open(tmp_path / "table", ["meta"], writable=True) as table:
        poison_pages = [PoisonPages(path, table) for path in paths]
        watch = Watch(paths, STUCK)

        async def main() -> list[int]:
            watching = asyncio.ensure_future(look_after(crew, watch, 2))
            with poison_pages[1].reading("http://a.test/slow"):
                await asyncio.sleep(54)
                before = len(crew.did)
                await asyncio.sleep(12)
            watching.cancel()
            return [before, len(crew.did)]

        assert clock.run(main()) == [0, 1]
        assert crew.did == [("kill", 1)]
        assert "shard 1 hangs: it has been reading http://a.test/slow for 60 s" in caplog.text
        watch.close()
        for each in poison_pages:
            each.close()


# --------------------------------------------------------------------------- of a shard


class Seat(Spy):
    index, count = 1, 3


def test_a_shard_hears_other_shards_the_supervisor_and_that_it_is_alone() -> None:
    session, peers, link = Spy(), Spy(), Seat()
    session.frontier = type("Frontier", (), {"idle": True, "go_on": lambda self: session.did.append(("go_on",))})()  # type: ignore[attr-defined] # all that is asked of it

    async def main() -> bool:
        task = asyncio.ensure_future(asyncio.sleep(60))
        hearing = Hearing(session, peers, task)  # type: ignore[arg-type] # what they are asked for is enough
        hearing.begin(link)  # type: ignore[arg-type] # as above
        hearing.heard(2, b"message")
        hearing.heard(SUPERVISOR, STOP)
        hearing.heard(SUPERVISOR, termination.encode(termination.Ask(4)))
        hearing._orphaned()
        await asyncio.sleep(0)
        Hearing(session, peers, None)._orphaned()  # type: ignore[arg-type] # as above
        return task.cancelled()

    assert asyncio.run(main())
    assert [each[0] for each in link.did] == ["listen", "tell"]
    assert link.did[1] == ("tell", HELLO)
    assert peers.did == [("heard", 2, b"message"), ("order", termination.Ask(4), True)]
    assert session.did == [("stop",), ("go_on",)]


def test_words_about_quiet_are_marked() -> None:
    link = Seat()
    telling = Telling(link)  # type: ignore[arg-type] # as above
    telling.tell(b"word")
    telling.send(2, b"message")
    telling.well()
    assert (telling.index, telling.count) == (1, 3)
    assert link.did == [("tell", QUIET + b"word"), ("send", 2, b"message"), ("well",)]


# ---------------------------------------------------------------------------- a session


def test_work_stops_when_it_is_asked_to_and_nobody_watches_any_more() -> None:
    session = Spy()

    async def main(ask: bool) -> int:
        stop = asyncio.Event()

        async def work() -> None:
            if ask:
                stop.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        await stoppable(work(), session.stop, stop)
        await stoppable(work(), session.stop, None)
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(main(False)) == 1
    assert session.did == []
    assert asyncio.run(main(True)) == 1
    assert session.did == [("stop",)]


def test_one_at_a_time_holds_a_folder(tmp_path: Path) -> None:
    import fcntl

    before = len(os.listdir("/proc/self/fd"))
    with page_reader._alone_in(tmp_path):
        handle = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_mistake_costs_a_page_and_a_lack_of_the_machine_ends_the_crawl() -> None:
    one = Capture(Visit("http://a.test/"), 1.0, 0.0, 200)
    page = page_reader.mistaken(one, ValueError("odd"))
    assert (page.unread, page.problem) == ("mistake", "not read, which is a mistake of ours: ValueError('odd')")
    with pytest.raises(GossamerError):
        page_reader.mistaken(one, OSError(24, "Too many open files"))


def test_the_first_error_of_a_group_is_raised() -> None:
    inner = Damaged("first")
    group = ExceptionGroup("many", [ExceptionGroup("more", [inner, Damaged("second")]), Damaged("third")])
    assert sessions._first(group) is inner


# ------------------------------------------------------------------------------- others


def test_what_the_shards_of_a_build_did_adds_up() -> None:
    one, other = Built(1, 2, 3, 4, 5.0, ("a",), 6), Built(10, 20, 30, 40, 50.0, ("b",), 60)
    assert _together([one, other], 9.0) == Built(11, 22, 33, 44, 9.0, ("a", "b"), 66)
    assert Built() == Built(0, 0, 0, 0, 0.0, (), 0)


def test_what_was_repaired_adds_up_and_is_told() -> None:
    loss, gap = Loss("http://a.test/", 5.0, True), Gap("f", 1, 2)
    one = Repaired(("p",), (gap,), (loss,), 1, (Path("x"),), ("l",))
    both = one + Repaired(("q",), (), (), 2, (Path("y"),), ("m",))
    assert both == Repaired(("p", "q"), (gap,), (loss,), 3, (Path("x"), Path("y")), ("l", "m"))
    assert both.as_json() == {
        "problems": ["p", "q"],
        "lost_bytes": [{"file": "f", "start": 1, "end": 2}],
        "lost": [{"url": "http://a.test/", "fetched": 5.0, "queued": True}],
        "adopted": 3,
        "aside": ["x", "y"],
        "left": ["l", "m"],
        "gone": [],
    }
    assert Repaired().adopted == 0


def collection(path: Path) -> Folder:
    (path / "shards" / "00" / "table").mkdir(parents=True)
    return Folder(path)


OPENED = Plan(proxy="http://10.0.0.1:3128", allow_addresses=("10.0.0.0/8",))


def test_what_opens_the_network_is_believed_of_ones_own_collections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = collection(tmp_path / "web")
    assert trust.unconfirmed(folder, Plan(), {}) == {}
    assert trust.unconfirmed(folder, OPENED, {}) == {
        "allow_addresses": '["10.0.0.0/8"]',
        "proxy": '"http://10.0.0.1:3128"',
    }
    assert list(trust.unconfirmed(folder, OPENED, {"proxy"})) == ["allow_addresses"]
    assert trust.unconfirmed(Folder(tmp_path / "new"), OPENED, {}) == {}
    with pytest.raises(UsageError, match=r"allow_addresses = .*, proxy = .*--trust-plan once"):
        trust.require(folder, OPENED, {}, trusted=False)
    trust.require(folder, OPENED, {}, trusted=True)
    trust.require(folder, Plan(), {}, trusted=False)
    trust.remember(folder)
    name = (folder.path / "id").read_bytes()
    assert (folder.path / "id").stat().st_mode & 0o777 == 0o600
    assert len(name) == 33
    known = tmp_path / "state" / "gossamer" / "collections"
    assert known.read_bytes() == name
    assert (known.stat().st_mode & 0o777, known.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    trust.require(folder, OPENED, {}, trusted=False)
    trust.remember(folder)
    assert (known.read_bytes(), (folder.path / "id").read_bytes()) == (name, name)
    (folder.path / "id").write_bytes(b"no name")
    assert trust.unconfirmed(folder, OPENED, {})
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert trust._file("collections") == tmp_path / "home" / ".local" / "state" / "gossamer" / "collections"


def test_where_nothing_can_be_remembered_a_word_is_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    folder = collection(tmp_path / "web")
    trust.require(folder, OPENED, {}, trusted=False)
    assert "was made by somebody else" in caplog.text

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(trust.files, "replace", full)
    with pytest.raises(StorageError, match="disk is full"):
        trust.remember(folder)
