"""What a file from elsewhere claims is held to what can be true, and bombs are unpacked slice by slice."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from foreign_files import answer, page, plain, record, zipped
from gossamer.collection.imports.import_files import sort
from gossamer.store.foreign import arc, claims, lenient_warc, trec, unpacking
from gossamer.store.foreign.exchanges import Brought, Item, captures
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.foreign.unpacking import Broken, Unpacking

URL = "http://example.com/"
MOST = 1 << 20


def items(data: bytes) -> list[Item]:
    return list(captures(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", MOST)))


def brought(data: bytes) -> list[Brought]:
    return [item for item in items(data) if isinstance(item, Brought)]


def with_metadata(**visit: object) -> bytes:
    told = json.dumps({"visit": {"url": URL, **visit}, "seconds": 1.0})
    return plain([page(URL, "x"), record("metadata", URL, f"gossamer-capture: {told}\r\n".encode())])


@pytest.mark.parametrize("status", ["2" * 25, "20", "0200", "099", "2000", "-20", "²00", "2.0"])
def test_a_status_is_three_digits_or_none(status: str) -> None:
    assert items(plain([record("response", URL, answer(status=f"{status} OK"))]))[0] == Fault(
        0, f"the record of {URL} holds no HTTP answer"
    )


def test_every_status_of_three_digits_is_taken() -> None:
    for status in (100, 200, 599, 999):
        (found,) = brought(plain([record("response", URL, answer(status=f"{status} x"))]))
        assert found.capture.status == status


def test_numbers_in_metadata_are_held_to_what_can_be() -> None:
    (found,) = brought(with_metadata(depth=10**12, hops=-5, attempt=10**15))
    assert (found.capture.visit.depth, found.capture.visit.hops, found.capture.visit.attempt) == (1_000, 0, 1_000)


def test_an_endless_path_of_heritrix_is_cut() -> None:
    path = record("metadata", URL, b"hopsFromSeed: " + b"L" * 5_000_000)
    (found,) = brought(plain([page(URL, "x"), path]))
    assert found.capture.visit.depth == 1_000


def test_addresses_in_metadata_are_web_addresses_or_left_out() -> None:
    (found,) = brought(with_metadata(referrer="file:///etc/passwd", owner="nonsense", etag="e" * 5_000, method="PUT"))
    visit = found.capture.visit
    assert (visit.referrer, visit.owner, visit.etag, visit.method) == (None, None, None, "GET")


@pytest.mark.parametrize(
    ("said", "url"),
    [
        ("<http://a.test/x>", "http://a.test/x"),
        (" <http://a.test/x> ", "http://a.test/x"),
        ("http://a.test/x%3E", "http://a.test/x%3E"),
        ("http://a.test/x>", "http://a.test/x%3E"),
        ("<http://a.test/x>>", "http://a.test/x%3E"),
    ],
)
def test_angle_brackets_go_where_they_stand_around_an_address(said: str, url: str) -> None:
    assert claims.web_address(said) == url


def test_a_server_is_an_ip_address_and_a_cut_has_a_known_reason() -> None:
    odd = record("response", URL, answer(), WARC_IP_Address="10.0.0.1\rX: y", WARC_Truncated="because")
    (found,) = brought(plain([odd]))
    assert (found.capture.address, found.capture.truncated) == (None, "unspecified")


@pytest.mark.parametrize("byte", [0xFF, 0x80, 0xC3])
def test_a_byte_that_is_no_utf8_in_metadata_costs_the_metadata(byte: int) -> None:
    data = with_metadata(etag="here").replace(b"here", b"h%cre" % byte)
    (found,) = brought(data)
    assert (found.capture.visit.url, found.capture.visit.etag) == (URL, None)


def test_a_head_without_end_is_no_answer() -> None:
    endless = b"HTTP/1.1 200 OK\r\n" + b"a:\n" * 300_000
    assert isinstance(items(plain([record("response", URL, endless)]))[0], Fault)


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00:00Z", "9999-99-99", "1e9", "", "99999-01-01T00:00:00Z", "٢٠٢٠-٠١-٠١"]
)
def test_what_is_no_date_stands_for_none(date: str) -> None:
    found = items(plain([page(URL, "x", date), page(URL + "b", "y")]))
    assert [item.undated for item in found if isinstance(item, Brought)] == [True, False]


def test_a_date_of_a_document_that_no_clock_has_stands_for_none() -> None:
    head = f"<DOC>\n<DOCNO>{{0}}</DOCNO>\n<DOCHDR>\n{URL}{{0}}\nHTTP/1.1 200 OK\nDate: {{1}}\n\n</DOCHDR>\nx\n</DOC>\n"
    data = head.format("a", f"Mon, 01 Jan {10**20} 10:00:00 GMT") + head.format("b", "Sun, 17 May 2020 10:20:30 GMT")
    found = list(trec.captures(Unpacking(io.BytesIO(data.encode())), "x", MOST))
    assert [item.undated for item in found if isinstance(item, Brought)] == [True, False]


def test_a_length_that_is_too_long_does_not_swallow_what_follows() -> None:
    first = page(URL + "a", "x")
    length = len(first.partition(b"\r\n\r\n")[2]) - 4
    wrong = first.replace(f"Content-Length: {length}\r\n".encode(), f"Content-Length: {length + 700}\r\n".encode(), 1)
    found = brought(plain([wrong, *(page(f"{URL}{n}", "y") for n in range(5))]))
    assert [each.capture.visit.url for each in found] == [URL + "a", *(f"{URL}{n}" for n in range(5))]


def test_a_record_may_hold_others() -> None:
    inner = plain([page(URL + "inner", "x")] * 3)
    whole = record("response", URL, answer(inner, "Content-Type: application/warc"))
    found = brought(plain([whole, page(URL + "next", "y")]))
    assert [each.capture.visit.url for each in found] == [URL, URL + "next"]
    assert found[0].capture.wire == inner


def test_a_length_of_an_arc_that_is_too_long_does_not_swallow_what_follows() -> None:
    def one(path: str, more: int = 0) -> bytes:
        body = answer()
        return f"{URL}{path} 10.0.0.1 20200517102030 text/html {len(body) + more}\n".encode() + body + b"\n"

    found = captures(arc.records(Unpacking(io.BytesIO(one("a", 300) + one("b") + one("c"))), "x", MOST))
    assert [each.capture.visit.url for each in found if isinstance(each, Brought)] == [URL + "a", URL + "b", URL + "c"]


# ------------------------------------------------------------------------ bombs

BOMB = b"WARC/1.0\r\n" + bytes(100 << 20)


def bombs() -> dict[str, bytes]:
    level = zstandard.ZstdCompressor(level=19)
    return {"zst": level.compress(BOMB), "gz": gzip.compress(BOMB), "blank": level.compress(b"\n" * (100 << 20))}


@pytest.mark.parametrize("kind", ["zst", "gz", "blank"])
def test_a_bomb_is_unpacked_slice_by_slice(kind: str) -> None:
    data = bombs()[kind]
    tracemalloc.start()
    try:
        items(data)
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()


def test_what_unpacks_to_more_than_a_thousand_times_its_size_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "FREE", 1 << 20)
    good = zipped([page(URL, "x")])
    found = items(good + bombs()["gz"] * 3)
    assert [type(item) for item in found].count(Brought) == 1
    assert sum("a thousand times" in item.words for item in found if isinstance(item, Fault)) == 1


def test_the_dictionary_of_a_file_is_not_believed_in_its_length() -> None:
    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(200 << 20))
    for data, length in ((bomb, len(bomb)), (b"x" * 100, 1 << 31), (b"\x28\xb5\x2f\xfd" + b"x" * 50, 54)):
        head = b"\x5d\x2a\x4d\x18" + length.to_bytes(4, "little")
        tracemalloc.start()
        try:
            with pytest.raises(Broken):
                Unpacking(io.BytesIO(head + data)).peek(1)
            assert tracemalloc.get_traced_memory()[1] < 200 << 20
        finally:
            tracemalloc.stop()


def test_a_file_that_cannot_be_read_does_not_keep_others_out(tmp_path: Path) -> None:
    (tmp_path / "good.warc").write_bytes(page(URL, "x"))
    (tmp_path / "bad.warc").write_bytes(b"nothing")
    (tmp_path / "folder").mkdir()
    found = sort([tmp_path / name for name in ("bad.warc", "missing.warc", "folder", "good.warc")])
    assert [each.name for each in found.imported_files] == ["good.warc"]
    assert [name for name in ("bad.warc", "missing.warc", "folder") if name in "".join(found.problems)] == [
        "bad.warc",
        "missing.warc",
        "folder",
    ]


def test_a_name_that_is_no_utf8_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "b\udcff.warc"
    path.write_bytes(page(URL, "x"))
    ((parcel,), _) = sort([path])
    assert parcel.name.encode() == b"b\\udcff.warc"
