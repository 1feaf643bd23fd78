"""Whatever a server does, the answer is a value, in bounded time and memory."""

from __future__ import annotations

import asyncio
import os
from typing import NamedTuple

import pytest
from fetch_hostile import OK, Handler, Talk, answer, chunked, fetching, repeats, run, says, serving, visit

from gossamer.fetch import Limits
from gossamer.model import Fault, Kind, Visit

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
QUICK = Limits(first_byte=0.2, idle=0.2, total=5.0, slow_seconds=0.4)
SMALL = Limits(html=100_000, text=100_000, document=100_000)


class Case(NamedTuple):
    sent: bytes
    fault: Fault | None = None
    body: bytes = b""
    truncated: str | None = None
    then: str = "close"


BAD_HEADS = {
    "header flood": Case(OK + b"X-Flood: 1\r\n" * 300_000, Fault.HEADERS_TOO_LARGE),
    "201 header lines": Case(OK + b"X: 1\r\n" * 200 + b"\r\nhello", Fault.HEADERS_TOO_LARGE),
    "head of 65 KiB": Case(OK + b"X: " + b"y" * 65_536 + b"\r\n" * 2, Fault.HEADERS_TOO_LARGE),
    "line of 1 MB": Case(OK + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n", Fault.HEADERS_TOO_LARGE),
    "cookie bomb": Case(OK + (b"Set-Cookie: a=" + b"b" * 4096 + b"\r\n") * 1000, Fault.HEADERS_TOO_LARGE),
    "no colon": Case(OK + b"nonsense\r\n\r\nhello", Fault.PROTOCOL),
    "NUL in a header": Case(OK + b"X: a\0b\r\n\r\nhello", Fault.PROTOCOL),
    "CR in a header": Case(OK + b"X: a\rY: b\r\n\r\nhello", Fault.PROTOCOL),
    "two lengths": Case(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", Fault.PROTOCOL),
    "negative length": Case(OK + b"Content-Length: -5\r\n\r\nhello", Fault.PROTOCOL),
    "length in words": Case(OK + b"Content-Length: five\r\n\r\nhello", Fault.PROTOCOL),
    "length and chunks": Case(
        OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"hello"), Fault.PROTOCOL
    ),
    "HTTP/0.9": Case(b"<html>hello there", Fault.PROTOCOL),
    "no status": Case(b"HTTP/1.1 OK\r\n\r\n", Fault.PROTOCOL),
    "status 000": Case(b"HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n", Fault.PROTOCOL),
    "version 9.9": Case(b"HTTP/9.9 200 OK\r\n\r\n", Fault.PROTOCOL),
    "blank lines first": Case(b"\r\n\r\n" + answer(b"hello"), Fault.PROTOCOL),
    "upgrade": Case(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello", Fault.PROTOCOL),
    "11 interim answers": Case(b"HTTP/1.1 103 Hints\r\n\r\n" * 11 + answer(b"hello"), Fault.PROTOCOL),
    "endless interim answers": Case(b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000, Fault.PROTOCOL),
    "nothing at all": Case(b"", Fault.RESET),
    "reset at once": Case(b"", Fault.RESET, then="reset"),
    "end in the status line": Case(b"HTTP/1.1 20", Fault.RESET),
    "end in the head": Case(OK + b"X: 1\r\n", Fault.INCOMPLETE),
    "end in a header line": Case(OK + b"X: 1\r\nY", Fault.INCOMPLETE),
    "end after an interim answer": Case(b"HTTP/1.1 103 Hints\r\n\r\n", Fault.RESET),
}

BAD_BODIES = {
    "too short": Case(OK + b"Content-Length: 50\r\n\r\nhello", Fault.INCOMPLETE, b"hello", "disconnect"),
    "no body": Case(OK + b"Content-Length: 50\r\n\r\n", Fault.INCOMPLETE, b"", "disconnect"),
    "reset": Case(OK + b"Content-Length: 50\r\n\r\nhello", Fault.RESET, b"hello", "disconnect", "reset"),
    "chunks end early": Case(CHUNKED + b"5\r\nhello\r\n5\r\nwo", Fault.INCOMPLETE, b"hellowo", "disconnect"),
    "no last chunk": Case(CHUNKED + b"5\r\nhello\r\n", Fault.INCOMPLETE, b"hello", "disconnect"),
    "reset in chunks": Case(CHUNKED + b"5\r\nhello\r\n9\r\nwo", Fault.RESET, b"hellowo", "disconnect", "reset"),
    "negative chunk": Case(CHUNKED + b"5\r\nhello\r\n-5\r\nhello\r\n", Fault.PROTOCOL, b"hello", "disconnect"),
    "chunk of 20 digits": Case(
        CHUNKED + b"5\r\nhello\r\n" + b"f" * 20 + b"\r\n", Fault.PROTOCOL, b"hello", "disconnect"
    ),
    "chunk size in words": Case(CHUNKED + b"five\r\nhello\r\n", Fault.PROTOCOL, b"", "disconnect"),
    "0x before the size": Case(CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n", Fault.PROTOCOL, b"", "disconnect"),
    "chunk without its end": Case(
        CHUNKED + b"5\r\nhello5\r\nhello\r\n0\r\n\r\n", Fault.PROTOCOL, b"hello", "disconnect"
    ),
    "huge chunk extension": Case(
        CHUNKED + b"5;" + b"x" * 100_000 + b"\r\nhello\r\n0\r\n\r\n", Fault.PROTOCOL, b"", "disconnect"
    ),
    "huge trailer": Case(CHUNKED + b"5\r\nhello\r\n0\r\nX: " + b"y" * 100_000, Fault.PROTOCOL, b"hello", "disconnect"),
}

ODD_BUT_GOOD = {
    "longer than its length": Case(OK + b"Content-Length: 5\r\n\r\nhello and more", body=b"hello"),
    "same length twice": Case(OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", body=b"hello"),
    "no length": Case(OK + b"\r\nhello", body=b"hello"),
    "HTTP/1.0": Case(b"HTTP/1.0 200 OK\r\n\r\nhello", body=b"hello"),
    "line feeds only": Case(b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", body=b"hello"),
    "bytes over 127": Case(OK + b"X: \xe4\xff\r\nContent-Length: 5\r\n\r\nhello", body=b"hello"),
    "200 header lines": Case(OK + b"X: 1\r\n" * 198 + b"Content-Length: 5\r\n\r\nhello", body=b"hello"),
    "10 interim answers": Case(b"HTTP/1.1 103 Hints\r\nX: 1\r\n\r\n" * 10 + answer(b"hello"), body=b"hello"),
    "status 999": Case(answer(b"hello", status=b"999 Denied"), body=b"hello"),
    "folded header": Case(OK + b"X: a\r\n  b\r\nContent-Length: 5\r\n\r\nhello", body=b"hello"),
    "chunk extension": Case(CHUNKED + b'5;a="b"\r\nhello\r\n0\r\n\r\n', body=b"hello"),
    "trailers": Case(CHUNKED + b"5\r\nhello\r\n0\r\nX: y\r\n\r\n", body=b"hello"),
    "body on 304": Case(answer(b"hello", status=b"304 Not Modified")),
    "body on 204": Case(answer(b"hello", status=b"204 No Content")),
}


def table(cases: dict[str, Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


@table(BAD_HEADS)
def test_a_bad_head_is_a_failure_and_nothing_of_it_is_kept(case: Case) -> None:
    capture = run(visit(says(case.sent, case.then)))
    assert capture.failure is not None
    assert capture.failure.fault is case.fault
    assert capture.failure.detail
    assert (capture.status, capture.head, capture.wire, capture.body) == (0, b"", b"", b"")
    assert capture.truncated is None


@table(BAD_BODIES)
def test_a_bad_body_is_a_failure_that_keeps_what_came(case: Case) -> None:
    capture = run(visit(says(case.sent, case.then)))
    assert capture.failure is not None
    assert capture.failure.fault is case.fault
    assert capture.status == 200
    assert (capture.body, capture.truncated) == (case.body, case.truncated)
    assert case.sent.startswith(capture.head + capture.wire)


@table(ODD_BUT_GOOD)
def test_an_odd_answer_is_an_answer(case: Case) -> None:
    capture = run(visit(says(case.sent, case.then)))
    assert capture.failure is None
    assert capture.status > 0
    assert (capture.body, capture.truncated) == (case.body, case.truncated)


ENDLESS = {
    "body": repeats(OK + b"\r\n", b"x" * 65_536),
    "body shorter than its length": repeats(OK + b"Content-Length: 99999999999\r\n\r\n", b"x" * 65_536),
    "chunks": repeats(CHUNKED, b"10000\r\n" + b"x" * 65_536 + b"\r\n"),
    "one chunk": repeats(CHUNKED + b"ffffffffff\r\n", b"x" * 65_536),
}


@pytest.mark.parametrize("handler", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_endless_body_is_cut_at_the_limit_and_marked(handler: Handler) -> None:
    capture = run(visit(handler, SMALL))
    assert capture.failure is None
    assert capture.truncated == "length"
    assert capture.body == b"x" * 100_000
    assert len(capture.wire) <= 100_000 + 65_536


def test_chunks_that_carry_nothing_do_not_go_on_for_ever() -> None:
    limits = Limits(html=10_000, framing=10_000)
    capture = run(visit(repeats(CHUNKED, b"1;%s\r\nx\r\n" % (b"e" * 4000)), limits))
    assert capture.truncated == "length"
    assert len(capture.wire) <= 20_000 + 16_384


DRIPS = {
    "never answers": (says(b"", "hang"), Fault.TIMEOUT, 0),
    "hangs in the status line": (says(b"HTTP/1.1 2", "hang"), Fault.TIMEOUT, 0),
    "hangs in the head": (says(OK, "hang"), Fault.TIMEOUT, 0),
    "hangs before the body": (says(OK + b"\r\n", "hang"), Fault.TIMEOUT, 200),
    "hangs in the body": (says(OK + b"\r\nhello", "hang"), Fault.TIMEOUT, 200),
    "hangs in a chunk size": (says(CHUNKED + b"5\r\nhello\r\n5", "hang"), Fault.TIMEOUT, 200),
    "drips its status line": (repeats(b"HTTP/1.1 200 ", b"O", 0.02), Fault.TIMEOUT, 0),
    "drips one header": (repeats(OK + b"X: ", b"y", 0.02), Fault.TIMEOUT, 0),
    "drips headers": (repeats(OK, b"X: y\r\n", 0.02), Fault.TOO_SLOW, 0),
    "drips its body": (repeats(OK + b"\r\n", b"x", 0.02), Fault.TOO_SLOW, 200),
    "drips chunks": (repeats(CHUNKED, b"1\r\nx\r\n", 0.05), Fault.TOO_SLOW, 200),
}


@pytest.mark.parametrize(("handler", "fault", "status"), DRIPS.values(), ids=DRIPS.keys())
def test_a_server_that_stalls_is_given_up(handler: Handler, fault: Fault, status: int) -> None:
    capture = run(visit(handler, QUICK))
    assert capture.failure is not None
    assert capture.failure.fault is fault
    assert capture.status == status
    assert capture.truncated == ("time" if status else None)


def test_the_total_time_bounds_an_answer_that_keeps_coming() -> None:
    limits = Limits(total=0.3)
    capture = run(visit(repeats(OK + b"\r\n", b"x" * 1000, 0.01), limits))
    assert capture.failure is not None
    assert capture.failure.fault is Fault.TIMEOUT
    assert capture.truncated == "time"
    assert capture.body
    assert set(capture.body) == {ord("x")}


def test_stalled_hosts_do_not_hold_up_the_others() -> None:
    async def main() -> None:
        async with (
            serving(repeats(OK + b"\r\n", b"x", 0.05)) as slow,
            serving(says(answer(b"hello"))) as good,
            fetching(Limits()) as fetcher,
        ):
            stalled = [asyncio.create_task(fetcher(Visit(slow.url()))) for _ in range(50)]
            captures = await asyncio.gather(*(fetcher(Visit(good.url())) for _ in range(20)))
            assert [capture.body for capture in captures] == [b"hello"] * 20
            assert not any(task.done() for task in stalled)
            for task in stalled:
                task.cancel()
            await asyncio.gather(*stalled, return_exceptions=True)

    run(main())


def test_bytes_after_the_end_never_become_the_next_answer() -> None:
    poison = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

    async def main(first: bytes) -> tuple[list[bytes], int]:
        replies = [first + poison, answer(b"second")]

        async def handle(talk: Talk) -> bool:
            await talk.send(replies.pop(0))
            return True

        async with serving(handle) as server, fetching() as fetcher:
            return [(await fetcher(Visit(server.url()))).body for _ in range(2)], server.connections

    for first in (answer(b"first"), CHUNKED + chunked(b"first")):
        assert run(main(first)) == ([b"first", b"second"], 2), "such a connection is not used again"


def test_what_follows_the_last_chunk_is_not_archived() -> None:
    capture = run(visit(says(CHUNKED + chunked(b"hello") + b"HTTP/1.1 200 OK\r\n\r\n")))
    assert capture.failure is None
    assert capture.wire == chunked(b"hello")


def test_descriptors_stay_flat_over_hundreds_of_failures() -> None:
    handlers = [
        says(b""),
        says(b"", "reset"),
        says(OK + b"Content-Length: 50\r\n\r\nhello"),
        says(OK + b"Content-Length: 50\r\n\r\nhello", "reset"),
        says(OK + b"nonsense\r\n\r\n"),
        says(CHUNKED + b"zz\r\n"),
        repeats(OK + b"\r\n", b"x" * 65_536),
    ]

    async def main() -> tuple[int, int]:
        calls = 0

        async def handle(talk: Talk) -> bool | None:
            nonlocal calls
            calls += 1
            return await handlers[calls % len(handlers)](talk)

        async with serving(handle) as server, fetching(SMALL) as fetcher:

            async def burst(count: int) -> int:
                for _ in range(count // 20):
                    await asyncio.gather(*(fetcher(Visit(server.url())) for _ in range(20)))
                return len(os.listdir("/proc/self/fd"))

            return await burst(60), await burst(400)

    before, after = run(main())
    assert after <= before + 20  # the last burst's connections may still be closing


def test_robots_and_sitemaps_have_their_own_limits() -> None:
    endless = repeats(OK.replace(b"text/html", b"image/png") + b"\r\n", b"x" * 65_536)
    limits = Limits(robots=1000, sitemap=2000)
    for kind, size in ((Kind.ROBOTS, 1000), (Kind.SITEMAP, 2000), (Kind.PAGE, 0)):
        capture = run(visit(endless, limits, kind=kind, depth=1))
        assert (len(capture.body), capture.truncated, capture.failure) == (size, "length", None)
