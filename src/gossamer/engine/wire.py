"""How do messages travel on this machine? As frames over a socket pair: length, kind, source, target, payload.

A frame names its target, so the supervisor passes it on as it came: a view of the bytes that were read, not a copy. A
frame that ends in a later read gets a buffer of its own size, and the rest is read straight into it. What is written in
one turn of the loop leaves in one call. A line keeps what its reader has not taken, without limit: senders must keep a
window of unacknowledged messages, as an outbox does, or a slow reader fills the memory.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import IntEnum
from itertools import islice
from struct import Struct
from typing import TypeAlias

HEADER = Struct("<IBhh")
LEASE = Struct("<d")
"""A steady time."""
READ = 1 << 18
"""Bytes that are read at once."""
JOIN = 1 << 14
"""Payloads up to this size are copied behind their header: cheaper than one more buffer to send."""
BUFFERS = 512
"""Buffers handed to one call; the kernel takes 1,024."""
ROOM = 1 << 20
"""Bytes that the kernel holds for a line, where it allows as much."""


class Kind(IntEnum):
    """What a frame is."""

    MESSAGE = 0
    WORK = 1
    """To a new worker: what it is and does."""
    REBORN = 2
    """To a worker: `source` began anew."""
    WELL = 3
    FINISHED = 4
    FAILED = 5
    """From a worker that ends: the error of ours, pickled."""
    BROKE = 6
    """From a worker that dies of an unexpected exception: the traceback."""
    LEASE = 7
    """To a worker: until when its place is surely its own."""
    DIED = 8
    """Between machines: a worker died and is started again; how it ended."""


Taken: TypeAlias = Callable[[int, int, int, memoryview], None]
"""Kind, source and target of a frame, and all its bytes, to pass it on."""


def pair() -> tuple[socket.socket, socket.socket]:
    """The two ends of a line."""
    ends = socket.socketpair()
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM)
    return ends


def payload(whole: memoryview) -> bytes:
    """What a frame carries."""
    return bytes(whole[HEADER.size :])


def frame(kind: Kind, source: int, target: int, message: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return HEADER.pack(len(message), kind, source, target) + message


def split(blob: bytes) -> Iterator[tuple[int, int, int, memoryview]]:
    """Whole frames that were put together: kind, source and target of each, and all its bytes."""
    data, start = memoryview(blob), 0
    while start < len(data):
        length, kind, source, target = HEADER.unpack_from(data, start)
        stop = start + HEADER.size + length
        yield kind, source, target, data[start:stop]
        start = stop


class Line:
    """One end of a socket pair in a loop. `taken` hears each frame, `ended` the end, `wrong` what `taken` raised. If
    it is `held`, what is written waits for its `release`."""

    def __init__(
        self,
        end: socket.socket,
        taken: Taken,
        ended: Callable[[], None],
        wrong: Callable[[Exception], None],
        *,
        held: bool = False,
    ) -> None:
        self._socket = end
        self._taken = taken
        self._ended = ended
        self._wrong = wrong
        self._loop = asyncio.get_running_loop()
        self._head = b""
        self._large: memoryview | None = None
        self._filled = 0
        self._out: deque[bytes | memoryview] = deque()
        self._flushing, self._blocked = held, False
        self._readable = self._writable = True
        end.setblocking(False)
        self._loop.add_reader(end, self._on_readable)

    # ----------------------------------------------------------------- writing

    def write(self, kind: Kind, source: int, target: int, message: bytes = b"") -> None:
        """Send a frame."""
        header = HEADER.pack(len(message), kind, source, target)
        if len(message) <= JOIN:
            self.forward(header + message)
        else:
            self.forward(header)
            self.forward(message)

    def forward(self, data: bytes | memoryview) -> None:
        """Send bytes that are frames already."""
        if not self._writable:
            return
        self._out.append(data)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def release(self) -> None:
        """Send what was held."""
        self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        try:
            while self._out:
                self._drop_sent(self._socket.sendmsg(list(islice(self._out, BUFFERS))))
        except BlockingIOError:
            self._wait_for_room()
            return
        except OSError:  # nobody reads any more; the reading side of the line says so
            self._stop_writing()
        self._flushing = False
        self._wait_no_more()

    def _wait_for_room(self) -> None:
        if not self._blocked:
            self._blocked = True
            self._loop.add_writer(self._socket, self._flush)

    def _wait_no_more(self) -> None:
        if self._blocked:
            self._blocked = False
            self._loop.remove_writer(self._socket)

    def _drop_sent(self, count: int) -> None:
        while count:
            first = self._out.popleft()
            if len(first) > count:
                self._out.appendleft(memoryview(first)[count:])
                return
            count -= len(first)

    def finish(self) -> None:
        """Send what is left, however long the other end takes, and end the line."""
        self._socket.setblocking(True)
        with suppress(OSError):
            for data in self._out:
                self._socket.sendall(data)
        self.close()

    # ----------------------------------------------------------------- reading

    def _on_readable(self) -> None:
        with suppress(BlockingIOError):
            while self._readable and self._read() and self._large:
                pass  # a large frame is read as far as it is there; then others have their turn

    def drain(self) -> None:
        """Read all that a dead process has left, to its last frame."""
        with suppress(BlockingIOError):
            while self._readable and self._read():
                pass

    def _read(self) -> bool:
        """Read once; False at the end."""
        try:
            more = self._read_large(self._large) if self._large else self._read_small()
        except ConnectionResetError:
            more = False
        if not more:
            self._stop_reading()
            self._ended()
        return more

    def _read_small(self) -> bool:
        chunk = self._socket.recv(READ)
        if chunk:
            self._parse(memoryview(self._head + chunk if self._head else chunk))
        return bool(chunk)

    def _read_large(self, large: memoryview) -> bool:
        count = self._socket.recv_into(large[self._filled :])
        self._filled += count
        if self._filled == len(large):
            self._large = None
            self._parse(large)
        return bool(count)

    def _parse(self, data: memoryview) -> None:
        start, end = 0, len(data)
        while end - start >= HEADER.size:
            length, kind, source, target = HEADER.unpack_from(data, start)
            stop = start + HEADER.size + length
            if stop > end:
                self._begin_large(data[start:], stop - start)
                start = end
                break
            self._take(kind, source, target, data[start:stop])
            start = stop
        self._head = bytes(data[start:])

    def _begin_large(self, part: memoryview, size: int) -> None:
        self._large = memoryview(bytearray(size))
        self._large[: len(part)] = part
        self._filled = len(part)

    def _take(self, kind: int, source: int, target: int, whole: memoryview) -> None:
        try:
            self._taken(kind, source, target, whole)
        except Exception as error:
            self._wrong(error)

    # ------------------------------------------------------------------ ending

    def close(self) -> None:
        """Give up the line; what is not sent is lost."""
        self._stop_reading()
        self._stop_writing()
        self._socket.close()

    def _stop_reading(self) -> None:
        if self._readable:
            self._readable = False
            self._loop.remove_reader(self._socket)

    def _stop_writing(self) -> None:
        self._writable = False
        self._out.clear()
        self._wait_no_more()
