"""Content codings are undone in a stream: everything readable is kept, and no more than is wanted."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import pytest
import zstandard

from gossamer.fetch.body import Content, open_body
from gossamer.fetch.decode import Decoder, _brotli
from gossamer.fetch.head import Head
from gossamer.fetch.limits import Limits
from reference import reference

TEXT = b"".join(b"line %d of a text with %d words\n" % (n, n * n % 97) for n in range(200))


def raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -15)
    return squeeze.compress(data) + squeeze.flush()


def brotli(data: bytes) -> bytes:
    squeeze = _brotli.Compressor(quality=5)
    return bytes(squeeze.process(data) + squeeze.finish())


def zstd(data: bytes) -> bytes:
    squeeze = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    return squeeze.compress(data) + squeeze.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", lambda data: gzip.compress(data, mtime=0)),
    "x-gzip": ("x-gzip", lambda data: gzip.compress(data, mtime=0)),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", brotli),
    "zstd": ("zstd", zstd),
}
every_coding = pytest.mark.parametrize(("coding", "encode"), ENCODERS.values(), ids=ENCODERS.keys())


def read(wire: bytes, *codings: str, limits: Limits = Limits(), step: int = 16_384) -> Content:  # noqa: B008  # a frozen value
    """A body as it comes in from a socket, `step` bytes at a time."""
    body = open_body(Head(b"", 200, (), "text/html", False, codings), limits.html, limits)
    for at in range(0, len(wire), step):
        if not body.feed(wire[at : at + step]):
            break
    return body.close(whole=True)


@every_coding
@pytest.mark.parametrize("step", [1, 7, 1000, 16_384])
def test_a_good_body_comes_out_whole_in_whatever_pieces_it_came(
    coding: str, encode: Callable[[bytes], bytes], step: int
) -> None:
    content = read(encode(TEXT), coding, step=step)
    assert content == Content(encode(TEXT), TEXT, cut=False)


@every_coding
def test_an_empty_body_is_empty(coding: str, encode: Callable[[bytes], bytes]) -> None:
    assert read(encode(b""), coding).payload == b""
    assert read(encode(b""), coding).decoding is None
    assert read(b"", coding) == Content(b"", b"", cut=False)


@every_coding
def test_a_body_cut_at_any_byte_gives_a_beginning_and_says_so(coding: str, encode: Callable[[bytes], bytes]) -> None:
    text = TEXT[:700]
    wire = encode(text)
    longest = 0
    for size in range(1, len(wire)):
        content = read(wire[:size], coding)
        assert text.startswith(content.payload)
        assert content.decoding is not None
        assert "breaks off" in content.decoding
        assert len(content.payload) >= longest, "more input never gives less output"
        longest = len(content.payload)
    assert longest or coding == "zstd"  # zstd gives whole blocks, and this is one


@every_coding
def test_a_body_damaged_at_any_byte_never_raises(coding: str, encode: Callable[[bytes], bytes]) -> None:
    wire = encode(TEXT[:700])
    for at in range(len(wire)):
        damaged = wire[:at] + bytes([wire[at] ^ 0x55]) + wire[at + 1 :]
        whole, dripped = read(damaged, coding), read(damaged, coding, step=1)
        assert whole.payload == dripped.payload, "what is kept does not depend on how it came"
        assert len(whole.payload) <= 5_000_000


@pytest.mark.parametrize("encode", [gzip.compress, zlib.compress], ids=["gzip", "zlib"])
def test_a_wrong_checksum_costs_nothing_but_a_remark(encode: Callable[[bytes], bytes]) -> None:
    wire = bytearray(encode(TEXT))
    wire[-5 if encode is gzip.compress else -1] ^= 0xFF
    content = read(bytes(wire), "gzip" if encode is gzip.compress else "deflate")
    assert content.payload == TEXT
    assert content.decoding is not None
    assert not content.cut


@every_coding
def test_what_follows_the_end_is_left_out_with_a_remark(coding: str, encode: Callable[[bytes], bytes]) -> None:
    for step in (1, 16_384):
        content = read(encode(TEXT) + b"garbage" * 10, coding, step=step)
        assert content.payload == TEXT
        assert content.decoding is not None
        assert "follows" in content.decoding


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_members_and_frames_follow_each_other(name: str) -> None:
    coding, encode = ENCODERS[name]
    for step in (1, 16_384):
        content = read(encode(TEXT) + encode(b"") + encode(TEXT[::-1]), coding, step=step)
        assert content.payload == TEXT + TEXT[::-1]
        assert content.decoding is None


def test_a_zstd_frame_to_be_skipped_is_skipped() -> None:
    skipped = b"\x53\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"skip"
    assert read(zstd(TEXT) + skipped + zstd(TEXT), "zstd").payload == TEXT * 2


def test_a_zstd_window_over_eight_mebibytes_is_refused() -> None:
    settings = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    squeeze = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    content = read(squeeze.compress(TEXT) + squeeze.flush(), "zstd")
    assert content.payload == b""
    assert content.decoding is not None


@every_coding
def test_plain_text_that_claims_to_be_encoded_is_kept_as_it_came(coding: str, encode: Callable[[bytes], bytes]) -> None:
    plain = b"<!doctype html>\n<p>Not encoded at all, whatever the server says.</p>\n" * 50
    for step in (1, 16_384):
        content = read(plain, coding, step=step)
        assert content.payload == plain
        assert content.decoding is not None


def test_two_layers_are_undone_and_three_are_not() -> None:
    twice = zlib.compress(gzip.compress(TEXT))
    assert read(twice, "gzip", "deflate").payload == TEXT
    thrice = gzip.compress(twice)
    content = read(thrice, "gzip", "deflate", "gzip")
    assert content.payload == thrice
    assert content.decoding == "3 codings upon each other, at most 2 are undone"
    assert read(thrice, "gzip", "deflate", "gzip", limits=Limits(layers=3)).payload == TEXT


def test_an_unknown_coding_is_left_on_and_named() -> None:
    assert read(TEXT, "utf-8") == Content(TEXT, TEXT, cut=False, decoding="unknown coding 'utf-8'")
    assert read(gzip.compress(TEXT), "compress", "gzip").payload == TEXT
    assert read(gzip.compress(TEXT), "gzip", "compress").payload == gzip.compress(TEXT)


# Bombs: each is made piece by piece and stands for gigabytes.


def endless_gzip() -> Iterator[bytes]:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    while True:
        yield squeeze.compress(bytes(1 << 20))


def endless_deflate() -> Iterator[bytes]:
    squeeze = zlib.compressobj(9)
    while True:
        yield squeeze.compress(bytes(1 << 20))


def endless_brotli() -> Iterator[bytes]:
    squeeze = _brotli.Compressor(quality=5)
    while True:
        yield squeeze.process(bytes(1 << 20)) + squeeze.flush()


def endless_zstd() -> Iterator[bytes]:
    """A frame of blocks that each say: this byte, 128 KiB of it, in four bytes."""
    yield b"\x28\xb5\x2f\xfd\x00\x58"
    block = (1 << 1 | (128 * 1024) << 3).to_bytes(3, "little") + b"\0"
    while True:
        yield block * 256


BOMBS = {
    "gzip": (endless_gzip, "gzip"),
    "deflate": (endless_deflate, "deflate"),
    "br": (endless_brotli, "br"),
    "zstd": (endless_zstd, "zstd"),
}


@pytest.mark.parametrize(("bomb", "coding"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_cut_by_its_ratio_in_little_memory(bomb: Callable[[], Iterator[bytes]], coding: str) -> None:
    limits = Limits()
    body = open_body(Head(b"", 200, (), "", False, (coding,)), limits.document, limits)
    tracemalloc.start()
    wire = (piece for piece in bomb() if piece)
    fed = 0
    for piece in wire:
        fed += len(piece)
        if not body.feed(piece):
            break
    content = body.close(whole=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert content.cut
    assert content.decoding == "grows more than 200 times when decoded"
    assert len(content.payload) <= 200 * fed + (10 << 20)
    assert peak < 3 * len(content.payload) + (20 << 20)


def test_a_bomb_within_a_bomb_is_cut() -> None:
    inner = gzip.compress(bytes(20 << 20))
    content = read(zlib.compress(inner), "gzip", "deflate")
    assert content.cut
    assert content.payload == bytes(len(content.payload))


def test_a_large_body_of_usual_density_is_cut_only_by_its_size() -> None:
    numbers = random.Random(7)
    text = bytes(numbers.choices(b"etaoin shrdlu", k=2 << 20))
    content = read(gzip.compress(text), "gzip", limits=Limits(html=1 << 20))
    assert content.payload == text[: 1 << 20]
    assert content.cut
    assert content.decoding is None


def test_a_stream_that_stands_for_nothing_is_bounded_on_the_wire() -> None:
    limits = Limits(html=100_000, framing=50_000)
    empty_members = gzip.compress(b"") * 100_000
    content = read(empty_members, "gzip", limits=limits)
    assert content.cut
    assert len(content.wire) <= 150_000 + 16_384


# The reference set: http-compressed.


def test_reference_bodies_decode() -> None:
    folder = reference("http-compressed")
    cases = json.loads((folder / "cases.json").read_text())["decode"]
    page = hashlib.sha256(read((folder / "files/html-gzip.bin").read_bytes(), "gzip").payload).hexdigest()
    assert cases
    for case in cases:
        codings = [name.strip() for name in case["content_encoding"].split(",")]
        wire = (folder / "files" / case["file"]).read_bytes()
        content = read(wire, *codings, limits=Limits(layers=3))
        assert content.decoding is None, case["file"]
        assert not content.cut
        if "decoded_sha256" in case:
            assert hashlib.sha256(content.payload).hexdigest() == case["decoded_sha256"]
        elif len(codings) > 1:
            assert hashlib.sha256(content.payload).hexdigest() == page
        else:
            assert b"<html" in content.payload.lower()
            assert content.payload.rstrip().endswith(b"</html>")


def test_reference_bombs_are_capped_in_flat_memory() -> None:
    folder = reference("http-compressed")
    bombs = json.loads((folder / "cases.json").read_text())["bombs_must_be_refused_or_capped"]
    assert bombs
    for case in bombs:
        wire = (folder / "files" / case["file"]).read_bytes()
        tracemalloc.start()
        content = read(wire, case["content_encoding"])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert content.cut, case["file"]
        assert len(content.payload) <= Limits().html
        assert peak < 30 << 20, case["file"]


def test_reference_truncated_streams_give_what_was_readable() -> None:
    folder = reference("http-compressed")
    cases = json.loads((folder / "cases.json").read_text())["truncated_return_what_was_read"]
    assert cases
    for case in cases:
        content = read((folder / "files" / case["file"]).read_bytes(), "gzip")
        assert content.decoding is not None, case["file"]
        assert len(content.payload) > 1000, case["file"]
        if "decoded_prefix_file" in case:
            expected = (folder / "files" / case["decoded_prefix_file"]).read_text("utf-8")
            assert content.payload == expected.encode("latin-1")  # the file holds each byte as a character


def test_damage_late_in_a_long_stream_keeps_all_before_it() -> None:
    numbers = random.Random(3)
    text = bytes(numbers.choices(b"abcdefgh", k=300_000))
    wire = bytearray(gzip.compress(text))
    at = len(wire) * 3 // 4
    wire[at : at + 8] = b"\xff" * 8
    content = read(bytes(wire), "gzip")
    intact = zlib.decompressobj(31).decompress(bytes(wire[:at]))
    assert content.payload.startswith(intact)
    assert content.decoding is not None


def test_the_decoder_gives_bounded_pieces() -> None:
    for bomb, coding in BOMBS.values():
        decoder = Decoder([coding], 2)
        taken = 0
        for wire in bomb():
            for piece in decoder.feed(wire):
                assert len(piece) <= 9 << 20
                taken += len(piece)
            if taken > 30 << 20:
                break


@pytest.mark.parametrize("first", ["brotli", "warcio", "warcio.bufferedreaders"])
def test_whoever_imports_a_namesake_before_does_not_get_in_the_way(first: str) -> None:
    """brotlipy, where it is installed, takes the name of the module that we need; and warcio imports it."""
    packed = brotli(b"hello " * 1_000)
    program = f"""
import {first}, gossamer
from gossamer.fetch.decode import Decoder
decoder = Decoder(["br"], 1)
assert b"".join(decoder.feed({packed!r})) == b"hello " * 1_000
assert decoder.fault is None
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def zstd_of_window(descriptor: int) -> bytes:
    """A frame with `hello` that asks for a window: five bits of exponent, three of mantissa (RFC 8878, 3.1.1.1.2)."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes([descriptor]) + (5 << 3 | 1).to_bytes(3, "little") + b"hello"


def test_a_zstd_window_of_eight_mebibytes_is_the_largest() -> None:
    eight = 13 << 3
    assert read(zstd_of_window(eight), "zstd") == Content(zstd_of_window(eight), b"hello", cut=False)
    assert read(zstd_of_window(eight | 1), "zstd").decoding


def test_bare_deflate_is_known_whatever_its_first_bytes_are() -> None:
    """Zlib begins with an 8 in the low half of its first byte, and both bytes are a multiple of 31; so may others."""
    like_zlib = b"\x08\x05\x00\xfa\xffhello\x01\x00\x00\xff\xff"
    assert read(like_zlib, "deflate").payload == b"hello"
    multiples = 0
    for number in range(600):
        text = bytes((number % 256, number // 256, number % 7))
        wire = raw_deflate(text)
        multiples += (wire[0] << 8 | wire[1]) % 31 == 0
        assert read(wire, "deflate", step=number % 5 + 1).payload == text
    assert multiples


def test_what_is_damaged_is_damaged_though_it_comes_in_many_pieces() -> None:
    """Long enough for several pieces of input before the damage, none of which is given twice."""
    text = random.Random(1).randbytes(100_000)
    for name in ("gzip", "zlib", "zstd", "br"):
        coding, encode = ENCODERS[name]
        wire = bytearray(encode(text))
        wire[-20_000:-19_000] = bytes(1_000)
        content = read(bytes(wire) + b"more", coding, step=50_000)
        assert content.decoding, name
        assert len(content.payload) <= len(text), name
        assert content.payload[:60_000] == text[:60_000], name


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_body_that_begins_as_it_is_labelled_is_not_taken_for_plain_text(name: str) -> None:
    coding, encode = ENCODERS[name]
    start = encode(b"hello")[:4]
    assert read(start + b"\xff" * 50, coding).payload == b""
    assert read(b"\xff" * 50, coding).payload == b"\xff" * 50


@pytest.mark.parametrize("first", [0x50, 0x5F])
def test_any_zstd_frame_to_be_skipped_may_come_between_others(first: int) -> None:
    skipped = bytes((first, 0x2A, 0x4D, 0x18)) + (3).to_bytes(4, "little") + b"abc"
    wire = zstd(b"one") + skipped + zstd(b"two")
    for step in (1, 1_000):
        assert read(wire, "zstd", step=step) == Content(wire, b"onetwo", cut=False)
    for other in (0x4F, 0x60):
        content = read(zstd(b"one") + bytes((other,)) + skipped[1:], "zstd")
        assert (content.payload, content.decoding) == (b"one", "zstd: something follows its end")


@every_coding
def test_one_byte_after_the_end_is_something(coding: str, encode: Callable[[bytes], bytes]) -> None:
    for step in (1, 1_000):
        content = read(encode(b"hello") + b"\x00", coding, step=step)
        assert content.payload == b"hello"
        assert content.decoding == f"{coding.removeprefix('x-')}: something follows its end"


def test_the_name_of_an_unknown_coding_is_shown_up_to_a_length() -> None:
    assert read(b"hello", "x" * 50).decoding == f"unknown coding {'x' * 40!r}"
    assert read(gzip.compress(b"hello"), "rot13", "gzip").payload == b"hello"
