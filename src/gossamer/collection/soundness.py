"""Does a table say what it should? Its bytes may be whole, and its rows may still be no rows of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gossamer.collection import imprint, status
from gossamer.collection.session import FAMILIES
from gossamer.frontier import entries, exchange, ledger, suspects
from gossamer.store import archive, passed, swaps, table, texts, unread, versions

_OF_FAMILY: dict[str, Callable[[bytes], object]] = {
    versions.CAPTURES: versions.version_of,
    versions.DIGESTS: versions.first_of,
    entries.URLS: entries.entry,
    entries.HOSTS: entries.host_row,
    entries.ROBOTS: entries.robots_row,
    entries.SITES: entries.site_row,
    entries.CASH: entries.cash_row,
}
_OF_KEY: dict[tuple[str, bytes], Callable[[bytes], object]] = {
    (entries.META, b"imprint"): imprint.imprint_of,
    (entries.META, b"progress"): status.progress_of,
    (entries.META, b"counts"): ledger.counts_of,
    (entries.META, b"suspects"): suspects.deaths_of,
    (entries.META, b"exchange"): exchange.marks_of,
    (archive.STATE, b"end"): swaps.end_of,
    (archive.STATE, b"swap"): swaps.swap_of,
    (archive.STATE, b"texts"): texts.end_of,
    (archive.STATE, b"unread"): unread.note_of,
    (archive.STATE, b"passed"): passed.reason_of,
}
"""By the word that a key begins with."""


def damage(path: Path) -> str | None:
    """What is wrong with the table of a shard, all of which is read. Nobody may write to it meanwhile."""
    return table.damage(path, FAMILIES, _read)


def _read(family: str, key: bytes, value: bytes) -> None:
    read = _OF_FAMILY.get(family) or _OF_KEY.get((family, key.partition(b"\0")[0]))
    if read is not None:
        read(value)
