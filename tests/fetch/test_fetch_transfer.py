"""What is kept of an answer that did not go well: the table of `fetch/transfer.py`, without a network."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fetch_hostile import chunked

from gossamer.fetch import Guard, Limits
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.transfer import OK, OVERDUE, STOPPED_BY_US, Outcome, Transfer
from gossamer.model import Failure, Fault, Kind, Visit

VISIT = Visit("http://site.test/")
LIMITS = Limits(connect=10.0, first_byte=20.0, idle=30.0, total=1_000.0, slow_seconds=900.0, html=10)
HTML = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html\r\n", b"\r\n"]
CHUNKS = [*HTML[:2], b"Transfer-Encoding: chunked\r\n", b"\r\n"]
IMAGE = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: image/png\r\n", b"\r\n"]
RESET = 56


def transfer(
    lines: list[bytes] | None = None,
    *pieces: bytes,
    held: Held | None = None,
    visit: Visit = VISIT,
    limits: Limits = LIMITS,
) -> Transfer:
    """A request that went out, the lines that came back, and pieces of its body."""
    begun = Transfer(visit, limits, Guard(["127.0.0.1"]), held or Held())
    if lines is not None:
        assert begun.ready("127.0.0.1")
        begun.lines += lines
    for piece in pieces:
        begun.wrote(piece)
    return begun


def told(outcome: Outcome) -> tuple[bytes, str | None, Fault | None]:
    """What is kept, how it is cut, what went wrong."""
    return outcome.content.payload, outcome.truncated, outcome.failure.fault if outcome.failure else None


@pytest.mark.parametrize("code", [OK, STOPPED_BY_US])
def test_a_good_answer_is_whole(code: int) -> None:
    outcome = transfer(HTML, b"hello").outcome(code, "")
    assert told(outcome) == (b"hello", None, None)
    assert outcome.head is not None
    assert outcome.head.status == 200
    assert told(transfer(HTML).outcome(code, "")) == (b"", None, None)


def test_what_is_too_long_is_cut_without_a_failure() -> None:
    long = transfer(HTML)
    assert [long.wrote(b"x" * 10), long.wrote(b"y")] == [True, False]
    assert told(long.outcome(STOPPED_BY_US, "")) == (b"x" * 10, "length", None)


def test_without_a_type_the_first_bytes_tell_how_much_is_wanted() -> None:
    limits, untold = Limits(text=10, document=30), [HTML[0], b"\r\n"]
    assert told(transfer(untold, b"%PDF-1.4 ", b"x" * 20, limits=limits).outcome(OK, ""))[1] is None
    assert told(transfer(untold, b"words of ", b"x" * 20, limits=limits).outcome(OK, ""))[1] == "length"


def test_of_a_type_that_nobody_reads_the_head_is_kept() -> None:
    image = transfer(IMAGE, visit=replace(VISIT, depth=1))
    assert not image.wrote(b"x")
    outcome = image.outcome(STOPPED_BY_US, "")
    assert told(outcome) == (b"", "length", None)
    assert outcome.head is not None
    assert outcome.head.media_type == "image/png"
    robots = transfer(IMAGE, visit=Visit("http://site.test/robots.txt", Kind.ROBOTS))
    assert robots.wrote(b"x")


@pytest.mark.parametrize(
    ("code", "fault"), [(18, Fault.INCOMPLETE), (RESET, Fault.RESET), (52, Fault.RESET), (35, Fault.TLS)]
)
def test_a_connection_that_ends_in_the_body_leaves_what_came(code: int, fault: Fault) -> None:
    assert told(transfer(HTML, b"hel").outcome(code, "words")) == (b"hel", "disconnect", fault)
    assert told(transfer(HTML, b"x" * 11).outcome(code, "words")) == (b"x" * 10, "length", fault)


def test_chunks_that_are_none_are_a_failure_that_keeps_what_came() -> None:
    outcome = transfer(CHUNKS, chunked(b"hello")[:-5], b"nonsense\r\n").outcome(STOPPED_BY_US, "")
    assert told(outcome) == (b"hello", "disconnect", Fault.PROTOCOL)


def test_an_answer_that_stops_coming_keeps_what_came_with_the_time() -> None:
    late = transfer(HTML, b"hel")
    assert [late.overdue(now) for now in (100.0, 129.9, 130.0)] == [False, False, True]
    assert told(late.outcome(OVERDUE, "")) == (b"hel", "time", Fault.TIMEOUT)
    slow = transfer(HTML, limits=Limits(slow_rate=500, slow_seconds=5.0))
    seconds = [slow.overdue(100.0)]
    for second in range(1, 8):
        slow.wrote(b"x")
        seconds.append(slow.overdue(100.0 + second))
    assert seconds.index(True) == 5
    assert told(slow.outcome(OVERDUE, ""))[1:] == ("time", Fault.TOO_SLOW)


@pytest.mark.parametrize("lines", [[], HTML[:1], HTML[:2]])
def test_before_the_head_is_complete_nothing_is_kept(lines: list[bytes]) -> None:
    reset = transfer(lines).outcome(RESET, "words")
    assert (reset.head, told(reset)) == (None, (b"", None, Fault.RESET))
    ended = transfer(lines).outcome(OK, "")
    assert (ended.head, told(ended)) == (None, (b"", None, Fault.INCOMPLETE))


def test_what_is_wrong_with_a_head_is_said_though_the_connection_broke_too() -> None:
    both = [*HTML[:2], b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n"]
    bad = transfer(both)
    assert not bad.wrote(b"hello")
    outcome = bad.outcome(RESET, "words")
    assert (outcome.head, told(outcome)) == (None, (b"", None, Fault.PROTOCOL))


def test_a_connection_that_never_stands_is_given_up_and_nothing_was_asked() -> None:
    waiting = transfer()
    assert [waiting.overdue(now) for now in (100.0, 109.9, 110.0)] == [False, False, True]
    assert (waiting.asked, waiting.address) == (False, None)
    assert waiting.outcome(OVERDUE, "") == Outcome(failure=Failure(Fault.TIMEOUT, "no connection within 10 s"))
    assert told(transfer().outcome(7, "refused")) == (b"", None, Fault.CONNECT)


def test_an_answer_that_never_begins_is_given_up() -> None:
    silent = transfer([])
    assert [silent.overdue(now) for now in (100.0, 119.9, 120.0)] == [False, False, True]


def test_lines_of_the_head_are_progress() -> None:
    dripping = transfer([])
    assert not dripping.overdue(100.0)
    for now in (115.0, 130.0, 145.0):
        dripping.lines.append(b"X: y\r\n")
        assert not dripping.overdue(now)
    assert dripping.overdue(175.0)


def test_time_that_an_answer_waits_for_room_is_ours() -> None:
    held = Held(100, 1)
    held.begin(Visit("http://other.test/"))
    held.begin(VISIT)
    late = transfer(HTML, b"hel", held=held)
    assert not late.overdue(100.0)
    assert (late.fits(b"x" * 200), late.waits) == (False, True)
    assert [late.overdue(now) for now in (110.0, 5_000.0)] == [False, False]
    assert (late.fits(b"x" * 10), late.waits) == (True, False)
    assert [late.overdue(now) for now in (5_010.0, 5_029.0, 5_030.0)] == [False, False, True]


def test_bytes_are_counted_as_they_come_and_as_they_are_decoded() -> None:
    held = Held(1_000, 1)
    held.begin(VISIT)
    transfer(HTML, b"hello", held=held)
    assert held.octets == 5
    held.begin(VISIT)
    transfer(CHUNKS, chunked(b"hello"), held=held)
    assert held.octets == len(chunked(b"hello")) + 5


def test_an_address_that_is_refused_is_named_whatever_libcurl_says() -> None:
    refused = transfer()
    assert (refused.admits("127.0.0.1"), refused.admits("10.0.0.1")) == (True, False)
    assert str(refused.outcome(42, "words").failure) == "blocked-address: 10.0.0.1 is a private address"
    ready = transfer()
    assert not ready.ready("10.0.0.1")
    assert ready.outcome(42, "").failure is not None


def test_without_a_guard_every_address_is_admitted_and_none_is_named() -> None:
    proxied = Transfer(VISIT, LIMITS, None, Held())
    assert proxied.ready("10.0.0.1")
    assert proxied.address is None


def test_a_request_that_goes_out_twice_is_known_and_what_came_first_is_dropped() -> None:
    twice = transfer([b"HTTP/1.1 200 Connection established\r\n"])
    assert (twice.asked, twice.resent) == (True, False)
    assert twice.ready("127.0.0.1")
    assert (twice.asked, twice.resent, twice.lines) == (True, True, [])


def test_a_mistake_of_ours_ends_the_transfer_and_is_raised_in_the_end() -> None:
    class Broken(Guard):
        def refusal(self, address: str) -> str | None:
            raise ZeroDivisionError("ours")

    unchecked = Transfer(VISIT, LIMITS, Broken(), Held())
    assert not unchecked.admits("8.8.8.8")
    with pytest.raises(ZeroDivisionError, match="ours"):
        unchecked.outcome(OK, "")
