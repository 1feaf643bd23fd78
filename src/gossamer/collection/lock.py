"""One writer at a time. The kernel frees the lock when its holder dies, so there is no stale one to clean up."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from gossamer import files
from gossamer.engine.protocols import Work, WorkerLink
from gossamer.errors import Damaged, Locked, StorageError, shortage
from gossamer.files import anchors

CRAWL = "crawl"
"""What a crawl signs the lock with."""
FILE = "lock"
ORPHANS = 30.0
"""Seconds that the shards of a process that was killed may take to end."""
GLANCE = 2.0
"""Seconds to wait for those who only read: to see whether somebody writes, the lock is held for a moment."""
_MOST = 4_096


class _Mark(msgspec.Struct):
    """Who holds the lock."""

    pid: int = 0
    host: str = ""
    since: float = 0.0
    verb: str = ""
    """What it does, where others have to know."""


@contextmanager
def exclusive(folder: Path, verb: str = "") -> Iterator[int]:
    """Hold the collection for writing; a second process is told who holds it. Gives the descriptor of the lock.

    Whatever is moved to its place meanwhile is not touched. That this has happened is said at the end, if not before;
    whatever else went wrong, it is the reason.
    """
    with _anchored(folder):
        try:
            with _exclusive(folder, verb) as handle:
                yield handle
        except Exception:
            anchors.require_in_place(folder)
            raise
        anchors.require_in_place(folder)


def keeping(work: Work, folder: Path) -> Work:
    """Work of another process, in the very collection that this one holds."""
    return partial(_kept, work, folder, anchors.place_of(folder))


async def _kept(work: Work, folder: Path, place: anchors.Place | None, link: WorkerLink) -> None:
    with anchors.anchored(folder, place):
        await work(link)


@contextmanager
def _anchored(folder: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(anchors.anchored(folder))
        except OSError as error:
            raise _refused(error, folder) from error
        yield


def _refused(error: OSError, folder: Path) -> StorageError:
    words = f"{folder}: cannot be written to ({error.strerror}); check its owner and mode"
    return shortage(error, folder) or StorageError(words)


@contextmanager
def _exclusive(folder: Path, verb: str) -> Iterator[int]:
    try:
        _require_no_folder(folder)
        handle = files.descriptor(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _refused(error, folder) from error
    try:
        if not _locked(handle, fcntl.LOCK_EX):
            raise Locked(f"{folder}: in use by {_describe(handle)}")
        _sign(handle, verb)
        yield handle
    finally:
        os.close(handle)


@contextmanager
def alone(path: Path, refusal: str) -> Iterator[None]:
    """Hold a lock of its own, for one part of a collection; whoever comes second is told in these words."""
    try:
        handle = files.descriptor(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise files.told(error, path) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise Locked(f"{path.parent}: {refusal}") from None
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def undisturbed(folder: Path) -> Iterator[None]:
    """Nobody writes meanwhile. Others may read, and nothing is written: one without a lock has had no writer yet."""
    _require_no_folder(folder)
    try:
        handle = files.descriptor(folder / FILE)
    except FileNotFoundError:
        yield
        return
    except OSError as error:
        raise files.unreadable(error, folder / FILE) from error
    try:
        if not _locked(handle, fcntl.LOCK_SH):
            raise Locked(f"{folder}: in use by {_describe(handle)}")
        yield
    finally:
        os.close(handle)


def holder(folder: Path) -> dict[str, Any] | None:
    """Who is writing to the collection now; None when nobody is."""
    try:
        handle = files.descriptor(folder / FILE)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return msgspec.structs.asdict(_read(handle))
    finally:
        os.close(handle)
    return None


def _is_folder(folder: Path) -> bool:
    return files.kind(folder / FILE) == files.A_FOLDER


def _require_no_folder(folder: Path) -> None:
    if _is_folder(folder):
        cure = f"`gossamer verify {folder} --repair` puts it aside"
        raise Damaged(f"{folder / FILE}: is a directory, where the lock should be; {cure}")


def _locked(handle: int, how: int) -> bool:
    """Get the lock. Where its holder was killed, its shards are just ending: that is waited for, as is who looks."""
    began = time.monotonic()
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - began
            if waited > GLANCE if _is_shared(handle) else _lives(_read(handle)) or waited > ORPHANS:
                return False
            time.sleep(0.05)
        else:
            return True


def _is_shared(handle: int) -> bool:
    """Do all who hold it only read?"""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(handle, fcntl.LOCK_UN)
    return True


def _lives(mark: _Mark) -> bool:
    """Is the process that signed still there, as far as can be known from here?"""
    if mark.host != os.uname().nodename:
        return True
    try:
        state = Path(f"/proc/{mark.pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return state[:1] not in ("Z", "X")  # a dead one that nobody has waited for yet holds nothing


def _sign(handle: int, verb: str) -> None:
    mark = _Mark(os.getpid(), os.uname().nodename, time.time(), verb)
    os.ftruncate(handle, 0)
    os.pwrite(handle, msgspec.json.encode(mark), 0)


def _read(handle: int) -> _Mark:
    """What the holder wrote; nothing when it has only begun to, or when that is no mark."""
    try:
        return msgspec.json.decode(os.pread(handle, _MOST, 0), type=_Mark)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Mark()


def _describe(handle: int) -> str:
    """Who it is, and what to do about it: only a crawl can be looked at and stopped. Who reads signs nothing."""
    mark = _Mark() if _is_shared(handle) else _read(handle)
    cure = "`gossamer top DIR` shows it, `gossamer stop DIR` ends it" if mark.verb == CRAWL else "wait for it to end"
    if not mark.pid:
        return f"another process; {cure}"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(min(max(mark.since, 0.0), time.time())))
    return f"process {mark.pid} on {mark.host} since {since}; {cure}"
