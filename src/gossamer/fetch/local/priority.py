"""Who comes first on this machine? Everybody else: files are read when the processor and the disk have nothing to do.

The class of a process at the disk has no call in Python; the number of the system call is that of the processor.
"""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress

NICE = 10
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30, "ppc64le": 273, "s390x": 282}
_THIS_PROCESS, _IDLE = 1, 3 << 13


def step_back() -> None:
    """This process, and those that it starts, come after all others. Where that is not possible, nothing happens."""
    with suppress(OSError):
        os.nice(NICE)
    number = _IOPRIO_SET.get(platform.machine())
    if number is not None:
        ctypes.CDLL(None).syscall(number, _THIS_PROCESS, 0, _IDLE)
