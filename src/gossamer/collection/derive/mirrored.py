"""Which hosts serve the same site, by the graph that counts? Read from its one file: a graph is loaded with NumPy, and
the status of a collection needs nothing else of it.
"""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.collection.derive import graph_digests
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged
from gossamer.urls import keys

CURRENT, MIRRORS = "current", "mirrors.json"
NAME = re.compile(r"[0-9]{6,9}")
"""Of the folder of a graph."""
_decoded = msgspec.json.Decoder(list[tuple[str, tuple[str, ...], int, int]]).decode

log = logging.getLogger("gossamer")


def by_host(folder: Folder) -> dict[str, list[str]]:
    """The names of the hosts: the main one, and the others. None where there is no graph, or a damaged one."""
    place = pointed(folder)
    while place is not None and (damage := graph_digests.unless_known(place, MIRRORS, partial(_damage, place))):
        if pointed(folder) == place:  # and no other has taken its place meanwhile
            warn(folder, damage)
            return {}
        place = pointed(folder)
    found = rows(place) if place else []
    return {_host(main): [_host(origin) for origin in others] for main, others, _, _ in found}


def pointed(folder: Folder) -> Path | None:
    """Where the graph is that counts."""
    with suppress(FileNotFoundError, ValueError, Damaged), files.reading(folder.graph / CURRENT):
        name = files.read(folder.graph / CURRENT).decode().strip()
        if NAME.fullmatch(name) and files.is_folder(folder.graph / name):
            return folder.graph / name
    return None


def warn(folder: Folder, damage: str) -> None:
    """Say why there is no graph."""
    log.warning("%s; there is no graph until `gossamer build %s` has made it again", damage, folder.path)


def _damage(place: Path) -> str | None:
    if damage := graph_digests.damage(place):
        return damage
    try:
        with files.reading(place):
            origins = [origin for main, others, _, _ in rows(place) for origin in (main, *others)]
    except (Damaged, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"{place}: is no graph of ours (what it says of mirrors cannot be read: {error})"
    return None if all(keys.is_shaped(f"{each}/") for each in origins) else f"{place}: its mirrors are no hosts"


def rows(place: Path) -> list[tuple[str, tuple[str, ...], int, int]]:
    """The main origin, the others, the paths that were compared, and at how many they say the same."""
    with suppress(FileNotFoundError):  # a graph that was made before they were looked for
        return _decoded(files.read(place / MIRRORS))
    return []


def _host(origin: str) -> str:
    return keys.host(f"{origin}/")
