"""Is a graph whole? When it is made, the length and a digest of each of its files are written down.

A graph is read from mapped files, and a number that is wrong in them may lead anywhere. So nobody reads one that is not
as it was made. Of a large one only lengths and beginnings are looked at, unless all of it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gossamer.files import sync_folder
from gossamer.urls import keys

FILE = "seal.json"
WHOLE_MOST = 16 << 20
"""Bytes of a graph that are read each time it is opened: a few milliseconds."""
_PIECE = 1 << 20
_BEGINNING = 4_096


class _Sealed(msgspec.Struct, array_like=True, frozen=True):
    length: int
    beginning: int
    """Digests, of the first bytes and of all."""
    whole: int


_sealed = msgspec.json.Decoder(dict[str, _Sealed]).decode


def seal(folder: Path) -> None:
    """No file of the graph changes any more; all of it is on the disk after this."""
    found = {name: _look(folder / name) for name in _names(folder)}
    for name in found:
        _sync(folder / name)
    (folder / FILE).write_bytes(msgspec.json.encode(found))
    _sync(folder / FILE)
    sync_folder(folder)
    sync_folder(folder.parent)


def damage(folder: Path, *, whole: bool = False) -> str | None:
    """What is wrong with a graph. All of it is read if that is asked for, or does not take long."""
    try:
        sealed = _sealed((folder / FILE).read_bytes())
        thorough = whole or sum(each.length for each in sealed.values()) <= WHOLE_MOST
        for name, each in sealed.items():
            if not _is(folder / name, each, thorough):
                return f"{folder / name}: is damaged"
    except (OSError, msgspec.MsgspecError, ValueError) as error:
        return f"{folder}: cannot be read ({error})"
    return None


def _is(path: Path, sealed: _Sealed, whole: bool) -> bool:
    if path.stat().st_size != sealed.length:
        return False
    return _look(path) == sealed if whole else _beginning(path) == sealed.beginning


def _names(folder: Path) -> Iterator[str]:
    """Locks are no part of it: whoever reads may make them."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".lock" and path.name != FILE:
            yield str(path.relative_to(folder))


def _look(path: Path) -> _Sealed:
    digests = b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digests += keys.digest(piece).to_bytes(8, "big")
        return _Sealed(file.tell(), _beginning(path), keys.digest(digests))


def _beginning(path: Path) -> int:
    with path.open("rb") as file:
        return keys.digest(file.read(_BEGINNING))


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
