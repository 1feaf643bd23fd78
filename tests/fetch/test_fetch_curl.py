"""What libcurl is told for every request, and how its timers are kept, without a request."""

from __future__ import annotations

import asyncio
import math
import os
import select
import socket
from collections.abc import Callable
from pathlib import Path

import pycurl
import pytest
from fetch_hostile import run

from gossamer.fetch import Guard, Limits, Route
from gossamer.fetch import curl as module
from gossamer.fetch.curl import Handle, Multi
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.request import Request
from gossamer.fetch.transfer import OVERDUE, Transfer
from gossamer.model import Visit

PROXY = Route(proxy="http://127.0.0.1:9")
REQUEST = Request("GET", "http://site.test", "site.test", "/page", [b"Host: site.test"])


def options(limits: Limits = Limits(), route: Route = Route()) -> dict[int, object]:  # noqa: B008  # frozen values
    return Handle(limits, route)._fixed(limits, route)


def test_nothing_is_followed_and_every_certificate_is_checked() -> None:
    told = options()
    assert told[pycurl.PROTOCOLS] == pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS
    assert (told[pycurl.FOLLOWLOCATION], told[pycurl.SSL_VERIFYPEER], told[pycurl.SSL_VERIFYHOST]) == (0, 1, 2)
    assert (told[pycurl.HTTP_TRANSFER_DECODING], told[pycurl.NOSIGNAL]) == (0, 1)
    assert (told[pycurl.PROXY], told[pycurl.NOPROXY]) == ("", "")


def test_names_are_kept_only_for_a_proxy_and_idle_connections_for_a_minute() -> None:
    assert (options()[pycurl.DNS_CACHE_TIMEOUT], options()[pycurl.MAXAGE_CONN]) == (0, 60)
    assert options(route=PROXY)[pycurl.DNS_CACHE_TIMEOUT] == 60
    assert options(route=PROXY)[pycurl.PROXY] == PROXY.proxy


def test_its_own_time_outs_come_three_times_later_than_ours() -> None:
    told = options(Limits(connect=10.0, total=120.0, bandwidth=7))
    assert told[pycurl.CONNECTTIMEOUT_MS] == 30_000
    assert told[pycurl.TIMEOUT_MS] == (120 + 600) * 3_000
    assert told[pycurl.MAX_RECV_SPEED_LARGE] == 7


def test_the_same_authorities_are_trusted_for_servers_and_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Route, "authorities", "/etc/hosts")
    told = options()
    assert (told[pycurl.CAINFO], told[pycurl.PROXY_CAINFO]) == (b"/etc/hosts", b"/etc/hosts")
    monkeypatch.setattr(Route, "authorities", None)
    assert pycurl.CAINFO not in options()


@pytest.mark.parametrize(
    ("route", "origin", "target"),
    [
        (Route(), "http://site.test", "/page"),
        (PROXY, "http://site.test", "http://site.test/page"),
        (PROXY, "https://site.test", "/page"),
        (Route(proxy="https://127.0.0.1:9"), "http://site.test", "http://site.test/page"),
        (Route(proxy="socks5h://127.0.0.1:9"), "http://site.test", "/page"),
    ],
)
def test_only_a_proxy_that_sees_the_request_gets_the_whole_address(route: Route, origin: str, target: str) -> None:
    assert Handle(Limits(), route)._target(REQUEST._replace(origin=origin)) == target


def test_a_handle_that_was_let_go_takes_nothing_and_opens_nothing() -> None:
    handle = Handle(Limits(), Route())
    transfer = Transfer(Visit("http://site.test/"), Limits(), Guard(["127.0.0.1"]), Held())
    handle.aim(REQUEST, transfer, "127.0.0.1")
    transfer.lines.append(b"HTTP/1.1 200 OK\r\n")
    assert handle._ready("127.0.0.1", "", 0, 0) == pycurl.PREREQFUNC_OK
    handle.release()
    assert (transfer.lines, transfer.socket) == ([], None)
    assert handle._write(b"hello") == 0
    assert handle._ready("127.0.0.1", "", 0, 0) == pycurl.PREREQFUNC_ABORT
    assert handle._open(0, (2, 1, 6, ("127.0.0.1", 80))) == pycurl.SOCKET_BAD
    handle.release()


def test_an_answer_without_room_is_paused_and_one_that_nobody_wants_is_ended() -> None:
    held = Held(100, 1)
    held.begin(Visit("http://other.test/"))
    handle = Handle(Limits(html=5), Route())
    transfer = Transfer(Visit("http://site.test/"), Limits(html=5), Guard(["127.0.0.1"]), held)
    handle.aim(REQUEST, transfer, "127.0.0.1")
    assert handle._ready("10.0.0.1", "", 0, 0) == pycurl.PREREQFUNC_ABORT
    assert handle._ready("127.0.0.1", "", 0, 0) == pycurl.PREREQFUNC_OK
    transfer.lines += [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html\r\n", b"\r\n"]
    assert handle._write(b"x" * 101) == pycurl.WRITEFUNC_PAUSE
    assert (handle._write(b"hello"), handle._write(b"x")) == (None, 0)


def with_multi(test: Callable[[Multi, asyncio.AbstractEventLoop], None]) -> None:
    async def main() -> None:
        multi = Multi(5)
        try:
            test(multi, asyncio.get_running_loop())
        finally:
            multi.close()

    run(main())


def test_a_timer_that_is_set_too_early_is_left_alone_and_one_that_is_too_late_is_not() -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        before = loop.time()
        multi._remind(60_000)
        first = multi._timer
        assert first is not None
        assert 60 <= first.when() - before < 70
        multi._remind(90_000)
        assert multi._timer is first
        assert 90 <= multi._due - before < 100
        multi._remind(30_000)
        assert multi._timer is not first
        assert first.cancelled()
        assert multi._timer is not None
        assert 30 <= multi._timer.when() - before < 40
        multi._remind(-1)
        assert multi._due == math.inf

    with_multi(test)


def test_a_timer_that_rings_early_is_set_again_and_one_that_was_taken_back_is_not() -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        rung: list[str] = []
        multi._on_time = lambda: rung.append("rung")  # type: ignore[method-assign]  # a spy
        multi._due = loop.time() + 60
        multi._on_timer()
        assert multi._timer is not None
        assert (multi._timer.when(), rung) == (multi._due, [])
        multi._due = math.inf
        multi._on_timer()
        assert (multi._timer, rung) == (None, [])
        multi._due = loop.time()
        multi._on_timer()
        assert rung == ["rung"]

    with_multi(test)


def test_what_is_wanted_at_once_is_called_once_at_the_next_turn_of_the_loop() -> None:
    async def main() -> None:
        multi = Multi(5)
        rung: list[str] = []
        on_time = multi._on_time
        multi._on_time = lambda: (rung.append("rung"), on_time())  # type: ignore[method-assign]  # a spy
        multi._remind(0)
        multi._remind(0)
        assert rung == []
        assert multi._timer is None
        await asyncio.sleep(0)
        assert rung == ["rung"]
        multi._remind(0)
        await asyncio.sleep(0)
        assert rung == ["rung", "rung"]
        multi.close()

    run(main())


def test_closing_takes_all_timers_back() -> None:
    async def main() -> None:
        multi = Multi(5)
        multi._remind(60_000)
        multi._remind(0)
        timers = (multi._timer, multi._soon)
        multi.close()
        assert [timer is not None and timer.cancelled() for timer in timers] == [True, True]

    run(main())


def test_a_pause_that_cannot_be_ended_ends_the_transfer() -> None:
    class Easy:
        def pause(self, _state: int) -> None:
            raise pycurl.error(43, "bad argument")

    async def main() -> None:
        multi = Multi(5)
        easy = Easy()
        handle = Handle(Limits(), Route())
        handle.easy = easy
        handle.times = lambda: None  # type: ignore[method-assign,assignment,return-value]  # not asked for
        multi._multi = type("Multi", (), {"remove_handle": lambda *_: None, "close": lambda *_: None})()
        future: asyncio.Future[module.Verdict] = asyncio.get_running_loop().create_future()
        multi.resume(handle)  # it has ended: nothing happens
        multi._waiting[easy] = handle, future
        multi.resume(handle)
        assert (await future)[:2] == (43, "bad argument")
        multi.give_up(handle)
        assert not multi._waiting
        again: asyncio.Future[module.Verdict] = asyncio.get_running_loop().create_future()
        multi._waiting[easy] = handle, again
        multi.give_up(handle)
        assert (await again).code == OVERDUE
        multi.close()

    run(main())


@pytest.mark.parametrize(("ready", "asked"), [([64, 64, 10, 64], 3), ([0], 1), ([63], 1), ([64] * 100, 64)])
def test_all_that_has_come_is_taken_in_before_anybody_is_judged_and_not_for_ever(ready: list[int], asked: int) -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        left = iter(ready)
        multi._on_sockets = lambda: next(left)  # type: ignore[method-assign]  # a spy
        multi.catch_up()
        assert len(list(left)) == len(ready) - asked

    with_multi(test)


def test_a_socket_is_watched_for_what_libcurl_wants_now_and_for_nothing_before_or_after() -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            watch = lambda events: multi._watch(events, ours.fileno(), None, None)  # noqa: E731  # short
            watch(pycurl.POLL_OUT)
            assert multi._epoll.poll(0) == [(ours.fileno(), select.EPOLLOUT)]
            watch(pycurl.POLL_IN)
            assert multi._epoll.poll(0) == []
            theirs.send(b"hello")
            assert multi._epoll.poll(0) == [(ours.fileno(), select.EPOLLIN)]
            watch(pycurl.POLL_INOUT)
            assert multi._epoll.poll(0) == [(ours.fileno(), select.EPOLLIN | select.EPOLLOUT)]
            watch(pycurl.POLL_REMOVE)
            assert (multi._epoll.poll(0), multi._watched) == ([], set())
            watch(pycurl.POLL_REMOVE)

    with_multi(test)


def test_a_descriptor_that_was_closed_and_given_out_again_is_watched_anew() -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        first, second = socket.socketpair(), socket.socketpair()
        number = first[0].fileno()
        multi._watch(pycurl.POLL_IN, number, None, None)
        first[0].close()
        os.dup2(second[0].fileno(), number)
        multi._watch(pycurl.POLL_OUT, number, None, None)
        assert multi._epoll.poll(0) == [(number, select.EPOLLOUT)]
        multi._watch(pycurl.POLL_REMOVE, number, None, None)
        os.close(number)
        for each in (first[1], *second):
            each.close()

    with_multi(test)


def test_libcurl_is_told_which_sockets_are_ready_and_for_what() -> None:
    def test(multi: Multi, loop: asyncio.AbstractEventLoop) -> None:
        told: list[tuple[int, int]] = []
        spy = type("Spy", (), {"socket_action": lambda _, fd, mask: told.append((fd, mask))})()
        real, multi._multi = multi._multi, spy
        multi._reap = lambda: None  # type: ignore[method-assign]  # a spy
        ours, theirs = socket.socketpair()
        with ours, theirs:
            multi._watch(pycurl.POLL_INOUT, ours.fileno(), None, None)
            assert multi._on_sockets() == 1
            theirs.send(b"hello")
            assert multi._on_sockets() == 1
            multi._watch(pycurl.POLL_IN, ours.fileno(), None, None)
            assert multi._on_sockets() == 1
            multi._watch(pycurl.POLL_REMOVE, ours.fileno(), None, None)
            assert multi._on_sockets() == 0
            both = pycurl.CSELECT_IN | pycurl.CSELECT_OUT
            assert told == [(ours.fileno(), mask) for mask in (pycurl.CSELECT_OUT, both, pycurl.CSELECT_IN)]
        multi._multi = real

    with_multi(test)


def test_certificates_may_lie_in_a_folder_of_any_name(tmp_path: Path) -> None:
    file = tmp_path / "josé" / "roots.pem"
    file.parent.mkdir()
    file.touch()
    assert options(route=Route(ca_file=str(file)))[pycurl.CAINFO] == os.fsencode(file)
