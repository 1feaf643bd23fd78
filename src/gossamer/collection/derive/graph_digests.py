"""Is a graph whole? When it is made, the length and a digest of each of its files are written down.

A graph is read from mapped files, and a number that is wrong in them may lead anywhere. So nobody reads one that is not
as it was made. Of a large one only lengths and beginnings are looked at, unless all of it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.files.stamps import stamp
from gossamer.index import FILES as INDEX_FILES
from gossamer.lazy import pattern
from gossamer.urls import keys

FILE = "seal.json"
FILES = pattern(
    r"(?:names|copies|anchors)(?:\.txt|-prints\.npy|-starts\.npy)"
    r"|(?:ranks|changes|folded|nodes|starts|sources|degrees)\.npy|(?:mirrors|seal)\.json(?:\.partial)?"
    r"|sources\.bin|(?:rows|words|range)-[0-9]{5,}"  # only while it is made
    rf"|voices/|voices/(?:{INDEX_FILES})"
)
"""All that is ever in the folder of a graph: nothing else is sealed, and nothing else is deleted with it."""
WHOLE_MOST = 16 << 20
"""Bytes of a graph that are read each time it is opened: a few milliseconds."""
KNOWN_MOST = 100
_SOUND: dict[tuple[str, str], str] = {}
"""By the folder of a graph and the name of a look that has found nothing wrong: the stamp of the files then."""
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
    found = {name: _look(folder / name) for name in files.tree(folder, FILES) if _counts(name)}
    for name in found:
        _sync(folder / name)
    files.replace(folder / FILE, msgspec.json.encode(found))
    files.sync_folder(folder.parent)


def is_small(folder: Path) -> bool:
    """Does it take no time to look at all of it?"""
    return sum(each.length for each in _sealed(files.read(folder / FILE)).values()) <= WHOLE_MOST


def unless_known(folder: Path, name: str, look: Callable[[], str | None]) -> str | None:
    """What a look finds wrong. Where it has found nothing, and no file is another one since, this process does not look
    again: a reader beside a crawl opens the graph with every commit, and a graph stays as it is."""
    try:
        now = stamp(folder)
    except (OSError, Damaged):
        return look()
    if _SOUND.get((str(folder), name)) == now:
        return None
    found = look()
    if found is None:
        if len(_SOUND) >= KNOWN_MOST:
            _SOUND.clear()
        _SOUND[str(folder), name] = now
    return found


def damage(folder: Path, *, whole: bool = False, needs: Collection[str] = ()) -> str | None:
    """What is wrong with a graph. All of it is read if that is asked for, or does not take long."""
    try:
        with files.reading(folder):
            return _damage(folder, whole, needs)
    except (FileNotFoundError, msgspec.MsgspecError, ValueError, RecursionError, Damaged) as error:
        return f"{folder}: cannot be read ({error})"


def _damage(folder: Path, whole: bool, needs: Collection[str]) -> str | None:
    sealed = _sealed(files.read(folder / FILE))
    for name in needs:
        if name not in sealed:
            return f"{folder / name}: is not sealed"
    thorough = whole or is_small(folder)
    for name, each in sealed.items():
        if not FILES.fullmatch(name) or not _is(folder / name, each, thorough):
            return f"{folder / name}: is damaged"
    return None


def _is(path: Path, sealed: _Sealed, whole: bool) -> bool:
    if files.size(path) != sealed.length:
        return False
    return _look(path) == sealed if whole else _beginning(path) == sealed.beginning


def _counts(name: str) -> bool:
    """Locks are no part of it: whoever reads may make them."""
    return name != FILE and not name.endswith(".lock")


def _look(path: Path) -> _Sealed:
    digests = b""
    with files.open(path) as file:
        while piece := file.read(_PIECE):
            digests += keys.digest(piece).to_bytes(8, "big")
        return _Sealed(file.tell(), _beginning(path), keys.digest(digests))


def _beginning(path: Path) -> int:
    with files.open(path) as file:
        return keys.digest(file.read(_BEGINNING))


def _sync(path: Path) -> None:
    with files.open(path) as file:
        os.fsync(file.fileno())
