"""However a file is packed and however little is read at a time, it reads like the bytes that it holds."""

from __future__ import annotations

import gzip
import io
import random
import re

import lz4.frame
import pytest
import zstandard

from gossamer.store.foreign import packings, unpacking
from gossamer.store.foreign.unpacking import Broken, Unpacking

BEGINS = re.compile(rb"\nR\d\n")
ENDS = re.compile(rb".(?:\n\n.{0,3}|)", re.DOTALL)
LINE = re.compile(rb"\n")


def text(rng: random.Random, size: int) -> bytes:
    words = [b"word", b"\n", b" ", b"\nR1\n", b"\n\n", b"\t\r\n", b"x", b"longer words than those"]
    return b"".join(rng.choices(words, k=size))


def packed(form: str, pieces: list[bytes]) -> tuple[bytes, list[tuple[int, int]]]:
    """A file, and where its pieces begin: among the unpacked bytes, and in the file."""
    pack = {
        "plain": bytes,
        "gzip": lambda data: gzip.compress(data, mtime=0),
        "zstd": zstandard.compress,
        "lz4": lz4.frame.compress,
    }[form]
    data, starts, length = b"", [], 0
    for piece in pieces:
        starts.append((length, len(data)))
        data += pack(piece)
        length += len(piece)
    return data, starts


class Plain:
    """What should come: the same over bytes in memory."""

    def __init__(self, form: str, pieces: list[bytes]) -> None:
        self.file, self.starts = packed(form, pieces)
        self.data, self.at = b"".join(pieces), 0
        self.is_packed = form != "plain"

    def piece(self) -> tuple[int, int]:
        """The last that begins here or before; at the end of the file, the last that there is."""
        return [start for start in self.starts if start[0] <= self.at][-1]

    def next_line(self) -> set[int]:
        """Where the next record begins. The newline before it may have been passed, and then nobody knows."""
        found = (BEGINS.search(self.data, max(self.at - back, 0)) for back in (0, 1))
        return {match.start() + 1 if match else len(self.data) for match in found}


def one_step(stream: Unpacking, plain: Plain, rng: random.Random) -> None:
    size, rest = rng.choice((0, 1, 2, 7, 40, 1_000)), plain.data[plain.at :]
    match rng.randrange(8):
        case 0:
            assert stream.peek(size) == rest[:size]
        case 1:
            assert stream.take(size) == rest[:size]
            plain.at += len(rest[:size])
        case 2:
            assert stream.skip(size) == len(rest[:size])
            plain.at += len(rest[:size])
        case 3:
            found = LINE.search(rest)
            assert stream.until(LINE, 1 << 20) == (rest[: found.end()] if found else None)
            plain.at += found.end() if found else 0
        case 4:
            visible = rest.lstrip(b"\r\n \t")
            assert stream.skip_blank() is bool(visible)
            plain.at = len(plain.data) - len(visible)
        case 5:
            expected = plain.next_line()
            there = stream.skip_to(BEGINS, 4)
            left = stream.peek(1 << 20)
            plain.at = len(plain.data) - len(left)
            assert plain.at in expected
            assert there is bool(left)
        case 6:
            ahead = rest[max(size - 1, 0) : max(size - 1, 0) + 5]
            believed = stream.believed(size, ENDS, BEGINS, 4)
            if plain.is_packed or not size or ENDS.fullmatch(ahead):
                assert believed == size
            else:
                known = {place - plain.at if place < len(plain.data) else size for place in plain.next_line()}
                assert believed in {min(each, size) for each in known}
        case _:
            where = plain.piece()
            if plain.is_packed:
                assert stream.offset == where[1]
                assert stream.at_start is (plain.at == where[0])
            else:
                assert stream.offset == plain.at


@pytest.mark.parametrize("form", ["plain", "gzip", "zstd", "lz4"])
@pytest.mark.parametrize("limits", [(1 << 16, 1 << 20, 512), (48, 16, 8), (7, 5, 3)])
def test_any_reading_gives_what_the_file_holds(
    form: str, limits: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "CHUNK", limits[0])
    monkeypatch.setattr(packings, "SLICE", limits[1])
    monkeypatch.setattr(packings, "ZSTD_SLICE", limits[2])
    rng = random.Random(f"{form} {limits}")
    for _ in range(40):
        pieces = [text(rng, rng.choice((1, 3, 30, 200))) for _ in range(rng.randrange(1, 6))]
        plain = Plain(form, pieces)
        stream = Unpacking(io.BytesIO(plain.file))
        assert stream.packed is plain.is_packed
        for _ in range(40):
            one_step(stream, plain, rng)
        assert stream.take(1 << 20) == plain.data[plain.at :]
        assert not stream.skip_blank()


@pytest.mark.parametrize("form", ["gzip", "zstd", "lz4"])
def test_reading_begins_at_any_piece(form: str) -> None:
    pieces = [b"first\n", b"", b"second\n", b"third\n"]
    data, starts = packed(form, pieces)
    for number, (_, offset) in enumerate(starts):
        stream = Unpacking(io.BytesIO(data), offset)
        assert stream.take(100) == b"".join(pieces[number:])


@pytest.mark.parametrize("form", ["plain", "gzip", "zstd", "lz4"])
def test_a_line_that_does_not_end_soon_is_not_waited_for(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "CHUNK", 64)
    monkeypatch.setattr(packings, "SLICE", 64)
    rng = random.Random(1)
    file = io.BytesIO(packed(form, [rng.randbytes(20_000).replace(b"\n", b" ") + b"\nend"])[0])
    stream = Unpacking(file)
    assert stream.until(LINE, 1_000) is None
    assert file.tell() < 5_000
    assert stream.until(LINE, 30_000) is not None
    assert stream.take(9) == b"end"


@pytest.mark.parametrize("form", ["gzip", "zstd", "lz4"])
def test_after_damage_the_next_piece_is_found_wherever_it_begins(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "CHUNK", 32)
    sound = packed(form, [b"sound " * 9])[0]
    for gap in range(1, 100):
        first = packed(form, [b"first"])[0]
        stream = Unpacking(io.BytesIO(first + b"\x1f(" * (gap // 2) + b"x" * (gap % 2) + sound))
        assert stream.take(5) == b"first"
        with pytest.raises(Broken) as broken:
            stream.take(1)
        assert broken.value.offset == len(first)
        assert stream.resume()
        assert stream.offset == len(first) + gap
        assert stream.take(1_000) == b"sound " * 9
        assert not stream.resume()
        assert stream.take(1) == b""


def test_what_came_before_damage_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packings, "SLICE", 100)
    data = gzip.compress(bytes(range(256)) * 40)
    stream = Unpacking(io.BytesIO(data[:-8]))  # without checksum and length
    assert stream.peek(20_000) == bytes(range(256)) * 40
    assert stream.take(10_240) == bytes(range(256)) * 40
    with pytest.raises(Broken, match="ends in the middle"):
        stream.skip_blank()


def test_a_plain_file_has_no_next_piece() -> None:
    stream = Unpacking(io.BytesIO(b"plain words"))
    assert not stream.resume()
    assert stream.take(5) == b""


# ------------------------------------------------------------------------------- bombs


@pytest.mark.parametrize("form", ["gzip", "zstd", "lz4"])
def test_a_file_may_unpack_to_so_much_and_no_more(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (unpacking.FREE, unpacking.RATIO, packings.WINDOW_MOST) == (1 << 30, 1_000, 128 << 20)
    data = packed(form, [bytes(200_000)])[0]
    for free, fits in ((200_000, True), (200_000 - 10 * len(data), True), (100_000 - 10 * len(data), False)):
        monkeypatch.setattr(unpacking, "FREE", free)
        monkeypatch.setattr(unpacking, "RATIO", 10)
        stream = Unpacking(io.BytesIO(data))
        if fits:
            assert len(stream.take(200_000)) == 200_000
        else:
            with pytest.raises(Broken, match="a thousand times"):
                stream.take(200_000)
            assert not stream.resume()


def test_what_lies_before_the_start_is_not_counted_for_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "FREE", 1_000)
    monkeypatch.setattr(unpacking, "RATIO", 10)
    rng = random.Random(2)
    before = packed("gzip", [rng.randbytes(50_000)])[0]
    stream = Unpacking(io.BytesIO(before + packed("gzip", [bytes(100_000)])[0]), len(before))
    with pytest.raises(Broken, match="a thousand times"):
        stream.take(100_000)


def test_a_plain_file_is_no_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "FREE", 10)
    monkeypatch.setattr(unpacking, "RATIO", 0)
    assert Unpacking(io.BytesIO(b"x" * 1_000)).take(1_000) == b"x" * 1_000


# ------------------------------------------------------------------------- dictionaries

WORDS = zstandard.ZstdCompressionDict(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" * 20)


def with_dictionary(data: bytes, length: int | None = None) -> bytes:
    head = b"\x5d\x2a\x4d\x18" + (len(data) if length is None else length).to_bytes(4, "little")
    return head + data + zstandard.ZstdCompressor(dict_data=WORDS).compress(b"HTTP/1.1 200 OK\r\nContent-Type: x")


@pytest.mark.parametrize("pack", [bytes, zstandard.compress])
def test_a_dictionary_is_used_plain_or_packed(pack: type[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_dictionary(pack(WORDS.as_bytes()))
    stream = Unpacking(io.BytesIO(data))
    assert stream.packed
    assert stream.take(1_000) == b"HTTP/1.1 200 OK\r\nContent-Type: x"
    again = Unpacking(io.BytesIO(data), stream._pieces[0][1])
    assert again.peek(8) == b"HTTP/1.1"
    monkeypatch.setattr(packings, "_DICTIONARY_MOST", len(WORDS.as_bytes()))
    assert Unpacking(io.BytesIO(data)).peek(4) == b"HTTP"
    monkeypatch.setattr(packings, "_DICTIONARY_MOST", len(WORDS.as_bytes()) - 1)
    with pytest.raises(Broken, match="too large"):
        Unpacking(io.BytesIO(data))


def test_a_dictionary_that_is_not_whole_is_told() -> None:
    for data in (with_dictionary(b"short", 90_000), with_dictionary(b"\x28\xb5\x2f\xfd rubbish")):
        with pytest.raises(Broken, match="the dictionary that it begins with") as broken:
            Unpacking(io.BytesIO(data))
        assert broken.value.offset == 0
