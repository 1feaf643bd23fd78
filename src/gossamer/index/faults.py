"""What goes wrong in the engine, in the words of this program: a full disk, a damaged index, a panic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path
from types import TracebackType

from gossamer.errors import Damaged, StorageError

_SYSTEM = re.compile(r"(?:os error |Os \{ code: )(\d+)")


class Shaken(ValueError):
    """The engine has panicked."""


@contextmanager
def unpanicked() -> Iterator[None]:
    """The engine's panics are errors like its others. They derive from BaseException, and their class has no name that
    could be imported."""
    try:
        yield
    except BaseException as error:
        if _is_panic(error):
            raise Shaken(str(error)) from None
        raise


def _is_panic(error: BaseException | None) -> bool:
    return type(error).__name__ == "PanicException"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """The engine knows one kind of error. Whatever stops it from writing, the disk is to blame, unless it panics."""
    try:
        with unpanicked():
            yield
    except Shaken as error:
        raise unreadable(str(error)) from error
    except (ValueError, OSError) as error:
        raise failed(folder, error) from error


def failed(folder: Path, error: Exception) -> StorageError:
    """It could not write, for a reason outside."""
    full = "StorageFull" in str(error) or system_error(error) in {ENOSPC, EDQUOT}
    reason = "the disk is full; free some space and go on" if full else f"cannot be written ({error})"
    return StorageError(f"{folder}: {reason}, nothing committed is lost")


def system_error(error: BaseException) -> int:
    """What the system said, in the words of the engine; 0 when it was not the system."""
    found = _SYSTEM.search(str(error))
    return error.errno or 0 if isinstance(error, OSError) else int(found[1]) if found else 0


class reading:
    """Around questions to the engine: what it cannot make sense of, or panics about, is a damaged index.

    A search enters it some forty times, so it is no generator."""

    __slots__ = ()

    def __enter__(self) -> None:
        """There is nothing to do before."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ValueError) or _is_panic(error):
            raise unreadable(str(error)) from None


def unreadable(why: str) -> Damaged:
    """It could not make sense of what it read."""
    return Damaged(f"the index cannot be read ({why}); `gossamer verify DIR --repair` makes it again")
