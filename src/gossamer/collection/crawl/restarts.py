"""A shard that is begun again after a mistake of ours, in the process of whoever asked for it.

What the engine does for shards that are processes, this does for one that is alone: it goes on from its last commit.
What broke it lies in the archive, so that recovery meets it first, and passes it over. A shard that breaks three times
without having come any further ends the command.
"""

from __future__ import annotations

import gc
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.recover import PassedOver
from gossamer.engine import Deaths, lost
from gossamer.errors import GossamerError
from gossamer.frontier.ledger import Ledger
from gossamer.printable import log
from gossamer.store.repair.skipped_captures import Passed
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE


async def live(path: Path, life: Callable[[Table], Awaitable[None]]) -> None:
    """Run `life` on the table at `path` to its end, in as many lives as it takes."""
    deaths = Deaths()
    came: tuple[int, ...] = ()
    while (words := await _one(path, life)) is not None:
        if words and (now := _how_far(path)) != came:
            deaths.forget()
            came = now
        if words and deaths.wait(words) is None:
            raise lost("the crawl", deaths.in_a_row, words)
        gc.collect()  # frames that broke hold the table


async def _one(path: Path, life: Callable[[Table], Awaitable[None]]) -> str | None:
    """How it broke; nothing when a capture was passed over; None when it came to its end."""
    with Table.open(path, FAMILIES, writable=True) as table:
        try:
            await life(table)
        except PassedOver:
            return ""
        except Exception as error:
            cause = _cause(error)
            if isinstance(cause, (GossamerError, OSError)):
                raise cause from error
            log.error("a mistake of ours:\n%s", "".join(traceback.format_exception(cause)))
            traceback.clear_frames(cause.__traceback__)
            return f"raised {cause!r:.300}"
    return None


def _cause(error: Exception) -> Exception:
    return _cause(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


def _how_far(path: Path) -> tuple[int, ...]:
    """All that is committed and changes when something is taken in or passed over."""
    with Table.open(path, FAMILIES, writable=False) as table:
        passed, counts = sum(1 for _ in Passed(table, STATE).all()), Ledger(table).counts
        return (counts.queued, counts.done, counts.failed, counts.excluded, counts.bytes, passed)
