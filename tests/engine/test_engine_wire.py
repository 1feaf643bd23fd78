"""Frames come out of a line as they went in, however the bytes are cut on the way."""

from __future__ import annotations

import asyncio
import random
import socket

import pytest
from crews import LONGEST

from gossamer.engine.wire import HEADER, JOIN, READ, Kind, Line, pair, payload

Got = list[tuple[int, int, int, bytes]]
SIZES = (0, 1, 7, 100, JOIN, JOIN + 1, READ - HEADER.size, READ, READ + 1, 3 * READ)


def frames(seed: int) -> Got:
    draw = random.Random(seed)
    sizes = [*SIZES, *(draw.randrange(300) for _ in range(2000))]
    draw.shuffle(sizes)
    kinds = [kind for kind in Kind if kind is not Kind.FINISHED]
    return [(draw.choice(kinds), draw.randrange(-1, 300), draw.randrange(-1, 300), draw.randbytes(n)) for n in sizes]


class Reader:
    """Collects what comes out of a line."""

    def __init__(self, end: socket.socket) -> None:
        self.got: Got = []
        self.errors: list[Exception] = []
        self.ended = asyncio.Event()
        self.finished = asyncio.Event()
        self.line = Line(end, self.take, self.ended.set, self.errors.append)

    def take(self, kind: int, source: int, target: int, whole: memoryview) -> None:
        self.got.append((kind, source, target, payload(whole)))
        if kind == Kind.FINISHED:
            self.finished.set()

    async def to_the_end(self) -> Got:
        async with asyncio.timeout(LONGEST):
            await self.ended.wait()
        self.line.close()
        return self.got


@pytest.mark.parametrize("seed", range(5))
def test_frames_survive_any_cutting_of_the_bytes(seed: int) -> None:
    sent, draw = frames(seed), random.Random(seed)
    wire = b"".join(HEADER.pack(len(data), kind, source, target) + data for kind, source, target, data in sent)

    async def cut() -> Got:
        near, far = pair()
        reader = Reader(far)
        near.setblocking(False)
        start = 0
        while start < len(wire):
            stop = start + draw.choice((1, 5, 50, 5000, 500_000))
            await asyncio.get_running_loop().sock_sendall(near, wire[start:stop])
            start = stop
        near.close()
        return await reader.to_the_end()

    assert asyncio.run(cut()) == sent


@pytest.mark.parametrize("seed", range(5))
def test_a_line_sends_more_than_the_kernel_holds(seed: int) -> None:
    sent = frames(seed)

    async def flood() -> Got:
        near, far = pair()
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        writer, reader = Reader(near), Reader(far)
        for kind, source, target, data in sent:
            writer.line.write(Kind(kind), source, target, data)
        writer.line.write(Kind.FINISHED, 0, 0)
        async with asyncio.timeout(LONGEST):
            await reader.finished.wait()
        writer.line.close()
        return await reader.to_the_end()

    got = asyncio.run(flood())
    assert got == [*sent, (Kind.FINISHED, 0, 0, b"")]


def test_a_frame_that_cannot_be_taken_does_not_disturb_the_next() -> None:
    async def stumble() -> tuple[Got, list[Exception]]:
        near, far = pair()
        reader, take = Reader(far), Reader.take

        def sometimes(kind: int, source: int, target: int, whole: memoryview) -> None:
            if source == 1:
                raise ValueError("one")
            take(reader, kind, source, target, whole)

        reader.line._taken = sometimes
        for source in range(3):
            near.sendall(HEADER.pack(1, Kind.MESSAGE, source, 0) + b"x")
        near.close()
        return await reader.to_the_end(), reader.errors

    got, errors = asyncio.run(stumble())
    assert [source for _, source, _, _ in got] == [0, 2]
    assert [str(error) for error in errors] == ["one"]


def test_writing_to_a_reader_that_is_gone_is_no_error() -> None:
    async def talk() -> None:
        near, far = pair()
        far.close()
        writer = Reader(near)
        for _ in range(3):
            writer.line.write(Kind.MESSAGE, 0, 0, b"hello")
            await asyncio.sleep(0)
        await writer.to_the_end()
        assert writer.errors == []

    asyncio.run(talk())
