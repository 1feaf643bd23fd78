"""One IP address, many shards: a table in shared memory says who may visit it, and how many pages all may keep.

Hosts of one address belong to several sites and so to several shards; BUbiNG leaves that open and lets its agents meet
at an address. Here all processes of a machine map one file with a row for each address that is visited or rests.
Steady times are comparable between them: CLOCK_MONOTONIC is one clock for the whole machine.

The file is guarded by flock, which the kernel takes from a process that dies. Each change is a store of one aligned
word, in an order in which a kill between two of them leaves an address held or resting too long, never too short;
`free` ends what a dead shard held. Each process opens the file itself: a lock is shared with what was forked.

An address has its row within REACH of the place its hash says, and no row is ever moved; one that is free and rested
is taken over. So nothing has to be swept, and where there is no room, one waits.
"""

from __future__ import annotations

import fcntl
import struct
from pathlib import Path

from gossamer import files
from gossamer.errors import Damaged
from gossamer.store.mapped import Mapped
from gossamer.urls import keys

SLOTS = 65_536
REACH = 32
"""Places in which an address may have its row."""
WAIT_LEAST = 0.05
"""Seconds before it is worth asking again for an address that is being visited."""

_MAGIC = int.from_bytes(b"gossgate", "big")
_HEADER = 4
"""Words of 8 bytes: magic, number of shards, number of slots, nothing."""
_ROW = 4
"""Words of a shard: whether it has begun, pages kept, pages out, bytes fetched. Words of an address: its hash, the time
from which it is rested, and two words that are four holders: the number of a shard plus one and its requests out."""
_HOLDERS = 4
_COUNT_MOST = 0xFFFF


class IpLeases:
    """What a shard may do now without doing too much together with the others."""

    def __init__(self, path: Path, me: int, *, delay: float, at_once: int = 1) -> None:
        self._me = me + 1
        self.change(delay=delay, at_once=at_once)
        self._file = Mapped(path, files.size(path))
        self._lock = _Lock(self._file.handle)
        self._words = memoryview(self._file.memory).cast("Q")
        self._times = memoryview(self._file.memory).cast("d")
        self._holders = memoryview(self._file.memory).cast("I")
        magic, self._shards, self._slots, _ = self._words[:_HEADER]
        if magic != _MAGIC:
            raise Damaged(f"{path}: this is not a gate; delete it and crawl again")
        self._first = _HEADER + self._shards * _ROW

    def change(self, *, delay: float, at_once: int) -> None:
        """How long an address rests after this shard, and how many requests it may have at once."""
        self._delay = delay
        self._at_once = min(at_once, _COUNT_MOST)
        self._short = max(delay / 4, WAIT_LEAST)

    @staticmethod
    def create(path: Path, shards: int) -> None:
        """A new one, before the shards of a crawl are started: nothing is held, nobody has begun."""
        files.remove(path)
        file = Mapped(path, 8 * (_HEADER + _ROW * (shards + SLOTS + REACH - 1)))
        file.memory[: 8 * _HEADER] = struct.pack("=4Q", _MAGIC, shards, SLOTS, 0)
        file.close()

    def close(self) -> None:
        """No more asking. What is held stays held until somebody calls `free`."""
        for view in (self._words, self._times, self._holders):
            view.release()
        self._file.close()

    # ------------------------------------------------------------------- addresses

    def take(self, address: str, now: float) -> float:
        """0.0 when the address is ours until `give`; else the steady time when it is worth asking again."""
        key = keys.fingerprint(address) or 1
        with self._lock:
            row = self._find(key) or self._settle(key, now)
            if not row:
                return now + self._short
            rested = self._times[row + 1]
            if rested > now:
                return rested
            holder, out = self._holder(row)
            if not holder or out >= self._at_once:
                return now + self._short
            self._holders[holder] = (self._holders[holder] or self._me << 16) + 1
            return 0.0

    def give(self, address: str, now: float, *, visited: bool) -> None:
        """One request less is out; after a real one the address rests."""
        with self._lock:
            row = self._find(keys.fingerprint(address) or 1)
            assert row, f"{address}: given without being taken"
            holder, _ = self._holder(row)
            if visited:
                self._rest(row, now)
            left = self._holders[holder] - 1
            self._holders[holder] = left if left & _COUNT_MOST else 0

    def free(self, owner: int, now: float) -> None:
        """A shard has died and is not back yet: all it held is free, and rests, as it may just have been asked."""
        with self._lock:
            for place in range(_HOLDERS):
                start = 2 * self._first + 4 + place
                for slot, holder in enumerate(self._holders[start :: 2 * _ROW].tolist()):
                    if holder >> 16 == owner + 1:
                        self._rest(self._first + slot * _ROW, now)
                        self._holders[start + slot * 2 * _ROW] = 0

    # ----------------------------------------------------------------------- pages

    def begin(self, shard: int, kept: int, out: int = 0) -> None:
        """A shard starts, or begins to count, and knows what it has kept. Until all have, nobody knows what is left."""
        with self._lock:
            row = _HEADER + shard * _ROW
            self._words[row + 1] = kept
            self._words[row + 2] = out
            self._words[row] = 1

    def claim(self, shard: int, limit: int) -> bool:
        """One page more may be fetched: with it all shards have no more than `limit` kept and out."""
        with self._lock:
            rows = self._words[_HEADER : self._first].tolist()
            if not all(rows[0::_ROW]) or sum(rows[1::_ROW]) + sum(rows[2::_ROW]) >= limit:
                return False
            self._words[_HEADER + shard * _ROW + 2] += 1
            return True

    def settle(self, shard: int, *, kept: bool) -> None:
        """A page that was claimed is kept, or others may have it."""
        with self._lock:
            row = _HEADER + shard * _ROW
            self._words[row + 1] += kept
            self._words[row + 2] -= 1

    def leave(self, shard: int) -> None:
        """A shard will not come back: what it claimed is for others.

        One that died and will come back keeps its claims: what it fetched last may be in its archive,
        and only when it begins again it knows.
        """
        with self._lock:
            self._words[_HEADER + shard * _ROW + 2] = 0

    def full(self, limit: int) -> bool:
        """All shards together have that many pages kept or out. What is out may yet turn out to be none."""
        with self._lock:
            rows = self._words[_HEADER : self._first].tolist()
        return sum(rows[1::_ROW]) + sum(rows[2::_ROW]) >= limit

    def weigh(self, shard: int, fetched: int) -> None:
        """A shard has fetched so many bytes by now."""
        self._words[_HEADER + shard * _ROW + 3] = fetched

    def fetched(self) -> int:
        """Bytes that all shards together have fetched."""
        return sum(self._words[_HEADER + 3 : self._first : _ROW].tolist())

    def kept(self) -> int:
        """Pages that all shards together have kept."""
        with self._lock:
            return sum(self._words[_HEADER + 1 : self._first : _ROW].tolist())

    # ------------------------------------------------------------------------ rows

    def _find(self, key: int) -> int:
        """The row of an address; 0 when it has none."""
        home = self._first + key % self._slots * _ROW
        if self._words[home] == key:
            return home
        near = self._words[home : home + REACH * _ROW : _ROW].tolist()
        return home + near.index(key) * _ROW if key in near else 0

    def _settle(self, key: int, now: float) -> int:
        """A row for an address that has none: the nearest that is free and rested; 0 when there is no room."""
        home = self._first + key % self._slots * _ROW
        for row in range(home, home + REACH * _ROW, _ROW):
            if self._times[row + 1] <= now and not self._words[row + 2] and not self._words[row + 3]:
                self._words[row] = key
                return row
        return 0

    def _holder(self, row: int) -> tuple[int, int]:
        """Where our requests to an address are counted, and how many are out from all; 0 when there is no room."""
        start, ours, out = 2 * row + 4, 0, 0
        if not self._words[row + 2] and not self._words[row + 3]:
            return start, 0
        for place, holder in enumerate(self._holders[start : start + _HOLDERS].tolist(), start):
            if holder >> 16 == self._me or (not holder and not ours):
                ours = place
            out += holder & _COUNT_MOST
        return ours, out

    def _rest(self, row: int, now: float) -> None:
        self._times[row + 1] = max(self._times[row + 1], now + self._delay)


class _Lock:
    """flock as a context: cheaper than a generator."""

    __slots__ = ("_handle",)

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __enter__(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)
