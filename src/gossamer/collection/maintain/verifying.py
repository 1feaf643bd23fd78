"""Is all of a collection sound? Everything is read and compared: tables, archives, what is derived, the graph.

A table is sound when each of its rows says what it should: its bytes may be whole, and its rows may still be no rows of
ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from gossamer.collection import progress, series
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.column_families import FAMILIES, IMPORTS
from gossamer.collection.crawl import sent_credentials, shard_identity
from gossamer.collection.derive import graphs, index_check, near_copies, past
from gossamer.collection.folder import Folder
from gossamer.collection.imports import import_progress
from gossamer.collection.maintain.put_aside import in_the_way
from gossamer.collection.maintain.writable_shard import is_removed
from gossamer.collection.seed_list import SeedList
from gossamer.collection.sites import site_of
from gossamer.dedupe import blocks, column_families, pages, print_runs
from gossamer.errors import Damaged
from gossamer.frontier import entries, ledger, tally
from gossamer.frontier.answer import poison_pages
from gossamer.frontier.audit import audit
from gossamer.frontier.forms import form_rows
from gossamer.frontier.revisit import dating, hubs, lastmod_trust, page_changes, priors
from gossamer.frontier.shards import exchange, peers
from gossamer.frontier.worth import crawl_traps, opic, parameters, rendering, soft404, topic_rows
from gossamer.plan import Plan
from gossamer.rows import damaged, number, text
from gossamer.store import asides, unread, url_seen, versions
from gossamer.store.repair import pruned, skipped_captures, swaps
from gossamer.store.repair.verify import Checked, octets, verify_archive
from gossamer.store.table import soundness
from gossamer.store.warc import texts
from gossamer.urls import keys

Check: TypeAlias = "Callable[[bytes], object]"
_OF_FAMILY: dict[str, Check] = {
    versions.DIGESTS: versions.first_of,
    entries.URLS: entries.entry,
    entries.HOSTS: entries.host_row,
    entries.ROBOTS: entries.robots_row,
    entries.SITES: entries.site_row,
    entries.CASH: entries.cash_row,
    entries.BACKLOG: number,
    entries.TALLIES: tally.sums_of,
    entries.FIRSTS: keys.url_in,
    entries.QUEUE: keys.url_in,
    entries.LATER: keys.url_in,
    entries.REVISITS: keys.url_in,
    entries.FRESHNESS: page_changes.changes_of,
    entries.RATES: priors.history_of,
    entries.TRUST: lastmod_trust.trust_of,
    entries.HUBS: hubs.row_of,
    entries.TOPICS: topic_rows.topic_row,
    entries.RENDERS: rendering.render_row,
    entries.FORMS: form_rows.form_of,
    entries.RECORDS: number,
    entries.TURNS: keys.origin_in,
    column_families.BLOCKS: blocks.row_of,
}
_NAMED: dict[tuple[str, bytes], Check] = {
    (entries.META, b"imprint"): shard_identity.imprint_of,
    (entries.META, b"sent"): sent_credentials.sent_of,
    (entries.META, b"progress"): progress.progress_of,
    (entries.META, b"counts"): ledger.counts_of,
    (entries.META, b"suspects"): poison_pages.deaths_of,
    (entries.META, b"exchange"): exchange.marks_of,
    (entries.META, b"sequence"): number,
    (entries.META, b"series"): series.point_of,
    (entries.META, b"waiting"): number,
    (entries.META, entries.WATCHED): dating.state_of,
    (entries.META, b"cash"): opic.books_of,
    (entries.META, topic_rows.SUMS): topic_rows.sums_of,
    (versions.STATE, b"end"): swaps.end_of,
    (versions.STATE, b"length"): number,
    (versions.STATE, b"links"): number,
    (versions.STATE, b"links-drawn"): number,
    (versions.STATE, b"past"): past.covered_of,
    (versions.STATE, b"swap"): swaps.swap_of,
    (versions.STATE, b"texts"): texts.end_of,
    (versions.STATE, b"unread"): unread.note_of,
    (versions.STATE, b"passed"): skipped_captures.reason_of,
    (versions.STATE, b"pruned"): pruned.place_of,
    (versions.STATE, b"aside"): asides.aside_of,
}
"""By the word that a key begins with."""
Report = Callable[[int, int], None]
"""Is called with how many bytes of the archive were read, and how many there are."""


def verified(folder: Folder, plan: Plan, readers: Callable[[], ShardReaders], report: Report | None = None) -> Checked:
    """What was found. `readers` are asked for once it is known that all tables can be read."""
    checked = Checked(problems=[*in_the_way(folder), *SeedList(folder.path).check()])
    damaged = [*filter(None, (damage(folder.table(index)) for index in range(plan.shards or 1)))]
    checked.problems += damaged
    if damaged:
        return checked  # what hangs on them would say nothing new
    passed = _counting(readers(), report) if report else lambda octets: None
    for index, shard_reader in enumerate(readers().all):
        checked.add(verify_archive(shard_reader.archive, partial(is_removed, shard_reader.table), passed))
        checked.problems += audit(shard_reader.table)
        checked.problems += index_check.check(folder.shard(index), shard_reader.table, shard_reader.archive)
        checked.problems += near_copies.check(shard_reader.table, shard_reader.archive, site_of(plan))
    checked.problems += graphs.check(folder)
    return checked


def _counting(readers: ShardReaders, report: Report) -> Callable[[int], None]:
    of, done = sum(map(octets, readers.archives)), 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        report(done, of)

    return count


def damage(path: Path) -> str | None:
    """What is wrong with the table of a shard, all of which is read. Nobody may write to it meanwhile."""
    return soundness.damage(path, FAMILIES, _read)


def _read(family: str, key: bytes, value: bytes) -> None:
    if family in _OF_KEY:
        _OF_KEY[family](key)
    if family in _OF_FAMILY:
        _OF_FAMILY[family](value)
    elif family in _OF_BOTH:
        _OF_BOTH[family](key, value)
    elif read := _NAMED.get((family, key.partition(b"\0")[0])):
        read(value)


def _row(key: bytes) -> None:
    """The row key of an address, and in the one form that it has."""
    if keys.row(keys.url_of(key)) != key:
        raise damaged("address", repr(key[:100]))


def _version(key: bytes) -> None:
    if key[-9:-8] != b"\0":
        raise damaged("Version", repr(key[:100]))
    _row(key[:-9])


def _queued(key: bytes) -> None:
    if key[-17:-16] != b"\0":
        raise damaged("queue", repr(key[:100]))
    keys.origin_in(key[:-17])


def _exactly(length: int) -> Check:
    def check(key: bytes) -> None:
        if len(key) != length:
            raise damaged("key", repr(key[:100]))

    return check


def _batch(_key: bytes, value: bytes) -> None:
    for item in exchange.batch_of(value).items:
        peers.item_of(item)


def _template(key: bytes, value: bytes) -> None:
    """The rows of hosts and of families both have a NUL at the end."""
    if key[-1:] != b"\0":
        crawl_traps.kind_of(value)
        return
    try:
        crawl_traps.host_of(value)
    except Damaged:
        crawl_traps.memory_of(value)


def _print(key: bytes, value: bytes) -> None:
    if key == b"runs":
        print_runs.listed_of(value)
    elif key[:1] == b"u":
        _row(key[1:])
        number(value, 4)
    elif key[:1] == b"p":
        number(key[1:], 4)
        pages.url_of(pages.whole(value))


def _seen(key: bytes, value: bytes) -> None:
    if key == b"runs":
        url_seen.runs_of(value)
    elif key.startswith(b"fresh"):
        url_seen.fresh_of(value)


def _import(key: bytes, value: bytes) -> None:
    """Of a 304 there is but the key."""
    if value:
        import_progress.row_of(value)


_OF_KEY: dict[str, Check] = {
    entries.URLS: _row,
    entries.CASH: _row,
    entries.QUEUE: _queued,
    entries.LATER: _exactly(16),
    entries.REVISITS: _exactly(16),
    entries.FRESHNESS: _row,
    entries.OUTBOX: _exactly(10),
    entries.STANDING: keys.origin_in,
    entries.ROBOTS: keys.origin_in,
    versions.CAPTURES: _version,
    **dict.fromkeys((entries.HOSTS, entries.SITES, entries.BACKLOG, entries.PROBES, column_families.BLOCKS), text),
}
_OF_BOTH: dict[str, Callable[[bytes, bytes], object]] = {
    versions.CAPTURES: versions.require_moment,
    entries.OUTBOX: _batch,
    entries.TEMPLATES: _template,
    entries.PARAMETERS: lambda key, value: (
        parameters.host_keys_of(value) if key[-1:] == b"\0" else parameters.keys_of(value)
    ),
    entries.PROBES: lambda key, value: soft404.host_of(value) if key[-1:] == b"\0" else soft404.place_of(value),
    column_families.PRINTS: _print,
    url_seen.SEEN: _seen,
    IMPORTS: _import,
}
