"""What does a server listen to? Its subscriptions and its key, in one file that only its user may read.

The server that listens owns it: a lock says so, and the kernel frees that when its holder dies.
"""

from __future__ import annotations

import secrets
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.collection import lock
from gossamer.collection.signal.websub_subscription import Subscription
from gossamer.errors import Damaged

FILE, LOCK = "listening", "listening.lock"


class Listening(msgspec.Struct, forbid_unknown_fields=True):
    """What the file says."""

    key: str = ""
    """What pings must have; empty where there is none."""
    subscriptions: dict[str, Subscription] = {}
    """By the secret part of their callback addresses."""


_read = msgspec.json.Decoder(Listening).decode


def load(folder: Path) -> Listening:
    """What was listened to; nothing where there is no file."""
    path = folder / FILE
    try:
        return _read(files.read(path))
    except FileNotFoundError:
        return Listening()
    except OSError as error:
        raise files.unreadable(error, path) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        cure = "remove it: hubs are asked anew, and there is a new key"
        raise Damaged(f"{path}: is not what a server has written ({error}); {cure}") from None


def save(folder: Path, listening: Listening) -> None:
    """On the disk, at once or not at all."""
    try:
        files.replace(folder / FILE, msgspec.json.encode(listening), 0o600)
    except OSError as error:
        raise files.told(error, folder / FILE) from error


def new_key() -> str:
    """A key for pings: letters and digits, as the protocol wants it."""
    return secrets.token_hex(16)


def alone(folder: Path) -> AbstractContextManager[None]:
    """No other server listens meanwhile."""
    return lock.alone(folder / LOCK, "another server hears from hubs or is pinged; one does, so end it first")
