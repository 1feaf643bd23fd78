"""What was captured is written as standard WARC and comes back byte for byte."""

from __future__ import annotations

import os
import re
import zlib
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import BEGAN, INFO, StillClock, capture
from warcio import ArchiveIterator
from warcio.checker import Checker

from gossamer.errors import Damaged, StorageError
from gossamer.model import Capture, Failure, Fault, Kind, Link, Visit
from gossamer.store.warc.reader import ArchiveIterator as FastIterator
from gossamer.store.warc.reader import capture_of, read, read_head, records, whole_captures
from gossamer.store.warc.warc import Original, Place, date, instant, payload_digest, warc_files
from gossamer.store.warc.writer import Writer

PAGE = b"<!doctype html><title>Words</title>" + b"<p>some words that repeat themselves " * 400
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
NOT_MODIFIED = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
GZIPPED = zlib.compress(PAGE, 9, 31)

CAPTURES = {
    "plain": capture(wire=PAGE),
    "empty": capture(wire=b""),
    "chunked": capture(head=CHUNKED, wire=b"5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", body=b"hello"),
    "gzip": capture(wire=GZIPPED, coding="gzip", body=PAGE),
    "several megabytes": capture(wire=os.urandom(3 << 20)),
    "several megabytes of gzip": capture(wire=os.urandom(3 << 20), coding="gzip"),
    "blank lines in the body": capture(wire=b"\r\n\r\n\n\nWARC/1.1\r\n\r\n"),
    "not found": capture(head=b"HTTP/1.1 404 Not Found\r\n\r\n", wire=b"no"),
    "redirect": capture(head=b"HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n", wire=b""),
    "IPv6": capture(address="2001:db8::7"),
    "nobody knows the address": capture(address=None),
    "long address": capture("http://example.com/" + "x" * 2000),
    "seed": capture(visit=Visit("http://example.com/")),
    "robots": capture(visit=Visit("http://b.example/r", Kind.ROBOTS, owner="http://a.example", hops=2)),
    "retry": capture(visit=Visit("http://a.example/", attempt=3, depth=7, etag='W/"ü\x01"', modified="Sun")),
    "sitemap": capture(visit=Visit("http://a.example/sitemap.xml", Kind.SITEMAP, depth=0)),
    "cut by us": capture(truncated="length", decoding="bomb\r\nof\nlines"),
    "cut by them": capture(truncated="disconnect", failure=Failure(Fault.INCOMPLETE, "3 of 9 bytes: ünder\n")),
    "no request head": capture(request=b""),
}

HEADS = {
    "bare line feeds": b"HTTP/1.1 200 OK\nA: b\n\n",
    "a line of blanks": b"HTTP/1.1 200 OK\r\nA: b\r\n \t\r\nC: d\r\n\r\n",
    "a line of blanks at the end": b"HTTP/1.1 200 OK\r\nA: b\r\n\x0b\r\n\r\n",
    "a no-break space": b"HTTP/1.1 200 OK\r\nA: b\r\n\xa0\r\nC: d\r\n\r\n",
    "wide blanks": "HTTP/1.1 200 OK\r\n\u2003\r\nC: d\r\n\r\n".encode(),
    "HTTP/2": b"HTTP/2 200 \r\nA: b\r\n\r\n",
    "no reason": b"HTTP/1.1 200\r\n\r\n",
    "no status": b"HTTP/1.1\r\n\r\n",
    "another protocol": b"ICY 200 OK\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nnothing\r\n: empty\r\n\r\n",
    "any bytes": b"HTTP/1.1 200 OK\r\nA: \xff\xfe\x00\x1b\r\n\r\n",
    "a lone carriage return": b"HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n",
    "a long line": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 60_000 + b"\r\n\r\n",
    "many lines": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
    "no visible character": b"\r\n" * 3000 + b" " * 3000 + b"\r\n\r\n",
}


def writer(folder: Path, **settings: object) -> Writer:
    return Writer(folder, INFO, StillClock(), **settings)  # type: ignore[arg-type] # settings are passed through


def written(folder: Path, *captures: Capture, outlinks: tuple[Link, ...] = ()) -> Path:
    with_places = writer(folder)
    for one in captures:
        with_places.capture(one, payload_digest(one.wire), outlinks)
    with_places.close()
    return warc_files(folder)[-1]


def accepted_by_warcio(path: Path) -> bool:
    return Checker(Namespace(inputs=[str(path)], verbose=False)).process_all() == 0


def digests_that_fail_in_fastwarc(path: Path) -> list[str]:
    with path.open("rb") as file:
        told = [
            (each.headers["WARC-Target-URI"], each.verify_payload_digest())
            for each in FastIterator(file, max_header_len=100_000)
            if "WARC-Payload-Digest" in each.headers
        ]
    assert told
    return [url for url, right in told if not right]


@pytest.mark.parametrize("one", CAPTURES.values(), ids=CAPTURES)
def test_a_capture_comes_back_as_it_was(tmp_path: Path, one: Capture) -> None:
    path = written(tmp_path, one)
    (group,) = whole_captures(path)
    assert group.capture() == replace(one, body=b"")
    assert group.end == path.stat().st_size
    assert accepted_by_warcio(path)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_strange_head_is_kept_and_harms_no_reader(tmp_path: Path, head: bytes) -> None:
    path = written(tmp_path, capture(head=head, wire=b"body"), capture())
    strange, normal = whole_captures(path)
    assert strange.response.block == head + b"body"
    assert normal.capture().wire == b"<p>Hello"
    assert accepted_by_warcio(path)
    assert digests_that_fail_in_fastwarc(path) == []


@settings(max_examples=60, deadline=None)
@given(
    wire=st.binary(max_size=300),
    coding=st.sampled_from([None, "gzip", "br", "identity"]),
    level=st.integers(1, 9),
)
def test_any_bytes_come_back(tmp_path_factory: pytest.TempPathFactory, wire: bytes, coding: str, level: int) -> None:
    folder = tmp_path_factory.mktemp("warc")
    one = capture(wire=wire, coding=coding)
    place = writer(folder, level=level).capture(one, payload_digest(wire))
    record = read(folder, place)
    assert (record.head, record.payload) == (one.head, wire)


@pytest.mark.parametrize("one", [*CAPTURES.values(), *(capture(head=head) for head in HEADS.values())])
def test_a_head_is_read_without_what_comes_behind_it(tmp_path: Path, one: Capture) -> None:
    place = writer(tmp_path).capture(one, payload_digest(one.wire))
    assert read_head(tmp_path, place) == read(tmp_path, place).head


def test_other_peoples_readers_see_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, *CAPTURES.values())
    wires = [one.wire for one in CAPTURES.values()]
    with path.open("rb") as file:
        theirs = [each.raw_stream.read() for each in ArchiveIterator(file) if each.rec_type == "response"]
    assert theirs == wires
    assert digests_that_fail_in_fastwarc(path) == []


def test_other_peoples_readers_find_a_wrong_digest(tmp_path: Path) -> None:
    """That is: the check above can fail."""
    one = capture()
    writer(tmp_path).capture(one, payload_digest(b"something else"))
    (path,) = warc_files(tmp_path)
    assert not accepted_by_warcio(path)
    assert digests_that_fail_in_fastwarc(path) == ["http://example.com/"]


def test_three_records_tell_of_one_capture(tmp_path: Path) -> None:
    (group,) = whole_captures(written(tmp_path, capture("http://example.com/a")))
    assert [each.type for each in (group.response, group.request, group.metadata)] == [
        "response",
        "request",
        "metadata",
    ]
    name = f"<urn:uuid:{group.response.place.record}>"
    for each in (group.request, group.metadata):
        assert each.field("warc-concurrent-to") == name
    for each in (group.response, group.request, group.metadata):
        assert each.url == "http://example.com/a"
        assert each.field("warc-date") == "2026-11-15T00:00:00.250Z"
    assert group.response.field("warc-ip-address") == "192.0.2.7"


def test_record_names_are_random_uuids(tmp_path: Path) -> None:
    path = written(tmp_path, *[capture()] * 50)
    names = [each.place.record for each in records(path)]
    assert len(set(names)) == 151
    version_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(version_4.fullmatch(name) for name in names)


def test_metadata_lists_the_links_as_heritrix_does(tmp_path: Path) -> None:
    links = (
        Link("http://example.com/b", "text"),
        Link("http://example.com/c", place="iframe"),
        Link("http://example.com/d", place="redirect"),
        Link("http://example.com/e", place="a place of the future"),
    )
    visit = Visit("http://example.com/", depth=2, hops=1, referrer="http://example.com/from")
    (group,) = whole_captures(written(tmp_path, capture(visit=visit), outlinks=links))
    lines = group.metadata.block.decode().split("\r\n")
    assert lines[:3] == ["via: http://example.com/from", "hopsFromSeed: LLR", "fetchTimeMs: 125"]
    assert lines[4:] == [
        "outlink: http://example.com/b L a/@href",
        "outlink: http://example.com/c E iframe/@src",
        "outlink: http://example.com/d R location:",
        "outlink: http://example.com/e L =MISC",
        "",
    ]


def test_each_file_says_who_made_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    (info,) = records(path)
    assert (info.type, info.field("warc-filename")) == ("warcinfo", path.name)
    assert info.block.decode().splitlines() == [
        "software: Gossamer/0.1",
        "format: WARC File Format 1.1",
        "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots: obey",
        "http-header-user-agent: Gossamer/0.1 (+https://example.org/bot)",
        "operator: ops@example.org",
    ]


def test_a_payload_that_is_stored_already_is_pointed_to(tmp_path: Path) -> None:
    to = writer(tmp_path)
    digest = payload_digest(PAGE)
    first = to.capture(capture("http://example.com/a", PAGE), digest)
    original = Original("http://example.com/a", BEGAN, first.record)
    place = to.capture(capture("http://example.com/b", PAGE, began=BEGAN + 9), digest, (), original)
    record = read(tmp_path, place)
    assert record.type == "revisit"
    assert record.field("warc-profile") == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    assert record.field("warc-payload-digest") == digest
    assert record.field("warc-refers-to-date") == read(tmp_path, first).field("warc-date")
    assert record.original == original
    assert record.payload == b""
    assert record.head == capture("http://example.com/b", PAGE).head
    assert accepted_by_warcio(warc_files(tmp_path)[0])


def test_an_answer_that_nothing_changed_is_a_revisit(tmp_path: Path) -> None:
    to = writer(tmp_path)
    first = to.capture(capture(wire=PAGE), payload_digest(PAGE))
    original = Original("http://example.com/", BEGAN, first.record)
    unchanged = capture(head=NOT_MODIFIED, wire=b"", began=BEGAN + 9)
    record = read(tmp_path, to.capture(unchanged, payload_digest(b""), (), original))
    assert record.field("warc-profile") == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert record.field("warc-payload-digest") is None
    assert record.original == original
    assert capture_of(record, "http://example.com/", Kind.PAGE).status == 304


def test_a_304_that_nobody_asked_for_is_a_plain_response(tmp_path: Path) -> None:
    place = writer(tmp_path).capture(capture(head=NOT_MODIFIED, wire=b""), payload_digest(b""))
    assert (read(tmp_path, place).type, read(tmp_path, place).original) == ("response", None)


def test_what_came_compressed_is_not_compressed_again(tmp_path: Path) -> None:
    path = written(tmp_path, capture(wire=GZIPPED, coding="gzip"))
    (group,) = whole_captures(path)
    assert GZIPPED in path.read_bytes()
    assert group.response.place.length < len(GZIPPED) + 500


def test_a_page_that_came_plain_is_packed(tmp_path: Path) -> None:
    (group,) = whole_captures(written(tmp_path, capture(wire=PAGE)))
    assert group.response.place.length < len(PAGE) / 10


def test_a_capture_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = writer(tmp_path)
    sizes = []
    real = os.pwritev

    def counted(file: int, parts: list[bytes], at: int) -> int:
        sizes.append(sum(map(len, parts)))
        return real(file, parts, at)

    monkeypatch.setattr(os, "pwritev", counted)
    place = to.capture(capture(), payload_digest(b""))
    assert sizes == [warc_files(tmp_path)[0].stat().st_size - place.offset]


def test_files_end_at_their_size_and_sort_as_written(tmp_path: Path) -> None:
    clock = StillClock()
    to = Writer(tmp_path, INFO, clock, max_bytes=4000)
    places = []
    for number in range(12):
        clock.now += 5 if number < 6 else -86_400
        one = capture(f"http://example.com/{number}", os.urandom(1000))
        places.append(to.capture(one, payload_digest(one.wire)))
    to.close()
    names = [path.name for path in warc_files(tmp_path)]
    assert len(names) > 3
    assert names == list(dict.fromkeys(place.file for place in places))
    assert all(re.fullmatch(r"gossamer-\d{14}-\d{5}\.warc\.gz", name) for name in names)
    assert [read(tmp_path, place).url for place in places] == [f"http://example.com/{n}" for n in range(12)]
    for path in warc_files(tmp_path):
        assert path.stat().st_size < 4000 + 2000
        assert next(records(path)).type == "warcinfo"
        assert accepted_by_warcio(path)


def test_a_full_file_is_on_the_disk_before_the_next_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the next commit point into it, and that commit syncs the last file only."""
    synced: dict[str, int] = {}
    fsync = os.fsync

    def noted(file: int) -> None:
        synced[Path(os.readlink(f"/proc/self/fd/{file}")).name] = os.fstat(file).st_size
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    full_at_once = writer(tmp_path, max_bytes=1)
    for number in range(4):
        full_at_once.capture(capture(f"http://example.com/{number}"), payload_digest(b"<p>Hello"))
    *full, _ = warc_files(tmp_path)
    assert len(full) >= 3
    assert {path.name: path.stat().st_size for path in full}.items() <= synced.items()


def test_a_writer_goes_on_in_the_last_file(tmp_path: Path) -> None:
    first = written(tmp_path, capture("http://example.com/1"))
    assert written(tmp_path, capture("http://example.com/2")) == first
    assert [each.type for each in records(first)].count("warcinfo") == 1
    assert [group.response.url for group in whole_captures(first)] == [
        "http://example.com/1",
        "http://example.com/2",
    ]


def test_a_full_last_file_is_left_alone(tmp_path: Path) -> None:
    full = written(tmp_path, capture())
    size = full.stat().st_size
    again = writer(tmp_path, max_bytes=size)
    again.capture(capture(), payload_digest(b""))
    again.close()
    assert full.stat().st_size == size
    assert len(warc_files(tmp_path)) == 2


def test_an_empty_last_file_gets_its_first_record(tmp_path: Path) -> None:
    path = written(tmp_path, capture())
    os.truncate(path, 0)
    assert written(tmp_path, capture()) == path
    assert [each.type for each in records(path)] == ["warcinfo", "response", "request", "metadata"]


def test_files_of_others_are_not_written_to(tmp_path: Path) -> None:
    foreign = tmp_path / "zzz-20991231235959-00009.warc.gz"
    foreign.write_bytes(b"not ours")
    written(tmp_path, capture())
    assert foreign.read_bytes() == b"not ours"


def test_sync_tells_how_far_the_file_goes(tmp_path: Path) -> None:
    to = writer(tmp_path)
    to.capture(capture(), payload_digest(b""))
    name, length = to.sync()
    assert (tmp_path / name).stat().st_size == length


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="missing"):
        writer(tmp_path / "missing")


@pytest.mark.parametrize("moved", [{"offset": 3}, {"length": 90}, {"record": "another"}, {"file": "none.warc.gz"}])
def test_a_place_that_holds_no_such_record_is_damage(tmp_path: Path, moved: dict[str, str | int]) -> None:
    place = writer(tmp_path).capture(capture(), payload_digest(b""))
    assert read(tmp_path, place).place == place
    with pytest.raises(Damaged, match=r"warc\.gz"):
        read(tmp_path, replace(place, **moved))  # type: ignore[arg-type] # fields by name


def test_metadata_that_is_not_ours_is_told(tmp_path: Path) -> None:
    (group,) = whole_captures(written(tmp_path, capture()))
    for block in (b"", b"via: x\r\n", b"gossamer-capture: {}\r\n", b"gossamer-capture: {\r\n"):
        foreign = replace(group, metadata=replace(group.metadata, block=block))
        with pytest.raises(Damaged, match="not ours"):
            foreign.capture()


@given(st.floats(0, 4e9))
def test_a_date_is_the_moment_to_the_millisecond(moment: float) -> None:
    assert instant(date(moment)) == round(moment, 3)
    assert date(instant(date(moment))) == date(moment)


def test_what_is_no_date_is_the_beginning_of_time() -> None:
    assert instant("yesterday") == 0


def test_a_record_without_http_is_all_payload(tmp_path: Path) -> None:
    (info,) = records(written(tmp_path))
    assert (info.head, info.payload, info.url) == (b"", info.block, None)
    assert isinstance(info.place, Place)
