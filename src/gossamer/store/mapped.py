"""A small file as memory: what is written there outlives the process that wrote it, because the kernel has it.

That is enough for what must survive a kill and need not survive a power cut, and costs no system call.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from gossamer import files
from gossamer.errors import StorageError


class Mapped:
    """A file of a fixed size, made of zeros if it is new."""

    def __init__(self, path: Path, size: int) -> None:
        try:
            self.handle = files.descriptor(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise _told(error, path) from error
        try:
            # All of it now: a full disk is an error here, and later it would be a signal that kills.
            os.posix_fallocate(self.handle, 0, size)
            self.memory = mmap.mmap(self.handle, size)
        except OSError as error:
            os.close(self.handle)
            raise _told(error, path) from error

    def close(self) -> None:
        """Give the file free, once no view of the memory is left."""
        self.memory.close()
        os.close(self.handle)


def _told(error: OSError, path: Path) -> StorageError:
    return StorageError(
        f"{path}: cannot be written ({error.strerror}); is there room on the disk, and may we write there?"
    )
