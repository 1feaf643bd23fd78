"""Certificates are verified, and an authority of one's own can be trusted."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
from fetch_hostile import Server, Talk, answer, fetching, run, says, serving

from gossamer.errors import UsageError
from gossamer.fetch import Route
from gossamer.model import Capture, Fault, Visit
from papers import Papers, made


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return made(tmp_path_factory.mktemp("tls"), "site.test")


def fetch(tls: ssl.SSLContext, ca_file: Path | None, host: str = "site.test") -> tuple[Capture, Server]:
    async def main() -> tuple[Capture, Server]:
        route = Route(ca_file=str(ca_file) if ca_file else None)
        async with serving(says(answer(b"hello"), "keep"), tls) as server, fetching(route=route) as fetcher:
            return await fetcher(Visit(server.url(host=host, scheme="https"))), server

    return run(main())


def test_a_certificate_of_a_trusted_authority_is_accepted(papers: Papers) -> None:
    capture, server = fetch(papers.good, papers.authority)
    assert (capture.failure, capture.body, capture.address) == (None, b"hello", "127.0.0.1")
    assert capture.request == server.heads[0]


@pytest.mark.parametrize(
    ("name", "trusted", "host"),
    [
        ("good", False, "site.test"),
        ("good", True, "other.test"),
        ("good", True, "127.0.0.1"),
        ("expired", True, "site.test"),
        ("self_signed", True, "site.test"),
        ("self_signed", False, "site.test"),
    ],
)
def test_any_other_certificate_is_refused_before_the_request(
    papers: Papers, name: str, trusted: bool, host: str
) -> None:
    capture, server = fetch(getattr(papers, name), papers.authority if trusted else None, host)
    assert capture.failure is not None
    assert capture.failure.fault is Fault.TLS
    assert capture.failure.detail
    assert (server.heads, capture.status, capture.request) == ([], 0, b"")


def test_a_server_that_speaks_no_tls_is_a_fault_of_tls() -> None:
    async def blurt(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def main() -> Capture:
        listener = await asyncio.start_server(blurt, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        async with listener, fetching() as fetcher:
            return await fetcher(Visit(f"https://site.test:{port}/"))

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.TLS


def test_connections_over_tls_are_used_again(papers: Papers) -> None:
    async def main() -> int:
        route = Route(ca_file=str(papers.authority))
        async with serving(says(answer(b"hello"), "keep"), papers.good) as server, fetching(route=route) as fetcher:
            for _ in range(5):
                assert (await fetcher(Visit(server.url(scheme="https")))).body == b"hello"
            return server.connections

    assert run(main()) == 1


async def tunnel(talk: Talk) -> None:
    """A proxy that opens every tunnel, to whatever port on loopback."""
    port = int(talk.head.split()[1].rpartition(b":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await talk.send(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            sink.write(data)

    try:
        await asyncio.gather(pump(talk.reader, writer), pump(reader, talk.writer))
    finally:
        writer.close()


def test_a_tunnel_through_a_proxy_leaves_no_trace_in_the_answer(papers: Papers) -> None:
    async def main() -> None:
        async with serving(says(answer(b"hello"), "keep"), papers.good) as server, serving(tunnel) as proxy:
            route = Route(proxy=f"http://127.0.0.1:{proxy.port}", ca_file=str(papers.authority))
            async with fetching(allow=(), route=route) as fetcher:
                capture = await fetcher(Visit(server.url(scheme="https")))
        assert (capture.failure, capture.head + capture.wire) == (None, answer(b"hello"))
        assert capture.request == server.heads[0]
        assert capture.header("x-proxy") is None

    run(main())


def test_a_missing_file_of_authorities_is_named() -> None:
    with pytest.raises(UsageError, match=r"/nowhere/ca\.pem"):
        Route(ca_file="/nowhere/ca.pem")


def test_the_authorities_of_the_system_are_found() -> None:
    found = Route().authorities
    assert found is None or Path(found).is_file()
