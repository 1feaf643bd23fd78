"""How does a crawl that runs hear what is wanted of it? By one small file, which it looks at twice a second.

The file says whether it is paused, and which crawl is to stop. All else is on the disk before: other settings are in
the plan, seeds in the plan or in the list, and what failed and is to be tried again in `asked` (`crawl/requests.py`).
So a crawl that is killed before it has heard of them finds them at its next start, and the file alone opens nothing.

Whoever changes any of these is alone: the lock is on the directory itself, and a crawl takes it while it begins and
ends. A file that says something else than it may is named once and passed over.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import msgspec

from gossamer import files
from gossamer.collection.folder import Folder
from gossamer.collection.lock import CRAWL, exclusive, holder
from gossamer.errors import GossamerError, Locked, UsageError
from gossamer.files import anchors
from gossamer.plan import Plan
from gossamer.printable import log

FILE = "steering"
LOOK = 0.5
"""Seconds between two looks."""
PATIENCE = 10.0
"""Seconds to wait for another who is changing something; that takes milliseconds."""
SOON = (
    *("scope", "include", "exclude", "depth", "pages", "bytes", "time", "pages_per_host", "patience"),
    *("budget", "budget_bytes", "goal", "revisit_policy"),
    *("delay", "ip_delay", "delay_factor", "delay_longest", "crawl_delay_longest", "per_host"),
    *("seeds", "url_length", "path_segments"),
)
"""Settings that a crawl goes by as soon as it hears of them. None of them opens anything of the network."""
_MOST = 4_096


class Orders(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says."""

    mark: str = ""
    """Another one with each change."""
    paused: bool = False
    stop: str = ""
    """The name of the crawl that is to stop: the next one is another."""


_orders = msgspec.json.Decoder(Orders).decode


@dataclass(frozen=True, slots=True)
class Steering:
    """The file of a collection."""

    folder: Path

    @property
    def path(self) -> Path:
        """Where it is, or would be."""
        return self.folder / FILE

    def orders(self) -> Orders:
        """What it says; nothing where there is none, or none that can be read."""
        return self._read() or Orders()

    def _read(self) -> Orders | None:
        try:
            return _orders(files.read(self.path, _MOST))
        except FileNotFoundError:
            return Orders()
        except (OSError, GossamerError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            log.warning("%s: says nothing that a crawl could do, and is passed over: %s", self.path, error)
            return None

    def tell(self, **changes: Any) -> None:
        """The crawl hears of it. What stays as it is need not be said."""
        orders = msgspec.structs.replace(self.orders(), mark=os.urandom(8).hex(), **changes)
        try:
            files.replace(self.path, msgspec.json.encode(orders))
        except OSError as error:
            raise files.told(error, self.path) from error

    def clear(self) -> bool:
        """Nothing is wanted any more. Whether it was paused."""
        paused = self.orders().paused
        try:
            files.remove(self.path)
        except OSError as error:
            raise files.told(error, self.path) from error
        return paused

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else changes the plan or what is asked for meanwhile."""
        with anchors.anchored(self.folder):
            handle = files.folder_descriptor(self.folder)
            try:
                _take(handle, self.folder)
                yield
            finally:
                os.close(handle)

    @contextmanager
    def changing(self) -> Iterator[bool]:
        """The same, for somebody who is no crawl. Whether a crawl runs; no other command may."""
        with anchors.anchored(self.folder):
            if self.crawl() is not None:
                with self.alone():
                    yield True
            else:
                with exclusive(self.folder), self.alone():
                    yield False

    def crawl(self) -> str | None:
        """The name of the crawl that runs, if one does."""
        mark = holder(self.folder)
        return None if mark is None or mark["verb"] != CRAWL else f"{mark['pid']} {mark['host']} {mark['since']!r}"

    def require_crawl(self) -> str:
        """Its name; say so where none runs."""
        name = self.crawl()
        if name is None:
            raise UsageError(f"{self.folder}: no crawl runs; `gossamer crawl DIR` begins one, or goes on")
        return name


def _take(handle: int, folder: Path) -> None:
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > patience:
                raise Locked(f"{folder}: somebody else is changing it; try again in a moment") from None
            time.sleep(0.01)
        else:
            return


class OrdersWatch:
    """Has anything been said since the last look, or since it was made? To look costs one `stat`."""

    def __init__(self, folder: Path) -> None:
        self.steering = Steering(folder)
        self._seen = glance(self.steering.path)

    def news(self) -> Orders | None:
        """What is wanted now; None where that is what it was, or cannot be read."""
        now = glance(self.steering.path)
        if now == self._seen:
            return None
        self._seen = now
        return self.steering._read()


def glance(path: Path) -> tuple[int, ...] | str | None:
    """Tells a file from the one that takes its place; None where there is none."""
    try:
        found = files.about(path)
    except FileNotFoundError:
        return None
    except (OSError, GossamerError) as error:
        return str(error)
    return found.st_ino, found.st_mtime_ns, found.st_size


def wanted(folder: Path, plan: Plan) -> Plan:
    """The plan of a crawl that runs, with all that may change meanwhile as it is on the disk now."""
    try:
        now = Folder(folder).load_plan()
        changed = plan.changed(**{name: getattr(now, name) for name in SOON})
        changed.as_scope()  # a bad pattern is noticed here
    except (GossamerError, OSError) as error:
        log.warning("%s: the crawl goes on by the settings that it has", error)
        return plan
    return changed


def require_soon(before: Plan, after: Plan) -> None:
    """Say so where a crawl that runs cannot go by the new plan."""
    stop = "`gossamer stop DIR` ends it, and the next one goes by it"
    changed = [each.name for each in fields(Plan) if getattr(before, each.name) != getattr(after, each.name)]
    if late := [name for name in changed if name not in SOON]:
        raise UsageError(f"{', '.join(late)}: cannot change while a crawl runs; {stop}")
    if before.shards > 1 and (before.ip_delay > 0) != (after.ip_delay > 0):
        raise UsageError(
            "ip_delay: cannot be switched on or off while a crawl of several shards runs, and `delay` alone means both;"
            f" name both, as in delay={after.delay:g} ip_delay={before.ip_delay:g}, or {stop}"
        )
