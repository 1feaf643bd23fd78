"""No spelling of a forbidden address gets a connection: not one, by a spy on every socket that opens."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from fetch_hostile import answer, fetching, run, says, serving

from forbidden_addresses import HOSTS
from gossamer.errors import InvalidURL
from gossamer.fetch import Found, Limits, Route
from gossamer.fetch import curl as curl_module
from gossamer.fetch.names import system_lookup
from gossamer.model import Capture, Fault, SystemClock, Visit
from gossamer.urls import normalize


class Spy:
    """Counts sockets that libcurl opens; none may be opened."""

    def __init__(self) -> None:
        self.opened: list[Any] = []

    def __call__(self, *address: Any) -> socket.socket:
        self.opened.append(address)
        raise AssertionError("a socket was opened")


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spy]:
    spy = Spy()
    monkeypatch.setattr(curl_module, "_Socket", spy)
    yield spy
    assert spy.opened == []


def spellings(host: str, port: int) -> set[str]:
    """As it is written, and as the crawler would write it."""
    url = f"http://{host}:{port}/"
    try:
        return {url, normalize(url)}
    except InvalidURL:
        return {url}


def test_there_are_enough_spellings() -> None:
    assert len(set(HOSTS)) >= 60


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_a_forbidden_address_is_connected_to(host: str, spy: Spy) -> None:
    async def main() -> list[Capture]:
        async with serving(says(answer(b"secret"))) as server, fetching(allow=(), lookup=system_lookup) as fetcher:
            captures = [await fetcher(Visit(url)) for url in spellings(host, server.port)]
            assert server.connections == 0
            return captures

    for capture in run(main()):
        assert capture.failure is not None
        canonical = capture.visit.url.isascii() and "%" not in capture.visit.url
        assert capture.failure.fault is (Fault.BLOCKED_ADDRESS if canonical else Fault.PROTOCOL)
        assert (capture.status, capture.body, capture.request) == (0, b"", b"")


@pytest.mark.parametrize("host", HOSTS)
def test_a_proxy_is_not_asked_for_a_forbidden_address(host: str) -> None:
    async def main() -> None:
        async with serving(says(answer(b"secret"))) as proxy:
            route = Route(proxy=f"http://127.0.0.1:{proxy.port}")
            async with fetching(allow=(), route=route) as fetcher:
                for url in spellings(host, 80):
                    capture = await fetcher(Visit(url))
                    assert capture.failure is not None
            assert proxy.connections == 0

    run(main())


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("93.184.216.34", "127.0.0.1"),
        ("93.184.216.34", "::1"),
        ("10.0.0.1", "93.184.216.34"),
        ("93.184.216.34", "::ffff:169.254.169.254"),
        ("93.184.216.34", "nonsense"),
    ],
)
def test_one_forbidden_address_condemns_the_host(addresses: tuple[str, ...], spy: Spy) -> None:
    async def main() -> Capture:
        async with fetching(allow=(), lookup=lambda host: Found(addresses)) as fetcher:
            return await fetcher(Visit("http://innocent.test/"))

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.BLOCKED_ADDRESS
    assert "innocent.test" in capture.failure.detail


class Later(SystemClock):
    """A clock that can be put forward."""

    ahead = 0.0

    def steady(self) -> float:
        return super().steady() + self.ahead


def test_a_name_that_answers_public_first_and_private_later_is_caught() -> None:
    """127.0.0.2 plays the public address, 127.0.0.1 the forbidden one."""
    answers = [Found(("127.0.0.2",)), Found(("127.0.0.1",))]
    clock = Later()

    async def main() -> None:
        async with (
            serving(says(answer(b"public"), "keep"), at=("127.0.0.2", 0)) as public,
            serving(says(answer(b"secret")), at=("127.0.0.1", public.port)) as private,
            fetching(allow=("127.0.0.2/32",), lookup=lambda host: answers.pop(0), clock=clock) as fetcher,
        ):
            for _ in range(2):
                capture = await fetcher(Visit(public.url()))
                assert (capture.body, capture.address) == (b"public", "127.0.0.2")
            clock.ahead = 4000.0
            capture = await fetcher(Visit(public.url()))
            assert capture.failure is not None
            assert capture.failure.fault is Fault.BLOCKED_ADDRESS
            assert (private.connections, len(public.heads)) == (0, 2)

    run(main())


def test_the_address_is_checked_again_when_the_socket_opens(spy: Spy) -> None:
    """A guard that lets the answer pass and then changes its mind."""

    async def main() -> Capture:
        async with fetching() as fetcher:
            verdicts = iter([None, "forbidden by now"])
            fetcher._guard.refusal = lambda address: next(verdicts)  # type: ignore[method-assign]  # the point
            return await fetcher(Visit("http://site.test/"))

    capture = run(main())
    assert capture.failure is not None
    assert (capture.failure.fault, capture.failure.detail) == (Fault.BLOCKED_ADDRESS, "127.0.0.1 is forbidden by now")


def test_the_address_is_checked_again_when_a_connection_is_used_once_more() -> None:
    async def main() -> tuple[Capture, list[bytes]]:
        async with serving(says(answer(b"hello"), "keep")) as server, fetching() as fetcher:
            assert (await fetcher(Visit(server.url()))).body == b"hello"
            verdicts = iter([None, "forbidden by now"])
            fetcher._guard.refusal = lambda address: next(verdicts)  # type: ignore[method-assign]  # the point
            capture = await fetcher(Visit(server.url()))
            assert server.connections == 1
            return capture, server.heads

    capture, heads = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.BLOCKED_ADDRESS
    assert len(heads) == 1, "the second request was not sent"


def test_a_guard_that_fails_lets_nothing_through(spy: Spy) -> None:
    async def main() -> None:
        async with fetching() as fetcher:
            verdicts: dict[int, None] = {0: None}  # one answer, then none
            fetcher._guard.refusal = lambda address: verdicts.pop(0)  # type: ignore[method-assign]  # the point
            with pytest.raises(KeyError):
                await fetcher(Visit("http://site.test/"))

    run(main())


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://site.test/",
        "gopher://site.test/",
        "data:text/html,hello",
        "javascript:alert(1)",
        "ws://site.test/",
        "dict://site.test/",
        "//site.test/",
        "http:/site.test/",
        "http://",
        "http:///path",
        "http://user:password@site.test/",
        "http://good.test@127.0.0.1/",
        "http://good.test\\@127.0.0.1/",
        "http://good.test#@127.0.0.1/",
        "http://site.test/a b",
        "http://site.test/\r\nX: y",
        "http://site.test\t/",
        "http://site.test/ä",
        "http://[::1/",
        "http://site.test:port/",
        "http://site.test/#part",
        "",
    ],
)
def test_only_a_canonical_http_address_is_asked_for(url: str, spy: Spy) -> None:
    async def main() -> Capture:
        async with fetching(Limits()) as fetcher:
            return await fetcher(Visit(url))

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.PROTOCOL
