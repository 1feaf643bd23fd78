"""What was asked for besides going on? It is asked for until every shard has done it, whatever is killed meanwhile.

A crawl that is begun with `--revisit`, or names seeds that failed before, writes that down before it does anything.
Each shard notes the mark of the last request that it has done in the same commit as what it did, and passes over
all up to that one. The file goes when a crawl has come to its end in good order: by then every shard has done it all.

New seeds need no request. The plan has them, or the list of the collection (`seed_list`), and every start adds those
that the table does not know.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table

FILE = "asked"
_DONE = b"errand"
"""A row of `META`: the last request that was done."""

log = logging.getLogger("gossamer")


class CrawlRequest(msgspec.Struct, frozen=True):
    """One thing that was asked for."""

    mark: str
    """Tells it from all others."""
    seeds: tuple[str, ...] = ()
    """Those that failed are tried once more, because somebody names them."""
    revisit: bool = False
    listed: bool = False
    """A list was given: the seeds of this collection that failed are tried once more. To name a million is too much."""
    begins: bool = False
    """It is a crawl of its own, and does not only go on: see `runs`."""
    failed: str | None = None
    """A site, of which all that failed is tried once more; all sites where it is empty."""
    full: bool = False
    """There are as many pages as there may be: a revisit asks for those alone."""


_asked = msgspec.json.Decoder(tuple[CrawlRequest, ...]).decode


def ask(
    folder: Path,
    seeds: Sequence[str],
    *,
    revisit: bool = False,
    listed: bool = False,
    begins: bool = False,
    failed: str | None = None,
    full: bool = False,
) -> tuple[CrawlRequest, ...]:
    """What some shard may not have done yet, the oldest first; what is asked now is the last, and is on the disk.

    Whoever asks is alone: see `steering`.
    """
    asked = pending(folder)
    if not (seeds or revisit or listed or begins) and failed is None:
        return asked
    asked = (*asked, CrawlRequest(os.urandom(8).hex(), tuple(seeds), revisit, listed, revisit or begins, failed, full))
    try:
        files.replace(folder / FILE, msgspec.json.encode(asked))
    except OSError as error:
        raise files.told(error, folder / FILE) from error
    return asked


def settle(folder: Path) -> None:
    """Every shard has done all of it."""
    files.remove(folder / FILE)


def are_done(folder: Path, tables: Iterable[Table]) -> bool:
    """Has every shard done all that is asked for by now?"""
    asked = pending(folder)
    return not any(undone(asked, last(table)) for table in tables)


def last(table: Table) -> str:
    """The mark of the last request that a shard has done."""
    return (table.get(META, _DONE) or b"").decode(errors="replace")


def note(table: Table, mark: str) -> None:
    """It has done this one; part of the next commit."""
    table.put(META, _DONE, mark.encode())


def undone(asked: Sequence[CrawlRequest], last: str) -> Sequence[CrawlRequest]:
    """Those that a shard has yet to do which has noted this mark."""
    marks = [request.mark for request in asked]
    return asked[marks.index(last) + 1 :] if last in marks else asked


def pending(folder: Path) -> tuple[CrawlRequest, ...]:
    """What some shard may not have done yet."""
    try:
        return _asked(files.read(folder / FILE))
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        log.warning("%s: cannot be read, and is passed over: %s", folder / FILE, error)
        return ()
