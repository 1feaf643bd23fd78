"""What the kernel says of threads and processes: who is at rest, and who comes from whom."""

from __future__ import annotations

import ctypes
import os
import sys
from hashlib import sha256
from subprocess import PIPE, Popen
from threading import Event, Thread

import pytest

from gossamer.engine import proc

NAME = "at-work-for-a-while"
SET_NAME = 15
"""Of prctl."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which threads sleep")


def test_what_was_given_is_done_when_the_thread_rests() -> None:
    begun, end, done = Event(), Event(), []

    def work() -> None:
        ctypes.CDLL(None).prctl(SET_NAME, NAME.encode(), 0, 0, 0)
        begun.set()
        for _ in range(20):
            sha256(bytes(8 << 20)).digest()  # outside of the lock of the interpreter
        done.append(True)
        end.wait(60)

    thread = Thread(target=work)
    thread.start()
    try:
        begun.wait(60)
        proc.rest(NAME)
        assert done
    finally:
        end.set()
        thread.join(60)


def test_nobody_waits_for_threads_that_are_not_there() -> None:
    assert proc.looks("no thread is called so") == []
    proc.rest("no thread is called so")


def test_descendants_are_children_and_theirs_each_after_its_parent() -> None:
    inner = "import sys; print('ready', flush=True); sys.stdin.read()"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    with Popen([sys.executable, "-c", outer], stdin=PIPE, stdout=PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        found = proc.descendants(os.getpid())
        (grandchild,) = proc.descendants(child.pid)
        assert found.index(child.pid) < found.index(grandchild)
        child.stdin.close()
