"""Rows in key order, by family, with one atomic commit for a batch of changes.

The model is BigTable's (Chang et al., OSDI 2006): a sorted map of keys in column families, atomic
changes, range scans. RocksDB brings the log, the memtable, the sorted files and their compaction;
we add the batch of uncommitted changes that reads already see. Where we differ: versions in time
are part of a key if a family wants them, and a batch may change many rows at once.

RocksDB, through rocksdict in raw mode (bytes in, bytes out), because it writes durable batches three
times cheaper than LMDB or SQLite, needs a third of their disk, and lets other processes read while one
writes. How it is opened is in `opening`, what its faults mean in `faults`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from rocksdict import Checkpoint, ColumnFamily, Rdict, RdictIter, ReadOptions, WriteBatch, WriteOptions

from gossamer.files.anchors import Entrance
from gossamer.store.table.faults import as_storage_error
from gossamer.store.table.opening import Opened, opened, opened_alone
from gossamer.store.table.row_cache import UNKNOWN, Overlay, Recent


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

    def __init__(self, path: Path, found: Opened) -> None:
        self._path = path
        self._held = found.held
        self._database = database = found.database
        families, lacking = found.families, found.lacking
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
        return cls(path, opened(path, families, writable=writable))

    @classmethod
    def open_alone(cls, path: Path, families: Sequence[str]) -> Table:
        """To read while nobody writes: every file that is missing is damage."""
        return cls(path, opened_alone(path, families))

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
            raise as_storage_error(error, self._path) from error
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
            raise as_storage_error(error, self._path) from error
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
            raise as_storage_error(error, self._path) from error
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
            raise as_storage_error(error, self._path) from error
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
                raise as_storage_error(error, self._path) from error

    def drop_changes(self) -> None:
        """Forget all changes since the last commit. What others have made of them is wrong after this."""
        for overlay in self._overlays.values():
            overlay.clear()

    def close(self) -> None:
        """Release the table, once no scan of it is under way. What was not committed is dropped."""
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
            raise as_storage_error(error, self._path) from error
        found = _walk(rows, self._path, (reading, bound))
        return ((key[len(prefix) :], value) for key, value in found) if prefix else found


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
        raise as_storage_error(error, path) from error
