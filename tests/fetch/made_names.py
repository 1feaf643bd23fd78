"""A name server on loopback that says exactly what a test tells it to, over UDP and TCP."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, NamedTuple

A, CNAME, AAAA = 1, 5, 28
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, REFUSED = 0, 1, 2, 3, 5
_TRUNCATED = 0x0200


class Record(NamedTuple):
    """One line of an answer: the data is an address, or a name for a CNAME."""

    name: str
    kind: int
    data: str
    ttl: int = 600


@dataclass(frozen=True)
class Reply:
    """What the server does with a question."""

    records: tuple[Record, ...] = ()
    code: int = NOERROR
    delay: float = 0.0
    silent: bool = False
    only_tcp: bool = False
    """Over UDP it says that the answer is too long."""
    wrong_id: bool = False
    raw: bytes | None = None
    """Sent as it is, behind the right id."""


def addresses(name: str, *found: str, ttl: int = 600) -> Callable[[int], Reply]:
    """The replies of a host that has these addresses."""
    kinds = {A: [], AAAA: []}  # type: dict[int, list[Record]]
    for each in found:
        kind = A if ip_address(each).version == 4 else AAAA
        kinds[kind].append(Record(name, kind, each, ttl))
    return lambda kind: Reply(tuple(kinds.get(kind, ())))


Zone = Callable[[str, int], Reply]
"""What is answered to a name in lower case and a type."""


@dataclass
class NameServer:
    """Where it listens, and what it was asked."""

    zone: Zone
    port: int = 0
    asked: list[tuple[str, int]] = field(default_factory=list)
    by_tcp: int = 0
    _news: asyncio.Future[None] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def was_asked(self, times: int) -> None:
        """Wait for so many questions."""
        while len(self.asked) < times:
            self._news = asyncio.get_running_loop().create_future()
            await self._news

    def reply(self, query: bytes, *, tcp: bool) -> tuple[Reply, bytes]:
        name, kind, end = _question(query)
        self.asked.append((name, kind))
        if self._news and not self._news.done():
            self._news.set_result(None)
        reply = self.zone(name, kind)
        number = query[:2] if not reply.wrong_id else bytes(255 - each for each in query[:2])
        if reply.raw is not None:
            return reply, number + reply.raw
        cut = reply.only_tcp and not tcp
        records = () if cut else reply.records
        flags = 0x8180 | reply.code | (_TRUNCATED if cut else 0)
        head = number + struct.pack("!5H", flags, 1, len(records), 0, 0)
        return reply, head + query[12:end] + b"".join(map(_packed, records))


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        reply, answer = self._server.reply(data, tcp=False)
        if not reply.silent:
            asyncio.get_running_loop().call_later(reply.delay, self._send, answer, addr)

    def _send(self, answer: bytes, addr: Any) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(answer, addr)


@asynccontextmanager
async def naming(zone: Zone) -> AsyncIterator[NameServer]:
    server = NameServer(zone)

    async def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                size = int.from_bytes(await reader.readexactly(2), "big")
                server.by_tcp += 1
                reply, answer = server.reply(await reader.readexactly(size), tcp=True)
                await asyncio.sleep(reply.delay)
                if not reply.silent:
                    writer.write(len(answer).to_bytes(2, "big") + answer)
        writer.close()

    loop = asyncio.get_running_loop()
    stream = await asyncio.start_server(on_connect, "127.0.0.1", 0)
    server.port = stream.sockets[0].getsockname()[1]
    datagrams, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(server), ("127.0.0.1", server.port))
    try:
        yield server
    finally:
        datagrams.close()
        stream.close()
        await asyncio.sleep(0)


def _question(query: bytes) -> tuple[str, int, int]:
    """The name in lower case, its type, and where the question ends."""
    labels, at = [], 12
    while size := query[at]:
        labels.append(query[at + 1 : at + 1 + size].decode("latin-1").lower())
        at += 1 + size
    return ".".join(labels), int.from_bytes(query[at + 1 : at + 3], "big"), at + 5


def _packed(record: Record) -> bytes:
    data = _name(record.data) if record.kind == CNAME else ip_address(record.data).packed
    return _name(record.name) + struct.pack("!HHIH", record.kind, 1, record.ttl, len(data)) + data


def _name(name: str) -> bytes:
    labels: Iterable[bytes] = (each.encode("latin-1") for each in name.rstrip(".").split("."))
    return b"".join(bytes([len(each)]) + each for each in labels) + b"\0"
