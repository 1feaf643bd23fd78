"""A shard in its process: what it tells, what it hears, and how it goes on after a capture that was passed over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, ClassVar, cast

import msgspec
import pytest

from gossamer.collection.crawl import requests, shard
from gossamer.collection.crawl.recover import PassedOver
from gossamer.collection.crawl.session import Session
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_files import ImportFile
from gossamer.collection.imports.import_source import Imported
from gossamer.collection.progress import Progress
from gossamer.engine import SUPERVISOR, termination
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.shards.peers import Peers
from gossamer.plan import Plan

LOOK = Progress(3, 1, 4, 1, 5, 9, 2.6)
BROUGHT = Imported(files=1, of=2, captures=7)
PARCEL = ImportFile(Path("a.warc"), "", 1, b"", b"WARC/")


class Place:
    """A seat that notes what is said on it."""

    index, count, term = 0, 2, 0
    leased_until = inf

    def __init__(self) -> None:
        self.told: list[bytes] = []
        self.sent: list[tuple[int, bytes]] = []
        self.progress = 0
        self.hearers: tuple[Callable[..., None], ...] = ()

    def listen(self, *hearers: Callable[..., None]) -> None:
        self.hearers = hearers

    def send(self, to: int, message: bytes) -> None:
        self.sent.append((to, message))

    def tell(self, message: bytes) -> None:
        self.told.append(message)

    def well(self) -> None:
        self.progress += 1


class Frontier:
    idle = True
    gone_on = 0

    def go_on(self) -> None:
        self.gone_on += 1


class Played:
    """A session that only reports; `dies` times it has to pass a capture over."""

    made: ClassVar[list[Played]]
    dies = 0

    def __init__(
        self, path: Path, plan: Plan, table: object, outside: Any, peers: Peers, imported_files: Any, listed: Any = None
    ) -> None:
        self.made.append(self)
        self.path, self.plan, self.outside, self.peers, self.imported_files = path, plan, outside, peers, imported_files
        self.frontier = Frontier()
        self.stopped = False
        self.files: list[tuple[int, bytes]] = []

    async def run(self, asked: Any, report: Callable[[Progress], None], *, ready: Callable[[], None]) -> None:
        self.asked = asked
        ready()
        report(LOOK)
        if len(self.made) <= self.dies:
            raise PassedOver("http://example.org/")

    def imported(self) -> Imported:
        return BROUGHT

    def reborn(self, shard: int) -> None: ...

    def heard_of_files(self, source: int, message: bytes) -> None:
        self.files.append((source, message))

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> type[Played]:
    class Mine(Played):
        made: ClassVar[list[Played]] = []

    monkeypatch.setattr(shard, "Session", Mine)
    return Mine


def work(folder: Path, link: Place, **asked: Any) -> None:
    IpLeases.create(Folder(folder).leases, 2)
    (folder / "shards" / "00").mkdir(parents=True)
    asyncio.run(shard.work(shard.Job(folder, Plan(shards=2), **asked), link))


def test_a_shard_says_that_it_is_here_and_then_how_it_goes(tmp_path: Path, played: type[Played]) -> None:
    link, asked = Place(), requests.ask(tmp_path, (), revisit=True)
    work(tmp_path, link, heeds=True)
    hello, progress = link.told
    assert hello == shard.HELLO
    assert (progress[:1], shard.progress_of(progress)) == (shard.PROGRESS, LOOK)
    (session,) = played.made
    assert session.asked == asked
    assert session.path == Folder(tmp_path).shard(0)
    assert link.progress == 0


def test_a_shard_that_imports_says_how_far_it_is_and_what_came_of_it(tmp_path: Path, played: type[Played]) -> None:
    link = Place()
    work(tmp_path, link, imported_files=(PARCEL,))
    hello, *looks = link.told
    assert hello == shard.HELLO
    assert [(each[:1], shard.imported_of(each)) for each in looks] == [(shard.IMPORTED, BROUGHT)] * 2
    assert played.made[0].imported_files == (PARCEL,)


def test_after_a_capture_that_is_passed_over_it_begins_again_and_that_is_progress(
    tmp_path: Path, played: type[Played]
) -> None:
    link = Place()
    played.dies = 2
    work(tmp_path, link)
    assert len(played.made) == 3
    assert link.progress == 2


def test_words_about_quiet_are_marked_as_such_and_all_else_is_handed_on() -> None:
    link = Place()
    telling = shard.Telling(link)
    telling.tell(b"x")
    telling.send(1, b"y")
    telling.well()
    assert (telling.index, telling.count) == (0, 2)
    assert (link.told, link.sent, link.progress) == ([shard.QUIET + b"x"], [(1, b"y")], 1)


class Others:
    """The other shards, as far as they are spoken to."""

    def __init__(self) -> None:
        self.heard_: list[tuple[int, bytes]] = []
        self.orders: list[tuple[object, bool]] = []

    def heard(self, source: int, message: bytes) -> None:
        self.heard_.append((source, message))

    def order(self, order: object, *, idle: bool) -> None:
        self.orders.append((order, idle))

    def reborn(self, peer: int) -> None: ...


def hearing(task: asyncio.Task[None] | None = None) -> tuple[shard.Hearing, Played, Others]:
    class Mine(Played):
        made: ClassVar[list[Played]] = []

    session, others = Mine(Path(), Plan(), None, None, cast(Peers, None), ()), Others()
    return shard.Hearing(cast(Session, session), cast(Peers, others), task), session, others


def test_what_comes_goes_to_the_one_who_does_something_about_it() -> None:
    heard, session, others = hearing()
    heard.heard(1, b"from a shard")
    assert (others.heard_, session.stopped) == ([(1, b"from a shard")], False)
    heard.heard(1, b"bfrom a file")
    assert (len(others.heard_), session.files) == (1, [(1, b"from a file")])
    order = termination.Ask(4)
    heard.heard(SUPERVISOR, msgspec.msgpack.encode(order))
    assert others.orders == [(order, True)]
    assert session.frontier.gone_on == 1
    assert not session.stopped
    heard.heard(SUPERVISOR, shard.STOP)
    assert session.stopped
    assert len(others.heard_) == len(others.orders) == 1


def test_a_shard_whose_supervisor_is_gone_ends() -> None:
    async def live() -> None:
        link = Place()
        task = asyncio.current_task()
        assert task is not None
        heard, session, _ = hearing(task)
        heard.begin(link)
        assert link.told == [shard.HELLO]
        assert link.hearers[:2] == (heard.heard, session.reborn)
        link.hearers[2]()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(5)

    asyncio.run(live())


def test_what_a_shard_tells_is_read_as_it_was_meant() -> None:
    assert shard.progress_of(shard.PROGRESS + msgspec.msgpack.encode(LOOK)) == LOOK
    assert shard.imported_of(shard.IMPORTED + msgspec.msgpack.encode(BROUGHT)) == BROUGHT
