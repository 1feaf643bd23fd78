"""The chunked coding is undone piece by piece, and what is ambiguous is a fault."""

from __future__ import annotations

import pytest
from fetch_hostile import chunked
from hypothesis import given
from hypothesis import strategies as st

from gossamer.fetch.chunked import Dechunker


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


def test_a_million_chunks_of_one_byte_are_refused() -> None:
    dechunker = Dechunker()
    for _ in range(100):
        dechunker.feed(b"1\r\nx\r\n" * 10_000)
    assert dechunker.fault == "more than 200,000 chunks"


def test_what_follows_the_end_is_counted_and_left_out() -> None:
    payload, dechunker = feed(chunked(b"hello") + b"more", 1)
    assert (payload, dechunker.excess) == (b"hello", 4)
