"""What one shard finds for another: written down before it is sent, and applied once, whatever dies in between.

Helland's way to live without distributed transactions (CIDR 2007): the sender keeps a message in its own table until
the receiver has it for good, and the receiver notes in one transaction what the message did and that it was here. So
a message may travel often and takes effect once. Where we differ: batches between two shards are numbered and come in
order, so one number stands for all that was applied, and what got lost is sent again from there (go back N).

The transport carries messages in order while both shards live, and may lose all that is under way when one of them
dies. Whoever starts calls `reborn` for every other shard, and the others hear `reborn` of it.

A batch is sent only after the commit that made it durable. So a number that was given since the last commit before a
crash may be given again: nobody but us has ever seen it.

Where a shard is kept in a store besides (`depot`), its disk may be lost, and it goes on from its last checkpoint. Then
durable means published: batches are sent, and acknowledged, after the checkpoint that has them, and not after the
commit. Otherwise a shard would give a number again that another one has seen, or miss what it has acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from gossamer.errors import Damaged, Fenced
from gossamer.frontier.entries import META, OUTBOX, encode
from gossamer.printable import counted
from gossamer.rows import Size, damaged, decoder
from gossamer.rows import number as number_in
from gossamer.store.table.table import Table

BATCH_ITEMS = 500
BATCH_BYTES = 64 << 10
WINDOW = 128
"""Batches under way to one shard. It keeps one only with its next commit, so this is what it may take in a second."""
WINDOW_PUBLISHED = 1_024
"""The same where it keeps one only with its next checkpoint: 64 MB of them at most."""


class Batch(msgspec.Struct, array_like=True, frozen=True, tag=1):
    """Items for another shard, as they lie in the outbox and as they travel."""

    number: int
    """From 1 on, for each destination."""
    before: int
    """Items that were posted to that shard before these."""
    items: list[bytes]


class Receipt(msgspec.Struct, array_like=True, frozen=True, tag=2):
    """The answer to batches."""

    kept: int
    """The last batch whose effects are durable."""
    resume: int = 0
    """The batch to go on with when something got lost; 0 when nothing did."""


class Head(msgspec.Struct, array_like=True, frozen=True, tag=1):
    """A batch without its items, for those who only count them."""

    number: int
    before: int


class Marks(msgspec.Struct, array_like=True, frozen=True):
    """How far each shard has come with us: the row `exchange`. One number for every shard in each."""

    closed: tuple[Size, ...]
    posted: tuple[Size, ...]
    applied: tuple[Size, ...]


_frame: Callable[[bytes], Batch | Receipt] = decoder(Batch | Receipt)  # type: ignore[arg-type]  # mypy: no type
_head = decoder(Head)
batch_of = decoder(Batch)
marks_of = decoder(Marks)


@dataclass(slots=True)
class Outgoing:
    """The way to another shard. Always acked <= durable <= committed <= closed, and acked < next <= durable + 1."""

    to: int
    closed: int
    posted: int
    """Items in closed batches, acknowledged ones too."""
    prepared: int
    committed: int
    durable: int
    """Committed, and published where that is waited for."""
    acked: int
    next: int
    """The first batch that the transport has not got."""
    items: list[bytes] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True)
class Incoming:
    """The way from another shard. Batches are numbered kept <= committed <= applied."""

    source: int
    applied: int
    prepared: int
    committed: int
    kept: int
    """Committed, and published where that is waited for."""
    asked: bool = False
    """It was told where to go on, and what came since does not fit yet."""
    owed: bool = False
    """It has sent again what is applied: it has not heard of it."""


class Exchange:
    """The outbox of a shard, and how far it has read those of the others. `send` hands bytes to the transport."""

    def __init__(
        self, table: Table, me: int, shards: int, send: Callable[[int, bytes], None], *, publishes: bool = False
    ) -> None:
        """With `publishes` nothing is sent or acknowledged before `published`. All that the table has now is."""
        self._table = table
        self._publishes = publishes
        self._window = WINDOW_PUBLISHED if publishes else WINDOW
        self._me = me
        self._send = send
        stored = table.get(META, b"exchange")
        none = (0,) * shards
        marks = marks_of(stored) if stored else Marks(none, none, none)
        if not len(marks.closed) == len(marks.posted) == len(marks.applied) == shards:
            raise Damaged(f"shard {me}: it was one of {counted(len(marks.closed), 'shard')} and is now one of {shards}")
        self._out = [self._outgoing(to, marks) for to in range(shards)]
        self._in = [
            Incoming(source, applied, applied, applied, applied) for source, applied in enumerate(marks.applied)
        ]
        self._peers = [shard for shard in range(shards) if shard != me]

    # --------------------------------------------------------------- for the shard

    def post(self, to: int, item: bytes) -> None:
        """Something for another shard. It is on its way after the next commit."""
        assert to != self._me, "a shard does not write to itself"
        way = self._out[to]
        way.items.append(item)
        way.size += len(item)
        if len(way.items) >= BATCH_ITEMS or way.size >= BATCH_BYTES:
            self._close(way)

    def prepare(self) -> None:
        """Before a commit: what was posted becomes part of it."""
        for peer in self._peers:
            outgoing, incoming = self._out[peer], self._in[peer]
            if outgoing.items:
                self._close(outgoing)
            outgoing.prepared = outgoing.closed
            incoming.prepared = incoming.applied

    def committed(self) -> None:
        """After a commit: what it made durable is sent, and the others hear what it made durable of theirs."""
        for peer in self._peers:
            outgoing, incoming = self._out[peer], self._in[peer]
            outgoing.committed, incoming.committed = outgoing.prepared, incoming.prepared
        self.published(() if self._publishes else self.marks())

    def marks(self) -> tuple[tuple[int, int], ...]:
        """How far the last commit has come with each shard: the last batch for it, and the last from it."""
        return tuple((out.committed, come.committed) for out, come in zip(self._out, self._in, strict=True))

    def published(self, marks: Sequence[tuple[int, int]]) -> None:
        """What a commit with these marks made durable can no longer be lost: it is sent, and the others hear of it.

        Without marks they only hear once more what they have asked for.
        """
        for peer in self._peers:
            outgoing, incoming = self._out[peer], self._in[peer]
            sent, kept = marks[peer] if marks else (0, 0)
            outgoing.durable = max(outgoing.durable, sent)
            self._send_on(outgoing)
            if incoming.owed or kept > incoming.kept:
                incoming.kept, incoming.owed = max(incoming.kept, kept), False
                self._send(peer, encode(Receipt(incoming.kept)))

    def sent(self) -> tuple[int, ...]:
        """The last batch for each shard, durable or not. One that is still open counts: all is not quiet yet."""
        return tuple(way.closed + bool(way.items) for way in self._out)

    def kept(self) -> tuple[int, ...]:
        """The last batch from each shard whose effects are durable: until then its sender may be needed again."""
        return tuple(way.kept for way in self._in)

    def acknowledged(self, to: int) -> int:
        """The last batch that a shard has for good."""
        return self._out[to].acked

    @property
    def open(self) -> bool:
        """Something was posted or applied that no commit has made durable yet."""
        posted = any(way.items or way.closed > way.committed for way in self._out)
        return posted or any(way.applied > way.committed for way in self._in)

    @property
    def unpublished(self) -> bool:
        """Others wait for something that is committed and not published."""
        held = any(way.committed > way.durable for way in self._out)
        return held or any(way.committed > way.kept for way in self._in)

    @property
    def waiting(self) -> int:
        """Items that no other shard has for good yet."""
        return sum(map(self._unacknowledged, self._out))

    # ----------------------------------------------------------- for the transport

    def receive(self, source: int, message: bytes) -> list[bytes]:
        """The items of a message that are new, in order. The caller applies all of them before the next commit."""
        frame = _frame(message)
        if isinstance(frame, Receipt):
            self._acknowledged(self._out[source], frame)
            return []
        return self._take(self._in[source], frame)

    def reborn(self, peer: int) -> None:
        """Another shard was started, or we were: what was under way may be lost. Both go on from what they have."""
        way = self._out[peer]
        way.next = way.acked + 1
        self._ask(self._in[peer])
        self._send_on(way)

    # --------------------------------------------------------------------- sending

    def _close(self, way: Outgoing) -> None:
        way.closed += 1
        self._table.put(OUTBOX, _key(way.to, way.closed), encode(Batch(way.closed, way.posted, way.items)))
        way.posted += len(way.items)
        way.items, way.size = [], 0
        self._save()

    def _send_on(self, way: Outgoing) -> None:
        last = min(way.durable, way.acked + self._window)
        while way.next <= last:
            self._send(way.to, self._row(way, way.next))
            way.next += 1

    def _acknowledged(self, way: Outgoing, receipt: Receipt) -> None:
        if receipt.kept > way.durable and self._publishes:
            raise Fenced(
                f"shard {self._me}: shard {way.to} has batch {receipt.kept} of it, and it has published {way.durable};"
                " another machine has taken it over, and this crawl ends"
            )
        if receipt.kept > way.durable:
            raise Damaged(
                f"shard {way.to} has batch {receipt.kept} of this shard, which remembers no more than {way.durable};"
                " was one of the two restored from an older copy? Restore all shards from the same one"
            )
        for number in range(way.acked + 1, receipt.kept + 1):
            self._table.delete(OUTBOX, _key(way.to, number))
        way.acked = max(way.acked, receipt.kept)
        if receipt.resume:  # never forward: it may have been written by one that has died since and knows less now
            way.next = min(way.next, receipt.resume)
        way.next = max(way.next, way.acked + 1)
        self._send_on(way)

    def _unacknowledged(self, way: Outgoing) -> int:
        closed = way.posted - _head(self._row(way, way.acked + 1)).before if way.acked < way.closed else 0
        return closed + len(way.items)

    def _row(self, way: Outgoing, number: int) -> bytes:
        row = self._table.get(OUTBOX, _key(way.to, number))
        if row is None:
            raise Damaged(
                f"batch {number} for shard {way.to} is missing from the outbox; restore the table from a copy"
            )
        return row

    # ------------------------------------------------------------------- receiving

    def _take(self, way: Incoming, batch: Batch) -> list[bytes]:
        if batch.number <= way.applied:
            way.owed = True
            return []
        if batch.number > way.applied + 1:
            if not way.asked:
                self._ask(way)
            return []
        way.applied, way.asked = batch.number, False
        self._save()
        return batch.items

    def _ask(self, way: Incoming) -> None:
        """Once: all that comes until the answer does not fit either."""
        way.asked = True
        self._send(way.source, encode(Receipt(way.kept, resume=way.applied + 1)))

    # ---------------------------------------------------------------------- stored

    def _outgoing(self, to: int, marks: Marks) -> Outgoing:
        """Acknowledged is what is no longer in the outbox."""
        closed = marks.closed[to]
        first = next(self._table.scan(OUTBOX, prefix=to.to_bytes(2, "big"), limit=1), None)
        acked = number_in(first[0][2:]) - 1 if first else closed
        if not 0 <= acked <= closed:
            raise damaged("batch", f"{acked:,} are to be acknowledged of {closed:,}")
        return Outgoing(to, closed, marks.posted[to], closed, closed, closed, acked, next=acked + 1)

    def _save(self) -> None:
        """At every change, so that a commit never has a batch without its number, or its effects without their mark."""
        marks = Marks(
            tuple(way.closed for way in self._out),
            tuple(way.posted for way in self._out),
            tuple(way.applied for way in self._in),
        )
        self._table.put(META, b"exchange", encode(marks))


def kept_marks(table: Table) -> tuple[tuple[int, int], ...]:
    """What `Exchange.marks` says at the last commit of a table, asked without one; nothing where it is alone."""
    stored = table.get(META, b"exchange")
    marks = marks_of(stored) if stored else Marks((), (), ())
    return tuple(zip(marks.closed, marks.applied, strict=True))


def rejoin(table: Table, me: int, others: Sequence[Callable[[], Table] | None]) -> None:
    """A shard whose table was lost goes on counting where the others believe it to be: batches that they have are not
    given again, and those that they still keep for it are the next. None for a shard that has lost its own."""
    closed, applied = [0] * len(others), [0] * len(others)
    for index, opened in enumerate(others):
        if opened is not None:
            with suppress(Damaged), opened() as other:  # its rows are lost too
                theirs = Exchange(other, index, len(others), lambda to, data: None)
                closed[index], applied[index] = theirs.kept()[me], theirs.acknowledged(me)
    if len(others) > 1:
        table.put(META, b"exchange", encode(Marks(tuple(closed), (0,) * len(others), tuple(applied))))


def _key(to: int, number: int) -> bytes:
    return to.to_bytes(2, "big") + number.to_bytes(8, "big")
