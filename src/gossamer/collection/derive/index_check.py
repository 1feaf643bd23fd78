"""Is what makes pages findable right? The log of links and the indexes are compared with the rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer import files
from gossamer.collection.derive import past
from gossamer.collection.derive.index_entry import findable, wanted
from gossamer.collection.derive.index_state import committed_length, is_whole, strangeness
from gossamer.collection.derive.spans import Span
from gossamer.collection.folder import INDEX, LINKS
from gossamer.errors import Damaged
from gossamer.graph.log import chunks
from gossamer.index.shard_index import ShardIndex
from gossamer.index.soundness import problems
from gossamer.model import URL, Page
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.urls import keys

_CURE = "`gossamer verify DIR --repair` makes it again"


def check(shard: Path, table: Table, archive: Archive) -> Iterator[str]:
    """What is wrong with the log and the index, if they are there: what they lack, and what they should not have."""
    if files.is_folder(shard / INDEX) and (damage := next(problems(shard / INDEX), None)):
        yield f"{damage}; {_CURE}"
        return
    try:
        with files.reading(shard / LINKS):
            log = _logged(shard / LINKS, table)
            indexed = _indexed(shard, table)
    except (Damaged, FileNotFoundError, ValueError) as error:
        yield f"{shard}: {error}; {_CURE}"
        return
    yield from past.check(shard, table, archive, committed_length(table), partial(_was_findable, archive))
    for url, version in archive.versions.pages():
        page = wanted(table, archive, url, version)
        if indexed is not None and (page is not None and findable(page)) != (url in indexed):
            yield f"{url}: {'should not be' if url in indexed else 'is not'} in the index; {_CURE}"
        if log is not None and page is not None and log.get(keys.fingerprint(url)) != _mark(_targets(page)):
            yield f"{url}: the log of links does not have the links of its text; {_CURE}"


def _was_findable(archive: Archive, url: URL, span: Span) -> bool:
    page = archive.page(url, span.versions[0])
    return page is not None and findable(page)


def _logged(path: Path, table: Table) -> dict[int, int] | None:
    """By the fingerprint of a page, a mark of the links that the log has of it; None when it is not to have all."""
    found: dict[int, int] = {}
    for chunk in chunks(path, committed_length(table)):
        ends = np.cumsum(chunk.counts).tolist()
        for source, end, count in zip(chunk.sources, ends, chunk.counts.tolist(), strict=True):
            found[keys.fingerprint(source)] = _mark(chunk.targets[end - count : end])
    return found if is_whole(table) else None


def _indexed(shard: Path, table: Table) -> set[URL] | None:
    """The pages that the index has; None when there is none, or a crash has left it behind the rows."""
    if not files.is_folder(shard / INDEX) or not is_whole(table):
        return None
    shard_index = ShardIndex(shard / INDEX, writable=False)
    shard_index.probe_all()
    if strange := strangeness(shard / LINKS, table, shard_index):
        raise Damaged(strange)
    return set(shard_index.urls()) if shard_index.covered == committed_length(table) else None


def _targets(page: Page) -> NDArray[np.uint64]:
    original = page.copy_of or page.near_copy_of
    named = [original] if original else [link.url for link in page.links]
    return np.array([keys.fingerprint(url) for url in named], np.uint64)


def _mark(targets: NDArray[np.uint64]) -> int:
    return keys.digest(targets.tobytes())
