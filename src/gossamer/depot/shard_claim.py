"""How does a process work on a shard? It claims it, publishes checkpoints, and ends when somebody else has claimed it.

Before it claims, what lies on this disk is held against the store: see `local_note`.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from gossamer import files
from gossamer.depot import local_note
from gossamer.depot.depot import Depot
from gossamer.depot.heads import Head, Line
from gossamer.depot.local_note import LocalNote
from gossamer.depot.objects import Objects
from gossamer.depot.parts import Snapshot, Stamp, stamp_of
from gossamer.depot.restoring import restore
from gossamer.depot.uploading import Uploaded, Uploader, life_of
from gossamer.errors import Damaged, Fenced, StoreAway, UsageError
from gossamer.printable import log

SWEEP_EVERY = 8
"""Checkpoints between two looks for what is of no use any more."""
KEPT_HEADS = 3
"""Heads that stay. Whoever restores a shard reads from one while others follow."""
_ANY = re.compile(r".*", re.DOTALL)
CLAIMS_MOST = 10
"""Races for a shard that are lost before somebody who was not sent gives up."""
RECENT = 120.0
"""Seconds: an owner that published later than that may still be at work."""


class Published(NamedTuple):
    """One checkpoint."""

    head: Head
    octets: int
    """Bytes that have travelled."""
    seconds: float


class _Pending(NamedTuple):
    """What is in the store, and may count: nobody knows as long as the store has not said so."""

    snapshot: Snapshot
    head: Head
    done: Uploaded


class Life:
    """Of the one process that works on a shard."""

    def __init__(self, depot: Depot, shard: int, folder: Path, head: Head, stamps: Mapping[str, Stamp]) -> None:
        """By `begin`."""
        self.head = head
        """The last one that was published, or the claim."""
        self._depot = depot
        self._line = depot.line(shard)
        self._folder = folder
        self._stamps = stamps
        self._uploader = Uploader(depot.objects, self._line.folder, head.life)
        self._count = 0
        self._pending: _Pending | None = None
        self._alone = threading.Lock()

    @classmethod
    def begin(cls, depot: Depot, shard: int, folder: Path, *, is_here: bool, term: int | None = None) -> Life:
        """Claim the shard, and restore its folder if it has to be; `is_here` says whether there is one to go on from.

        Without a term it is that of the last owner, and 1. Fenced where somebody else was sent later. Who comes later
        may lose a race with an owner that goes on publishing, and tries again; without a term not for ever, since two
        may begin at once.
        """
        left = CLAIMS_MOST
        while True:
            try:
                return cls._claimed(depot, shard, folder, is_here=is_here, term=term)
            except Fenced:
                newest, left = depot.line(shard).newest(), left - 1
                if newest is None or (not left if term is None else newest.term >= term):
                    raise

    @classmethod
    def _claimed(cls, depot: Depot, shard: int, folder: Path, *, is_here: bool, term: int | None) -> Life:
        line = depot.line(shard)
        newest, note, claim = line.newest(), local_note.read(folder), os.urandom(8).hex()
        if newest is not None and newest.files and is_here:
            require_same(depot, note, folder)
        is_sent = term is not None  # by somebody who knows of the other
        if term is None:
            term = newest.term + 1 if newest else 1
        if newest is None or not newest.files:  # nothing to restore: all that is here goes there
            note = LocalNote(depot.name, (claim,))
            files.make_folder(folder)
            local_note.write(folder, note)
            return cls(depot, shard, folder, line.claim(newest, claim, term), {})
        if is_here and note is not None and newest.claim in note.claims:
            # the note comes first: killed in between, this folder is known to be the one that claimed
            local_note.write(folder, replace(note, claims=(*note.claims, claim)))
            head = line.claim(newest, claim, term)
            local_note.write(folder, replace(note, claims=(claim,)))
            return cls(depot, shard, folder, head, note.stamps)
        if not is_sent:
            _warn_of_owner(newest, depot)
        if is_here:
            log.warning("%s: the store is ahead of this disk, and takes its place", folder)
        head = line.claim(newest, claim, term)  # its owner ends before we read what it has left
        return cls(depot, shard, folder, head, restored(depot, head, folder).stamps)

    def is_behind(self, sequence: int) -> bool:
        """Has the table changed since the last checkpoint?"""
        return not self.head.files or self.head.sequence != sequence

    def publish(self, snapshot: Snapshot, *, at_rest: bool = False) -> Published:
        """Keep a checkpoint. When this returns it counts; Fenced when somebody else has the shard.

        After `StoreAway` it may be tried again, with this snapshot or a later one.
        """
        with self._alone:
            began = time.monotonic()
            if self._pending is None or self._pending.snapshot is not snapshot:
                if self._pending is not None:
                    self._let_count(self._pending)
                self._pending = self._uploaded(snapshot, at_rest=at_rest)
            pending = self._pending
            self._let_count(pending)
            self._sweep_when_due(at_rest=at_rest)
            return Published(pending.head, pending.done.octets, time.monotonic() - began)

    def _uploaded(self, snapshot: Snapshot, *, at_rest: bool) -> _Pending:
        done = self._uploader.upload(snapshot, self.head, self._stamps)
        head = replace(
            self.head,
            number=self.head.number + 1,
            files=done.files,
            packs=done.packs,
            marks=snapshot.marks,
            counts=snapshot.counts or {},
            sequence=snapshot.sequence,
            published=time.time(),
            travelled=self.head.travelled + done.octets,
            at_rest=at_rest,
        )
        return _Pending(snapshot, head, done)

    def _let_count(self, pending: _Pending) -> None:
        head, stamps = pending.head, pending.done.stamps
        self._line.create(head)
        self.head, self._stamps, self._pending = head, stamps, None
        local_note.write(self._folder, LocalNote(self._depot.name, (head.claim,), head.sequence, stamps))

    def _sweep_when_due(self, *, at_rest: bool) -> None:
        """Where the store is away for this, the next time is soon enough."""
        self._count += 1
        if at_rest or self._count % SWEEP_EVERY == 0:
            with suppress(StoreAway):
                sweep(self._depot.objects, self._line, self.head)


def require_same(depot: Depot, note: LocalNote | None, folder: Path) -> None:
    """A folder of another collection is not mixed with what the store has."""
    if note is None or note.depot != depot.name:
        raise UsageError(
            f"{depot.url}: holds another collection than {folder}; name an empty store for this one, or another DIR"
        )


def _warn_of_owner(newest: Head, depot: Depot) -> None:
    age = time.time() - newest.published
    if newest.files and not newest.at_rest and age < RECENT:
        log.warning(
            "%s: somebody else kept a checkpoint %.0f s ago, and may still crawl; that crawl ends with its next one",
            depot.url,
            age,
        )


def restored(depot: Depot, head: Head, folder: Path, *, mark: str = "") -> LocalNote:
    """Put what the store has in the place of a folder. One that is only to be read has a mark for a claim: its owner
    works elsewhere, and nobody goes on from it."""
    partial = folder.with_name(folder.name + files.PARTIAL)
    _seed(partial, folder, head)
    try:
        restore(depot.objects, head, partial)
    except FileNotFoundError as error:
        raise Damaged(f"{folder}: an object of its checkpoint is gone from the store ({error})") from error
    note = LocalNote(
        depot.name, (mark or head.claim,), head.sequence, {name: stamp_of(partial / name) for name in head.files}
    )
    local_note.write(partial, note)
    files.remove_tree(folder)
    files.move_folder(partial, folder)
    files.sync_folder(folder.parent)
    return note


def _seed(partial: Path, folder: Path, head: Head) -> None:
    """What the old folder has and the new one needs is not fetched again; who reads the old one is not disturbed."""
    if files.kind(partial) or not files.is_folder(folder):
        return
    for name in files.tree(folder, _ANY):
        if name in head.files and files.size(folder / name) == head.files[name].size:
            files.make_folder((partial / name).parent)
            files.link(folder / name, partial / name)


def sweep(objects: Objects, line: Line, newest: Head) -> None:
    """Delete the objects that none of the last heads names, and whose owner is past; `newest` is the last head of
    whoever calls, which uploads nothing meanwhile.

    Objects of a later life stay: that one may just be uploading, and we are past and do not know it yet. Where heads
    are missing that should be there, it has swept already.
    """
    with suppress(FileNotFoundError):
        _sweep(objects, line, newest)


def _sweep(objects: Objects, line: Line, newest: Head) -> None:
    numbers = [number for number in line.numbers() if number <= newest.number]
    heads = [line.at(number) for number in numbers[-KEPT_HEADS:]]
    named = {piece.object for head in heads for kept in head.files.values() for piece in kept.pieces}
    for number in numbers[:-KEPT_HEADS]:
        line.forget(number)
    for name in objects.names(f"{line.folder}/objects/"):
        life = life_of(name)
        if name not in named and life is not None and life <= newest.life:
            objects.delete(name)
