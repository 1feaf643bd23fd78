"""A whole crawl is pointed at forbidden addresses in every way the web has. Not one connection may be made.

The spellings are those of the fetch tests; here they come as seed, link, redirect, sitemap entry, and as the target of
a redirected robots.txt. A spy sits where sockets open, and a listener waits on loopback with something to hide.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pycurl  # type: ignore[import-untyped]  # its stub is empty
import pytest

import gossamer
from forbidden_addresses import HOSTS
from gossamer.errors import NothingFetched
from gossamer.fetch import curl
from gossamer.frontier.why import AddressAnswer
from harness.seldom import seldom

OPEN = "127.9.0.1"
MOVED = [f"127.9.1.{number}" for number in range(1, len(HOSTS) + 1)]
"""One host for each spelling, whose robots.txt redirects to it."""


class Web:
    """Serves the bait, and the secret on an address that is not open."""

    def __init__(self) -> None:
        self.port = 0
        self.secrets_told = 0

    def bait(self, host: str) -> str:
        return f"http://{host}:{self.port}/secret"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = writer.get_extra_info("sockname")[0]
        while head := await _head(reader):
            path = head.split(" ")[1]
            status, fields, body = self.page(address, path)
            writer.write(f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
        writer.close()

    def page(self, address: str, path: str) -> tuple[str, str, bytes]:
        html = "Content-Type: text/html\r\n"
        if path == "/secret":
            self.secrets_told += 1
        if address in MOVED:
            target = self.bait(HOSTS[MOVED.index(address)])
            return (
                ("302 Found", f"Location: {target}\r\n", b"") if path == "/robots.txt" else ("200 OK", html, b"moved")
            )
        if path == "/robots.txt":
            return "200 OK", "", f"Sitemap: http://{OPEN}:{self.port}/map.xml".encode()
        if path == "/map.xml":
            entries = "".join(f"<url><loc>{self.bait(host)}?map</loc></url>" for host in HOSTS)
            return "200 OK", "Content-Type: application/xml\r\n", f"<urlset>{entries}</urlset>".encode()
        if path.startswith("/redirect/"):
            return "302 Found", f"Location: {self.bait(HOSTS[int(path.rpartition('/')[2])])}?redirect\r\n", b""
        links = [f"{self.bait(host)}?link" for host in HOSTS] + [f"/redirect/{n}" for n in range(len(HOSTS))]
        links += [f"http://{host}:{self.port}/" for host in MOVED]
        return "200 OK", html, "".join(f'<a href="{link}">x</a>' for link in links).encode()


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return ""


@contextmanager
def served(web: Web) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> list[asyncio.Server]:
        first = await asyncio.start_server(web.answer, OPEN, 0)
        web.port = first.sockets[0].getsockname()[1]
        return [first, await asyncio.start_server(web.answer, [*MOVED, "127.0.0.1"], web.port)]

    async def stop(servers: list[asyncio.Server]) -> None:
        for server in servers:
            server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    servers = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(stop(servers), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every address that a socket was opened for."""
    seen: set[str] = set()
    original = curl.Handle._open

    def spying(self: curl.Handle, purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> object:
        result = original(self, purpose, address)
        if result != pycurl.SOCKET_BAD:
            seen.add(address[3][0])
        return result

    monkeypatch.setattr(curl.Handle, "_open", spying)
    return seen


SETTINGS: dict[str, Any] = {
    "scope": "any",
    "delay": 0,
    "ip_delay": 0,
    "patience": 0,
    "allow_addresses": (f"{OPEN}/32", "127.9.1.0/24"),
    "shards": 1,
}


def test_no_link_redirect_sitemap_or_robots_file_leads_to_a_forbidden_address(tmp_path: Path, opened: set[str]) -> None:
    web = Web()
    with served(web), gossamer.open(tmp_path / "web") as collection:
        collection.crawl(f"http://{OPEN}:{web.port}/", **SETTINGS)
        assert opened == {OPEN, *MOVED}
        assert web.secrets_told == 0
        for number in range(len(HOSTS)):
            redirect = collection.why(f"http://{OPEN}:{web.port}/redirect/{number}")
            assert isinstance(redirect, AddressAnswer)
            if redirect.state == "done":
                target = collection.why(str(redirect.target))
                assert (target.state, target.reason.split(":")[0]) == ("failed", "blocked-address")
        failures = collection.status().failures
        assert failures["blocked-address"] > len(HOSTS), (
            failures
        )  # hosts whose robots.txt leads there are closed instead


@pytest.mark.parametrize("host", seldom(HOSTS, 4))
def test_no_seed_leads_to_a_forbidden_address(tmp_path: Path, opened: set[str], host: str) -> None:
    with gossamer.open(tmp_path / "web") as collection, pytest.raises(NothingFetched, match="blocked-address"):
        collection.crawl(f"http://{host}:8080/", **{**SETTINGS, "allow_addresses": ()})
    assert opened == set()
