"""Captures as a server would have caused them, for the tests of the store."""

from __future__ import annotations

from pathlib import Path

from gossamer.model import Capture, Headers, Kind, Visit
from gossamer.runs.growing import Shape
from gossamer.store.table.table import Table
from gossamer.store.url_seen import Sieve
from gossamer.store.warc.records import Info

INFO = Info("Gossamer/0.1", agent="Gossamer/0.1 (+https://example.org/bot)", operator="ops@example.org")
BEGAN = 1_794_700_800.25


class StillClock:
    """A clock that stands at a date until somebody sets it."""

    def __init__(self, now: float = BEGAN) -> None:
        self.now = now

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now


def capture(
    url: str = "http://example.com/",
    wire: bytes = b"<p>Hello",
    *,
    head: bytes | None = None,
    coding: str | None = None,
    began: float = BEGAN,
    **more: object,
) -> Capture:
    """An answer to a GET. `wire` is also the body unless the test says otherwise."""
    if head is None:
        lines = f"Content-Type: text/html\r\nContent-Length: {len(wire)}\r\n"
        lines += f"Content-Encoding: {coding}\r\n" if coding else ""
        head = f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode()
    fields = {
        "visit": Visit(url, Kind.PAGE, depth=1, referrer="http://example.com/from"),
        "seconds": 0.125,
        "status": int(head[9:12]) if head[9:12].isdigit() else 0,
        "request": b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        "body": wire,
        "address": "192.0.2.7",
    } | more
    return Capture(began=began, headers=parsed(head), head=head, wire=wire, **fields)  # type: ignore[arg-type] # a test may replace any field


def parsed(head: bytes) -> Headers:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return tuple((name.lower(), value.strip()) for name, colon, value in lines if colon)


def sifted(table: Table, folder: Path, shape: Shape, count: int) -> Sieve:
    """A sieve that has so many fingerprints, from 0 on, each with a commit of its own."""
    sieve = Sieve(table, folder, shape)
    sieve.restart()
    for number in range(count):
        sieve.put(number, 1)
        sieve.prepare()
        table.commit()
    return sieve
