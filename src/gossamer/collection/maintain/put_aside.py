"""What stands in the place of a file or folder of ours and is none? It is put aside as the first step of a repair.

A folder or a FIFO where a file should be is refused by whoever opens it (`files`). Once it is out of the way, the file
is but missing, and that is mended like any other loss. A check names it also where only a crawl would open it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from gossamer import files
from gossamer import plan as plans
from gossamer.collection.alert.saved import FILE as ALERTS
from gossamer.collection.alert.state import FILE as TOLD
from gossamer.collection.alert.state import LOCK as TELLING
from gossamer.collection.cluster_view import FILE as CLUSTER
from gossamer.collection.crawl import finished, requests
from gossamer.collection.crawl.topics import FILE as TOPIC
from gossamer.collection.derive import mirrored
from gossamer.collection.folder import ID, INDEX, LINKS, PAST, PRINTS, SEEDS, SHARDS, TABLE, Folder
from gossamer.collection.signal.listening import FILE as LISTENING
from gossamer.collection.signal.listening import LOCK as LISTENER
from gossamer.collection.signal.pings import FILE as PINGED
from gossamer.collection.steering import FILE as STEERING
from gossamer.dedupe import print_runs
from gossamer.errors import Damaged
from gossamer.frontier.answer.poison_pages import READING
from gossamer.store import url_seen
from gossamer.store.repair.swaps import DAMAGED
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.versions import TEXTS_FOLDER as TEXTS

_PARTS = (CAPTURES, TEXTS, TABLE, INDEX, PAST, str(Path(LINKS).parent), "seen", PRINTS)
"""Folders of a shard that hold files and nothing else."""
_FILES = (
    *("lock", "gate", TELLING, LISTENER, f"{plans.FILE}{files.PARTIAL}"),
    *(
        f"{name}{ending}"
        for name in (ID, requests.FILE, finished.FILE, SEEDS, STEERING, ALERTS, TOLD, LISTENING, PINGED, TOPIC, CLUSTER)
        for ending in ("", files.PARTIAL)
    ),
)
"""Of the collection. What is wrong with its plan is seen when that is read."""
_NAMED = {"seen": url_seen.NAME, PRINTS: print_runs.NAME}
"""Folders of a shard of which a crawl opens files that nobody else does, and their names."""


def in_the_way(folder: Folder) -> Iterator[str]:
    """What a crawl would refuse, with the cure. What has a name that we do not make is in nobody's way."""
    for name in _FILES:
        yield from _refused(files.is_file, folder.path / name)
    yield from _refused(files.is_folder, folder.path / DAMAGED)
    for place in _graphs(folder):
        yield from _refused(files.is_folder, place)
    for index in folder.numbers():
        shard = folder.shard(index)
        yield from _refused(files.is_file, shard / READING)
        yield from _refused(files.is_folder, shard / DAMAGED)
        for part, shape in _NAMED.items():
            yield from _refused(partial(files.names, shape=shape), shard / part)


def _refused(look: Callable[[Path], object], path: Path) -> Iterator[str]:
    try:
        look(path)
    except Damaged as error:
        yield str(error)


def clear(folder: Folder) -> Iterator[Path]:
    """Where things are now that were in the way."""
    root = folder.path
    for name in _FILES:
        yield from _aside(root / name, files.A_FILE, root / DAMAGED)
    for place in _graphs(folder):
        yield from _aside(place, files.A_FOLDER, root / DAMAGED)
    if files.kind(root / SHARDS) != files.A_FOLDER:
        return
    for name in files.entries(root / SHARDS):
        if name.isdecimal() and files.kind(root / SHARDS / name) == files.A_FOLDER:
            yield from _clear_shard(root / SHARDS / name)


def _graphs(folder: Folder) -> Iterator[Path]:
    """Places where a graph is or will be, and something is there."""
    if files.kind(folder.graph) == files.A_FOLDER:
        yield from (folder.graph / name for name in files.entries(folder.graph) if mirrored.NAME.fullmatch(name))


def _clear_shard(shard: Path) -> Iterator[Path]:
    yield from _aside(shard / READING, files.A_FILE, shard / DAMAGED)
    for part in _PARTS:
        yield from _aside(shard / part, files.A_FOLDER, shard / DAMAGED)
        if files.kind(shard / part) == files.A_FOLDER:
            for name in files.entries(shard / part):
                yield from _aside(shard / part / name, files.A_FILE, shard / DAMAGED)


def _aside(path: Path, wanted: str, aside: Path) -> Iterator[Path]:
    """A link stays and is refused: who has made it, as to put a part on another disk, has lost nothing."""
    if files.kind(path) not in ("", wanted, files.A_LINK) and (moved := files.put_aside(path, aside)):
        yield moved
