"""The process from which others are forked that need what it has loaded; see `warm`."""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import time
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn, cast

from gossamer.engine import zygote

PACKET = 1 << 17


def wait_to_fork(handle: int, modules: Sequence[str]) -> NoReturn:
    """The whole life of a template."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    line = socket.socket(fileno=handle)
    while True:
        packet, handles, _, _ = socket.recv_fds(line, PACKET, 8)
        _bury()
        if not packet:
            os._exit(0)
        process = os.fork()
        if not process:
            line.close()
            _become(json.loads(packet), handles)
        for each in handles:
            os.close(each)
        line.send(str(process).encode())


def _bury() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(told: dict[str, Any], handles: Sequence[int]) -> NoReturn:
    """A process as if it had just been started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(told["environment"])
    time.tzset()
    os.chdir(told["folder"])
    places: list[int] = told["places"]
    aside = [fcntl.fcntl(each, fcntl.F_DUPFD, max(places) + 1) for each in handles]  # where none of them has to be
    for each in handles:
        os.close(each)
    for each, place in zip(aside, places, strict=True):
        os.dup2(each, place)
        os.close(each)
    sys.modules["__main__"] = types.ModuleType("__main__")
    exec(told["code"], vars(sys.modules["__main__"]))
    sys.exit()


def command(status: int, words: Sequence[str]) -> NoReturn:
    """The command line or a program, in a process whose parent writes down how it ended, and forks its fork servers
    meanwhile."""
    line, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = os.fork()
    if process:
        line.close()
        _attend(process, asked, status)
    os.close(status)
    asked.close()
    zygote._held = zygote.Zygote(line)
    sys.argv[:] = words
    _end(_main(words[0]))


def _main(program: str) -> Callable[[], int]:
    """What the first word of a command line stands for."""
    if program == "gossamer":
        return cast(Callable[[], int], importlib.import_module("gossamer.cli.main").main)
    sys.path.insert(0, os.path.dirname(program))
    return lambda: int(not runpy.run_path(program, run_name="__main__"))


def _attend(process: int, asked: socket.socket, status: int) -> NoReturn:
    ended = os.pidfd_open(process)
    poll = select.poll()
    for handle in (ended, asked.fileno()):
        poll.register(handle, select.POLLIN)
    while ended not in dict(poll.poll()):
        packet, handles, _, _ = socket.recv_fds(asked, zygote.PACKET, 2)
        if not packet:
            poll.unregister(asked)
        elif not os.fork():
            os.close(status)
            zygote._become_server(asked, json.loads(packet), handles)
        for each in handles:
            os.close(each)
    os.write(status, str(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])).encode())
    os._exit(0)


def _end(main: Callable[[], int]) -> NoReturn:
    """As a process ends, but what it has loaded is not taken apart: that costs more than most commands do."""
    try:
        code = main()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the end of Python does
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
