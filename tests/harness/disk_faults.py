"""A disk that fails: any call of any process of a command, in Python or in a library, at any moment.

The verbs are those of `kills`. A later step that has put its verb there has it here too:

    VERBS["fold"] = Verb(lambda place: ("fold", str(place.folder)))

and `weathers` runs it on a disk whose n-th write, sync, read or opening fails. The command must end with exit code 6
and one line, and when it is run again on a sound disk all must be as if nothing had been. `FAULTS` lists what can fail.

The calls are caught between the program and the C library, by `disk_shim.c`; where there is no compiler, the tests are
skipped with a word. What is written through mapped memory is not caught.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from harness.kills import Nest, Place, Run, Verb, at_step, in_peace

SOURCE = Path(__file__).with_name("disk_shim.c")
SHORT = 0
"""In place of an error: half of the work is done, and the caller is told so."""
_CALLS = {"write": 1, "sync": 2, "read": 3, "open": 4}
_LAYOUT = struct.Struct("=6q4096s")


class Fault(NamedTuple):
    """What a disk does when its time has come."""

    call: str
    """Which calls fail: write, sync, read, or open, which is opening to write."""
    error: int
    lasting: bool = False
    """All later ones fail, too."""
    codes: frozenset[int] = frozenset((0, 6))
    """How a command may end that met it. 0: what failed was not needed, or was done again."""


FAULTS: dict[str, Fault] = {
    "full disk": Fault("write", errno.ENOSPC, lasting=True),
    "full for a moment": Fault("write", errno.ENOSPC),
    "quota": Fault("write", errno.EDQUOT, lasting=True),
    "write error": Fault("write", errno.EIO),
    "failed sync": Fault("sync", errno.EIO),
    "dead disk": Fault("sync", errno.EIO, lasting=True),
    "read-only": Fault("open", errno.EROFS, lasting=True),
    "short write": Fault("write", SHORT),
    "read error": Fault("read", errno.EIO, codes=frozenset((0, 6, 7, 9))),
}


def compiler() -> str | None:
    """What makes the shim."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


class Disk:
    """Where commands begin whose disk may fail."""

    def __init__(self, folder: Path) -> None:
        shim, told = folder / "shim.so", folder / "faults"
        words = [
            compiler() or "cc",
            "-shared",
            "-fPIC",
            "-O1",
            "-U_FORTIFY_SOURCE",
            "-o",
            str(shim),
            str(SOURCE),
            "-ldl",
        ]
        subprocess.run(words, check=True)
        told.write_bytes(bytes(_LAYOUT.size))
        with told.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _LAYOUT.size)
        self.nest = Nest({"LD_PRELOAD": str(shim), "GOSSAMER_TEST_FAULTS": str(told)})

    @contextmanager
    def failing(self, root: Path, fault: Fault, nth: int) -> Iterator[None]:
        """From the n-th call on the files below `root`; 0: they are only counted."""
        words = (_CALLS[fault.call], nth, fault.error, fault.lasting, 0, 0)
        self._memory[:] = _LAYOUT.pack(*words, os.fsencode(root.resolve()))
        try:
            yield
        finally:
            self._memory[:8] = bytes(8)

    @property
    def calls(self) -> int:
        """How many were counted."""
        return int(_LAYOUT.unpack(self._memory[:])[4])

    @property
    def hits(self) -> int:
        """How many failed."""
        return int(_LAYOUT.unpack(self._memory[:])[5])

    def close(self) -> None:
        self.nest.close()
        self._memory.close()


def run(disk: Disk, place: Place, words: Sequence[str], fault: Fault, nth: int) -> Run:
    """A command on a disk that fails."""
    with disk.failing(place.folder, fault, nth):
        return at_step(0, "self")(place, words)


def counted(disk: Disk, place: Place, words: Sequence[str], fault: Fault) -> int:
    """The calls that could fail, of a command that is left in peace."""
    ended = run(disk, place, words, fault, 0)
    assert ended.code == 0, ended
    return disk.calls


def weathers(disk: Disk, verb: Verb, place: Place, calm: Any, fault: Fault, nth: int) -> bool:
    """Fail one call, look at how the command ends, run it again in peace, and compare. Whether a call failed."""
    ended = run(disk, place, verb.words(place), fault, nth)
    if not disk.hits:
        return False
    assert ended.code in (fault.codes if fault.error else frozenset((0,))), ended
    assert "Traceback" not in ended.said, ended.said
    if ended.code == 6:
        assert ended.said.rstrip().splitlines()[-1].startswith("gossamer: "), ended.said
    words = verb.words if ended.code == 0 else verb.again or verb.words
    in_peace(place, words(place), verb.codes)
    left = verb.look(place)
    assert left == calm, f"{fault}, call {nth}: {ended}"
    return True
