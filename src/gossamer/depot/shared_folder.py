"""A folder as a store: a disk of another machine that is mounted here, or a second disk of this one.

It is written with the calls of the system and no library: a new object is on the disk before it has its name, and what
gives it the name is `link`, which fails where there is one, also over NFS.

Who else can write to the folder may have put something into it that is no object of ours. So what is a link, a FIFO or
a device is `Damaged`, and nothing is read, written or deleted behind it (`files`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gossamer import files
from gossamer.depot.objects import WHOLE_MOST
from gossamer.errors import StoreAway

PARTIAL = ".partial"


class SharedFolder:
    """Each object is a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()  # the store itself may be a link

    def begin(self) -> None:
        try:
            self._folder.mkdir(exist_ok=True)  # and not what is above it: a disk may not be mounted
        except OSError as error:
            raise StoreAway(f"{self._folder}: cannot be made ({error.strerror}); is the disk mounted?") from error

    def put(self, name: str, data: bytes) -> None:
        with self._told(name), self._written(name, data) as partial:
            os.replace(partial, self._folder / name)
            _sync((self._folder / name).parent)

    def create(self, name: str, data: bytes) -> bool:
        with self._told(name), self._written(name, data) as partial:
            try:
                os.link(partial, self._folder / name)
            except FileExistsError:
                return False
            _sync((self._folder / name).parent)
        return True

    def get(self, name: str) -> bytes:
        with self._told(name):
            return files.read(self._folder / name, WHOLE_MOST)

    def get_range(self, name: str, start: int, length: int) -> bytes:
        with self._told(name), files.open(self._folder / name) as file:
            file.seek(start)
            return file.read(length)

    def names(self, prefix: str) -> list[str]:
        with self._told(prefix):
            if not files.is_folder(self._folder / prefix):
                self._folder.stat()  # a disk that is not mounted is away, and not empty
                return []
            found = (Path(folder, name) for folder, _, names in os.walk(self._folder / prefix) for name in names)
            return sorted(path.relative_to(self._folder).as_posix() for path in found if path.suffix != PARTIAL)

    def delete(self, name: str) -> None:
        with self._told(name):
            files.remove(self._folder / name)

    @contextmanager
    def _written(self, name: str, data: bytes) -> Iterator[Path]:
        """A file that is on the disk, and has no name that counts."""
        path = self._folder / name
        partial = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}{PARTIAL}")
        self._folder.stat()  # as above
        files.make_folder(path.parent)
        try:
            with files.open(partial, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            yield partial
        finally:
            with suppress(OSError):
                partial.unlink()

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            if self._folder.is_dir():
                raise
            raise StoreAway(f"{self._folder}: is not there; mount its disk, or make the folder if it is new") from error
        except OSError as error:
            raise StoreAway(f"{self._folder / name}: {error.strerror or error}") from error


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
