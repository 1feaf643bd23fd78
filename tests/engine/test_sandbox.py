"""A cell: whatever a function does in it, its caller gets a value, and the next task works."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import uvloop

from gossamer.engine.fork_client import Birth, ForkClient, NoServer
from gossamer.engine.sandbox import Blame, Ended, Limits, Sandbox
from gossamer.errors import StorageError
from gossamer.plan import Plan

TASK = "cell_tasks:task"
LITTLE_CPU = Limits(cpu=0.2, seconds=60.0)
LITTLE_TIME = Limits(cpu=60.0, seconds=0.2)
AMPLE = Limits(memory=64 << 20, output=1 << 20)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(TASK, AMPLE) as made:
        yield made


def assert_serves(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"echo still here") == Ended(b"still here")


def test_what_a_function_returns_comes_back(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 2_000
    assert sandbox.run_now(b"echo " + data) == Ended(data)
    assert sandbox.run_now(b"echo ") == Ended(b"")


def test_a_process_serves_many_tasks(sandbox: Sandbox) -> None:
    assert len({sandbox.run_now(b"process").value for _ in range(20)}) == 1


def test_who_wants_too_much_memory_is_told_so(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"eat %d" % (1 << 40)) == Ended(problem="needs more than 64 MiB of memory")
    assert_serves(sandbox)


def test_memory_is_counted_beyond_what_the_process_begins_with(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"eat %d" % (1 << 20)).problem == ""


def test_who_loops_is_ended_by_its_cpu_time() -> None:
    with Sandbox(TASK, LITTLE_CPU) as sandbox:
        assert sandbox.run_now(b"loop") == Ended(problem="takes more than 0.2 s of CPU")
        assert_serves(sandbox)


def test_who_only_waits_is_ended_by_the_clock() -> None:
    with Sandbox(TASK, LITTLE_TIME) as sandbox:
        assert sandbox.run_now(b"sleep") == Ended(problem="takes more than 0.2 s")
        assert_serves(sandbox)


def test_a_working_directory_that_is_removed_is_missed_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here := tmp_path / "here").mkdir()
    monkeypatch.chdir(here)
    with Sandbox(TASK) as sandbox:
        assert sandbox.run_now(b"where") == Ended(os.fsencode(here))
        here.rmdir()
        assert sandbox.run_now(b"where") == Ended(b"/")


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT"])
def test_who_dies_of_a_signal_is_reported_with_its_name(sandbox: Sandbox, name: str) -> None:
    ended = sandbox.run_now(b"signal %d" % signal.Signals[name])
    blame = Blame.OUTSIDE if name == "SIGKILL" else Blame.FUNCTION
    assert ended == Ended(problem=f"breaks the process that reads it, which was killed by {name}", blame=blame)
    assert_serves(sandbox)


def test_what_a_terminal_or_systemd_sends_to_all_processes_ends_none_here(sandbox: Sandbox) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        assert sandbox.run_now(b"signal %d" % number) == Ended(b"alive")


def test_a_crash_in_compiled_code_is_a_value_too(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"crash").problem.endswith("was killed by SIGSEGV")
    assert_serves(sandbox)


@pytest.mark.parametrize(("said", "length"), [(0, 1 << 62), (1, (1 << 20) + 1), (200, 5)])
def test_nothing_is_allocated_for_what_a_broken_process_claims(sandbox: Sandbox, said: int, length: int) -> None:
    ended = sandbox.run_now(b"claim %d %d" % (said, length))
    assert ended.problem == f"breaks the process that reads it, which claims to answer with {length:,} bytes"
    assert_serves(sandbox)


def test_memory_for_an_answer_follows_what_has_come() -> None:
    with Sandbox(TASK, Limits(seconds=0.2, output=1 << 30)) as sandbox:
        tracemalloc.start()
        try:
            ended = sandbox.run_now(b"claim 0 %d" % (1 << 30))
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert ended.problem
    assert most < 8 << 20


def test_who_ends_the_process_is_reported(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"exit 3").problem.endswith("ended with exit code 3")
    assert_serves(sandbox)


def test_what_is_printed_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with Sandbox(TASK, AMPLE) as sandbox:
        assert sandbox.run_now(b"print 1000000") == Ended(b"printed")
    assert capfd.readouterr() == ("", "")


def test_a_result_that_is_too_large_is_refused(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"much %d" % (1 << 20)).problem == ""
    assert sandbox.run_now(b"much %d" % ((1 << 20) + 1)) == Ended(problem="comes to more than 1 MiB")
    assert_serves(sandbox)


def test_no_file_can_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "new"
    assert sandbox.run_now(b"write " + os.fsencode(path)).problem
    assert not path.exists() or path.stat().st_size == 0
    assert_serves(sandbox)


def test_a_module_that_is_not_compiled_yet_can_be_loaded(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "needed_late.py"
    path.write_text("")
    assert sandbox.run_now(b"import " + os.fsencode(path)) == Ended(b"needed_late")
    assert not (tmp_path / "__pycache__").exists()


def test_an_exception_is_a_value(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"raise of hands") == Ended(problem="ValueError: of hands", blame=Blame.FUNCTION)
    assert sandbox.run_now(b"recurse").problem.startswith("RecursionError")
    assert_serves(sandbox)


def test_a_process_is_renewed_after_its_tasks() -> None:
    with Sandbox(TASK, Limits(tasks=3)) as sandbox:
        processes = [sandbox.run_now(b"process").value for _ in range(9)]
    assert [processes.count(each) for each in dict.fromkeys(processes)] == [3, 3, 3]


def test_a_process_that_has_grown_is_renewed() -> None:
    with Sandbox(TASK, Limits(memory=96 << 20)) as sandbox:
        small = [sandbox.run_now(b"keep 1000").value for _ in range(2)]
        large = [sandbox.run_now(b"keep %d" % (48 << 20)).value for _ in range(2)]
    assert small[0] == small[1] == large[0] != large[1]


def test_a_process_that_was_killed_while_it_waited_costs_no_task(sandbox: Sandbox) -> None:
    os.kill(int(sandbox.run_now(b"process").value), signal.SIGKILL)
    assert_serves(sandbox)


def test_a_task_whose_process_is_killed_from_outside_is_begun_once_more_in_another(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    first = sandbox.run_now(b"process").value
    second = sandbox.run_now(b"once %s" % bytes(tmp_path / "killed"))
    assert second == Ended(sandbox.run_now(b"process").value)
    assert second.value != first


def test_a_task_that_breaks_a_limit_is_not_begun_again(tmp_path: Path) -> None:
    with Sandbox(TASK, Limits(cpu=0.2, seconds=60.0, tasks=1)) as sandbox:
        assert sandbox.run_now(b"loop").blame is Blame.DATA


def test_the_loop_goes_on_while_a_task_runs() -> None:
    async def crawl() -> tuple[list[Ended], int]:
        with Sandbox(TASK, LITTLE_CPU, workers=2) as sandbox:
            tasks = [asyncio.ensure_future(sandbox.run(each)) for each in (b"loop", b"echo a", b"loop", b"echo b")]
            turns = 0
            while not all(task.done() for task in tasks):
                turns += 1
                await asyncio.sleep(0.001)
            return [task.result() for task in tasks], turns

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        ended, turns = runner.run(crawl())
    assert [each.value for each in ended] == [b"", b"a", b"", b"b"]
    assert ended[0].problem == ended[2].problem == "takes more than 0.2 s of CPU"
    assert turns > 20


def test_many_threads_share_few_processes() -> None:
    with Sandbox(TASK, AMPLE, workers=2) as sandbox:
        found: list[bytes] = []
        threads = [threading.Thread(target=lambda: found.append(sandbox.run_now(b"process").value)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 16
    assert len(set(found)) <= 2


def test_closing_ends_what_is_under_way() -> None:
    async def crawl() -> Ended:
        sandbox = Sandbox(TASK, Limits(seconds=600))
        await sandbox.run(b"echo warm")
        task = asyncio.ensure_future(sandbox.run(b"sleep"))
        await asyncio.sleep(0)
        await asyncio.to_thread(sandbox.close)
        return await task

    assert asyncio.run(crawl()).problem


def test_a_forked_process_gets_a_cell_of_its_own(sandbox: Sandbox) -> None:
    assert_serves(sandbox)
    mine = sandbox.run_now(b"process").value
    here, there = multiprocessing.Pipe()

    def other() -> None:
        there.send(sandbox.run_now(b"process").value)
        sandbox.close()

    child = multiprocessing.get_context("fork").Process(target=other)
    child.start()
    theirs = here.recv()
    child.join()
    assert theirs not in (mine, b"")
    assert sandbox.run_now(b"process").value == mine


@pytest.mark.parametrize("busy", [False, True])
def test_a_process_dies_with_its_parent(tmp_path: Path, busy: bool) -> None:
    note = tmp_path / "note"
    note.touch()
    code = f"""
import sys; sys.path[:] = {sys.path!r}
from gossamer.engine.sandbox import Sandbox, Limits
cell = Sandbox({TASK!r}, Limits(cpu=600, seconds=600))
print(cell.run_now(b"process").value.decode(), flush=True)
if {busy}:
    cell.run_now(b"spoil " + {os.fsencode(note)!r})
sys.stdin.read()
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    with parent.stdout, parent.stdin:
        process = int(parent.stdout.readline())
        handle = os.pidfd_open(process)
        while busy and note.stat().st_mtime != process:
            pass
        parent.kill()
        parent.wait()
    gone = select.poll()
    gone.register(handle, select.POLLIN)
    assert gone.poll(30_000)
    os.close(handle)


def test_a_body_reaches_the_function_as_it_is(sandbox: Sandbox) -> None:
    assert sandbox.run_now(b"size", bytes(3 << 20)) == Ended(b"%d" % (3 << 20))
    assert sandbox.run_now(b"echo without one") == Ended(b"without one")


def test_memory_for_a_task_is_what_the_plan_of_a_crawl_allows() -> None:
    assert Limits() == Plan().as_cell()


def test_where_the_system_gives_no_process_no_task_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    lack = StorageError("no process")

    def refused(client: ForkClient, handles: Sequence[int]) -> Birth:
        birth = Birth(lambda _: None, lambda: None)
        birth.fail(lack)
        return birth

    monkeypatch.setattr(ForkClient, "fork", refused)
    with Sandbox(TASK) as sandbox, pytest.raises(StorageError, match="no process"):
        sandbox.run_now(b"echo nothing")


def test_where_no_process_can_load_what_it_needs_no_task_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSSAMER_TEST_COLD", "1")
    with Sandbox("no_such_module:work") as sandbox:
        for _ in range(2):
            with pytest.raises(NoServer, match="No module named 'no_such_module'"):
                sandbox.run_now(b"")
        with pytest.raises(NoServer):
            asyncio.run(sandbox.run(b""))
