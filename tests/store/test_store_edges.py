"""Edges that the other tests of the store do not come to."""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from store_samples import BEGAN, INFO, StillClock, capture, sifted

from gossamer.model import Page
from gossamer.runs.growing import Shape
from gossamer.store.archive import Archive
from gossamer.store.cdxj import write_sorted
from gossamer.store.foreign import trec
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.foreign.unpacking import Unpacking
from gossamer.store.repair.rewrite import carry_texts
from gossamer.store.repair.verify import Checked
from gossamer.store.table import sorted_files
from gossamer.store.table.table import Table
from gossamer.store.url_seen import FAMILIES as SEEN_FAMILIES
from gossamer.store.versions import FAMILIES
from gossamer.store.warc.warc import Place, Record, payload_digest

URL = "http://example.com/a"


def test_runs_of_lines_are_counted_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    monkeypatch.setattr(
        "gossamer.store.cdxj.heapq.merge",
        lambda *files: [runs.append(sum(1 for _ in file)) for file in files] and [],
    )
    write_sorted(["123456789"] * 10, io.BytesIO(), sort_bytes=41)
    assert runs == [5, 5]


def test_what_was_checked_adds_up() -> None:
    one, other = Checked(1, 2, ["a"], unread=["u"], notes=["n"]), Checked(10, 20, ["b"], unread=["v"], notes=["m"])
    for each in (one, other):
        each.kinds["request"], each.digests = each.records, each.records
    assert (Checked().records, Checked().rows) == (0, 0)
    one.add(other)
    assert (one.records, one.rows, one.problems, one.unread, one.notes) == (
        11,
        22,
        ["a", "b"],
        ["u", "v"],
        ["n", "m"],
    )
    assert (one.kinds, one.digests) == ({"request": 11}, 11)


def test_only_a_revisit_points_back() -> None:
    def of(kind: str, *fields: tuple[str, str]) -> Record:
        return Record(Place("", 0, 0, ""), kind, fields, b"")

    refers = ("warc-refers-to", "<urn:uuid:abc>")
    assert of("conversion", refers).original is of("response", refers).original is of("revisit").original is None
    original = of("revisit", refers).original
    assert original is not None
    assert (original.url, original.began, original.record) == ("", 0.0, "abc")


def test_a_document_that_nobody_has_thought_of_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(trec, "_brought", broken)
    data = b"\n\n<DOC>\n<DOCNO>1</DOCNO>\n<DOCHDR>\nhttp://a.example/\n</DOCHDR>\nx\n</DOC>\n"
    (found,) = trec.captures(Unpacking(io.BytesIO(data)), "x", 1 << 20)
    assert isinstance(found, Fault)
    assert found.offset == 2


# ------------------------------------------------------------------------- sorted files


def varint(value: int) -> bytes:
    out = b""
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def lz4(new: bytes, back: int, repeated: int, rest: bytes) -> bytes:
    """New bytes, so many repeated from so far back, and the rest."""

    def long(length: int) -> bytes:
        left = length - 15
        return b"" if left < 0 else b"\xff" * (left // 255) + bytes([left % 255])

    head = bytes([min(len(new), 15) << 4 | min(repeated - 4, 15)]) + long(len(new)) + new
    tail = bytes([min(len(rest), 15) << 4]) + long(len(rest)) + rest
    return varint(len(new) + repeated + len(rest)) + head + struct.pack("<H", back) + long(repeated - 4) + tail


@pytest.mark.parametrize("new", [1, 14, 15, 16, 269, 270, 271, 600, 1_000])
@pytest.mark.parametrize("repeated", [4, 18, 19, 20, 273, 274, 275, 900])
def test_packed_indexes_are_unpacked_whatever_their_lengths(new: int, repeated: int) -> None:
    start = bytes(number % 251 for number in range(new))
    for back in {1, new, min(new, 300)}:
        expected = bytearray(start)
        for _ in range(repeated):
            expected.append(expected[-back])
        for rest in (b"", b"rest", bytes(400)):
            assert sorted_files._unpacked(lz4(start, back, repeated, rest)) == bytes(expected) + rest


def test_numbers_of_any_length_are_read() -> None:
    for value in (0, 1, 127, 128, 129, 255, 256, 16_383, 16_384, 2**32, 2**63):
        assert sorted_files._number(b"xx" + varint(value) + b"\xff", 2) == (value, 2 + len(varint(value)))


def entry(shared: int, key: bytes, value: bytes) -> bytes:
    return varint(shared) + varint(len(key)) + varint(len(value)) + key + value


def test_entries_share_the_beginning_of_the_key_before() -> None:
    for restarts in (1, 2):
        end = bytes(4 * restarts) + struct.pack("<I", restarts)
        block = entry(0, b"abc", b"1") + entry(2, b"xyz", b"") + entry(0, b"q", b"3" * 200) + end
        assert list(sorted_files._entries(block)) == [(b"abc", b"1"), (b"abxyz", b""), (b"q", b"3" * 200)]
    assert list(sorted_files._entries(bytes(4) + struct.pack("<I", 1))) == []


def test_a_list_of_files_is_torn_anywhere_within_a_record(tmp_path: Path) -> None:
    path = tmp_path / "MANIFEST-000001"
    whole = struct.pack("<IHB", 0, 5, 1) + b"12345"
    for data, torn in (
        (b"", False),
        (whole, False),
        (whole + whole, False),
        (whole[:-1], True),
        (whole + whole[:3], True),
        (whole + whole[:7], True),
        (whole + struct.pack("<IHB", 0, 0, 1), False),
        (whole + struct.pack("<IHB", 0, 5, 2) + b"12345", True),
        (struct.pack("<IHB", 0, 5, 2) + b"12345" + struct.pack("<IHB", 0, 5, 4) + b"12345", False),
        (struct.pack("<IHB", 0, (32 << 10) - 14, 1) + bytes((32 << 10) - 14) + struct.pack("<IHB", 0, 0, 1), False),
        (struct.pack("<IHB", 0, (32 << 10) - 13, 1) + bytes((32 << 10) - 13) + bytes(6) + whole, False),
    ):
        path.write_bytes(data)
        assert sorted_files.is_torn(path) is torn, data[:40]


def test_a_file_of_another_form_is_left_to_rocksdb(tmp_path: Path) -> None:
    path = tmp_path / "000001.sst"
    magic = bytes.fromhex("f7cff485b741e288")
    path.write_bytes(bytes(100) + b"\x04" + b"\x3e\x00\x7a\x00" + bytes(36) + struct.pack("<I", 99) + magic)
    assert sorted_files.damage(path) is None
    path.write_bytes(bytes(100) + b"\x04" + b"\x3e\x00\x7a\x00" + bytes(36) + struct.pack("<I", 99) + b"anything")
    assert sorted_files.damage(path) == "000001.sst: its end is missing"
    path.unlink()
    assert "000001.sst" in str(sorted_files.damage(path))


# -------------------------------------------------------------------------------- carry


def test_texts_that_are_in_the_new_files_stay_there_and_all_is_committed(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        archive = Archive(table, tmp_path, lambda one: replace(one, body=one.wire))
        archive.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=1 << 30)
        archive.open(INFO, StillClock(), max_bytes=1 << 30)

        def keep(url: str, body: bytes) -> None:
            page = Page(url, "text/html", text="w", content="w", html="<p>w</p>", digest=payload_digest(body))
            archive.append(capture(url, body, began=BEGAN), page)

        keep(URL, b"old")
        archive.prepare()
        table.commit()
        new = archive.texts.begin_anew(b"job")
        keep(URL + "2", b"new")
        before = next(archive.versions.of(URL + "2")).text
        assert carry_texts(table, archive, b"job") == 0
        assert next(archive.versions.of(URL + "2")).text == before
        moved = next(archive.versions.of(URL)).text
        assert moved is not None
        assert moved.file == new
        ((path, length),) = archive.texts.files()
        assert (path.name, length, table.pending) == (new, path.stat().st_size, 0)
        archive.close()


# -------------------------------------------------------------------------------- sieve


def test_a_sieve_that_begins_anew_forgets_all(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", SEEN_FAMILIES, writable=True) as table:
        sieve = sifted(table, tmp_path / "seen", Shape(generation=3, fan=9, at_once=9), 5)
        assert sieve.runs == 1
        sieve.restart()
        assert (sieve.runs, sieve.marks([0, 4]), sieve.fault) == (0, [-1, -1], "")
        assert list((tmp_path / "seen").iterdir()) == []
        assert list(table.scan("seen")) == [(b"runs", b"\x90")]
