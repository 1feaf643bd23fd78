"""The chunked coding is undone piece by piece, and what is ambiguous is a fault."""

from __future__ import annotations

import pytest
from fetch_hostile import chunked
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch import chunked as module
from gossamer.fetch.chunked import Dechunker

LINE, TRAILERS = 8 * 1024, 16 * 1024


def feed(wire: bytes, step: int) -> tuple[bytes, Dechunker]:
    dechunker = Dechunker()
    payload = b"".join(dechunker.feed(wire[at : at + step]) for at in range(0, len(wire), step))
    return payload, dechunker


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=20), st.integers(1, 60))
def test_what_was_chunked_comes_back_in_whatever_pieces_it_came(pieces: list[bytes], step: int) -> None:
    payload, dechunker = feed(chunked(*pieces), step)
    assert payload == b"".join(pieces)
    assert dechunker.done
    assert (dechunker.fault, dechunker.excess) == (None, 0)


@given(st.binary(max_size=200), st.integers(1, 60))
def test_no_input_raises_and_pieces_make_no_difference(wire: bytes, step: int) -> None:
    whole, dripped = feed(wire, len(wire) or 1), feed(wire, step)
    assert whole[0] == dripped[0]
    assert (whole[1].done, whole[1].fault) == (dripped[1].done, dripped[1].fault)


@pytest.mark.parametrize(
    "wire",
    [
        b"-5\r\nhello\r\n",
        b"+5\r\nhello\r\n",
        b" 5\r\nhello\r\n",
        b"0x5\r\nhello\r\n",
        b"5_0\r\nhello\r\n",
        b"\r\nhello\r\n",
        b";ext\r\nhello\r\n",
        b"5 5\r\nhello\r\n",
        b"f" * 16 + b"\r\nhello\r\n",
        b"f" * 17 + b"\r\nhello\r\n",
        b"5\r\nhelloX\r\n",
        b"5\r\nhello\rX\n",
        b"5\r\nhello5\r\nhello\r\n",
        b"5" * 9000,
        b"5;" + b"x" * 9000 + b"\r\n",
        b"0\r\n" + b"X: " + b"y" * 9000,
        b"0\r\n" + b"X: y\r\n" * 9000,
    ],
    ids=lambda wire: repr(wire[:24]),
)
@pytest.mark.parametrize("step", [1, 100_000])
def test_chunks_that_are_none_are_a_fault(wire: bytes, step: int) -> None:
    payload, dechunker = feed(wire, step)
    assert dechunker.fault
    assert not dechunker.done
    assert payload in (b"", b"hello")


def test_what_follows_the_end_is_counted_and_left_out() -> None:
    payload, dechunker = feed(chunked(b"hello") + b"more", 1)
    assert (payload, dechunker.excess) == (b"hello", 4)


@pytest.mark.parametrize("step", [1, 1_000, 100_000])
def test_lines_and_trailers_may_be_long_and_no_longer(step: int) -> None:
    for line in (b"5;%s\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0;%s\r\n\r\n", b"5\r\nhello\r\n0\r\n%s\r\n\r\n"):
        room = LINE - 2 - (2 if b";" in line else 0)  # the line with its CR is shorter than the limit
        payload, dechunker = feed(line % (b"x" * room), step)
        assert (payload, dechunker.done, dechunker.fault) == (b"hello", True, None)
        _, dechunker = feed(line % (b"x" * (room + 1)), step)
        assert dechunker.fault == "a line of the chunked coding is too long"
    field = b"X: " + b"y" * 4_093
    assert len(field) * 4 == TRAILERS
    assert feed(b"0\r\n" + (field + b"\r\n") * 4 + b"\r\n", step)[1].done
    _, dechunker = feed(b"0\r\n" + (field + b"\r\n") * 4 + b"z\r\n\r\n", step)
    assert dechunker.fault == "too many trailers"


def test_the_most_chunks_are_read_and_one_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._CHUNKS == 200_000, "a body of one-byte chunks is an attack"
    monkeypatch.setattr(module, "_CHUNKS", 200)
    dechunker = Dechunker()
    assert dechunker.feed(b"1\r\nx\r\n" * 200) == b"x" * 200
    assert dechunker.fault is None
    dechunker.feed(b"1\r\nx\r\n")
    assert dechunker.fault == "more than 200 chunks"


@pytest.mark.parametrize("size", [b"3fffffffffffffff", b"003fffffffffffff"])
def test_a_size_that_no_body_has_is_read_and_a_larger_one_refused(size: bytes) -> None:
    payload, dechunker = feed(size + b"\r\nhello", 1)
    assert (payload, dechunker.done, dechunker.fault) == (b"hello", False, None)
    _, dechunker = feed(b"4000000000000000\r\nhello", 1)
    assert dechunker.fault == "no chunk size: b'4000000000000000'"


def test_the_fault_shows_the_beginning_of_the_line_and_ends_the_reading() -> None:
    payload, dechunker = feed(b"5\r\nhello" + b"x" * 50 + b"\r\n5\r\nhello\r\n", 1_000)
    assert (payload, dechunker.fault) == (b"hello", f"a chunk is longer than its size: {b'x' * 40!r}")
    assert dechunker.feed(b"5\r\nhello\r\n0\r\n\r\n") == b""
    assert not dechunker.done
    _, dechunker = feed(b"y" * 50 + b"\r\n", 1_000)
    assert dechunker.fault == f"no chunk size: {b'y' * 40!r}"


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_lines_end_with_a_line_feed_whatever_stands_before_it(end: bytes, step: int) -> None:
    wire = end.join([b"5", b"hello", b"A;x=y", b"0123456789", b"0", b"X: y", b"", b""])
    payload, dechunker = feed(wire, step)
    assert (payload, dechunker.done, dechunker.fault, dechunker.excess) == (b"hello0123456789", True, None, 0)
    assert feed(wire + b"12345", step)[1].excess == 5
