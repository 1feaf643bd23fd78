"""Workers as processes: what they send arrives, who dies comes back, and nobody is left behind."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import socket
import threading
from collections.abc import Callable
from errno import EIO, EMFILE, ENOSPC, EROFS
from functools import partial
from pathlib import Path

import pytest
import toy_workers
import uvloop
from crews import LONGEST, Told, make, run

from gossamer.engine import Crew, Outfit, WorkerLost, deaths, local
from gossamer.engine.fork_client import NoServer
from gossamer.errors import GossamerError, StorageError, UsageError


def stop_on_ready(crew: Crew, index: int, message: bytes) -> None:
    if message == b"ready":
        crew.send(index, toy_workers.STOP)


def stop_all(crew: Crew, index: int, error: Exception) -> None:
    crew.send_all(toy_workers.STOP)


# -------------------------------------------------------------------- messages


def test_ten_thousand_messages_go_to_and_fro_in_order() -> None:
    told = asyncio.run(run(partial(toy_workers.ping_pong, balls=10_000), 2))
    assert sorted(told.heard) == [(0, b"10000"), (1, b"9999")]
    assert told.died == []


def test_a_stream_of_messages_arrives_whole_and_in_order() -> None:
    told = asyncio.run(run(partial(toy_workers.stream, count=50_000), 2))
    assert told.heard == [(1, b"49999")]
    assert told.died == []


def test_messages_of_a_megabyte_arrive_unchanged_from_everybody_to_everybody() -> None:
    told = asyncio.run(run(partial(toy_workers.exchange_large, count=5), 3))
    whole = hashlib.sha256(b"".join(map(toy_workers.large_message, range(5)))).hexdigest().encode()
    assert sorted(told.heard) == [(index, whole) for index in range(3) for _ in range(2)]


def test_what_comes_before_a_worker_listens_is_kept_in_order(tmp_path: Path) -> None:
    def send_numbers(crew: Crew, index: int, message: bytes) -> None:
        if message == b"ready":
            for number in range(100):
                crew.send(0, b"%d" % number)
            (tmp_path / "sent").touch()

    told = asyncio.run(
        run(partial(toy_workers.listen_late, count=100, folder=tmp_path), 1, Told(on_heard=send_numbers))
    )
    assert told.from_worker(0) == [b"ready", *(b"%d" % number for number in range(100))]


# ---------------------------------------------------------------------- deaths


def test_workers_whose_modules_cannot_be_loaded_are_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSSAMER_TEST_COLD", "1")
    told = Told(on_failed=stop_all)
    with pytest.raises(NoServer, match="No module named 'no_such_module'"):
        asyncio.run(run(toy_workers.ping_pong, 2, told, Outfit(preload=("no_such_module",))))
    assert told.died == []
    assert [index for index, _ in told.failed] == [0, 1]


def test_a_killed_worker_comes_back_and_all_others_hear_of_it(tmp_path: Path) -> None:
    told = asyncio.run(run(partial(toy_workers.die_young, folder=tmp_path, times=3), 3))
    assert told.died == [(0, "was killed by SIGKILL")] * 3
    assert told.from_worker(1) == told.from_worker(2) == [b"reborn 0"] * 3 + [b"heard 0"]
    assert set(told.from_worker(0)) <= {b"reborn 1", b"reborn 2"}


def test_a_new_worker_is_told_that_it_knows_nothing_of_the_others(tmp_path: Path) -> None:
    told = asyncio.run(run(partial(toy_workers.report_rebirths, folder=tmp_path), 3))
    assert told.heard == [(0, b"reborn 1"), (0, b"reborn 2")]


def test_a_worker_that_makes_progress_may_die_as_often_as_it_likes(tmp_path: Path) -> None:
    work = partial(toy_workers.die_young, folder=tmp_path, times=deaths.MOST + 5, say_well=True)
    told = asyncio.run(run(work, 2))
    assert len(told.died) == deaths.MOST + 5
    assert told.failed == []


def test_a_worker_that_always_dies_is_given_up_with_the_cause_and_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deaths, "LONGEST_WAIT", 0.0)
    told = Told(on_failed=stop_all)
    with pytest.raises(WorkerLost, match=r"worker 0 died 20 times in a row .* exit code 7.* start again"):
        asyncio.run(run(toy_workers.exit_always, 2, told))
    assert told.died == [(0, "ended with exit code 7")] * deaths.MOST
    assert [index for index, _ in told.failed] == [0]


def test_a_worker_that_raises_the_same_three_times_is_given_up_with_the_reason() -> None:
    with pytest.raises(WorkerLost, match=r"worker 0 died 3 times in a row .* raised ValueError: boom"):
        asyncio.run(run(toy_workers.raise_always, 2, Told(on_failed=stop_all)))


def test_other_errors_in_between_do_not_count_as_the_same() -> None:
    lately = deaths.Deaths()
    assert None not in [lately.wait(error) for error in ("a", "a", "b", "a", "a", "", "a", "a")]
    lately.forget()
    assert [lately.wait("a") is None for _ in range(3)] == [False, False, True]


def test_waits_between_restarts_grow_to_a_limit_and_begin_anew_after_progress() -> None:
    lately = deaths.Deaths()
    waits = [lately.wait() for _ in range(deaths.MOST)]
    assert waits[:7] == pytest.approx([0.0, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0])
    assert set(waits[7:-1]) == {2.0}
    assert waits[-1] is None
    lately.forget()
    assert lately.wait() == 0.0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "ended with exit code 3"),
        (-9, "was killed by SIGKILL"),
        (-63, "was killed by signal 63"),
        (None, "ended unseen"),
    ],
)
def test_how_a_process_ended_is_said_in_words(code: int | None, words: str) -> None:
    assert deaths.words_for(code) == words


def test_a_mistake_in_a_worker_is_logged_with_its_traceback_and_the_worker_restarted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "gossamer"):
        told = asyncio.run(run(partial(toy_workers.raise_once, folder=tmp_path), 1))
    assert told.died == [(0, "raised ValueError: boom")]
    assert "worker 0" in caplog.text
    assert 'raise ValueError("boom")' in caplog.text


def test_a_mistake_in_a_callback_of_a_worker_is_not_lost(tmp_path: Path) -> None:
    told = asyncio.run(run(partial(toy_workers.raise_when_told, folder=tmp_path), 1, Told(on_heard=stop_on_ready)))
    assert told.died == [(0, "raised LookupError: no idea what b'stop' is")]


def test_workers_come_back_when_the_process_they_are_forked_from_is_killed(tmp_path: Path) -> None:
    def stop(crew: Crew, index: int, message: bytes) -> None:
        crew.send_all(toy_workers.STOP)

    told = asyncio.run(run(partial(toy_workers.kill_the_parent, folder=tmp_path), 2, Told(on_heard=stop)))
    assert told.heard == [(0, b"reborn")]
    assert sorted(told.died) == [(0, "ended unseen"), (1, "ended unseen")]


# ---------------------------------------------------------------------- errors


def test_an_error_of_ours_ends_its_worker_for_good_and_is_raised_when_all_have_ended() -> None:
    told = Told(on_failed=stop_all)
    with pytest.raises(StorageError, match="the disk is full; buy another"):
        asyncio.run(run(toy_workers.fail, 2, told))
    assert [(index, type(error)) for index, error in told.failed] == [(0, StorageError)]
    assert told.died == []


@pytest.mark.parametrize("number", [EIO, EROFS, ENOSPC, EMFILE])
def test_what_the_machine_lacks_ends_a_worker_for_good(number: int) -> None:
    told = Told()
    with pytest.raises(StorageError, match=r"/far/file: .*; .*"):
        asyncio.run(run(partial(toy_workers.lack, number=number), 1, told))
    assert told.died == []


def test_a_worker_that_cannot_be_begun_again_ends_the_crew_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, left = local.pair, [1]

    def one_pair() -> tuple[socket.socket, socket.socket]:
        if not left:
            raise OSError(EMFILE, "Too many open files")
        left.pop()
        return pair()

    monkeypatch.setattr(local, "pair", one_pair)
    with pytest.raises(StorageError, match="no more files can be opened"):
        asyncio.run(run(partial(toy_workers.die_young, folder=tmp_path, times=1), 1))


def test_an_error_that_cannot_travel_sends_its_words() -> None:
    with pytest.raises(GossamerError, match="the table is broken; repair it"):
        asyncio.run(run(toy_workers.fail_strangely, 1))


def test_an_error_of_the_owner_ends_everything_and_is_raised() -> None:
    def stumble(crew: Crew, index: int, message: bytes) -> None:
        raise KeyError("owner")

    with pytest.raises(KeyError, match="owner"):
        asyncio.run(run(toy_workers.wait_for_stop, 2, Told(on_heard=stumble)))


def test_work_that_no_other_process_can_load_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="top level of a module"):
        make(lambda link: toy_workers.finish(link), 1, Told())


# ---------------------------------------------------------------------- ending


def test_terminated_workers_clean_up_and_are_not_restarted() -> None:
    def terminate(crew: Crew, index: int, message: bytes) -> None:
        if told.heard.count((0, b"ready")) and told.heard.count((1, b"ready")):
            crew.terminate()

    told = Told(on_heard=terminate)
    asyncio.run(run(toy_workers.clean_up_when_cancelled, 2, told))
    assert sorted(told.heard) == [(0, b"clean"), (0, b"ready"), (1, b"clean"), (1, b"ready")]
    assert told.died == []


def test_a_crew_may_be_terminated_before_its_workers_are_born() -> None:
    async def at_once() -> None:
        crew = make(toy_workers.wait_for_stop, 3, told)
        asyncio.get_running_loop().call_soon(crew.terminate)
        async with asyncio.timeout(LONGEST):
            await crew.run()

    told = Told()
    asyncio.run(at_once())
    assert told.died == told.failed == []


def test_a_worker_that_ignores_it_is_killed_after_a_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GRACE", 0.2)
    told = asyncio.run(run(toy_workers.ignore_cancellation, 1, Told(on_heard=lambda crew, *_: crew.terminate())))
    assert told.from_worker(0)[0] == b"ready"
    assert told.died == []


def test_a_crew_that_is_cancelled_lets_its_workers_clean_up() -> None:
    told = Told()

    async def cancelled() -> None:
        task = asyncio.create_task(make(toy_workers.clean_up_when_cancelled, 1, told).run())
        told.on_heard = lambda crew, index, message: message == b"ready" and task.cancel()
        async with asyncio.timeout(LONGEST):
            await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert told.heard == [(0, b"ready"), (0, b"clean")]


def test_an_interrupt_from_the_terminal_is_left_to_the_supervisor() -> None:
    assert asyncio.run(run(toy_workers.ignore_interrupts, 1)).heard == [(0, b"alive")]


# ----------------------------------------------------------------------- births


def test_modules_are_imported_once_for_all_workers() -> None:
    work = partial(toy_workers.name_loaded_modules, names=("sqlite3", "ftplib"))
    told = asyncio.run(run(work, 2, outfit=Outfit(preload=("sqlite3",))))
    assert sorted(told.heard) == [(0, b"sqlite3"), (1, b"sqlite3")]


# ------------------------------------------------------------------------ loops


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_crew_runs_in_any_loop_beside_other_tasks(factory: Callable[[], asyncio.AbstractEventLoop]) -> None:
    async def beside() -> list[Told]:
        work = partial(toy_workers.stream, count=1000)
        return await asyncio.gather(run(work, 2), run(work, 2))

    with asyncio.Runner(loop_factory=factory) as runner:
        assert [told.heard for told in runner.run(beside())] == [[(1, b"999")]] * 2


def test_a_crew_runs_in_a_thread() -> None:
    results: list[Told] = []
    work = partial(toy_workers.stream, count=1000)
    thread = threading.Thread(target=lambda: results.append(asyncio.run(run(work, 2))))
    thread.start()
    thread.join(LONGEST)
    assert [told.heard for told in results] == [[(1, b"999")]]
