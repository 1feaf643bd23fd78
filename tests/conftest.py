"""How all tests run: property tests draw the same examples every time, and neither a busy machine nor a full disk
decides whether they pass.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from gossamer.store import disk
from harness.warm import WARM

HERE = Path(__file__).parent
MEMORY = Path("/dev/shm")
ROOM = 4 << 30

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

# Tests start some thousand processes; where Python keeps no bytecode, each compiles all modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that starts the tests in the background has them ignore interrupts, and what they test is how those are heard.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Collections are made in memory where there is room: a fifth of the run is waiting for the disk otherwise.

    Set TMPDIR to run the tests on a file system of your choice.
    """
    _begin_elsewhere(config)
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _begin_elsewhere(config: pytest.Config) -> None:
    """To compile the tests takes longer than to load them. Of several processes each begins with a part of its own, and
    finds the others compiled."""
    process: dict[str, Any] | None = getattr(config, "workerinput", None)
    if process and config.args_source is config.ArgsSource.TESTPATHS:
        files = sorted(map(str, HERE.rglob("test_*.py")))
        first = len(files) * int(process["workerid"].removeprefix("gw")) // process["workercount"]
        config.args = files[first:] + files[:first]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the whole, which take longest, come first: at the end all processes have something to do."""
    items.sort(key=lambda item: (item.path.parent != HERE, str(item.path)))


def pytest_collection_finish() -> None:
    """Thousands of tests are half a million objects, which no look for garbage has to pass again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _plenty_of_room() -> None:
    """A crawl waits while the disk is nearly full, and this machine's may be. Processes are given a plan for that."""
    disk.room = lambda folder: disk.Room(1 << 40, 1 << 40)


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_remembered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Which collections a user has made is remembered in the user's own folder. This user has made none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _templates_end() -> Iterator[None]:
    yield
    WARM.close()


@pytest.fixture(autouse=True, scope="module")
def _loaded_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """How worker processes begin is tested in `engine`; all other tests fork them from what is loaded already."""
    if request.path.parent == HERE / "engine":
        yield
    else:
        with WARM.used():
            yield
