"""Rows in key order, by family, with one atomic commit for a batch of changes.

The model is BigTable's (Chang et al., OSDI 2006): a sorted map of keys in column families, atomic
changes, range scans. RocksDB brings the log, the memtable, the sorted files and their compaction;
we add the batch of uncommitted changes that reads already see. Where we differ: versions in time
are part of a key if a family wants them, and a batch may change many rows at once.

It opens files by their names at any moment, from threads of its own. So it is given a name that stays with the folder,
whatever that is called by now: otherwise it would go on in another collection that somebody has moved there.

RocksDB, through rocksdict in raw mode (bytes in, bytes out), because it writes durable batches three
times cheaper than LMDB or SQLite, needs a third of their disk, and lets other processes read while one
writes. rocksdict reports every fault as a bare `Exception`; they are told apart here by their words.
"""

from __future__ import annotations

import fcntl
import heapq
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from errno import EAGAIN, EIO, EMFILE, ENOMEM
from itertools import islice
from os import strerror
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from rocksdict import (
    AccessType,
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    Checkpoint,
    ColumnFamily,
    DbClosedError,
    DBCompressionType,
    DBPath,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from gossamer import files
from gossamer.errors import Damaged, GossamerError, Locked, StorageError, shortage
from gossamer.files import scratch as scratches
from gossamer.files.anchors import Entrance
from gossamer.store.table import sorted_files
from gossamer.store.table.locality import Place, places
from gossamer.store.table.manifest import CURRENT, make_door, mark
from gossamer.store.table.row_cache import UNKNOWN, Overlay, Recent

BLOCK_CACHE_BYTES = 64 << 20
"""Read blocks, indexes and filters, of all families together."""
MEMTABLE_BYTES = 8 << 20
"""Of one family; all families together hold at most MEMTABLES_BYTES."""
MEMTABLES_BYTES = 32 << 20
_CURE = "`gossamer verify DIR --repair` makes it again from the archive"
_SORTED = re.compile(r"[0-9]{6,12}\.sst")
_OPTIONS = re.compile(r"OPTIONS-[0-9]{6,12}")
_NO_NUMBER = re.compile(r"(?:MANIFEST-|OPTIONS-|METADB-)?[0-9]{13,}.*", re.DOTALL)
"""Names of files that RocksDB would count on from, until its next number wraps and it begins low numbers anew."""
_DENIED = re.compile(r"([^/\s:]+): (Permission denied|Operation not permitted)$")
_ENTRANCE = re.compile(r"/proc/self/fd/[0-9]+")
"""The name that RocksDB has for a table: see `files.anchors`."""
LOG_BYTES = 32 << 20
"""What has to be read again at most when a table that was killed is opened."""
LIST_BYTES = 16 << 20
"""When another list of files is begun; `sorted_files` reads none that is much longer."""
CHECKPOINT = "checkpoint.partial"
"""Beside a table: where a checkpoint of it is made. What a kill has left there is removed by the next who writes."""
LOOKS_MOST = 20
"""How often a reader looks again for a moment in which no writer changes the manifest."""


class _NoRows:
    """What comes of walking through them."""

    def seek(self, key: bytes) -> None: ...

    def valid(self) -> bool:
        return False

    def status(self) -> None: ...


class _NoFamily:
    """A family that a table of an older version lacks until it is written to: as one that has no rows."""

    def get(self, asked: Any) -> Any:
        return [None] * len(asked) if isinstance(asked, list) else None

    def iter(self, reading: ReadOptions) -> Any:
        return _NoRows()

    def close(self) -> None: ...


_NO_FAMILY = _NoFamily()


class Table:
    """Families of rows. One thread uses it; `commit` is the only call that makes changes last."""

    def __init__(
        self,
        path: Path,
        database: Rdict,
        families: Mapping[str, Place],
        held: ExitStack,
        lacking: Iterable[str] = (),
    ) -> None:
        """It has these `families`, and lacks some that are asked for: they have no rows. What is `held` for it goes
        when it is closed."""
        self._path = path
        self._held = held
        self._database = database
        columns = {place.column for place in families.values()}
        self._columns: dict[str, Rdict] = {name: database.get_column_family(name) for name in columns}
        self._handles: dict[str, ColumnFamily] = {name: database.get_column_family_handle(name) for name in columns}
        self._places = dict(families)
        self._prefixes = {name: place.prefix for name, place in families.items()} | dict.fromkeys(lacking, b"")
        self._families: dict[str, Rdict | _NoFamily] = dict.fromkeys(lacking, _NO_FAMILY)
        self._families |= {name: self._columns[place.column] for name, place in families.items()}
        self._overlays = {name: Overlay() for name in self._families}
        self._changes = {name: overlay.values for name, overlay in self._overlays.items()}
        self._recent = {name: Recent() for name in self._families}
        self._is_bare: dict[str, bool] = {}
        self.commits = 0
        """Commits that were made since it was opened: what was put before the last of them lasts."""

    @classmethod
    def open(cls, path: Path, families: Sequence[str], *, writable: bool) -> Table:
        """One process may open a table to write; any number may read what had been committed by now."""
        _let_in(path, writable)
        return _open_writer(path, families) if writable else _open_reader(path, families)

    @classmethod
    def open_alone(cls, path: Path, families: Sequence[str]) -> Table:
        """To read while nobody writes: every file that is missing is damage. A reader beside a writer cannot know that,
        and takes the last state of which all files are there for the present one."""
        _let_in(path, writable=False)
        return _look(path, mark(path).current, families, alone=True)

    @property
    def families(self) -> frozenset[str]:
        """Those it has; one that was made by an older version may lack some."""
        return frozenset(self._places)

    @property
    def pending(self) -> int:
        """Changed rows that are not committed yet."""
        return sum(map(len, self._changes.values()))

    def get(self, family: str, key: bytes) -> bytes | None:
        changes = self._changes[family]
        if key in changes:
            return changes[key]
        recent = self._recent[family]
        if (value := recent.get(key)) is not UNKNOWN:
            return value
        try:
            value = self._families[family].get(self._prefixes[family] + key)
        except Exception as error:
            raise _told(error, self._path) from error
        recent.add(key, value)
        return value

    def read_ahead(self, family: str, keys: Iterable[bytes]) -> None:
        """These rows will be asked for one by one: read together, a row costs a tenth of what it costs in between."""
        changes, recent = self._changes[family], self._recent[family]
        asked = [key for key in keys if key not in changes and recent.get(key) is UNKNOWN]
        for key, value in zip(asked, self._asked(family, asked), strict=True):
            recent.add(key, value)

    def get_many(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, in their order; one call to the database for all of them."""
        changes = self._changes[family]
        asked = [key for key in keys if key not in changes] if changes else list(keys)
        stored = self._asked(family, asked)
        if len(asked) == len(keys):
            return list(stored)
        return [changes[key] if key in changes else next(stored) for key in keys]

    def _asked(self, family: str, keys: list[bytes]) -> Iterator[bytes | None]:
        prefix = self._prefixes[family]
        asked: Any = [prefix + key for key in keys] if prefix else keys
        try:
            found: Any = self._families[family].get(asked) if asked else []
        except Exception as error:
            raise _told(error, self._path) from error
        return iter(found)

    def is_bare(self, family: str) -> bool:
        """Was no row of that family ever put? Looked up once: a family that has had rows counts as one that has."""
        if family not in self._is_bare:
            self._is_bare[family] = next(self.scan(family, limit=1), None) is None
        return self._is_bare[family] and not self._changes[family]

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self._changes[family][key] = value

    def put_all(self, family: str, keys: Iterable[bytes], value: bytes) -> None:
        """One value for many keys."""
        self._changes[family].update(dict.fromkeys(keys, value))

    def delete(self, family: str, key: bytes) -> None:
        self._changes[family][key] = None

    def scan(
        self, family: str, prefix: bytes = b"", start: bytes = b"", limit: int | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Rows whose key begins with `prefix`, from `start` on, in key order, as they are at this call.

        Changes made while the rows are being read do not show in them.
        """
        first, end = max(prefix, start), _after(prefix)
        changes = self._overlays[family]
        changed = {key: changes.values[key] for key in changes.keys(first, end)}
        rows = self._stored(family, first, end)
        return islice(_merged(rows, changed) if changed else rows, limit)

    def firsts(self, family: str, prefixes: Sequence[bytes]) -> list[bytes | None]:
        """For each prefix the value of the first key that begins with it; one walk for all of them."""
        if self._changes[family]:
            return [next((value for _, value in self.scan(family, prefix, limit=1)), None) for prefix in prefixes]
        found: list[bytes | None] = []
        family_prefix = self._prefixes[family]
        try:
            rows = self._families[family].iter(ReadOptions())
            for prefix in prefixes:
                sought = family_prefix + prefix
                rows.seek(sought)
                found.append(rows.value() if rows.valid() and rows.key().startswith(sought) else None)
                rows.status()
        except Exception as error:
            raise _told(error, self._path) from error
        return found

    def commit(self) -> None:
        """Make every change since the last commit last, all or none, also through a power cut."""
        batch = WriteBatch(raw_mode=True)
        for name, changes in self._changes.items():
            if not changes:
                continue
            column, prefix = self._places[name]
            handle = self._handles[column]
            for key, value in changes.items():
                if value is None:
                    batch.delete(prefix + key, handle)
                else:
                    batch.put(prefix + key, value, handle)
        if batch.is_empty():
            return
        try:
            self._database.write(batch, _synced())
        except Exception as error:
            raise _told(error, self._path) from error
        for name, overlay in self._overlays.items():
            if overlay.values:
                self._is_bare[name] = False
            self._recent[name].committed(overlay.values)
            overlay.clear()
        self.commits += 1

    @property
    def sequence(self) -> int:
        """How many changes were ever committed."""
        return self._database.latest_sequence_number()

    def checkpoint(self, place: Path) -> None:
        """Make a copy of all that is committed, of links to the files that never change; `place` must not be there."""
        with closing(Entrance(place.parent)) as entrance:
            try:
                Checkpoint(self._database).create_checkpoint(f"{entrance.name}/{place.name}")
            except Exception as error:
                raise _told(error, self._path) from error

    def drop_changes(self) -> None:
        """Forget all changes since the last commit. What others have made of them is wrong after this."""
        for overlay in self._overlays.values():
            overlay.clear()

    def close(self) -> None:
        """Give the table free, once no scan of it is under way. What was not committed is dropped."""
        # RocksDB keeps its lock as long as anything of a family is alive. It also writes out what it holds
        # in memory, but all of that is in its log: when this fails, nothing is lost.
        self._handles.clear()
        self._families.clear()
        while self._columns:
            with suppress(Exception):
                self._columns.popitem()[1].close()
        with suppress(Exception):
            self._database.close()
        self._held.close()

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def files(self) -> list[str]:
        """The sorted files that count."""
        return [str(file["name"]).lstrip("/") for file in self._database.live_files()]

    def stored(self, family: str) -> Iterator[tuple[bytes, bytes]]:
        """All rows of a family, from the disk and with their checksums."""
        reading = ReadOptions()
        reading.set_verify_checksums(True)
        return self._rows(family, b"", None, reading)

    def _stored(self, family: str, first: bytes, end: bytes | None) -> Iterator[tuple[bytes, bytes]]:
        return self._rows(family, first, end, ReadOptions())

    def _rows(
        self, family: str, first: bytes, end: bytes | None, reading: ReadOptions
    ) -> Iterator[tuple[bytes, bytes]]:
        prefix = self._prefixes[family]
        bound = _after(prefix) if end is None else prefix + end
        if bound is not None:
            reading.set_iterate_upper_bound(bound)
        try:
            rows = self._families[family].iter(reading)
            rows.seek(prefix + first)
        except Exception as error:
            raise _told(error, self._path) from error
        found = _walk(rows, self._path, (reading, bound))
        return ((key[len(prefix) :], value) for key, value in found) if prefix else found


def damage(
    path: Path, families: Sequence[str], read: Callable[[str, bytes, bytes], None] = lambda *_: None
) -> str | None:
    """What is wrong with a table, all of which is read, with its checksums. Nobody may write to it meanwhile.

    `read` raises Damaged at a row, of that family, key and value, that says nothing.
    """
    try:
        with Table.open_alone(path, families) as table:
            named = files.read(path / "CURRENT").decode().strip()
            if files.size(path / named) > sorted_files.LIST_MOST:
                return f"{named}: is larger than any list of files that we write"
            if sorted_files.is_torn(path / named):
                return f"{named}: is cut short"
            for name in table.files():
                if words := sorted_files.damage(path / name):
                    return words
            for family in table.families:
                if words := _wrong_row(table, family, read):
                    return f"{path}: {words}"
    except Damaged as error:
        return str(error.__cause__ or error)
    return None


def _wrong_row(table: Table, family: str, read: Callable[[str, bytes, bytes], None]) -> str | None:
    for key, value in table.stored(family):
        try:
            read(family, key, value)
        except Damaged as error:
            return f"{family}, {key[:100]!r}: {error}"
    return None


def _let_in(path: Path, writable: bool) -> None:
    """RocksDB opens what it finds by its path."""
    try:
        if writable:
            files.remove_tree(path.with_name(CHECKPOINT))  # its links would be in the way
            files.make_folder(path)
        elif not files.is_folder(path):
            raise Damaged(f"{path}: there is no table here; {_CURE}")
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
            raise Damaged(f"{path}: {words}; {_CURE}")


def _require_numbers(path: Path) -> None:
    for name in filter(_NO_NUMBER.fullmatch, files.entries(path)):
        raise Damaged(f"{path / name}: no file of a table has so large a number; move it away")


def _open_writer(path: Path, families: Sequence[str]) -> Table:
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
        return Table(path, database, placed, stack.pop_all())


def _require_only(handle: int, path: Path) -> None:
    """RocksDB tells writers of one process apart by the name of the table, and each has another name for it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _in_use(path) from None


def _forget_options(path: Path) -> None:
    """The options of the last time are read back, line by line for every family, and then ours are taken all the same:
    a third of what opening costs."""
    for name in files.names(path, _OPTIONS):
        files.remove(path / name)


def _open_reader(path: Path, families: Sequence[str]) -> Table:
    """Read what is committed, and write nothing beside it, not even what rocksdict leaves wherever it opens a table.

    Beside a writer there is no moment at which manifest, sorted files and logs could be read together: a log goes when
    what it had is in a file that the manifest lists. So a reader looks again if the manifest has changed meanwhile.
    """
    for left in reversed(range(LOOKS_MOST)):
        before = mark(path)
        try:
            table = _look(path, before.current, families)
        except GossamerError:
            if left == 0 or mark(path) == before:
                raise
            continue
        if left == 0 or mark(path) == before:
            return table
        table.close()
    raise AssertionError("the last look decides")


def _look(path: Path, current: bytes, families: Sequence[str], *, alone: bool = False) -> Table:
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
            raise Damaged(f"{path}: this table has none of our rows; {_CURE}")
        lacking = placed.keys() - present.keys()
        log = str(Path(scratch, "log"))
        access = AccessType.read_only(error_if_log_file_exist=False) if alone else AccessType.secondary(log)
        return Table(path, _database(str(door), present, options, access, path), present, stack.pop_all(), lacking)


def _made(path: Path, door: str) -> Container[str]:
    """The column families that a table has, which is opened by that `door`."""
    try:
        return frozenset(Rdict.list_cf(door))
    except Exception as error:
        raise _told(error, path) from error


def _database(place: str, families: Mapping[str, Place], options: Options, access: AccessType, path: Path) -> Rdict:
    """`path` is what it is called when something is wrong."""
    try:
        return Rdict(place, options, {family.column: options for family in families.values()}, access)
    except Exception as error:
        raise _told(error, path) from error


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


def _synced() -> WriteOptions:
    options = WriteOptions()
    options.sync = True
    return options


def _after(prefix: bytes) -> bytes | None:
    """The least key greater than all that begin with `prefix`; None when there is none."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def _merged(rows: Iterator[tuple[bytes, bytes]], changed: dict[bytes, bytes | None]) -> Iterator[tuple[bytes, bytes]]:
    """Stored rows with changes laid over them; both come in key order."""
    untouched = (row for row in rows if row[0] not in changed)
    new = ((key, value) for key, value in changed.items() if value is not None)
    return heapq.merge(untouched, new)


def _walk(rows: RdictIter, path: Path, _bound: object) -> Iterator[tuple[bytes, bytes]]:
    """The rows that an iterator stands before. Damage ends it like the end of the rows, but for its status.

    It looks at the memory of its upper bound and owns none of it, so the bound is held here.
    """
    try:
        while rows.valid():
            yield rows.key(), rows.value()
            rows.next()
        rows.status()
    except Exception as error:
        raise _told(error, path) from error


def _told(error: Exception, path: Path) -> Exception:
    """What RocksDB said, as one of our errors, with what to do about it."""
    words = _ENTRANCE.sub(lambda _: str(path), str(error))
    low = words.lower()
    if isinstance(error, DbClosedError):
        return error
    if "/lock:" in low or "lock hold" in low:
        return _in_use(path)
    if "no space left" in low or "file too large" in low or "quota" in low:
        return StorageError(f"{path}: the disk is full; free some space and go on, nothing committed is lost")
    for number in (EMFILE, ENOMEM, EIO, EAGAIN):  # in the words of the system, which the library repeats
        if strerror(number).lower() in low and (lack := shortage(OSError(number, words), path)):
            return lack
    if low.startswith(("corruption", "invalid argument", "io error: no such file")):
        return Damaged(f"{path}: the table cannot be read ({words}); {_CURE}")
    if (found := _DENIED.search(words)) is not None:  # what stands before the name may be a reader's own folder
        return StorageError(f"{path / found[1]}: cannot be read ({found[2]}); check its owner and mode")
    return StorageError(f"{path}: the table cannot be used: {words}")


def _in_use(path: Path) -> Locked:
    return Locked(f"{path}: another process is writing to this table; wait until it has ended")
