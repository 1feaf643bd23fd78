"""How are files read that are not on this machine? As fsspec opens them: S3, WebDAV and others.

fsspec has one face for all of them and knows what each needs; it is an extra (`pip install '.[files]'`), and so is what
it needs for a place, such as s3fs. Names, keys and passwords are its own matter: it takes them from the environment and
from its files, and none comes through here.

Nothing is written. A folder is listed, and of each file the size, the date and the ETag or checksum, as far as the
place tells them, are the validator: one that tells neither date nor checksum has all of its files read in each run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import xxhash

from gossamer.errors import UsageError
from gossamer.fetch.local.ignoring import Ignoring
from gossamer.fetch.local.opening import NotPlain
from gossamer.fetch.threads import DaemonThreads
from gossamer.printable import repeated

T = TypeVar("T")

DEEPEST = 100
"""Folders within each other: some places have links, and so circles."""
SUMS = (
    *("ETag", "etag", "e_tag", "md5", "md5Hash", "content_md5", "sha256", "sha", "CRC", "crc32c"),
    *("VersionId", "version_id"),
)
DATES = (
    *("LastModified", "last_modified", "modified", "mtime", "updated", "timeModified", "modificationTime"),
    *("last_write_time", "date_time", "created"),
)
"""What places call them, as above; the first that is there counts."""
_PARAMETERS = re.compile(r"\?\S+")
"""Of an address in an error: there may be a signature among them."""


class About(NamedTuple):
    """What a place tells of a file."""

    size: int | None
    changed: float | None
    validator: str
    """Nothing where there is neither a date nor a checksum."""


class Place:
    """A folder or a file that fsspec opens, for one run. Its paths are addresses without escapes."""

    def __init__(self, root: bytes, seconds: float) -> None:
        """`seconds` is how long a listing may take."""
        try:
            import fsspec
        except ModuleNotFoundError:
            raise UsageError(
                f"{os.fsdecode(root)}: needs a package of its own (fsspec is missing): `pip install '.[files]'` where"
                " you cloned Gossamer brings it"
            ) from None
        self._fsspec = fsspec
        self._root = root
        self._seconds = seconds
        self._threads = DaemonThreads(1, "gossamer-listing")
        self._lock = Lock()
        self._system: tuple[Any, str] | None = None

    def require(self) -> None:
        """UsageError with the cure when what fsspec needs for it is not here."""
        with suppress(OSError):  # which the listing will meet
            _translated(self._open)

    def files(
        self, start: bytes, ignoring: Ignoring, unlisted: Callable[[bytes, Exception], None]
    ) -> Iterator[tuple[bytes, str]]:
        """The files at or below a path with their validators. `unlisted` hears of folders of which nothing is known."""
        try:
            found = self._in_time(lambda: self._info(start))
            if found["type"] == "file":
                yield start, about(found).validator
                return
        except (OSError, NotPlain) as error:
            unlisted(self._root, error)
            return
        yield from self._below(start, ignoring, unlisted)

    def about(self, path: bytes) -> About:
        """FileNotFoundError when there is no such file, PermissionError when it may not be read."""
        found = _translated(lambda: self._info(path))
        if found["type"] != "file":
            raise NotPlain("no file")
        return about(found)

    def read(self, path: bytes, most: int) -> bytes:
        """How a file begins."""
        return _translated(lambda: bytes(self._open()[0].cat_file(self._name(path), start=0, end=most)))

    def close(self) -> None:
        """No more listing."""
        self._threads.shutdown()

    def _open(self) -> tuple[Any, str]:
        """The file system, new in each run: what it remembers of an earlier one may be over."""
        with self._lock:
            if self._system is None:
                self._system = self._by_address()
            return self._system

    def _by_address(self) -> tuple[Any, str]:
        try:
            system, base = self._fsspec.core.url_to_fs(os.fsdecode(self._root), skip_instance_cache=True)
        except ImportError as error:  # which package it is stands in the words of fsspec
            raise UsageError(f"{os.fsdecode(self._root)}: {error} (into the environment of Gossamer)") from None
        return system, base.rstrip("/")

    def _info(self, path: bytes) -> dict[str, Any]:
        return dict(self._open()[0].info(self._name(path)))

    def _name(self, path: bytes) -> str:
        """What fsspec calls a path of ours."""
        return self._open()[1] + os.fsdecode(path[len(self._root.rstrip(b"/")) :])

    def _below(
        self, start: bytes, ignoring: Ignoring, unlisted: Callable[[bytes, Exception], None]
    ) -> Iterator[tuple[bytes, str]]:
        folders = [(start, 0)]
        while folders:
            folder, depth = folders.pop()
            try:
                listed = self._in_time(partial(self._listed, folder))
            except OSError as error:
                unlisted(folder, error)
                continue
            yield from self._named((each for each in listed if each["type"] == "file"), start, ignoring)
            below = (self._path(each) for each in listed if each["type"] == "directory")
            inner = (path for path in below if path and path != folder and depth < DEEPEST)
            seen = [path for path in inner if not ignoring.reason_for(self._root, path, is_folder=True)]
            folders += [(path, depth + 1) for path in sorted(seen, reverse=True)]

    def _listed(self, folder: bytes) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._open()[0].ls(self._name(folder), detail=True)
        return found

    def _named(self, found: Iterable[dict[str, Any]], start: bytes, ignoring: Ignoring) -> Iterator[tuple[bytes, str]]:
        """Those files that may be read, in the order of their names."""
        paths = {path: each for each in found if (path := self._path(each))}
        for path, each in sorted(paths.items(), key=lambda item: item[0]):
            if path.startswith(start.rstrip(b"/") + b"/") and not ignoring.reason_for(self._root, path):
                yield path, about(each).validator

    def _path(self, found: dict[str, Any]) -> bytes | None:
        """Our path of what was listed; None for a name that no address can have."""
        name, base = str(found["name"]).strip("/"), self._open()[1].strip("/")
        rest = name[len(base) :].lstrip("/") if f"{name}/".startswith(f"{base}/" if base else "") else ""
        steps = rest.split("/")
        return None if {"", ".", ".."} & set(steps) else self._root.rstrip(b"/") + b"/" + os.fsencode(rest)

    def _in_time(self, work: Callable[[], T]) -> T:
        """A place that does not answer holds nobody up for ever."""
        return self._threads.submit(_translated, work).result(self._seconds)


def in_words(error: Exception) -> str:
    """Why a place tells nothing."""
    if isinstance(error, TimeoutError):
        return "no answer"
    return (error.strerror or "no such place") if isinstance(error, OSError) else str(error)


def about(found: dict[str, Any]) -> About:
    """Of what fsspec tells of a file: each place has words of its own for it."""
    total = next((str(found[key]).strip('"') for key in SUMS if found.get(key)), "")
    date = next((_stamp(found[key]) for key in DATES if found.get(key)), None)
    size = int(found["size"]) if found.get("size") is not None else None
    mark = xxhash.xxh3_128_hexdigest(f"{total}\n{date}\n{size}".encode()) if total or date is not None else ""
    return About(size, date, f'"{mark}"' if mark else "")


def _stamp(date: object) -> float | None:
    """Seconds since 1970; None for what is no date that we know, which tells nothing then."""
    if isinstance(date, (int, float)):
        return round(float(date) / (1_000 if date > 1e11 else 1), 3)  # some count milliseconds
    try:
        found = date if isinstance(date, datetime) else datetime.fromisoformat(str(date))
        return round(found.timestamp(), 3)
    except (ValueError, OverflowError, TypeError):
        return None


def _translated(work: Callable[[], T]) -> T:
    """Every place has exceptions of its own. Their words are cut, and so are parameters of addresses."""
    try:
        return work()
    except (FileNotFoundError, PermissionError, NotPlain, UsageError):
        raise
    except Exception as error:
        words = _PARAMETERS.sub("?...", repeated(str(error), 200))
        raise OSError(None, f"{type(error).__name__}: {words}") from None
