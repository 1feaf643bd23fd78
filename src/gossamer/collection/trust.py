"""Whose settings are these? Those that open something are believed only where this user is known to want them.

A plan says where to send all requests, whose certificates to believe, which private addresses to open, which files to
read and which function to call (`Setting.opens`), and a collection may come from anybody. So each one has a random
name, and those that this user has made here, or crawled with, are remembered in a file of the user's own. Where a
collection is none of those and its plan opens anything, a crawl asks first. Settings that are given with the command
are this user's, whatever the plan says.

A plan that lies where nothing was crawled yet is what people write before their first crawl, and is theirs.

To send something to a webhook is more than to crawl: this user has named it here, or agreed to it, and that is
remembered for each address of each collection, and each place that a secret is taken from to sign it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Container, Mapping
from pathlib import Path

from gossamer import files, plan
from gossamer.collection.folder import ID, Folder
from gossamer.errors import UsageError
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.settings import SETTINGS

PERSONAL = ("logins", "on_page")
"""The settings that send what is this user's own or run somebody's code, so that a plan alone is not taken for this
user's."""
OPENING = tuple(name for name, setting in SETTINGS.items() if setting.opens)
"""Settings that lead to where a crawl would not go by itself, read or give away what it would not, or run somebody's
code."""
_ID = re.compile(rb"[0-9a-f]{32}")
_KNOWN_MOST = 4 << 20
COLLECTIONS, WEBHOOKS = "collections", "webhooks"
"""Files of the user: names of collections, and what was agreed to for them."""


def unconfirmed(folder: Folder, planned: Plan, given: Container[str], *, strange: bool = False) -> Mapping[str, str]:
    """What a plan opens that its user may not know of: each setting with its value, in words.

    A `strange` one comes from elsewhere, whatever was crawled here.
    """
    shown = plan.public(planned)
    usual, asked = Plan(), [name for name in OPENING if name not in given]
    opened = {name: plan.toml(getattr(shown, name)) for name in asked if getattr(shown, name) != getattr(usual, name)}
    if not opened or (is_known(folder) and not strange):
        return {}
    return {name: words for name, words in opened.items() if strange or name in PERSONAL or not _is_own(folder)}


def require(folder: Folder, planned: Plan, given: Container[str], *, trusted: bool, strange: bool = False) -> None:
    """Stop, unless this user is known to want what the plan opens."""
    opened = {} if trusted else unconfirmed(folder, planned, given, strange=strange)
    if not opened:
        return
    words = f"{_origin(folder)} {in_words(opened)}"
    if not any(name in opened for name in PERSONAL) and not _can_remember():
        # then nothing can be known of anybody's collections, and to stop each time would be no help
        log.warning("%s", words)
        return
    raise UsageError(
        f"{words}; if that is right, say --trust-plan once (from Python: trust_plan=True), otherwise give these options"
        " as you want them"
    )


def may_read(folder: Folder, planned: Plan) -> bool:
    """May the store of a plan be asked by who only reads? It would get a request that is signed with their keys."""
    is_near = "://" not in planned.store
    return is_near or not _can_remember() or not unconfirmed(folder, planned, {*OPENING} - {"store"})


def _origin(folder: Folder) -> str:
    """Whose settings they are, as far as that is known."""
    if folder.exists() or _name(folder):
        return f"{folder.path}: was made by somebody else or elsewhere, and its plan has"
    return f"{folder.plan_file}: was written before any crawl, perhaps by somebody else, and has"


def in_words(opened: Mapping[str, str]) -> str:
    """Settings and their values on one line."""
    return ", ".join(f"{name} = {value}" for name, value in opened.items())


def remember(folder: Folder) -> None:
    """This user has made it, or crawls with what its plan says. Where that cannot be written down, it is not.

    One that somebody else has named gets a new name: another collection may have the old one, with another plan.
    """
    name = _name(folder)
    if not name or (name not in _known() and _can_remember()):
        name = os.urandom(16).hex().encode()
        _rename(folder, name)
        _note(name)


def _rename(folder: Folder, name: bytes) -> None:
    try:
        files.replace(folder.path / ID, name + b"\n", 0o600)  # who knows it can make another that passes for this
    except OSError as error:
        raise files.told(error, folder.path / ID) from error


def is_known(folder: Folder) -> bool:
    """Has this user made it, or crawled with it, on this machine?"""
    return folder.is_there() and _name(folder) in _known() - {b""}


def agree(folder: Folder, what: str) -> None:
    """This user wants what is new in it to be sent somewhere. Where that cannot be written down, it is not."""
    if not _name(folder):  # not remembered as this user's: that would open what its plan says, too
        _rename(folder, os.urandom(16).hex().encode())
    if not is_agreed(folder, what):
        _note(_agreement(folder, what), WEBHOOKS)


def is_agreed(folder: Folder, what: str) -> bool:
    """Has this user said so, on this machine?"""
    return bool(_name(folder)) and _agreement(folder, what) in _known(WEBHOOKS)


def _agreement(folder: Folder, what: str) -> bytes:
    return hashlib.sha256(_name(folder) + b"\0" + what.encode()).hexdigest().encode()


def _is_own(folder: Folder) -> bool:
    name = _name(folder)
    return name in _known() if name else not folder.exists()


def _name(folder: Folder) -> bytes:
    try:
        found = files.read(folder.path / ID).strip()
    except OSError:
        return b""
    return found if _ID.fullmatch(found) else b""


def _known(name: str = COLLECTIONS) -> set[bytes]:
    try:
        with _file(name).open("rb") as file:
            return set(file.read(_KNOWN_MOST).split())
    except (OSError, RuntimeError):
        return set()


def _note(name: bytes, kept: str = COLLECTIONS) -> bool:
    """One write at the end of the file: two crawls that begin at once are both noted."""
    try:
        _file(kept).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(_file(kept), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, name and name + b"\n")
        finally:
            os.close(handle)
    except (OSError, RuntimeError):
        return False
    return True


def _can_remember() -> bool:
    return _note(b"")


def _file(name: str) -> Path:
    """Where the user's programs keep what they remember (XDG Base Directory Specification)."""
    state = os.environ.get("XDG_STATE_HOME") or ""
    return (Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state") / "gossamer" / name
