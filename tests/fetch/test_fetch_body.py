"""A body is taken in up to its limits, to the byte, and what is wrong with it is said once."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from fetch_hostile import chunked

from gossamer.fetch import Limits, decode
from gossamer.fetch.body import Content, open_body
from gossamer.fetch.head import Head, read_head

PLAIN = b""
GZIP = b"Content-Encoding: gzip\r\n"
DEFLATE = b"Content-Encoding: deflate\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def head(fields: bytes) -> Head:
    found = read_head([b"HTTP/1.1 200 OK\r\n", *fields.splitlines(keepends=True), b"\r\n"], Limits())
    assert isinstance(found, Head)
    return found


def take(
    fields: bytes,
    *pieces: bytes,
    cap: int = 1 << 20,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    whole: bool = True,
) -> tuple[list[bool], Content]:
    """Whether more was wanted after each piece, and what is left in the end."""
    body = open_body(head(fields), cap, limits)
    return [body.feed(piece) for piece in pieces], body.close(whole=whole)


def test_a_plain_body_as_long_as_its_limit_is_whole_and_one_byte_more_is_cut() -> None:
    assert take(PLAIN, b"abc", b"de", cap=5) == ([True, True], Content(b"abcde", b"abcde", cut=False))
    assert take(PLAIN, b"abc", b"def", cap=5) == ([True, False], Content(b"abcde", b"abcde", cut=True))


def test_a_decoded_body_as_long_as_its_limit_is_whole_and_one_byte_more_is_cut() -> None:
    packed = gzip.compress(b"abcde")
    assert take(GZIP, packed, cap=5) == ([True], Content(packed, b"abcde", cut=False))
    assert take(GZIP, packed, cap=4) == ([False], Content(packed, b"abcd", cut=True))


def test_the_wire_may_be_longer_than_the_payload_by_its_framing_and_no_more() -> None:
    limits = Limits(framing=6)
    wire = chunked(b"hello")
    assert len(wire) == 5 + 10
    assert take(CHUNKED, wire, cap=9, limits=limits)[0] == [True]
    assert take(CHUNKED, wire, cap=8, limits=limits)[1].cut


def test_what_is_held_is_what_came_and_what_it_was_decoded_to() -> None:
    plain, coded = open_body(head(PLAIN), 100, Limits()), open_body(head(GZIP), 100, Limits())
    packed = gzip.compress(b"hello")
    plain.feed(b"hello")
    coded.feed(packed)
    assert (plain.received, plain.held) == (5, 5)
    assert (coded.received, coded.held) == (len(packed), len(packed) + 5)


@pytest.mark.parametrize("framing", [PLAIN, CHUNKED])
def test_a_body_that_grows_too_much_is_cut_where_it_became_a_bomb(framing: bytes) -> None:
    packed = zlib.compress(bytes(100_000))
    limits = Limits(ratio=10, ratio_after=0)
    wire = chunked(packed) if framing else packed
    more, content = take(framing + DEFLATE, wire, limits=limits)
    assert (more, content.cut, len(content.payload)) == ([False], True, 10 * len(packed))
    assert content.decoding == "grows more than 10 times when decoded"
    more, content = take(framing + DEFLATE, wire, limits=Limits(ratio=10, ratio_after=100_000))
    assert (more, content.cut, len(content.payload), content.decoding) == ([True], False, 100_000, None)


@pytest.mark.parametrize("codings", [b"gzip, br", b"gzip, zstd", b"gzip, gzip", b"zstd, br", b"gzip", b"zstd"])
def test_codings_that_stand_for_nothing_are_a_bomb_too(codings: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members or frames without content, packed again: nothing ever comes out, and it would take minutes."""
    inner, _, outer = codings.decode().partition(", ")
    empty = {"gzip": gzip.compress(b"", mtime=0), "zstd": b"\x50\x2a\x4d\x18\0\0\0\0"}[inner]
    pack = {"br": brotli.compress, "zstd": zstandard.compress, "gzip": gzip.compress, "": bytes}[outer]
    begun: list[None] = []
    monkeypatch.setattr(decode, "_may_begin", lambda *_: begun.append(None) or True)
    wanted, content = take(b"Content-Encoding: " + codings + b"\r\n", pack(empty * (1 << 20)), cap=64 << 20)
    assert wanted == [False]
    assert content.payload == b""
    assert content.decoding in ("grows more than 200 times when decoded", "is made of members without content")
    assert len(begun) < 70_000


def test_a_body_that_grows_just_as_much_as_it_may_is_whole() -> None:
    packed = zlib.compress(bytes(1_000))
    assert 1_000 % len(packed) == 0 or len(packed) < 40
    ratio = -(-1_000 // len(packed))
    assert take(DEFLATE, packed, limits=Limits(ratio=ratio, ratio_after=0))[1].payload == bytes(1_000)
    assert take(DEFLATE, packed, limits=Limits(ratio=ratio - 1, ratio_after=0))[1].cut


def test_an_end_that_is_missing_is_said_only_where_the_body_came_to_its_end() -> None:
    packed = gzip.compress(b"hello")
    assert take(GZIP, packed[:-3])[1].decoding == "gzip: breaks off before its end"
    assert take(GZIP, packed[:-3], whole=False)[1].decoding is None
    assert take(GZIP, packed, cap=3)[1].decoding is None


def test_what_follows_the_last_chunk_is_not_kept_and_ends_the_transfer() -> None:
    wire = chunked(b"hello")
    assert take(CHUNKED, wire, b"more") == ([True, False], Content(wire, b"hello", cut=False))
    assert take(CHUNKED, wire + b"x") == ([False], Content(wire, b"hello", cut=False))


def test_chunks_that_are_none_end_the_transfer_and_are_named() -> None:
    more, content = take(CHUNKED, b"5\r\nhello\r\n", b"nonsense\r\n")
    assert more == [True, False]
    assert (content.wire, content.payload) == (b"5\r\nhello\r\nnonsense\r\n", b"hello")
    assert content.framing == "no chunk size: b'nonsense'"
    assert (content.cut, content.decoding) == (False, None)


def test_a_body_that_never_was_compressed_comes_as_it_is() -> None:
    assert take(GZIP, b"hello")[1].payload == b"hello"
    assert take(GZIP, b"hello", cap=3)[1].payload == b"hel"
