"""What is done in cells: some of it well, most of it badly."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
from pathlib import Path

from gossamer.engine.sandbox_child import ANSWERED

kept: list[bytearray] = []


def task(data: bytes, body: bytes = b"") -> bytes:
    """The first word says what to do."""
    name, _, rest = data.partition(b" ")
    return {
        b"echo": lambda: rest,
        b"size": lambda: b"%d" % len(body),
        b"eat": lambda: bytes(len(bytearray(int(rest)))),
        b"keep": lambda: _keep(int(rest)),
        b"loop": _loop,
        b"sleep": _sleep,
        b"signal": lambda: _signal(int(rest)),
        b"crash": _crash,
        b"once": lambda: _once(rest),
        b"exit": lambda: os._exit(int(rest)),
        b"print": lambda: _print(int(rest)),
        b"much": lambda: bytes(int(rest)),
        b"write": lambda: _write(rest),
        b"raise": lambda: _raise(rest),
        b"import": lambda: _import(rest),
        b"recurse": lambda: task(data),
        b"process": lambda: b"%d" % os.getpid(),
        b"where": lambda: os.fsencode(os.getcwd()),
        b"claim": lambda: _claim(*map(int, rest.split())),
        b"spoil": lambda: _spoil(rest),
    }[name]()


def _keep(size: int) -> bytes:
    kept.append(bytearray(b"x" * size))
    return b"%d" % os.getpid()


def _claim(said: int, length: int) -> bytes:
    """What a reader says that was taken over: an answer of any kind and length, on whatever socket there is."""
    for name in os.listdir("/proc/self/fd"):
        if os.path.exists(f"/proc/self/fd/{name}") and os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
            os.write(int(name), ANSWERED.pack(said, length))
    return _sleep()


def _once(path: bytes) -> bytes:
    """The first who comes is killed; a folder notes it, because no file may be written here."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return b"%d" % os.getpid()
    return _signal(signal.SIGKILL)


def _loop() -> bytes:
    while True:
        pass


def _sleep() -> bytes:
    signal.pause()
    return b"awake"


def _signal(number: int) -> bytes:
    os.kill(os.getpid(), number)
    return b"alive"


def _crash() -> bytes:
    ctypes.string_at(0)
    return b"alive"


def _print(size: int) -> bytes:
    for stream in (sys.stdout, sys.stderr):
        stream.write("x" * size)
        stream.flush()
    os.write(1, b"x" * size)
    return b"printed"


def _write(path: bytes) -> bytes:
    Path(os.fsdecode(path)).write_bytes(b"something")
    return b"written"


def _import(path: bytes) -> bytes:
    """A module that nobody has loaded before."""
    file = Path(os.fsdecode(path))
    sys.path.insert(0, str(file.parent))
    return importlib.import_module(file.stem).__name__.encode()


def _raise(words: bytes) -> bytes:
    raise ValueError(words.decode())


def _spoil(path: bytes) -> bytes:
    """Tell who we are through a file that is there already, and never come back."""
    os.utime(path, (os.getpid(), os.getpid()))
    return _loop()
