"""Crews in processes of their own: however Python was started, and whatever happens to the supervisor."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crews import LONGEST

HERE = Path(__file__).parent
SOURCE = Path(__file__).parents[2] / "src"
WORK = """
import asyncio

async def work(seat):
    seat.tell(b"%d of %d" % (seat.index, seat.count))
"""
CREW = """
from gossamer.engine import Crew, Reports

def start(work):
    told = []
    crew = Crew(work, 2, Reports(lambda i, m: told.append(m.decode()), print, lambda i, e: print(i, e)))
    asyncio.run(crew.run())
    print(*sorted(told), sep=", ")
"""
EXPECTED = "0 of 2, 1 of 2\n"


def python(*arguments: str, folder: Path, said: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (SOURCE, folder)))
    return subprocess.run(
        [sys.executable, *arguments],
        input=said,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


# -------------------------------------------------------------- ways to start


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A folder with a module that defines the work, one that starts it, and a package that can be run."""
    (tmp_path / "worker.py").write_text(WORK)
    (tmp_path / "starter.py").write_text(f"import asyncio{CREW}")
    package = tmp_path / "package"
    package.mkdir()
    (package / "__main__.py").write_text("from starter import start\nfrom worker import work\nstart(work)\n")
    return tmp_path


SCRIPT = "from starter import start\nfrom worker import work\nstart(work)\n"


def test_a_crew_starts_from_a_command(modules: Path) -> None:
    assert python("-c", SCRIPT, folder=modules).stdout == EXPECTED


def test_a_crew_starts_from_a_package_that_is_run(modules: Path) -> None:
    assert python("-m", "package", folder=modules).stdout == EXPECTED


def test_a_crew_starts_from_an_interactive_session(modules: Path) -> None:
    assert python("-i", folder=modules, said=SCRIPT).stdout == EXPECTED


def test_a_crew_starts_from_a_script_without_a_guard_and_runs_it_once(modules: Path) -> None:
    script = modules / "script.py"
    script.write_text(f"print('script')\n{SCRIPT}")
    assert python(str(script), folder=modules).stdout == f"script\n{EXPECTED}"


def test_a_crew_starts_when_the_path_was_changed_by_the_program(modules: Path, tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(modules)!r})\n{SCRIPT}"
    assert python("-c", code, folder=tmp_path / "elsewhere").stdout == EXPECTED


def test_work_may_be_defined_in_a_script_with_a_guard(modules: Path) -> None:
    script = modules / "script.py"
    script.write_text(f"from starter import start\n{WORK}\nif __name__ == '__main__':\n    start(work)\n")
    assert python(str(script), folder=modules).stdout == EXPECTED


def test_work_that_is_defined_in_a_script_without_a_guard_is_refused_with_the_cure(modules: Path) -> None:
    script = modules / "script.py"
    script.write_text(f"from starter import start\n{WORK}\nstart(work)\n")
    result = python(str(script), folder=modules)
    assert result.returncode == 1
    assert "if __name__ == '__main__':" in result.stderr


def test_work_that_is_defined_in_an_interactive_session_is_refused_with_the_cure(modules: Path) -> None:
    said = f"from starter import start\n{WORK}\nstart(work)\n"
    result = python("-i", folder=modules, said=said)
    assert "define it in a module that can be imported" in result.stderr


# -------------------------------------------------------- a supervisor that dies

SUPERVISOR = """
import asyncio, fcntl, functools, pathlib, sys
import toy_workers
from gossamer.engine import Crew, Outfit, Reports

work, folder, keep = getattr(toy_workers, sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
lock = (folder / "lock").open("w")
fcntl.flock(lock, fcntl.LOCK_EX)
work = functools.partial(work, folder=folder) if work is toy_workers.end_as_orphan else work
said = lambda index, message: print(message.decode(), flush=True)
crew = Crew(work, 2, Reports(said, print, print), outfit=Outfit(keep=(keep, lock.fileno())))
asyncio.run(crew.run())
"""


@contextmanager
def supervised(work: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A supervisor whose workers are all ready, and a pipe that ends when the last of them is gone."""
    pipe, held = os.pipe()
    path = os.pathsep.join(map(str, (SOURCE, HERE)))
    process = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, work, str(folder), str(held)],
        env=os.environ | {"PYTHONPATH": path},
        pass_fds=[held],
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(held)
    try:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["ready\n"] * 2
        yield process, pipe
    finally:
        process.kill()
        process.wait(LONGEST)
        process.communicate()
        os.close(pipe)


def wait_until_all_are_gone(pipe: int) -> None:
    ready, _, _ = select.select([pipe], [], [], LONGEST)
    assert ready, "a worker is left"
    assert os.read(pipe, 1) == b""


def test_workers_end_when_their_supervisor_is_killed_and_hold_its_lock_until_then(tmp_path: Path) -> None:
    with supervised("end_as_orphan", tmp_path) as (process, pipe):
        process.kill()
        process.wait(LONGEST)
        wait_until_all_are_gone(pipe)
    assert {path.name for path in tmp_path.iterdir()} == {"lock", "held-0", "held-1"}


def test_a_worker_that_lives_on_without_a_supervisor_is_ended_by_force(tmp_path: Path) -> None:
    with supervised("hang_as_orphan", tmp_path) as (process, pipe):
        process.kill()
        process.wait(LONGEST)
        wait_until_all_are_gone(pipe)


# ------------------------------------------------------------- a birth untold

DEADLY = """
import os, signal
from pathlib import Path
from gossamer.engine.fork_server import ForkServer

tell = ForkServer._tell

def dying(server, birth, process, code, *, end):
    died = Path(__file__).with_suffix(".died")
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    tell(server, birth, process, code, end=end)

ForkServer._tell = dying
"""
"""A fork server that has loaded this is killed when it has forked its first child, and before it could tell."""
NOTING = """
import os
from pathlib import Path

async def work(link):
    with Path(__file__).with_suffix(".began").open("a") as file:
        file.write("began\\n")
"""
ALL_GONE = """
import asyncio, os
from gossamer.engine import Crew, Outfit, Reports
from noting import work

read, write = os.pipe()
outfit = Outfit(("deadly",), keep=(write,))
crew = Crew(work, 1, Reports(print, lambda index, words: print(words), print), outfit=outfit)
asyncio.run(crew.run())
os.close(write)
os.read(read, 1)  # until the last worker is gone
"""


def test_a_worker_of_which_nobody_was_told_does_not_work_beside_its_successor(tmp_path: Path) -> None:
    """Two would write to one table."""
    for name, code in (("deadly", DEADLY), ("noting", NOTING)):
        (tmp_path / f"{name}.py").write_text(code)
    ended = python("-c", ALL_GONE, folder=tmp_path)
    assert ended.stdout == "ended unseen\n", ended.stderr
    assert (tmp_path / "noting.began").read_text() == "began\n"
