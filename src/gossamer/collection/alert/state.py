"""What was told, up to when, and what is being told? On the disk before anything is sent, and after it has arrived.

A delivery is written down whole before it is sent. Whoever is killed in between sends it again as it was, with the same
id, by which the receiver knows it; nothing is skipped, and only that can come twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.collection import lock
from gossamer.errors import Damaged
from gossamer.printable import log

FILE, LOCK = "alerts.told", "alerts.lock"


class Pending(msgspec.Struct, frozen=True):
    """What is to be delivered."""

    delivery: str
    """Its id."""
    body: str
    until: float
    """With the next, what was told when it has arrived."""
    ids: tuple[str, ...]
    tries: int = 0
    problem: str = ""
    """Why the last try failed."""


class Told(msgspec.Struct, frozen=True):
    """What somebody has heard."""

    until: float
    """When the newest capture began that was looked at."""
    ids: tuple[str, ...] = ()
    """Changes that were told and were seen shortly before: captures that are committed late are not missed."""
    pending: Pending | None = None


_told = msgspec.json.Decoder(dict[str, Told]).decode


def load(folder: Path) -> dict[str, Told]:
    """By the names of the alerts. A file that cannot be read is named and passed over: then what comes is new."""
    try:
        return _told(files.read(folder / FILE))
    except FileNotFoundError:
        return {}
    except (OSError, Damaged, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        log.warning("%s: cannot be read, and is begun anew: %s", folder / FILE, error)
        return {}


def save(folder: Path, told: Mapping[str, Told]) -> None:
    """On the disk, at once or not at all."""
    try:
        files.replace(folder / FILE, msgspec.json.encode(told), 0o600)
    except OSError as error:
        raise files.told(error, folder / FILE) from error


def alone(folder: Path) -> AbstractContextManager[None]:
    """Nobody else tells anything meanwhile; the kernel frees it when its holder dies."""
    return lock.alone(folder / LOCK, "another process is sending its alerts; wait for it to end")
