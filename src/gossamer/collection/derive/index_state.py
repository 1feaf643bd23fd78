"""How far do the log of links and the index go, and do they belong together?"""

from __future__ import annotations

import os
from pathlib import Path

from gossamer.collection.derive.underived import LINKS_WHOLE
from gossamer.collection.folder import LINKS
from gossamer.graph.log import chunks, splits
from gossamer.index.shard_index import ShardIndex
from gossamer.rows import number
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE

_LENGTH = b"links"
_DRAWN = b"links-drawn"
"""A row of `STATE`: the number of the log. Logs of older versions have none."""


def is_whole(table: Table) -> bool:
    """Log and index have, or will have when they have caught up, all pages."""
    return table.get(STATE, LINKS_WHOLE) is not None


def strangeness(path: Path, table: Table, shard_index: ShardIndex) -> str:
    """Why an index is none of this log; nothing when it is. An empty one fits every log."""
    covered, length = shard_index.covered, committed_length(table)
    if covered and shard_index.source != drawn(table):
        return "the index was made from another log of links"
    if covered > length:
        return "the index has pages that were never committed"
    return "the index ends within a commit of the log of links" if splits(path, length, covered) else ""


def log_mark(table: Table) -> str:
    """Tells the log from another one that lay there before."""
    return (table.get(STATE, _DRAWN) or b"").hex()


def draw(table: Table) -> None:
    """A log begins: it gets a number."""
    table.put(STATE, _DRAWN, os.urandom(7))


def drawn(table: Table) -> int:
    """The number of the log; 0 where none was drawn."""
    return number(table.get(STATE, _DRAWN) or b"")


def note_length(table: Table, length: int) -> None:
    """So much of the log counts with the next commit."""
    table.put(STATE, _LENGTH, length.to_bytes(8, "big"))


def committed_length(table: Table) -> int:
    """How much of the log counts."""
    return number(table.get(STATE, _LENGTH) or b"")


def behind(shard: Path, table: Table, archive: Archive, shard_index: ShardIndex) -> int:
    """How many pages the log has that are not in an index: all, where it is an index of another log."""
    covered, length = shard_index.covered, committed_length(table)
    later = covered > length and shard_index.source == drawn(table)  # a commit came after these rows were read
    if not later and strangeness(shard / LINKS, table, shard_index):
        covered = 0
    fresh = {url for chunk in chunks(shard / LINKS, length, covered) for url in chunk.sources}
    found = (archive.versions.current(url) for url in fresh)
    return sum(1 for each in found if each and 200 <= each.status < 300 and not each.copy_of and not each.near_copy_of)
