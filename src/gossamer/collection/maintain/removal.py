"""Take pages out of a collection: out of the table, the texts, the log of links, the index, and on request the archive.

In each shard one commit takes the rows out and leaves the addresses out for good. After it files are written again
without what went, each in the place of the old one at once. All of it can be done again when it was killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.derive.underived import outdate
from gossamer.collection.maintain.writable_shard import WritableShard, is_removed
from gossamer.errors import Damaged, InvalidURL, UsageError
from gossamer.frontier.answer.removal import forget_firsts, leave_out
from gossamer.frontier.answer.removal import is_removed as is_removed_entry
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.store.repair.forget import Named, dependent, forget
from gossamer.store.repair.rewrite import carry_texts, rewrite
from gossamer.store.repair.swaps import resume
from gossamer.store.repair.verify import is_capture, row_of
from gossamer.store.versions import STATE
from gossamer.store.warc.reader import records
from gossamer.store.warc.warc import Original, Record
from gossamer.urls.paths import canonical
from gossamer.urls.safe_regex import Patterns
from gossamer.urls.seeds import address, in_place_of, is_guessed

_JOB = b"remove"


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes, or has gone."""

    urls: tuple[URL, ...]
    """Addresses that match, those that were removed before among them."""
    fresh: int = 0
    """How many of them had not been removed before."""
    versions: int = 0
    bytes: int = 0
    """Of the records of those versions, as they lie in the archive."""
    seeds: tuple[str, ...] = ()
    """Of the plan, from which nothing ever came: whoever named them was wrong."""


def chosen(readers: ShardReaders, pattern: str, seeds: Iterable[str]) -> Removal:
    """What a pattern means: one address, if it is one of the collection, or all that have it in them; and which of the
    seeds are wrong."""
    if not pattern.strip():
        raise UsageError(
            "neither an address nor a pattern is given, which would be every page; name one, or delete DIR"
        )
    wanted = _meaning(readers, pattern)
    urls: list[URL] = []
    fresh = versions = octets = 0
    for shard_reader in readers.all:
        for url, entry in Ledger(shard_reader.table).all():
            if wanted(url):
                kept = list(shard_reader.archive.versions.of(url))
                if kept or entry.state is not State.EXCLUDED or is_removed_entry(entry):
                    urls.append(url)
                    fresh += not is_removed_entry(entry)
                    versions += len(kept)
                    octets += sum(version.length for version in kept)
    wrong = tuple(seed for seed in seeds if address(seed) in urls and not _has_come(readers, seed))
    return Removal(tuple(urls), fresh, versions, octets, wrong)


def _has_come(readers: ShardReaders, seed: str) -> bool:
    """Has anything come from a seed? One without a scheme may have been asked for by http."""
    asked = (address(seed), in_place_of(address(seed))) if is_guessed(seed) else (seed,)
    return any(next(readers.of(url).archive.versions.of(url), None) is not None for url in asked)


def _meaning(readers: ShardReaders, pattern: str) -> Callable[[URL], bool]:
    try:
        url = canonical(pattern)
    except InvalidURL:
        url = ""
    if url and Ledger(readers.of(url).table).get(url) is not None:
        return lambda each: each == url
    patterns = Patterns([pattern])
    return patterns.match


def remove(bench: WritableShard, urls: set[URL], *, archive: bool) -> None:
    """From one shard, whose captures must all be committed. What is derived from them is to be built again."""
    resume(bench.table, STATE, bench.archive.folder)
    gone = [(url, version) for url in _ours(bench, urls) for version in bench.archive.versions.of(url)]
    _promote(bench, gone)
    forgotten = forget(bench.archive.versions, gone, urls.__contains__)
    leave_out(bench.table, _ours(bench, urls), time.time())
    ledger = Ledger(bench.table)
    ledger.uncopied(forgotten.freed)
    ledger.save()
    forget_firsts(bench.table, urls)
    outdate(bench.table)
    bench.archive.prepare()
    bench.table.commit()
    carry_texts(bench.table, bench.archive, _JOB)
    bench.archive.close()
    if archive:
        _rewrite(bench)


def _ours(bench: WritableShard, urls: set[URL]) -> Iterator[URL]:
    """Those of the addresses whose rows are in this shard."""
    ledger = Ledger(bench.table)
    return (url for url in sorted(urls) if ledger.get(url) is not None)


def _promote(bench: WritableShard, gone: Sequence[Named]) -> None:
    """Copies that stay, of pages that go: one of each payload is written again with it, the others point there."""
    survivors = dependent(bench.archive.versions, gone)
    if survivors:
        bench.open_captures()
    heirs: dict[str, Original] = {}
    for url, version in survivors:
        with suppress(Damaged):  # it goes with what it points at
            heir = bench.archive.restate(url, version, heirs.get(version.payload))
            heirs.setdefault(version.payload, heir)


def _rewrite(bench: WritableShard) -> None:
    """The files that have records of removed addresses, without them."""

    def wanted(record: Record) -> bool:
        row = row_of(bench.archive, record) if is_capture(record) else None
        superseded = row is not None and row.record != record.place.record
        return not superseded and not is_removed(bench.table, record.url or "")

    for path, _ in bench.archive.files.all():
        if not all(map(wanted, records(path))):
            rewrite(bench.table, bench.archive, path, wanted, info_of(bench.plan), keep=False)
