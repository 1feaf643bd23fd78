"""Threads of an engine that does not say how much waits for it."""

from __future__ import annotations

import ctypes
import sys
from hashlib import sha256
from threading import Event, Thread

import pytest

from gossamer.engine import threads

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
        threads.rest(NAME)
        assert done
    finally:
        end.set()
        thread.join(60)


def test_nobody_waits_for_threads_that_are_not_there() -> None:
    assert threads.looks("no thread is called so") == []
    threads.rest("no thread is called so")
