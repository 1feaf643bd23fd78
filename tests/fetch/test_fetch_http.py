"""A visit becomes a request of known bytes, and its answer a capture that keeps the wire."""

from __future__ import annotations

import asyncio
import gc
import gzip
import os
import socket
import time
from collections.abc import Callable

import pytest
from fetch_hostile import OK, Talk, answer, chunked, fetching, repeats, run, says, serving, visit

from gossamer.errors import StorageError, UsageError
from gossamer.fetch import Fetcher, Found, Guard, Identity, Limits, Resolver, Route, Threads
from gossamer.fetch.transfer import LeaseOver, Transfer
from gossamer.model import Capture, Fault, Kind, SystemClock, Visit

LOOPS = pytest.mark.parametrize("loop", ["asyncio", "uvloop"])


@LOOPS
def test_an_answer_is_kept_byte_for_byte(loop: str) -> None:
    sent = (
        b"HTTP/1.1 404 Not \xe4t Home\r\nX-Odd:   spaces  \r\nx-UPPER: Case\r\nSet-Cookie: a=1\r\n"
        b"Set-Cookie: b=2\r\nX-Bytes: \xe4\xff\r\nContent-Length: 5\r\n\r\nhello"
    )
    capture = run(visit(says(sent)), loop)
    assert capture.head + capture.wire == sent
    assert capture.status == 404
    assert capture.headers == (
        ("x-odd", "spaces"),
        ("x-upper", "Case"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("x-bytes", "\xe4\xff"),
        ("content-length", "5"),
    )
    assert capture.header_values("set-cookie") == ["a=1", "b=2"]
    assert (capture.address, capture.failure, capture.truncated, capture.decoding) == ("127.0.0.1", None, None, None)
    assert capture.began > 1_700_000_000
    assert 0 <= capture.seconds < 60


@LOOPS
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"method": "HEAD"},
        {"etag": '"abc"', "modified": "Sun, 15 Nov 2026 04:07:59 GMT"},
        {"etag": 'W/"\xe4"'},
        {"method": "HEAD", "modified": "yesterday"},
    ],
)
def test_the_request_of_a_capture_is_what_the_server_got(loop: str, fields: dict[str, str]) -> None:
    async def main() -> tuple[Capture, bytes]:
        async with serving(says(answer(b"", status=b"304 Not Modified"))) as server, fetching() as fetcher:
            capture = await fetcher(Visit(server.url("/a/../b;c?d=|{}^`'%zz&e=f"), **fields))
            return capture, server.heads[0]

    capture, head = run(main(), loop)
    assert capture.request == head
    lines = head.decode("latin-1").split("\r\n")
    assert lines[0] == f"{fields.get('method', 'GET')} /a/../b;c?d=|{{}}^`'%zz&e=f HTTP/1.1"
    assert lines[1].startswith("Host: site.test:")
    assert "User-Agent: Gossamer/1.0 (+https://crawler.test/about)" in lines
    assert "Accept-Encoding: gzip, deflate, br, zstd" in lines
    assert ("If-None-Match: " + fields.get("etag", "")) in lines or "etag" not in fields
    assert ("If-Modified-Since: " + fields.get("modified", "")) in lines or "modified" not in fields
    assert not any(line.startswith(("Cookie", "Authorization", "Referer", "TE:", "Upgrade")) for line in lines)


@pytest.mark.parametrize("host", ["site.test", "SITE.test.", "127.0.0.1", "127.1", "[::ffff:7f00:1]", "a_b.test"])
def test_the_host_is_sent_as_it_was_asked_for(host: str) -> None:
    async def main() -> None:
        async with serving(says(answer(b"hello"))) as server, fetching() as fetcher:
            capture = await fetcher(Visit(server.url(host=host)))
            assert capture.body == b"hello"
            assert f"\r\nHost: {host}:{server.port}\r\n".encode() in server.heads[0]
            assert capture.request == server.heads[0]

    run(main())


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\0", "a\nb", "x" * 2000, "☃", " ", "\t"])
def test_a_validator_that_is_no_header_value_is_not_sent(value: str) -> None:
    async def main() -> bytes:
        async with serving(says(answer(b""))) as server, fetching() as fetcher:
            await fetcher(Visit(server.url(), etag=value, modified=value))
            return server.heads[0]

    assert b"If-" not in run(main())


def test_no_method_but_get_and_head_is_sent() -> None:
    capture = run(visit(says(answer(b"")), method="POST"))
    assert capture.failure is not None
    assert capture.failure.fault is Fault.PROTOCOL
    assert capture.request == b""


def test_a_query_without_a_path_gets_its_slash() -> None:
    async def main() -> bytes:
        async with serving(says(answer(b""))) as server, fetching() as fetcher:
            await fetcher(Visit(server.url("?a=b")))
            return server.heads[0]

    assert run(main()).startswith(b"GET /?a=b HTTP/1.1\r\n")


def test_head_brings_no_body() -> None:
    sent = OK + b"Content-Length: 5000\r\nContent-Encoding: gzip\r\n\r\n"
    capture = run(visit(says(sent, "keep"), method="HEAD"))
    assert capture.head == sent
    assert (capture.body, capture.failure, capture.truncated, capture.decoding) == (b"", None, None, None)


def test_a_plain_body_is_not_copied() -> None:
    capture = run(visit(says(answer(b"hello" * 10_000))))
    assert capture.body is capture.wire
    assert capture.body == b"hello" * 10_000


@LOOPS
def test_the_wire_stays_chunked_and_compressed(loop: str) -> None:
    text = b"<p>hello</p>" * 10_000
    packed = gzip.compress(text)
    pieces = [packed[at : at + 50] for at in range(0, len(packed), 50)]
    sent = OK + b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    capture = run(visit(says(sent + chunked(*pieces))), loop)
    assert (capture.head, capture.wire, capture.body) == (sent, chunked(*pieces), text)
    assert (capture.failure, capture.decoding, capture.truncated) == (None, None, None)


def test_transfer_codings_are_undone_after_the_chunks() -> None:
    sent = OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked(gzip.compress(b"hello"))
    assert run(visit(says(sent))).body == b"hello"


def test_damaged_compression_is_an_answer_with_a_remark() -> None:
    text = b"hello" * 100
    packed = gzip.compress(text)[:-1] + b"\xff"
    capture = run(visit(says(answer(packed, b"Content-Encoding: gzip"))))
    assert (capture.body, capture.failure, capture.truncated) == (text, None, None)
    assert capture.decoding


@pytest.mark.parametrize("status", [b"301 Moved", b"302 Found", b"303 See Other", b"307 Temporary", b"308 Permanent"])
def test_a_redirect_is_an_answer_and_is_not_followed(status: bytes) -> None:
    async def main() -> None:
        redirect = answer(b"gone", b"Location: /elsewhere", status=status)
        async with serving(says(redirect, "keep")) as server, fetching() as fetcher:
            capture = await fetcher(Visit(server.url()))
            assert (capture.status, capture.header("location")) == (int(status[:3]), "/elsewhere")
            assert len(server.heads) == 1

    run(main())


def test_interim_answers_are_dropped() -> None:
    sent = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    capture = run(visit(says(sent * 3 + answer(b"hello"))))
    assert capture.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert capture.header("link") is None
    assert capture.body == b"hello"


def test_cookies_are_not_sent_back() -> None:
    async def main() -> list[bytes]:
        async with serving(says(answer(b"", b"Set-Cookie: a=b; Path=/"), "keep")) as server, fetching() as fetcher:
            for _ in range(3):
                await fetcher(Visit(server.url()))
            return server.heads

    assert not any(b"ookie" in head for head in run(main()))


def test_a_challenge_is_not_answered() -> None:
    for scheme in (b"NTLM", b"Negotiate", b'Basic realm="x"', b'Digest realm="x", nonce="y"'):
        sent = answer(b"", b"WWW-Authenticate: " + scheme, status=b"401 Unauthorized")

        async def main(sent: bytes = sent) -> None:
            async with serving(says(sent, "keep")) as server, fetching() as fetcher:
                assert (await fetcher(Visit(server.url()))).status == 401
                assert len(server.heads) == 1

        run(main())


@LOOPS
def test_connections_are_used_again(loop: str) -> None:
    async def main() -> int:
        async with serving(says(answer(b"hello"), "keep")) as server, fetching() as fetcher:
            for _ in range(20):
                assert (await fetcher(Visit(server.url()))).body == b"hello"
            return server.connections

    assert run(main(), loop) == 1


def test_idle_connections_are_bounded() -> None:
    async def main() -> tuple[int, int]:
        async with serving(says(answer(b"hello"), "keep")) as server, fetching(Limits(kept_connections=5)) as fetcher:
            before = len(os.listdir("/proc/self/fd"))
            hosts = [f"host-{n}.test" for n in range(60)]
            for host in hosts:
                assert (await fetcher(Visit(server.url(host=host)))).body == b"hello"
            for _ in range(10):
                await asyncio.sleep(0)  # the server notices what was closed
            return before, len(os.listdir("/proc/self/fd"))

    before, after = run(main())
    assert after - before <= 2 * 5 + 6


def test_a_connection_that_died_while_idle_is_replaced() -> None:
    async def main() -> list[bytes]:
        async with serving(says(answer(b"hello"), "close")) as server, fetching() as fetcher:
            return [(await fetcher(Visit(server.url()))).body for _ in range(5)]

    assert run(main()) == [b"hello"] * 5


@LOOPS
def test_many_transfers_run_side_by_side(loop: str) -> None:
    async def main() -> None:
        arrived = asyncio.Semaphore(0)
        go = asyncio.Event()

        async def handle(talk: Talk) -> bool:
            arrived.release()
            await go.wait()
            await talk.send(answer(talk.head.split()[1]))
            return True

        async with serving(handle) as server, fetching() as fetcher:
            tasks = [asyncio.create_task(fetcher(Visit(server.url(f"/{n}")))) for n in range(200)]
            for _ in range(200):
                await arrived.acquire()
            go.set()
            bodies = [(await task).body for task in tasks]
        assert bodies == [f"/{n}".encode() for n in range(200)]

    run(main(), loop)


@LOOPS
def test_a_cancelled_visit_leaves_nothing_behind(loop: str) -> None:
    async def main() -> None:
        hang = asyncio.Event()

        async def handle(talk: Talk) -> bool:
            if b"/hang" in talk.head:
                hang.set()
                await asyncio.Event().wait()
            await talk.send(answer(b"hello"))
            return True

        async with serving(handle) as server, fetching() as fetcher:
            for _ in range(20):
                hang.clear()
                task = asyncio.create_task(fetcher(Visit(server.url("/hang"))))
                await hang.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert not fetcher._open
                assert fetcher._multi is not None
                assert not fetcher._multi._waiting
                assert not fetcher._multi._watched
            assert (await fetcher(Visit(server.url()))).body == b"hello"
            assert len(fetcher._spare) == 1

    run(main(), loop)


@LOOPS
def test_closing_ends_what_is_under_way_and_frees_every_descriptor(loop: str) -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def handle(talk: Talk) -> None:
            asked.set()
            await asyncio.Event().wait()

        async with serving(handle) as server:
            before = len(os.listdir("/proc/self/fd"))
            async with fetching() as fetcher:
                task = asyncio.create_task(fetcher(Visit(server.url())))
                await asked.wait()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(RuntimeError, match="closed"):
                await fetcher(Visit(server.url()))
            gc.collect()
            assert len(os.listdir("/proc/self/fd")) <= before + 1  # the server's end of the connection

    run(main(), loop)


def test_a_fetcher_stays_on_its_loop() -> None:
    clock = SystemClock()
    resolver = Resolver(clock, Threads(lambda host: Found(("127.0.0.1",))))
    guard = Guard(["127.0.0.0/8"])
    fetcher = Fetcher(limits=Limits(), identity=Identity(), guard=guard, resolver=resolver, clock=clock)

    async def main() -> Capture:
        async with serving(says(answer(b"hello"))) as server:
            return await fetcher(Visit(server.url()))

    assert run(main()).body == b"hello"
    with pytest.raises(RuntimeError, match="event loop"):
        run(main())
    resolver.close()


def test_a_spare_handle_holds_nothing_of_its_last_answer() -> None:
    async def main() -> None:
        async with serving(says(answer(b"x" * 1_000_000), "keep")) as server, fetching() as fetcher:
            await asyncio.gather(*(fetcher(Visit(server.url(f"/{n}"))) for n in range(5)))
            assert len(fetcher._spare) == 5
            gc.collect()
            assert not [item for item in gc.get_objects() if isinstance(item, Transfer)]

    run(main())


def test_ipv6_is_spoken() -> None:
    async def main() -> Capture:
        async with serving(says(answer(b"hello")), at=("::1", 0)) as server, fetching(allow=("::1/128",)) as fetcher:
            return await fetcher(Visit(server.url(host="[::1]")))

    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 on this machine")
    capture = run(main())
    assert (capture.body, capture.address) == (b"hello", "::1")


def test_a_fetcher_can_be_made_before_there_is_a_loop() -> None:
    clock = SystemClock()
    resolver = Resolver(clock, Threads(lambda host: Found(("127.0.0.1",))))
    fetcher = Fetcher(
        limits=Limits(), identity=Identity(), guard=Guard(["127.0.0.0/8"]), resolver=resolver, clock=clock
    )

    async def main() -> bytes:
        async with serving(says(answer(b"hello"))) as server:
            try:
                return (await fetcher(Visit(server.url()))).body
            finally:
                await fetcher.close()
                resolver.close()

    assert run(main()) == b"hello"


def test_nobody_listening_is_a_failure_to_connect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    async def main() -> Capture:
        async with fetching() as fetcher:
            return await fetcher(Visit(f"http://site.test:{port}/"))

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.CONNECT
    assert capture.request == b""


def test_a_lack_of_descriptors_is_our_fault_and_not_the_host_s(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("gossamer.fetch.curl._Socket", none_left)
    with pytest.raises(StorageError, match="ulimit -n"):
        run(visit(says(answer(b"hello"))))


def test_a_kind_of_socket_that_this_machine_does_not_have_is_a_failure_to_connect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(*_: object) -> None:
        raise OSError(97, "Address family not supported")

    monkeypatch.setattr("gossamer.fetch.curl._Socket", unknown)
    capture = run(visit(says(answer(b"hello"))))
    assert capture.failure is not None
    assert capture.failure.fault is Fault.CONNECT


def test_a_connection_that_takes_too_long_is_a_timeout() -> None:
    """A listener whose queue is full lets a handshake wait."""

    async def main() -> Capture:
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            fillers = [socket.socket() for _ in range(4)]
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(("127.0.0.1", port))
            async with fetching(Limits(connect=0.3)) as fetcher:
                capture = await fetcher(Visit(f"http://site.test:{port}/"))
            for filler in fillers:
                filler.close()
            return capture

    capture = run(main())
    assert capture.failure is not None
    assert (capture.failure.fault, capture.failure.detail) == (Fault.TIMEOUT, "no connection within 0.3 s")


def test_a_mistake_of_ours_is_raised_where_it_was_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("gossamer.fetch.transfer.open_body", broken)
    with pytest.raises(ZeroDivisionError, match="ours"):
        run(visit(says(answer(b"hello"))))


@pytest.mark.parametrize("media_type", [b"image/png", b"VIDEO/mp4; x=y", b"font/woff2", b"application/x-iso9660-image"])
def test_types_nobody_reads_end_after_the_head(media_type: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: " + media_type + b"\r\n\r\n"
    capture = run(visit(repeats(head, b"x" * 65_536), depth=1))
    assert (capture.head, capture.status, capture.failure) == (head, 200, None)
    assert (capture.wire, capture.body, capture.truncated) == (b"", b"", "length")


def test_of_what_somebody_has_named_the_body_comes_too() -> None:
    capture = run(visit(says(answer(b"a picture", b"Content-Type: image/png"))))
    assert (capture.body, capture.truncated) == (b"a picture", None)


def test_the_bandwidth_limit_slows_the_transfer() -> None:
    began = time.monotonic()
    capture = run(visit(says(answer(b"x" * 60_000)), Limits(bandwidth=200_000)))
    assert (len(capture.body), capture.failure) == (60_000, None)
    assert time.monotonic() - began > 0.2
    assert capture.seconds < 0.2, "which is ours, and not the server's"


# Proxies


def test_a_proxy_gets_the_whole_address_and_the_archive_gets_the_origin_form() -> None:
    async def main() -> None:
        async with serving(says(answer(b"hello"), "keep")) as proxy:
            route = Route(proxy=f"http://user:secret@127.0.0.1:{proxy.port}")
            async with fetching(allow=(), route=route) as fetcher:
                capture = await fetcher(Visit("http://far.test/page?x=y"))
        assert (capture.body, capture.failure, capture.address) == (b"hello", None, None)
        assert proxy.heads[0].startswith(b"GET http://far.test/page?x=y HTTP/1.1\r\nHost: far.test\r\n")
        assert b"Proxy-Authorization: Basic" in proxy.heads[0]
        assert capture.request.startswith(b"GET /page?x=y HTTP/1.1\r\nHost: far.test\r\n")
        assert b"Proxy" not in capture.request
        assert "secret" not in repr(capture)

    run(main())


def test_a_proxy_that_refuses_the_tunnel_is_a_failure_to_connect() -> None:
    async def main() -> None:
        async with serving(says(answer(b"no", status=b"403 Forbidden"))) as proxy:
            route = Route(proxy=f"http://user:secret@127.0.0.1:{proxy.port}")
            async with fetching(allow=(), route=route) as fetcher:
                capture = await fetcher(Visit("https://far.test/"))
        assert proxy.heads[0].startswith(b"CONNECT far.test:443 HTTP/1.1\r\n")
        assert capture.failure is not None
        assert capture.failure.fault is Fault.CONNECT
        assert (capture.status, capture.request) == (0, b"")
        assert "secret" not in repr(capture)

    run(main())


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert run(visit(says(answer(b"hello")))).body == b"hello"


@pytest.mark.parametrize("proxy", ["127.0.0.1:8080", "socks5://127.0.0.1:1", "socks4://127.0.0.1:1", "ftp://x"])
def test_a_proxy_that_would_look_names_up_here_is_refused(proxy: str) -> None:
    with pytest.raises(UsageError, match="socks5h://"):
        Route(proxy=proxy)


# Values


def test_identity_is_an_agent_string_with_a_contact() -> None:
    assert Identity("me@site.test", version="2.1").agent == "Gossamer/2.1 (+me@site.test)"
    assert Identity("me@site.test").mail == "me@site.test"
    assert Identity("https://site.test/bot").mail == ""
    assert Identity(product="My-Bot", version="1").agent.startswith("My-Bot/1")
    assert Identity().version


@pytest.mark.parametrize(
    "fields",
    [{"product": "Bot 2"}, {"product": ""}, {"contact": "a\r\nX: y"}, {"contact": "(x)"}, {"version": "1 2"}],
)
def test_an_identity_that_would_break_the_head_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Identity(**fields)


def test_a_mail_address_is_sent_as_from() -> None:
    async def main() -> bytes:
        clock = SystemClock()
        resolver = Resolver(clock, Threads(lambda host: Found(("127.0.0.1",))))
        fetcher = Fetcher(
            limits=Limits(),
            identity=Identity("me@site.test"),
            guard=Guard(["127.0.0.1/32"]),
            resolver=resolver,
            clock=clock,
        )
        async with serving(says(answer(b""))) as server:
            capture = await fetcher(Visit(server.url()))
            await fetcher.close()
            resolver.close()
            assert capture.request == server.heads[0]
            return server.heads[0]

    assert b"\r\nFrom: me@site.test\r\n" in run(main())


@pytest.mark.parametrize(
    ("media_type", "name"),
    [
        ("text/html", "html"),
        ("application/xhtml+xml", "html"),
        ("text/plain", "text"),
        ("application/rss+xml", "text"),
        ("application/ld+json", "text"),
        ("", "text"),
        ("application/pdf", "document"),
        ("nonsense", "document"),
    ],
)
def test_the_cap_follows_the_media_type(media_type: str, name: str) -> None:
    assert Limits().cap(Kind.PAGE, media_type) == getattr(Limits(), name)


def test_the_defaults_are_those_of_the_design() -> None:
    limits = Limits()
    assert (limits.connect, limits.first_byte, limits.idle, limits.total) == (10, 20, 20, 120)
    assert (limits.slow_rate, limits.slow_seconds) == (500, 30)
    assert (limits.head_bytes, limits.head_lines) == (65_536, 200)
    assert (limits.html, limits.text, limits.document) == (5 << 20, 10 << 20, 64 << 20)
    assert (limits.ratio, limits.ratio_after, limits.layers) == (200, 1 << 20, 2)


def test_a_server_that_drops_connections_is_asked_twice_for_one_page_and_for_no_other() -> None:
    """libcurl sends a request again, at once, where a connection that was used before is closed without an answer."""

    async def main() -> list[bytes]:
        asked: list[bytes] = []
        served: set[asyncio.StreamReader] = set()

        async def handle(talk: Talk) -> bool:
            asked.append(talk.head.split()[1])
            if talk.reader in served:
                return False
            served.add(talk.reader)
            await talk.send(answer(b"once"))
            return True

        async with serving(handle) as server, fetching() as fetcher:
            for number in range(5):
                assert (await fetcher(Visit(server.url(f"/{number}")))).body == b"once"
        return asked

    assert run(main()) == [b"/0", b"/1", b"/1", b"/2", b"/3", b"/4"]


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (Limits(), 1.0),
        (Limits(first_byte=0.2), 0.05),
        (Limits(connect=0.4), 0.1),
        (Limits(idle=2.0), 0.5),
        (Limits(total=1.0), 0.25),
        (Limits(slow_seconds=3.0), 0.75),
    ],
)
def test_transfers_are_looked_at_every_second_and_four_times_in_the_shortest_time_they_have(
    limits: Limits, seconds: float
) -> None:
    async def main() -> list[float]:
        waits: list[float] = []
        loop = asyncio.get_running_loop()
        call_later = loop.call_later

        def noted(delay: float, callback: Callable[..., object], *rest: object) -> asyncio.TimerHandle:
            if getattr(callback, "__name__", "") == "_sweep":
                waits.append(delay)
            return call_later(delay, callback, *rest)

        loop.call_later = noted  # type: ignore[method-assign]  # a spy
        async with serving(says(answer(b"hello"))) as server, fetching(limits) as fetcher:
            await fetcher(Visit(server.url()))
        return waits

    assert set(run(main())) == {seconds}


def test_hosts_that_drop_connections_are_remembered_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.http._DROPPING_MOST", 2)

    async def main() -> list[str]:
        async with fetching() as fetcher:
            for origin in ("http://a.test", "http://b.test", "http://c.test"):
                fetcher._note_dropping(origin)
            return list(fetcher._dropping)

    assert run(main()) == ["http://b.test", "http://c.test"]


def test_spare_handles_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.http._SPARE_HANDLES", 3)

    async def main() -> int:
        async with serving(says(answer(b"hello"), "keep")) as server, fetching() as fetcher:
            await asyncio.gather(*(fetcher(Visit(server.url(f"/{number}"))) for number in range(5)))
            return len(fetcher._spare)

    assert run(main()) == 3


def test_requests_that_are_out_are_counted() -> None:
    async def main() -> None:
        asked, go = asyncio.Semaphore(0), asyncio.Event()

        async def handle(talk: Talk) -> None:
            asked.release()
            await go.wait()
            await talk.send(answer(b"hello"))

        async with serving(handle) as server, fetching() as fetcher:
            assert fetcher.asked == 0
            visits = [asyncio.create_task(fetcher(Visit(server.url(f"/{number}")))) for number in range(3)]
            for _ in visits:
                await asked.acquire()
            assert fetcher.asked == 3
            go.set()
            await asyncio.gather(*visits)
            assert fetcher.asked == 0

    run(main())


def test_of_many_dead_addresses_two_are_tried() -> None:
    async def main() -> list[str]:
        tried: list[str] = []

        class Noting(Guard):
            def refusal(self, address: str) -> str | None:
                tried.append(address)
                return super().refusal(address)

        addresses = ("127.0.0.7", "127.0.0.8", "127.0.0.9")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        async with fetching(lookup=lambda host: Found(addresses)) as fetcher:
            fetcher._guard = Noting(["127.0.0.0/8"])
            capture = await fetcher(Visit(f"http://site.test:{port}/"))
        assert capture.failure is not None
        assert capture.failure.fault is Fault.CONNECT
        return tried

    assert run(main()) == ["127.0.0.7", "127.0.0.8", "127.0.0.9", "127.0.0.7", "127.0.0.8"]


def test_a_host_that_was_asked_is_not_asked_again_at_its_next_address() -> None:
    async def main() -> tuple[Capture, int]:
        twice = lambda host: Found(("127.0.0.1", "127.0.0.1"))  # noqa: E731  # short
        async with serving(says(b"", "reset")) as server, fetching(lookup=twice) as fetcher:
            return await fetcher(Visit(server.url())), len(server.heads)

    capture, asked = run(main())
    assert capture.failure is not None
    assert (capture.failure.fault, asked) == (Fault.RESET, 1)


def test_a_failure_before_any_request_takes_no_time() -> None:
    capture = run(visit(says(answer(b"")), method="POST"))
    assert (capture.seconds, capture.status, capture.address) == (0.0, 0, None)
    assert capture.began > 1_700_000_000


def test_a_blocked_address_is_named_with_its_cure() -> None:
    async def fetch(url: str) -> str:
        async with fetching(allow=(), lookup=lambda host: Found(("8.8.8.8", "10.0.0.1"))) as fetcher:
            return str((await fetcher(Visit(url))).failure)

    cure = "10.0.0.1, a private address; --allow-address 10.0.0.1 opens it"
    assert run(fetch("http://site.test/")) == f"blocked-address: site.test is {cure}"
    assert run(fetch("http://10.0.0.1/")) == f"blocked-address: {cure}"


def test_a_fetcher_that_had_nothing_to_do_gives_up_what_stalls_later() -> None:
    async def handle(talk: Talk) -> bool:
        if b"/hang" in talk.head:
            await asyncio.Event().wait()
        await talk.send(answer(b"hello"))
        return True

    async def main() -> Capture:
        async with serving(handle) as server, fetching(Limits(first_byte=0.2)) as fetcher:
            await fetcher(Visit(server.url()))
            for _ in range(1_000):
                if fetcher._sweeper is None:
                    break
                await asyncio.sleep(0.01)
            assert fetcher._sweeper is None, "nothing is under way, so nobody looks"
            return await fetcher(Visit(server.url("/hang")))

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.TIMEOUT


def test_idle_connections_of_many_hosts_are_kept() -> None:
    async def main() -> int:
        async with serving(says(answer(b"hello"), "keep")) as server, fetching() as fetcher:
            for number in range(40):
                await fetcher(Visit(server.url(host=f"host-{number % 20}.test")))
            return server.connections

    assert run(main()) == 20


def test_an_answer_that_takes_its_time_is_looked_at_and_left_alone() -> None:
    async def main() -> Capture:
        looked, looks = asyncio.Event(), 0

        async def handle(talk: Talk) -> None:
            await looked.wait()
            await talk.send(answer(b"hello"))

        async with serving(handle) as server, fetching(Limits(slow_seconds=0.2)) as fetcher:
            sweep = fetcher._sweep

            def counted() -> None:
                nonlocal looks
                looks += 1
                sweep()
                if looks == 3:
                    looked.set()

            fetcher._sweep = counted  # type: ignore[method-assign]  # a spy
            return await fetcher(Visit(server.url()))

    capture = run(main())
    assert (capture.body, capture.failure, capture.truncated) == (b"hello", None, None)


def test_time_that_we_were_busy_before_a_visit_is_not_given_to_it() -> None:
    async def main() -> Capture:
        async with serving(says(b"", "hang")) as server, fetching(Limits(first_byte=0.2)) as fetcher:
            fetcher._lag = 1_000.0
            return await asyncio.wait_for(fetcher(Visit(server.url())), 50)

    capture = run(main())
    assert capture.failure is not None
    assert capture.failure.fault is Fault.TIMEOUT


def test_a_visit_beside_another_after_we_were_busy_has_the_time_that_any_visit_has() -> None:
    async def main() -> list[Capture]:
        limits = Limits(first_byte=4.0, total=0.3)
        async with serving(says(b"", "hang")) as server, fetching(limits) as fetcher:
            fetcher._lag = 1_000.0
            both = (fetcher(Visit(server.url(path))) for path in ("/one", "/two"))
            return await asyncio.wait_for(asyncio.gather(*both), 50)

    assert {str(capture.failure) for capture in run(main())} == {"timeout: not finished within 0.3 s"}


def test_no_request_goes_out_once_the_lease_is_over_also_over_a_connection_that_stands() -> None:
    leased = [True, False, False]

    async def main() -> int:
        async with serving(says(answer(b"hi"), "keep")) as server, fetching(may_ask=lambda: leased.pop(0)) as fetcher:
            await fetcher(Visit(server.url()))
            for _ in range(2):  # the first would use the connection again, the second opens one
                with pytest.raises(LeaseOver, match="the lease was over before the request went out"):
                    await fetcher(Visit(server.url()))
            return len(server.heads)

    assert asyncio.run(main()) == 1
