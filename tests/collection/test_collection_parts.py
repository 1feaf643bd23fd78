"""The small parts of a collection, each by itself: what it takes, what it gives, and where its limits are."""

from __future__ import annotations

import asyncio
import io
import json
import os
import resource
import signal
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

import pytest

from gossamer import plan as plans
from gossamer.collection import lock
from gossamer.collection.ask import parquet
from gossamer.collection.ask.differences import Line, Piece, Words, difference, words_changed
from gossamer.collection.crawl import network, requests, running, shard_identity
from gossamer.collection.crawl.gauge import UNKNOWN, Eta, Rate, eta, resting
from gossamer.collection.crawl.large_pages import HERE, LATELY, RESTS, Lane
from gossamer.collection.crawl.recover import is_about_it
from gossamer.collection.crawl.requests import CrawlRequest
from gossamer.collection.crawl.running import FINISH, Stopping
from gossamer.collection.crawl.shard import imported_of, progress_of
from gossamer.collection.crawl.wiring import head_first, info_of, order_of, prefix_of, preload, rewriting, rules_of
from gossamer.collection.derive import graph_digests
from gossamer.collection.folder import Folder, settled
from gossamer.collection.imports import importing
from gossamer.collection.imports.import_source import Imported
from gossamer.collection.maintain.put_aside import clear
from gossamer.collection.progress import Progress, last_look, note, together
from gossamer.collection.sites import site_of
from gossamer.collection.status import status_of
from gossamer.errors import Damaged, GossamerError, Locked, NotACollection, StorageError, UsageError
from gossamer.frontier.entries import META
from gossamer.frontier.queue.backlog import Stretch
from gossamer.frontier.queue.rank import ORDERS
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock

# ------------------------------------------------------------------------------ status


def look(**more: Any) -> Progress:
    return Progress(
        **({"pages": 1, "failed": 2, "queued": 3, "out": 4, "waiting": 5, "bytes": 6, "seconds": 7.0} | more)
    )


def test_one_look_at_all_shards_adds_up_what_can_be_added() -> None:
    assert together([]) is together([None]) is None
    found = together(
        [look(limit=9), None, look(pages=10, failed=20, queued=30, out=40, waiting=50, bytes=60, seconds=3.0)]
    )
    assert found is not None
    assert (found.pages, found.failed, found.queued, found.out) == (11, 22, 33, 44)
    assert (found.waiting, found.bytes, found.seconds, found.limit) == (55, 66, 7.0, 9)


@pytest.mark.parametrize(
    ("shards", "paused"),
    [([True, True], True), ([True, False], False), ([True, None], False), ([False, False], False)],
)
def test_a_crawl_is_paused_when_each_of_its_shards_is(shards: list[bool | None], paused: bool) -> None:
    found = together([None if each is None else look(paused=each) for each in shards])
    assert found is not None
    assert found.paused is paused


def test_the_shard_that_takes_longest_says_how_long_and_one_that_works_before_one_that_waits() -> None:
    found = together([look(left=5.0, basis="short"), look(left=9.0, basis="long"), look(left=None)])
    assert found is not None
    assert (found.left, found.basis) == (9.0, "long")
    found = together([look(left=99.0, basis="waits", idle_seconds=60.0), look(left=9.0, basis="works")])
    assert found is not None
    assert (found.left, found.basis, found.idle_seconds) == (9.0, "works", 0.0)
    later = look(left=60.0, basis="later", idle_seconds=60.0)
    found = together([later, replace(later, left=30.0, basis="sooner", idle_seconds=30.0), look(queued=0)])
    assert found is not None
    assert (found.left, found.basis, found.idle_seconds) == (30.0, "sooner", 30.0)


def test_the_network_is_gone_when_it_is_for_all_that_have_something_to_do() -> None:
    cases = [
        ([look(network_gone=True), look(network_gone=True)], True),
        ([look(network_gone=True), look()], False),
        ([look(network_gone=True), look(queued=0)], True),
        ([look(), look(queued=0)], False),
    ]
    for looks, gone in cases:
        found = together(looks)
        assert found is not None
        assert found.network_gone is gone


def test_the_disk_that_lacks_most_is_told() -> None:
    found = together([look(), look(disk_free=5, disk_wanted=50), look(disk_free=7, disk_wanted=70)])
    assert found is not None
    assert (found.disk_free, found.disk_wanted) == (7, 70)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", [META], writable=True) as table:
        yield table


def test_a_status_shows_the_last_look_and_what_waits_only_while_somebody_crawls(table: Table, tmp_path: Path) -> None:
    assert last_look(table) is None
    empty = status_of(tmp_path, Plan(), [table], {})
    assert (empty.pages, empty.left, empty.basis, empty.crawling, empty.unread) == (0, None, "", None, 0)
    note(table, look(left=8.0, basis="so", disk_free=5, disk_wanted=50, network_gone=True))
    assert last_look(table) == look(left=8.0, basis="so", disk_free=5, disk_wanted=50, network_gone=True)
    still = status_of(tmp_path, Plan(), [table], {"a": ["b"]}, 3)
    assert (still.left, still.basis, still.mirrors, still.unread) == (8.0, "so", {"a": ["b"]}, 3)
    assert (still.disk_free, still.disk_wanted, still.network_gone) == (0, 0, False)
    with lock.exclusive(tmp_path):
        now = status_of(tmp_path, Plan(), [table], {})
    assert now.crawling is not None
    assert now.crawling["pid"] == os.getpid()
    assert (now.disk_free, now.disk_wanted, now.network_gone) == (5, 50, True)


def test_reasons_are_counted_over_all_shards_the_most_frequent_first() -> None:
    from gossamer.collection.status import _largest

    assert list(_largest([{"dns": 1, "timeout": 5}, {"dns": 9, "never": 0}]).items()) == [("dns", 10), ("timeout", 5)]


def test_what_a_shard_tells_is_understood() -> None:
    import msgspec

    assert progress_of(b"p" + msgspec.msgpack.encode(look())) == look()
    assert imported_of(b"i" + msgspec.msgpack.encode(Imported(3, 4))) == Imported(3, 4)


# ----------------------------------------------------------------------------- outlook


def test_a_rate_is_taken_over_the_last_minute() -> None:
    rate = Rate()
    assert rate.at(10.0, 5) == 0.0
    rate.note(0.0, 0)
    assert rate.at(0.0, 5) == 0.0
    assert rate.at(10.0, 50) == 5.0
    rate.note(30.0, 300)
    rate.note(60.0, 330)
    assert rate.at(60.0, 330) == 5.5
    rate.note(61.0, 331)
    assert rate.at(90.0, 360) == 1.0
    assert rate.at(90.0, 100) == 0.0  # pages that were removed meanwhile


def test_an_outlook_needs_something_to_do_and_something_known() -> None:
    host = Stretch("example.org", 10, 2.0)
    assert eta(0, 5.0, host) == eta(-1, 5.0, host) == eta(5, 0.0, None) == UNKNOWN
    assert eta(1, 2.0, None) == Eta(0.5, "1 queued at 2 pages/s")
    assert eta(5, 0.25, None) == Eta(20.0, "5 queued at 0.25 pages/s")
    assert eta(20, 1.0, host).basis == "20 queued at 1 pages/s"  # as long as the host alone
    assert eta(1_500, 1_234.5, None).basis == "1,500 queued at 1,234.5 pages/s"
    assert UNKNOWN == (None, "")


def test_what_rests_says_until_when() -> None:
    assert resting(0, 60.0, 0.0) == UNKNOWN
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(1_794_700_800))
    told = f"until the first of 1 queued may be tried again, {until}"
    assert resting(1, 60.0, 1_794_700_800) == Eta(60.0, told)


# -------------------------------------------------------------------------------- lane


def test_the_host_that_has_cost_least_comes_next_and_the_lane_rests_between() -> None:
    clock = VirtualClock()
    order: list[tuple[str, float]] = []

    async def visit(lane: Lane, host: str, seconds: float) -> None:
        await lane.enter(host)
        order.append((host, round(clock.steady() - began, 3)))
        lane.leave(host, seconds)

    async def main() -> None:
        lane = Lane(clock.steady)
        lane.served()
        await visit(lane, "dear", 1.0)
        waiting = [asyncio.ensure_future(visit(lane, host, 0.1)) for host in ("dear", "dear", "cheap")]
        await asyncio.gather(*waiting)

    began = clock.steady()
    clock.run(main())
    assert [host for host, _ in order] == ["dear", "dear", "cheap", "dear"]
    assert order[0][1] == 0.0
    assert order[1][1] == pytest.approx(5.0)  # five times as long as it took
    assert order[2][1] == pytest.approx(5.5)


def test_the_lane_does_not_rest_when_nobody_else_was_served_lately() -> None:
    clock = VirtualClock()

    async def main() -> float:
        lane = Lane(clock.steady)
        lane.served()
        await asyncio.sleep(10.0)
        began = clock.steady()
        for _ in range(3):
            await lane.enter("a")
            lane.leave("a", 1.0)
        return clock.steady() - began

    assert clock.run(main()) == 0.0
    assert (HERE, RESTS, LATELY) == (256 << 10, 5, 10.0)


def test_a_lane_in_a_hurry_does_not_rest() -> None:
    clock = VirtualClock()

    async def main() -> float:
        lane = Lane(clock.steady)
        lane.served()
        await lane.enter("a")
        lane.leave("a", 10.0)
        lane.hurry()
        began = clock.steady()
        for _ in range(2):
            await lane.enter("a")
            lane.leave("a", 10.0)
        return clock.steady() - began

    assert clock.run(main()) == 0.0


def test_who_gave_up_waiting_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = VirtualClock()

    async def main() -> bool:
        lane = Lane(clock.steady)
        await lane.enter("a")
        given_up, patient = (asyncio.ensure_future(lane.enter(host)) for host in ("b", "c"))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
        lane.leave("a", 0.0)
        await asyncio.sleep(0)
        return patient.done()

    assert clock.run(main())
    monkeypatch.setattr("gossamer.collection.crawl.large_pages.HOSTS_KNOWN", 2)
    lane = Lane(clock.steady)
    for host in ("a", "b", "c"):
        lane.leave(host, 1.0)
    assert list(lane._cost) == ["b", "c"]


# ------------------------------------------------------------------------- differences


def signs(old: str, new: str) -> list[str]:
    return [f"{line.sign} {''.join(piece.text for piece in line.pieces)}" for line in difference(old, new)]


def test_lines_that_came_and_went_are_shown_with_two_around_them() -> None:
    old = "\n".join("abcdefghij")
    assert signs(old, old) == []
    assert signs(old, old.replace("e\n", "")) == ["= c", "= d", "- e", "= f", "= g"]
    assert signs(old, f"new\n{old}") == ["+ new", "= a", "= b"]
    assert signs(old, f"{old}\nnew") == ["= i", "= j", "+ new"]


def test_a_line_that_was_rewritten_shows_its_words() -> None:
    (line,) = difference("one two three four", "one 2 three four")
    assert line == Line((Piece("=", "one"), Piece("-", " two"), Piece("+", " 2"), Piece("=", " three four")))
    assert line.sign == "~"
    assert signs("one two three four five", "six seven eight nine one") == [
        "- one two three four five",
        "+ six seven eight nine one",
    ]
    assert [line.sign for line in difference("a b c", "a b c d")] == ["~"]
    assert signs("x\ny\nz", "p") == ["- x", "+ p", "- y", "- z"]


def test_lines_are_the_same_line_from_three_tenths_on() -> None:
    assert [line.sign for line in difference("aaa bbbbbbb", "aaa ccccccc")] == ["-", "+"]  # 3 of 11
    assert [line.sign for line in difference("aaaa bbbbbb", "aaaa cccccc")] == ["~"]  # 4 of 11


def test_texts_that_are_too_long_to_compare_are_told_as_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.collection.ask import differences

    monkeypatch.setattr(differences, "LINES_MOST", 3)
    assert [line.sign for line in difference("a\nb\nc", "x\nb\ny")] == ["-", "+", "=", "-", "+"]
    assert [line.sign for line in difference("a\nb\nc\nd", "x\nb\ny\nz")] == ["-", "+", "=", "-", "+", "-", "+"]
    monkeypatch.setattr(differences, "LINES_MOST", 2)
    assert [line.sign for line in difference("a\nb", "b\nc")] == ["-", "=", "+"]
    monkeypatch.setattr(differences, "LINES_MOST", 1)
    assert [line.sign for line in difference("a\nb", "b\nc")] == ["-", "+", "-", "+"]
    monkeypatch.setattr(differences, "PAIRS_MOST", 1)
    assert signs("a b\nc d", "a x\nc y") == ["~ a b x", "- c d", "+ c y"]


def test_words_are_counted_wherever_they_stand() -> None:
    assert words_changed("a b b", "b a c c") == Words(2, 1)


# -------------------------------------------------------------------------------- lock


def test_a_lock_says_who_holds_it_and_is_free_when_it_ends(tmp_path: Path) -> None:
    assert lock.holder(tmp_path) is None
    before = time.time()
    with lock.exclusive(tmp_path) as handle:
        held = lock.holder(tmp_path)
        assert held is not None
        assert (held["pid"], held["host"]) == (os.getpid(), socket.gethostname())
        assert before <= held["since"] <= time.time()
        assert os.fstat(handle).st_size > 0
        with (
            pytest.raises(Locked, match=f"process {os.getpid()} on .* since {time.strftime('%Y')}"),
            lock.exclusive(tmp_path),
        ):
            pass
    assert lock.holder(tmp_path) is None
    with lock.exclusive(tmp_path):
        pass


def test_a_longer_mark_of_before_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b'{"pid": 1, "host": "' + b"x" * 300 + b'"}')
    with lock.exclusive(tmp_path):
        assert json.loads((tmp_path / "lock").read_bytes())["pid"] == os.getpid()


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        (b"", "another process"),
        (b"no mark", "another process"),
        (b'{"pid": 7, "host": "elsewhere", "since": 0}', "process 7 on elsewhere since 19"),
        (b'{"pid": 7, "host": "elsewhere", "since": 1e300}', f"process 7 on elsewhere since {time.strftime('%Y')}"),
    ],
)
def test_a_lock_that_another_holds_is_told_by_its_mark(
    tmp_path: Path, mark: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "ORPHANS", 0.0)
    (tmp_path / "lock").write_bytes(mark)
    with (tmp_path / "lock").open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)
        with pytest.raises(Locked, match=words), lock.exclusive(tmp_path):
            pass
        assert lock.holder(tmp_path) is not None


def test_a_dead_holder_of_this_machine_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = {"pid": 2**22 + 5, "host": socket.gethostname(), "since": 1.0}  # a number that no process has
    (tmp_path / "lock").write_bytes(json.dumps(mark).encode())
    waits: list[float] = []
    with (tmp_path / "lock").open("r+b") as file:
        flock(file, LOCK_EX | LOCK_NB)

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                flock(file, 8)  # LOCK_UN

        monkeypatch.setattr(lock.time, "sleep", sleep)
        with lock.exclusive(tmp_path):
            assert waits == [0.05] * 3
    assert lock.ORPHANS == 30.0


def test_a_folder_in_the_place_of_the_lock_is_damage(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    for enter in (lock.exclusive, lock.undisturbed):
        with pytest.raises(Damaged, match="is a directory, where the lock should be"), enter(tmp_path):
            pass


@pytest.mark.parametrize("error", [13, 1, 30, 5])
def test_a_lock_that_cannot_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    def refused(*_: object) -> int:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(lock.files, "descriptor", refused)
    with pytest.raises(StorageError, match=r"cannot be|the disk"), lock.exclusive(tmp_path):
        pass


# ----------------------------------------------------------------------------- requests


def test_requests_wait_in_order_until_all_is_done(tmp_path: Path) -> None:
    assert requests.ask(tmp_path, (), revisit=False) == ()
    assert not (tmp_path / "asked").exists()
    (first,) = requests.ask(tmp_path, ["http://a.example/"], revisit=False)
    assert (first.seeds, first.revisit) == (("http://a.example/",), False)
    before, second = requests.ask(tmp_path, (), revisit=True)
    assert before == first
    assert (second.seeds, second.revisit) == ((), True)
    assert first.mark != second.mark
    assert requests.ask(tmp_path, (), revisit=False) == (first, second)
    requests.settle(tmp_path)
    assert requests.ask(tmp_path, (), revisit=False) == ()
    requests.settle(tmp_path)


def test_a_shard_does_what_came_after_its_last_errand() -> None:
    asked = (CrawlRequest("a"), CrawlRequest("b"), CrawlRequest("c"))
    assert requests.undone(asked, "") == requests.undone(asked, "other") == asked
    assert [each.mark for each in requests.undone(asked, "a")] == ["b", "c"]
    assert list(requests.undone(asked, "c")) == []


def test_requests_that_cannot_be_read_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "asked").write_bytes(b"{")
    assert requests.ask(tmp_path, (), revisit=False) == ()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(requests.files, "replace", full)
    with pytest.raises(StorageError, match="disk is full"):
        requests.ask(tmp_path, (), revisit=True)


# ----------------------------------------------------------------------------- imprint


def test_a_shard_knows_which_it_is_and_says_so_when_it_is_taken_for_another(table: Table) -> None:
    assert shard_identity.of(table) is None
    shard_identity.agree(table, 5, Plan(shards=7))
    shard_identity.leave(table, 1, Plan(shards=3))
    found = shard_identity.of(table)
    assert found is not None
    assert (found.shard, found.shards) == (1, 3)
    assert plans.parse(found.plan, Path("x")) == Plan(shards=3)
    shard_identity.agree(table, 1, Plan(shards=3))
    for shard, shards in ((0, 3), (1, 2), (1, 0)):
        with pytest.raises(Damaged, match="was made as shard 1 of 3"):
            shard_identity.agree(table, shard, Plan(shards=shards))
    table.commit()
    shard_identity.leave(table, 1, Plan(shards=3))
    assert table.pending == 0
    shard_identity.leave(table, 0, Plan())
    assert shard_identity.of(table) is not None
    shard_identity.agree(table, 0, Plan())


def test_a_table_that_is_being_made_again_is_for_nobody_else(table: Table) -> None:
    shard_identity.require_finished(table, 0)
    shard_identity.set_unfinished(table, True)
    assert shard_identity.is_unfinished(table)
    with pytest.raises(Damaged, match="shards/04 was being repaired"):
        shard_identity.require_finished(table, 4)
    shard_identity.set_unfinished(table, False)
    shard_identity.require_finished(table, 0)


# -------------------------------------------------------------------------- open files


def test_the_limit_of_open_files_is_raised_and_too_low_a_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [256, 1_000_000]
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(
        network.resource, "getrlimit", lambda which: endless if which == resource.RLIMIT_AS else tuple(limits)
    )
    raised: list[tuple[int, int]] = []
    monkeypatch.setattr(network.resource, "setrlimit", lambda which, pair: raised.append(pair))
    network.make_room(10)
    assert raised == [(65_536, 1_000_000)]
    for soft, hard, wanted in (
        (65_536, 100_000, []),
        (100, 900, [(900, 900)]),
        (100, resource.RLIM_INFINITY, [(65_536, resource.RLIM_INFINITY)]),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, []),
        (900, 900, []),
    ):
        raised.clear()
        limits[:] = [soft, hard]
        network.make_room(258)
        assert raised == wanted
    with pytest.raises(StorageError, match=r"only 900 files .* and 259 workers need 902; .*ulimit -n 902"):
        network.make_room(259)


# ---------------------------------------------------------------------------- stopping


def test_once_lets_finish_and_twice_drops() -> None:
    clock = VirtualClock()
    assert FINISH == 2.5

    async def waiting(asks: int) -> float:
        stopping = Stopping()
        assert not stopping.asked
        began = clock.steady()
        for _ in range(asks):
            stopping.ask()
        assert stopping.asked
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return clock.steady() - began
        return -1.0

    assert clock.run(waiting(1)) == pytest.approx(2.5)
    assert clock.run(waiting(2)) == 0.0


def test_work_is_run_to_its_end_and_gives_what_came_of_it() -> None:
    async def seven(stop: asyncio.Event) -> int:
        assert not stop.is_set()
        return 7

    async def breaks(stop: asyncio.Event) -> int:
        raise GossamerError("broken")

    async def interrupted(stop: asyncio.Event) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        await stop.wait()
        return 7

    async def inside() -> int:
        return running.run(seven)

    before = signal.getsignal(signal.SIGINT)
    assert running.run(seven) == asyncio.run(inside()) == 7
    with pytest.raises(GossamerError, match="broken"):
        running.run(breaks)
    with pytest.raises(KeyboardInterrupt):
        running.run(interrupted)
    assert signal.getsignal(signal.SIGINT) == before


def test_interrupts_are_heard_in_the_main_thread_and_where_nobody_else_does() -> None:
    assert running._is_default()
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(running._is_default()))
    thread.start()
    thread.join()
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        found.append(running._is_default())
    finally:
        signal.signal(signal.SIGINT, before)
    assert found == [False, False]


def test_an_interrupt_that_comes_before_the_loop_is_heard_when_it_begins() -> None:
    heard: list[bool] = []

    async def work(stop: asyncio.Event) -> None:
        heard.append(stop.is_set())

    run = running._Run(work, 60.0)
    run.interrupt()
    asyncio.run(run.begin())
    assert heard == [True]
    with pytest.raises(KeyboardInterrupt):
        run.result()


@pytest.mark.parametrize(("finish", "heard"), [(2.5, 2), (0.0, 1)])
def test_an_interrupt_too_many_is_raised_at_once(finish: float, heard: int) -> None:
    async def work(stop: asyncio.Event) -> None:
        pass

    run = running._Run(work, finish)
    before = signal.getsignal(signal.SIGINT)
    with run.hearing():
        assert signal.getsignal(signal.SIGINT) == run._hear
        for _ in range(heard):
            run._hear(signal.SIGINT, None)
        with pytest.raises(KeyboardInterrupt):
            run._hear(signal.SIGINT, None)
    assert signal.getsignal(signal.SIGINT) == before
    assert run._early == heard
    with pytest.raises(KeyboardInterrupt):
        run.result()


# ----------------------------------------------------------------------------- meaning


def test_which_addresses_are_asked_for_their_type_first() -> None:
    looks = head_first(Plan())
    for url, unwanted in (
        ("http://a.example/film.mp4", True),
        ("http://a.example/film.en.mp4", True),
        ("http://a.example/film.mp4?x=.html", True),
        ("http://a.example/page.html", False),
        ("http://a.example/mp4", False),
        ("http://a.example/", False),
        ("http://a.example/x.unknownending", False),
        ("http://a.example/?film.mp4", False),
        ("http://a.mp4/", False),
    ):
        assert looks(url) is unwanted, url
    assert head_first(Plan(head="always"))("http://a.example/")
    assert not head_first(Plan(head="never"))("http://a.example/film.mp4")


def test_orders_and_rules_of_a_site_are_its_own() -> None:
    assert order_of(Plan(order="breadth")) is ORDERS["breadth"]
    site = site_of(Plan())
    assert site("http://www.example.co.uk/x") == site("http://example.co.uk/")
    assert rewriting(Plan()) is None


def test_a_plan_is_what_the_frontier_goes_by() -> None:
    plan = Plan(workers=7, pages=9)
    rules = rules_of(plan, "agent", None, imports=True)
    assert (rules.at_once, rules.front, rules.pages, rules.closed, rules.agent) == (7, 21, 9, True, "agent")
    assert rules.wanted("text/html")
    assert not rules.wanted("video/mp4")
    order = ORDERS["breadth"]
    assert rules_of(plan, "agent", order, imports=False).order is order
    assert not rules_of(plan, "agent", order, imports=False).closed


def test_files_of_shards_have_numbers_and_say_who_made_them() -> None:
    assert (prefix_of(None), prefix_of(3), prefix_of(12)) == ("gossamer", "gossamer-03", "gossamer-12")
    info = info_of(Plan(contact="ops@example.org"))
    assert info.software.startswith("Gossamer/")
    assert info.operator == "ops@example.org"
    assert info_of(Plan()).operator is None
    assert preload(Plan(build=False)) == ("gossamer.collection.crawl.shard",)
    assert "gossamer.collection.derive.derived" in preload(Plan(build=True))


def test_faults_of_the_machine_are_not_about_a_page() -> None:
    assert is_about_it(ValueError()) is is_about_it(Damaged("x")) is True
    for error in (StorageError("x"), OSError(), MemoryError(), UsageError("x")):
        assert not is_about_it(error)


# ------------------------------------------------------------------------------ folder


def made(path: Path, *shards: int, part: str = "table") -> Folder:
    for number in shards:
        place = path / "shards" / f"{number:02}" / part
        place.mkdir(parents=True)
        (place / "000001.log").touch()
    return Folder(path)


def test_a_folder_is_a_collection_when_a_shard_holds_anything(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "web")
    assert not folder.exists()
    folder.path.mkdir()
    folder.make_shards(2)
    assert (folder.exists(), folder.numbers()) == (False, [])
    made(folder.path, 1, part="captures")
    assert (folder.exists(), folder.numbers()) == (True, [1])
    made(folder.path, 0, 12)
    (folder.path / "shards" / "7").mkdir()
    (folder.path / "shards" / "notes").mkdir()
    assert folder.numbers() == [0, 1, 12]
    assert folder.shard(3) == folder.path / "shards" / "03"
    assert (folder.graph.name, folder.leases.name, folder.plan_file.name) == ("graph", "gate", "plan.toml")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_bytes(b""), "is a file; a collection is a directory"),
        (lambda path: None, "no such directory"),
        (lambda path: path.mkdir(), "not a collection"),
        (lambda path: (path.mkdir(), (path / "plan.toml").write_bytes(b"")), "holds a plan and nothing else yet"),
    ],
)
def test_what_is_no_collection_is_told_why(tmp_path: Path, make: Any, words: str) -> None:
    make(tmp_path / "web")
    with pytest.raises(NotACollection, match=words):
        Folder(tmp_path / "web").require()


def test_a_collection_is_made_where_nothing_else_is(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "web")
    folder.create()
    folder.create()
    for name in ("lock", "id", "id.partial", "plan.toml.partial"):
        (folder.path / name).write_bytes(b"")
    folder.create()
    (folder.path / "thesis.tex").write_bytes(b"")
    with pytest.raises(NotACollection, match="holds other files"):
        folder.create()
    (folder.path / "plan.toml").write_bytes(b"")
    folder.create()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotACollection, match="is a file; name a new"):
        Folder(tmp_path / "file").create()
    for ask in (Folder.require, Folder.create):
        with pytest.raises(UsageError, match="has to be UTF-8"):
            ask(Folder(tmp_path / "b\udcff"))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    folder = made(tmp_path, 0)
    with monkeypatch.context() as patch:
        patch.setattr("gossamer.files.make_folder", refused)
        with pytest.raises(StorageError, match="cannot be made"):
            folder.create()
        with pytest.raises(StorageError, match="Permission denied"):
            folder.make_shards(1)
    with monkeypatch.context() as patch:
        patch.setattr("gossamer.files.replace", refused)
        with pytest.raises(StorageError, match="cannot be written"):
            folder.save_plan(Plan())
    with monkeypatch.context() as patch:
        patch.setattr("gossamer.files.folders", refused)
        with pytest.raises(StorageError, match="check its owner and mode"):
            folder.require()
    with monkeypatch.context() as patch:
        patch.setattr("gossamer.files.read", refused)
        with pytest.raises(StorageError, match="check its owner and mode"):
            folder.damage_of_plan()


def test_all_shards_of_a_plan_are_there_and_no_others(tmp_path: Path) -> None:
    folder = made(tmp_path, 0, 1, 2)
    folder.require_all(Plan(shards=3))
    with pytest.raises(Damaged, match="has 2 shards, but there is shards/02"):
        folder.require_all(Plan(shards=2))
    with pytest.raises(Damaged, match="has 1 shard,"):
        folder.require_all(Plan())
    folder.require_all(Plan(shards=4))  # nothing was fetched yet
    made(tmp_path, 1, part="captures")
    with pytest.raises(Damaged, match=r"shards/03/table: is missing"):
        folder.require_all(Plan(shards=4))
    made(tmp_path / "one", 0).require_all(Plan())


def test_a_plan_that_nobody_can_have_meant_is_damage(tmp_path: Path) -> None:
    folder = made(tmp_path, 0)
    assert folder.damage_of_plan() == "is missing"
    folder.save_plan(Plan(seeds=("http://a.example/",), shards=1))
    whole = folder.plan_file.read_bytes()
    assert folder.damage_of_plan() is None
    assert folder.load_plan().seeds == ("http://a.example/",)
    for data, words in (
        (b"", "is empty"),
        (b" \n", "is empty"),
        (whole[: len(whole) // 2], "is cut short"),
        (b"\xff\xfe", "is no text"),
    ):
        folder.plan_file.write_bytes(data)
        assert folder.damage_of_plan() == words
        with pytest.raises(Damaged, match=f"{words}; .*--repair"):
            folder.load_plan()
    folder.plan_file.unlink()
    folder.plan_file.mkdir()
    assert folder.damage_of_plan() == "is a directory"


def test_before_the_first_crawl_a_plan_is_what_lies_there(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.load_plan() == Plan()
    assert Folder(tmp_path / "never").load_plan() == Plan()
    folder.save_plan(Plan(pages=7))
    assert folder.load_plan().pages == 7
    assert folder.plan_file.stat().st_mode & 0o077 == 0o066 & ~umask()
    folder.save_plan(Plan(proxy="http://user:secret@proxy.example:1"))
    assert folder.plan_file.stat().st_mode & 0o777 == 0o600


def umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def test_a_collection_is_where_it_really_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path.resolve() / "web"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert settled(tmp_path / "link") == real
    assert settled(real) == real
    assert settled(real / ".." / "web") == real
    monkeypatch.chdir(tmp_path.resolve())
    assert settled(Path("web")) == Path("web")


def test_a_part_that_is_a_link_is_told_before_anything_is_done(tmp_path: Path) -> None:
    folder = made(tmp_path / "web", 0)
    folder.require_no_links()
    (tmp_path / "other").mkdir()
    for place in (folder.graph, folder.shard(0) / "texts"):
        place.symlink_to(tmp_path / "other")
        with pytest.raises(Damaged):
            folder.require()
        place.unlink()
    folder.require()


# ---------------------------------------------------------------------------- clearing


def test_what_is_in_the_way_is_put_aside_and_all_else_stays(tmp_path: Path) -> None:
    folder = made(tmp_path / "web", 0)
    shard = folder.shard(0)
    assert list(clear(Folder(tmp_path / "never"))) == []
    (folder.path / "lock").mkdir()
    (folder.path / "gate").write_bytes(b"")
    (shard / "reading").mkdir()
    (shard / "texts").write_bytes(b"a file")
    (shard / "captures").mkdir()
    (shard / "captures" / "odd").mkdir()
    (shard / "captures" / "sound").write_bytes(b"")
    (tmp_path / "elsewhere").mkdir()
    (shard / "seen").symlink_to(tmp_path / "elsewhere")
    (folder.path / "shards" / "notes").mkdir()
    (folder.path / "shards" / "notes" / "texts").write_bytes(b"")
    moved = list(clear(folder))
    assert [path.name for path in moved] == ["lock", "reading", "odd", "texts"]
    assert [path.parent for path in moved] == [folder.path / "damaged"] + [shard / "damaged"] * 3
    assert all(path.exists() for path in moved)
    for kept in (
        folder.path / "gate",
        shard / "captures" / "sound",
        shard / "seen",
        folder.path / "shards" / "notes" / "texts",
    ):
        assert os.path.lexists(kept)
    assert list(clear(folder)) == []


# ------------------------------------------------------------------------------- seals


def test_a_graph_that_was_found_sound_is_looked_at_again_when_a_file_of_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, found = 0, None

    def look() -> str | None:
        nonlocal looks
        looks += 1
        return found

    def looked(name: str = "seal", folder: Path = tmp_path) -> int:
        before = looks
        assert graph_digests.unless_known(folder, name, look) == found
        return looks - before

    (tmp_path / "ranks.npy").write_bytes(b"1")
    assert [looked(), looked(), looked("parts"), looked()] == [1, 0, 1, 0]
    (tmp_path / "ranks.npy").write_bytes(b"12")
    assert [looked(), looked()] == [1, 0]
    monkeypatch.setattr(graph_digests, "KNOWN_MOST", len(graph_digests._SOUND))
    assert [looked("more"), looked("more"), looked()] == [1, 0, 1], "there is an end to what is remembered"
    found = "ranks.npy: is damaged"
    (tmp_path / "ranks.npy").write_bytes(b"123")
    assert [looked(), looked()] == [1, 1]
    assert looked(folder=tmp_path / "none") == looked(folder=tmp_path / "none") == 1


def test_a_graph_is_sealed_and_every_change_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "000001"
    folder.mkdir()
    large = os.urandom(3_000_000)
    (folder / "ranks.npy").write_bytes(large)
    (folder / "names.txt").write_bytes(b"names")
    assert "cannot be read" in str(graph_digests.damage(folder))
    synced: list[str] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{file}")).name)
        fsync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", noted)
        graph_digests.seal(folder)
    assert {"ranks.npy", "names.txt", tmp_path.name} <= set(synced)
    assert graph_digests.damage(folder) is graph_digests.damage(folder, whole=True) is None
    assert set(json.loads((folder / "seal.json").read_bytes())) == {"ranks.npy", "names.txt"}
    for at in (0, 4_095, 4_096, 1 << 20, len(large) - 1):
        (folder / "ranks.npy").write_bytes(large[:at] + bytes([large[at] ^ 1]) + large[at + 1 :])
        assert "ranks.npy: is damaged" in str(graph_digests.damage(folder))
        assert "ranks.npy: is damaged" in str(graph_digests.damage(folder, whole=True))
        with monkeypatch.context() as patch:  # of a graph that is large only the beginnings are read each time
            patch.setattr(graph_digests, "WHOLE_MOST", len(large) + 4)
            assert (graph_digests.damage(folder) is not None) is (at < 4_096)
            patch.setattr(graph_digests, "WHOLE_MOST", len(large) + 5)
            assert graph_digests.damage(folder) is not None
    (folder / "ranks.npy").write_bytes(large + b"x")
    assert graph_digests.damage(folder)
    (folder / "ranks.npy").unlink()
    assert graph_digests.damage(folder)
    (folder / "seal.json").write_bytes(b'{"../plan.toml": [0, 0, 0]}')
    assert "is damaged" in str(graph_digests.damage(folder))


# --------------------------------------------------------------------------- importing


def test_one_look_at_an_import_of_many_shards() -> None:
    assert importing.together({}) == Imported()
    one = Imported(2, 3, 100, 900, 5, 6, 7, 8, 9, 1.5, {"a": 1}, ("x", "y"))
    other = Imported(1, 3, 700, 900, 50, 60, 70, 80, 90, 2.5, {"b": 2}, ("y", "z"))
    found = importing.together({0: one, 1: other})
    assert (found.files, found.of, found.bytes, found.size) == (1, 3, 800, 900)
    assert (found.captures, found.known, found.cut, found.seconds) == (55, 66, 77, 2.5)
    assert (found.kept, found.undated) == (88, 99)
    assert (found.refused, found.problems) == ({"a": 1, "b": 2}, ("x", "y", "z"))


# ----------------------------------------------------------------------------- columns


def test_parquet_without_its_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[parquet\]'"):
        parquet.write([], io.BytesIO())
