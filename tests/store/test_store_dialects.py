"""Files as some crawlers write them and the standard does not know them, and files that end too soon."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from foreign_files import answer, lz4_frames, page, plain, record, zipped, zipped_whole, zstandard_frames
from gossamer.store.foreign import claims, lenient_warc
from gossamer.store.foreign.exchanges import Brought, Item, captures
from gossamer.store.foreign.lenient_warc import Fault, Met
from gossamer.store.foreign.unpacking import Unpacking
from gossamer.store.warc.warc import date

MOST = 1 << 20
URL = "http://example.com/"
Pack = Callable[[list[bytes]], bytes]


def read(data: bytes, most: int = MOST) -> list[Met | Fault]:
    return list(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", most))


def brought(data: bytes) -> list[Item]:
    return list(captures(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", MOST)))


def faults(items: list[Item]) -> list[str]:
    return [item.words for item in items if isinstance(item, Fault)]


# ---------------------------------------------------------------------------- ClueWeb

BODY = b"<title>Heron</title>\n<p>The heron waits\r\nin the reeds.\n"


def clueweb(number: int, *, split: bool = False, counted: bool = True) -> bytes:
    """A document of ClueWeb09: bare line feeds, and a length that counts what was taken out of the head."""
    head = b"HTTP/1.1 200 OK\nContent-Type: text/html\nServer: Apache\n\n"
    block = head + BODY + b"%d" % number
    length = len(block) + (head.count(b"\n") if counted else 0)
    fields = [
        "WARC/0.18",
        "WARC-Type: response",
        f"WARC-Target-URI: http://example.com/{number}",
        "WARC-Warcinfo-ID: 993d3969-9643-4934-b1c6-68d4dbe55b83",
        *([""] if split else []),
        "WARC-Date: 2009-03-65T08:43:19-0800",
        f"WARC-Record-ID: <urn:uuid:67f7cabd-146c-41cf-bd01-{number:012}>",
        f"WARC-TREC-ID: clueweb09-en0000-00-{number:05}",
        "Content-Type: application/http;msgtype=response",
        "WARC-Identified-Payload-Type: ",
        f"Content-Length: {length}",
    ]
    return "\n".join(fields).encode() + b"\n\n" + block + b"\n\n"


WARCINFO = b"WARC/0.18\nWARC-Type: warcinfo\nWARC-Date: 2009-03-65T08:43:19-0800\nContent-Length: 2\n\na\n\n\n"


@pytest.mark.parametrize("pack", [plain, zipped, zipped_whole, zstandard_frames, lz4_frames])
@pytest.mark.parametrize("counted", [True, False])
def test_documents_of_clueweb_are_whole_in_any_packing(pack: Pack, counted: bool) -> None:
    documents = [clueweb(number, counted=counted, split=number == 3) for number in range(6)]
    items = brought(pack([WARCINFO, *documents]))
    found = [item.capture for item in items if isinstance(item, Brought)]
    assert [one.visit.url for one in found] == [f"http://example.com/{number}" for number in range(6)]
    assert [one.wire for one in found] == [BODY + b"%d" % number for number in range(6)]
    assert [one.provenance and one.provenance.docno for one in found] == [
        f"clueweb09-en0000-00-{number:05}" for number in range(6)
    ]
    assert not any(one.truncated for one in found)
    assert {date(one.began) for one in found} == {"2009-03-06T16:43:19.000Z"}
    told = [one for one in faults(items) if "packed one by one" not in one]
    assert told == ["from here on lengths count line ends that are not there; records were read whole"] * counted


def test_dates_are_read_as_they_were_meant_and_kept_as_they_were_written() -> None:
    for said, meant in {
        "2008-10-294T05:21:46-0700": "2008-10-20T12:21:46Z",
        "2009-01-05T08:43:19-0800": "2009-01-05T16:43:19Z",
        "2020-05-17T10:20:30.123456+02:00": "2020-05-17T08:20:30.123456Z",
        "2020-05-17 10:20:30": "2020-05-17T10:20:30Z",
        "2020-05-17": "2020-05-17T00:00:00Z",
    }.items():
        (item,) = brought(record("response", URL, answer(), said))
        assert isinstance(item, Brought)
        assert item.capture.provenance is not None
        assert date(item.capture.began) == date(datetime.fromisoformat(meant).timestamp())
        assert item.capture.provenance.date in (meant, "")
        assert (claims.AS_WRITTEN, said) in item.capture.provenance.fields


@pytest.mark.parametrize("said", ["", "yesterday", "2009-02-31T00:00:00Z", "2009-03-400T00:00:00Z", "9" * 50])
def test_what_has_no_date_has_that_of_its_server_or_its_file_or_the_oldest(said: str) -> None:
    dated = answer(b"x", "Content-Type: text/html", "Date: Sun, 17 May 2020 10:20:30 GMT")
    info = record("warcinfo", "", b"software: x\r\n", "2020-05-18T00:00:00Z")
    for file, moment in {
        record("response", URL, dated, said): datetime(2020, 5, 17, 10, 20, 30, tzinfo=UTC).timestamp(),
        info + record("response", URL, answer(), said): datetime(2020, 5, 18, tzinfo=UTC).timestamp(),
        record("response", URL, answer(), said): claims.UNDATED,
    }.items():
        (item,) = (item for item in brought(file) if isinstance(item, Brought))
        assert item.capture.began == moment
        assert item.undated is (moment == claims.UNDATED)


# ---------------------------------------------------------------------------- clipped


@pytest.mark.parametrize("pack", [plain, zipped, lz4_frames])
def test_of_a_file_that_ends_too_soon_the_last_record_is_kept_as_far_as_it_goes(pack: Pack) -> None:
    words = "".join(f"word{number} " for number in range(40_000))
    body = f"<title>{words}</title><p>{words}.".encode()
    data, last = pack([page("http://example.com/0", "first")]), pack([page("http://example.com/1", words)])
    kept = set()
    for part in range(1, 10):
        items = brought(data + last[: len(last) * part // 10])
        first, *rest = [item.capture for item in items if isinstance(item, Brought)]
        assert first.truncated is None
        assert faults(items)
        for one in rest:
            assert one.truncated == "unspecified"
            assert one.provenance is not None
            assert one.provenance.record == ""  # what is cut is not the record of that name
            assert one.visit.url == "http://example.com/1"
            assert body.startswith(one.wire)
            kept.add(len(one.wire))
    assert len(kept) > 3


def test_a_packed_file_without_its_checksum_is_whole_and_told() -> None:
    items = brought(zipped([page(URL, "words")])[:-6])
    assert [item.capture.truncated for item in items if isinstance(item, Brought)] == [None]
    assert faults(items) == ["the file ends in the middle of a packed piece"]


def test_a_record_that_runs_into_the_next_one_costs_it_nothing() -> None:
    long = page("http://example.com/0", "first").replace(b"Content-Length: ", b"Content-Length: 1", 1)
    items = brought(gzip.compress(long + page("http://example.com/1", "second") + page("http://example.com/2", "x")))
    assert [item.capture.visit.url for item in items if isinstance(item, Brought)][-2:] == [
        "http://example.com/1",
        "http://example.com/2",
    ]
    assert faults(items)


# --------------------------------------------------------------------------- hostile


def test_what_lz4_unpacks_to_is_never_held_at_once() -> None:
    bomb = lz4_frames([record("response", URL, answer(bytes(200 << 20)))])
    assert len(bomb) < 2 << 20
    tracemalloc.start()
    (met,) = [item for item in read(bomb, 1 << 20) if isinstance(item, Met)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert met.cut == lenient_warc.LONG
    assert peak < 32 << 20


def test_a_record_that_claims_more_than_there_is_costs_nothing() -> None:
    claim = page(URL, "words").replace(b"Content-Length: ", b"Content-Length: 10737418", 1)
    for pack in (plain, zipped, zstandard_frames, lz4_frames):
        items = read(pack([claim]))
        assert [item.cut for item in items if isinstance(item, Met)] == [lenient_warc.ENDS]
