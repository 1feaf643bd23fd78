"""How is a table opened, by the one process that writes and by any number that read?

RocksDB opens files by their names at any moment, from threads of its own. So it is given a name that stays with the
folder, whatever that is called by now: otherwise it would go on in another collection that somebody has moved there.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Container, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    DBPath,
    Options,
    Rdict,
)

from gossamer import files
from gossamer.errors import Damaged, GossamerError, StorageError, UsageError
from gossamer.files import scratch as scratches
from gossamer.files.anchors import Entrance
from gossamer.lazy import pattern
from gossamer.store.table import sorted_files
from gossamer.store.table.faults import CURE, as_storage_error, in_use
from gossamer.store.table.locality import Place, places
from gossamer.store.table.manifest import CURRENT, make_door, mark

BLOCK_CACHE_BYTES = 64 << 20
"""Read blocks, indexes and filters, of all families together."""
MEMTABLE_BYTES = 8 << 20
"""Of one family; all families together hold at most MEMTABLES_BYTES."""
MEMTABLES_BYTES = 32 << 20
LOG_BYTES = 32 << 20
"""What has to be read again at most when a table that was killed is opened."""
LIST_BYTES = 16 << 20
"""When another list of files is begun; `sorted_files` reads none that is much longer."""
CHECKPOINT = "checkpoint.partial"
"""Beside a table: where a checkpoint of it is made. What a kill has left there is removed by the next who writes."""
LOOKS_MOST = 20
"""How often a reader looks again for a moment in which no writer changes the manifest."""
_SORTED = pattern(r"[0-9]{6,12}\.sst")
_OPTIONS = pattern(r"OPTIONS-[0-9]{6,12}")
_NO_NUMBER = pattern(r"(?:MANIFEST-|OPTIONS-|METADB-)?[0-9]{13,}.*", re.DOTALL)
"""Names of files that RocksDB would count on from, until its next number wraps and it begins low numbers anew."""

_THREADED: list[int] = []
"""The process in which RocksDB has begun its threads, once it has: one that is forked off it has none of them."""


class Opened(NamedTuple):
    """A table that RocksDB has open."""

    database: Rdict
    families: Mapping[str, Place]
    """Those it has."""
    lacking: frozenset[str]
    """Those it lacks of the ones that were asked for: they have no rows."""
    held: ExitStack
    """What goes when it is closed."""

    def close(self) -> None:
        """Nobody reads or writes it any more."""
        with self.held:
            self.database.close()


def opened(path: Path, families: Sequence[str], *, writable: bool) -> Opened:
    """One process may open a table to write; any number may read what had been committed by now."""
    if writable:
        _require_threads(path)
    _let_in(path, writable)
    return _open_writer(path, families) if writable else _open_reader(path, families)


def made(path: Path, families: Sequence[str]) -> None:
    """Have an empty table, where there is none. One that is there is opened, and so found to be whole."""
    if _lacks_threads() and files.kind(path / CURRENT):
        return  # its log might have to be written out
    _let_in(path, writable=True)
    _open_writer(path, families).close()


def opened_alone(path: Path, families: Sequence[str]) -> Opened:
    """To read while nobody writes: every file that is missing is damage. A reader beside a writer cannot know that,
    and takes the last state of which all files are there for the present one."""
    _let_in(path, writable=False)
    return _look(path, mark(path).current, families, alone=True)


def _lacks_threads() -> bool:
    """A writer would then wait for ever for what they have to write. A reader needs none."""
    return bool(_THREADED) and _THREADED[0] != os.getpid()


def _require_threads(path: Path) -> None:
    if _lacks_threads():
        raise UsageError(
            f"{path}: this process was forked off one that had a collection open, and cannot write; start it anew, as"
            ' by multiprocessing.get_context("spawn"), or crawl with apart=True'
        )


def _let_in(path: Path, writable: bool) -> None:
    """RocksDB opens what it finds by its path."""
    try:
        if writable:
            files.remove_tree(path.with_name(CHECKPOINT))  # its links would be in the way
            files.make_folder(path)
        elif not files.is_folder(path):
            raise Damaged(f"{path}: there is no table here; {CURE}")
        files.require_plain(path, writing=writable)
        if writable:
            _require_numbers(path)
        _require_rows(path)
    except OSError as error:
        raise StorageError(f"{path}: cannot be opened ({error.strerror}); check its owner and mode") from error


def _require_rows(path: Path) -> None:
    """RocksDB reads a row whole, however large somebody has made it."""
    for name in files.names(path, _SORTED):
        if words := sorted_files.swollen(path / name):
            raise Damaged(f"{path}: {words}; {CURE}")


def _require_numbers(path: Path) -> None:
    for name in filter(_NO_NUMBER.fullmatch, files.entries(path)):
        raise Damaged(f"{path / name}: no file of a table has so large a number; move it away")


def _open_writer(path: Path, families: Sequence[str]) -> Opened:
    options = _options()
    options.set_max_open_files(256)
    # Most rows that are looked for are not there yet: a filter says so for half of what the search takes.
    options.set_memtable_whole_key_filtering(True)
    options.set_memtable_prefix_bloom_ratio(0.05)
    with ExitStack() as stack:
        entrance = stack.enter_context(closing(Entrance(path)))
        _require_only(entrance.handle, path)
        stack.callback(fcntl.flock, entrance.handle, fcntl.LOCK_UN)  # also where a forked process has it open
        _forget_options(path)
        placed = places(families, _made(path, entrance.name) if files.kind(path / CURRENT) else ())
        database = _database(entrance.name, placed, options, AccessType.read_write(), path)
        return Opened(database, placed, frozenset(), stack.pop_all())


def _require_only(handle: int, path: Path) -> None:
    """RocksDB tells writers of one process apart by the name of the table, and each has another name for it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise in_use(path) from None


def _forget_options(path: Path) -> None:
    """The options of the last time are read back, line by line for every family, and then ours are taken all the same:
    a third of what opening costs."""
    for name in files.names(path, _OPTIONS):
        files.remove(path / name)


def _open_reader(path: Path, families: Sequence[str]) -> Opened:
    """Read what is committed, and write nothing beside it, not even what rocksdict leaves wherever it opens a table.

    Beside a writer there is no moment at which manifest, sorted files and logs could be read together: a log goes when
    what it had is in a file that the manifest lists. So a reader looks again if the manifest has changed meanwhile.
    """
    for left in reversed(range(LOOKS_MOST)):
        before = mark(path)
        try:
            found = _look(path, before.current, families)
        except GossamerError:
            if left == 0 or mark(path) == before:
                raise
            continue
        if left == 0 or mark(path) == before:
            return found
        found.close()
    raise AssertionError("the last look decides")


def _look(path: Path, current: bytes, families: Sequence[str], *, alone: bool = False) -> Opened:
    """Open a table by way of a folder that has nothing but a link to its manifest. All else is found by the options."""
    options = _options()
    # The writer deletes files that it has compacted; what a reader holds open stays readable.
    options.set_max_open_files(-1)
    with ExitStack() as stack:
        place = stack.enter_context(closing(Entrance(path))).name
        options.set_db_paths([DBPath(place, 0)])
        options.set_wal_dir(place)
        scratch = stack.enter_context(TemporaryDirectory(prefix=scratches.prefix()))
        door = make_door(place, current, Path(scratch))
        made = _made(path, str(door))
        placed = places(families, made)
        present = {name: each for name, each in placed.items() if each.column in made}
        if not present:
            raise Damaged(f"{path}: this table has none of our rows; {CURE}")
        lacking = placed.keys() - present.keys()
        log = str(Path(scratch, "log"))
        access = AccessType.read_only(error_if_log_file_exist=False) if alone else AccessType.secondary(log)
        database = _database(str(door), present, options, access, path)
        return Opened(database, present, frozenset(lacking), stack.pop_all())


def _made(path: Path, door: str) -> Container[str]:
    """The column families that a table has, which is opened by that `door`."""
    try:
        return frozenset(Rdict.list_cf(door))
    except Exception as error:
        raise as_storage_error(error, path) from error


def _database(place: str, families: Mapping[str, Place], options: Options, access: AccessType, path: Path) -> Rdict:
    """`path` is what it is called when something is wrong."""
    if not _THREADED:
        _THREADED.append(os.getpid())
    try:
        return Rdict(place, options, {family.column: options for family in families.values()}, access)
    except Exception as error:
        raise as_storage_error(error, path) from error


def _options() -> Options:
    blocks = BlockBasedOptions()
    blocks.set_block_cache(Cache(BLOCK_CACHE_BYTES))
    blocks.set_block_size(8 << 10)
    blocks.set_bloom_filter(10, block_based=False)
    # In small parts: a whole filter of a large file does not fit into one shard of the cache.
    blocks.set_index_type(BlockBasedIndexType.two_level_index_search())
    blocks.set_partition_filters(True)
    blocks.set_cache_index_and_filter_blocks(True)
    blocks.set_pin_top_level_index_and_filter(True)
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_block_based_table_factory(blocks)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_write_buffer_size(MEMTABLE_BYTES)
    options.set_max_write_buffer_number(2)
    options.set_db_write_buffer_size(MEMTABLES_BYTES)
    options.set_max_total_wal_size(LOG_BYTES)
    options.set_max_manifest_file_size(LIST_BYTES)
    options.set_max_background_jobs(2)
    options.set_bytes_per_sync(1 << 20)
    # Queues are deleted row by row: compact files that are mostly deletions, or scans crawl over them.
    options.add_compact_on_deletion_collector_factory(256, 128, 0.5)
    options.set_keep_log_file_num(1)
    options.set_max_log_file_size(1 << 20)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    # Sixteen threads for each family, and a look at every file for its statistics, are half of what opening costs.
    options.set_max_file_opening_threads(1)
    options.set_skip_stats_update_on_db_open(True)
    return options
