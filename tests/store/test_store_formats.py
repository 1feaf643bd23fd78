"""What the records of other crawlers say is taken at its word where it can be true, field by field."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
from pathlib import Path

import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from foreign_files import answer, page, plain, record, sha1, zipped
from gossamer.errors import Damaged
from gossamer.model import Failure, Fault, Kind, Visit
from gossamer.store.foreign import arc, claims, exchanges, lenient_warc, trec
from gossamer.store.foreign.claims import fits, wrong
from gossamer.store.foreign.exchanges import (
    Brought,
    Item,
    Kept,
    Refers,
    Refused,
    captures,
    is_head,
    understood,
    visit_of,
)
from gossamer.store.foreign.lenient_warc import Fault as Wrong
from gossamer.store.foreign.lenient_warc import Met
from gossamer.store.foreign.unpacking import Unpacking
from gossamer.store.warc.reader import Group, records, whole_captures
from gossamer.store.warc.replay import captures as replayed
from gossamer.store.warc.text_records import content_of, page_of
from gossamer.store.warc.warc import Circumstances, Place, Record, payload_digest, uuid_of, warc_files
from gossamer.store.warc.writer import Writer

URL = "http://example.com/"
MOST = 1 << 20


def read(data: bytes, most: int = MOST) -> list[Met | Wrong]:
    return list(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", most))


def items(data: bytes, most: int = MOST) -> list[Item]:
    return list(captures(read(data, most)))


def brought(data: bytes, most: int = MOST) -> list[Brought]:
    return [item for item in items(data, most) if isinstance(item, Brought)]


def id_of(one: bytes) -> str:
    return one.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()


# --------------------------------------------------------------------------------- ARC


def arc_record(
    url: str, body: bytes, address: str = "192.0.2.1", stamp: str = "20200517102030", more: str = ""
) -> bytes:
    return f"{url} {address} {stamp} text/html {more}{len(body)}\n".encode() + body + b"\n"


def arcs(data: bytes, most: int = MOST) -> list[Met | Wrong]:
    return list(arc.records(Unpacking(io.BytesIO(data)), "x.arc", most))


def test_the_line_of_an_arc_record_says_address_server_date_and_length() -> None:
    (met,) = arcs(arc_record(URL, answer()))
    assert isinstance(met, Met)
    one = met.record
    assert (one.url, one.field("warc-ip-address"), one.began, one.type) == (
        URL,
        "192.0.2.1",
        1_589_710_830.0,
        "response",
    )
    assert (one.block, one.place.offset, one.place.length, met.cut) == (answer(), 0, len(answer()), "")


def test_an_arc_record_of_version_2_has_more_words_and_an_address_may_have_spaces() -> None:
    body = answer()
    line = f"http://example.com/a b 192.0.2.1 20200517102030123456 text/html 200 checksum - 99 x.arc {len(body)}\n"
    (met,) = arcs(line.encode() + body)
    assert isinstance(met, Met)
    assert (met.record.url, met.record.began) == ("http://example.com/a b", 1_589_710_830.0)


def test_records_follow_one_another_and_the_first_says_who_wrote_them() -> None:
    data = (
        arc_record("filedesc://x.arc", b"1 0 Crawler\n") + arc_record(URL, answer()) + arc_record(URL + "b", answer())
    )
    met = [each for each in arcs(data) if isinstance(each, Met)]
    assert [each.record.type for each in met] == ["warcinfo", "response", "response"]
    assert [each.record.place.offset for each in met] == [0, data.index(b"\nhttp") + 1, data.rindex(b"\nhttp") + 1]


@pytest.mark.parametrize(
    "line",
    [
        "http://example.com/ 192.0.2.1 yesterday text/html 3",
        "http://example.com/ 192.0.2.1 2020051710203 text/html 3",
        "http://example.com/ 192.0.2.1 20200517102030 text/html three",
        f"http://example.com/ 192.0.2.1 20200517102030 text/html {'1' * 19}",
        "20200517102030 3",
        "http://example.com/ 20200517102030",
        "words",
    ],
)
def test_a_line_that_begins_no_arc_record_is_told_and_passed_over(line: str) -> None:
    wrong, met = arcs(f"{line}\nabc\n".encode() + arc_record(URL, answer()))
    assert wrong == Wrong(0, f"no record begins here; {len(line) + 5} bytes were passed over")
    assert isinstance(met, Met)
    assert met.record.block == answer()


def test_a_length_of_eighteen_digits_is_a_length() -> None:
    met, ends = arcs(f"http://example.com/ 192.0.2.1 20200517102030 text/html {'1' * 18}\nabc".encode())
    assert isinstance(met, Met)
    assert (met.cut, met.record.block, met.record.place.length) == ("unspecified", b"abc", int("1" * 18))
    assert isinstance(ends, Wrong)


def test_of_a_long_arc_record_only_the_beginning_is_held() -> None:
    met, after = arcs(arc_record(URL, bytes(5_000)) + arc_record(URL, answer()), most=1_000)
    assert isinstance(met, Met)
    assert (len(met.record.block), met.cut, met.record.place.length) == (1_000, "length", 5_000)
    assert isinstance(after, Met)


def test_a_date_that_no_clock_has_stands_for_none_in_an_arc_record() -> None:
    found = captures(arcs(arc_record(URL, answer(), stamp="20209917102030") + arc_record(URL, answer())))
    assert [item.undated for item in found if isinstance(item, Brought)] == [True, False]


def test_damage_in_a_packed_arc_costs_what_it_hit() -> None:
    pieces = [gzip.compress(arc_record(f"{URL}{number}", answer(b"x" * 500))) for number in range(3)]
    spoilt = pieces[1][:30] + b"\xff\xff\xff" + pieces[1][33:]
    found = arcs(pieces[0] + spoilt + pieces[2])
    assert any(isinstance(each, Wrong) and each.offset == len(pieces[0]) for each in found)
    assert [each.record.url for each in found if isinstance(each, Met)][-1] == URL + "2"


# ------------------------------------------------------------------------------- digests


@pytest.mark.parametrize("name", ["sha1", "sha-1", "md5", "sha256", "sha-256", "SHA1", " sha1 "])
def test_a_digest_is_known_by_any_name_and_in_any_spelling(name: str) -> None:
    digest = hashlib.new(name.strip().lower().replace("-", ""), b"\xff\xfe" * 9, usedforsecurity=False).digest()
    spellings = [
        digest.hex(),
        digest.hex().upper(),
        base64.b32encode(digest).decode(),
        base64.b32encode(digest).decode().lower().rstrip("="),
        base64.b64encode(digest).decode(),
        base64.urlsafe_b64encode(digest).decode().rstrip("="),
    ]
    for each in spellings:
        assert fits(f"{name}:{each}", b"\xff\xfe" * 9)
        assert not fits(f"{name}:{each}", b"another")


def with_digests(kind: str = "response", head: str = "", **digests: str) -> Record:
    (met,) = [
        each
        for each in read(record(kind, URL, answer(b"body", *([head] if head else [])), **digests))
        if isinstance(each, Met)
    ]
    return met.record


def test_the_digest_that_does_not_fit_is_named() -> None:
    good, bad = sha1(answer(b"body")), sha1(b"another")
    assert wrong(with_digests(WARC_Block_Digest=good, WARC_Payload_Digest=sha1(b"body"))) == ""
    assert wrong(with_digests(WARC_Block_Digest=bad)) == "block"
    assert wrong(with_digests(WARC_Payload_Digest=bad)) == "payload"
    assert wrong(with_digests(WARC_Block_Digest=bad, WARC_Payload_Digest=bad)) == "block"
    assert wrong(with_digests("revisit", WARC_Payload_Digest=bad)) == ""
    assert wrong(with_digests()) == ""


@pytest.mark.parametrize("head", ["Transfer-Encoding: chunked", "content-encoding: gzip"])
def test_the_digest_of_a_coded_payload_is_believed(head: str) -> None:
    assert wrong(with_digests(head=head, WARC_Payload_Digest=sha1(b"decoded"))) == ""
    assert wrong(with_digests(head=head, WARC_Block_Digest=sha1(b"another"))) == "block"


def test_a_wrong_digest_is_told_with_the_record_that_was_read_all_the_same() -> None:
    met, remark = read(record("response", URL, answer(), WARC_Payload_Digest=sha1(b"another")))
    assert isinstance(met, Met)
    assert remark == Wrong(0, "the payload of a response does not have its digest; it was read all the same")
    long = record("response", URL, answer(b"x" * 5_000), WARC_Payload_Digest=sha1(b"another"))
    assert [type(each) for each in read(long, most=100)] == [Met]  # nobody has counted what was not held


# --------------------------------------------------------------------------- WARC records


def test_a_folded_or_odd_header_is_read() -> None:
    block = answer()
    head = (
        "WARC/1.0\nWARC-Type:response\nWARC-Target-URI: http://example.com/\n  folded\nnothing\n"
        f"content-length : {len(block)}\nContent-Length: 99999\nWARC-Date: 2020-05-17T10:20:30Z\n\n"
    )
    met, *rest = read(head.encode() + block + b"\r\n\r\n" + page(URL + "next", "x"))
    assert isinstance(met, Met)
    assert met.record.field("warc-target-uri") == "http://example.com/ folded"
    assert met.record.block == block
    assert [each.record.url for each in rest if isinstance(each, Met)] == [URL + "next"]


@pytest.mark.parametrize("length", ["", "-1", "1e3", "٣", "9" * 19, "0x10"])
def test_a_record_whose_length_is_no_number_is_told(length: str) -> None:
    bad = f"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n".encode()
    told, met = read(bad + b"\r\n" + page(URL, "x"))
    passed = f"{len(bad) + 2} bytes were passed over"
    assert told == Wrong(0, f"the header of a record is not whole, or says no length; {passed}")
    assert isinstance(met, Met)


def test_a_header_without_end_is_not_read_for_ever() -> None:
    endless = b"WARC/1.0\r\n" + b"X-Y: z\r\n" * 20_000
    told, met = read(endless + b"\r\n" + page(URL, "x"))
    assert isinstance(told, Wrong)
    assert isinstance(met, Met)
    assert met.record.url == URL


def test_of_a_request_and_metadata_some_megabytes_are_held_and_of_a_response_what_was_asked_for() -> None:
    for kind, held in (("request", 16 << 20), ("metadata", 16 << 20), ("response", 18 << 20)):
        (met,) = [each for each in read(record(kind, URL, b"x" * (17 << 20)), most=18 << 20) if isinstance(each, Met)]
        assert len(met.record.block) == min(held, 17 << 20)
        assert met.cut == ("length" if held < 17 << 20 else "")


def test_a_record_that_does_not_end_where_its_length_says_is_told() -> None:
    one = record("response", URL, answer(b"body"))
    length = len(answer(b"body"))
    short = one.replace(f"Content-Length: {length}\r\n".encode(), f"Content-Length: {length - 2}\r\n".encode(), 1)
    for pack in (plain, zipped):
        found = read(pack([short, page(URL + "next", "x")]))
        words = [each.words for each in found if isinstance(each, Wrong)]
        assert "the record does not end where its length says; it was read all the same" in words
        assert URL + "next" in [each.record.url for each in found if isinstance(each, Met)]


def test_a_member_for_each_record_is_no_remark() -> None:
    assert [type(each) for each in read(zipped([page(URL, "x"), page(URL, "y")]))] == [Met, Met]
    two = gzip.compress(page(URL, "x") + page(URL, "y")) + gzip.compress(page(URL, "z"))
    assert [type(each) for each in read(two)].count(Wrong) == 1


def test_why_a_block_is_cut() -> None:
    assert lenient_warc.why_cut(10, 10, 10) == ""
    assert lenient_warc.why_cut(10, 5, 10) == "length"
    assert lenient_warc.why_cut(9, 9, 10) == lenient_warc.why_cut(9, 5, 10) == "unspecified"


# ------------------------------------------------------------------------------ captures


def test_records_belong_together_by_their_ids_or_their_address() -> None:
    response = record("response", URL, answer())
    request = record("request", URL, b"GET /by-address HTTP/1.1\r\n\r\n")
    (one,) = brought(plain([response, request]))
    assert one.capture.request == b"GET /by-address HTTP/1.1\r\n\r\n"
    (one,) = brought(plain([response, record("request", URL + "other", b"GET /other HTTP/1.1\r\n\r\n")]))
    assert one.capture.request == b""
    named = record("response", URL, answer(), WARC_Concurrent_To=id_of(request))
    (one,) = brought(plain([named, request]))
    assert one.capture.request.startswith(b"GET /by-address")
    older = record("metadata", URL + "other", b"via: http://example.com/from\r\n", WARC_Refers_To=id_of(response))
    (one,) = brought(plain([response, older]))
    assert one.capture.visit.referrer == "http://example.com/from"
    stranger = record("metadata", URL, b"via: http://example.com/from\r\n", WARC_Refers_To="<urn:uuid:other>")
    (one,) = brought(plain([response, stranger]))
    assert one.capture.visit.referrer is None


def test_requests_that_wait_for_their_response_are_its_own_and_no_others() -> None:
    first = record("request", URL + "1", b"GET /1 HTTP/1.1\r\n\r\n")
    second = record("request", URL + "2", b"GET /2 HTTP/1.1\r\n\r\n")
    found = brought(plain([first, second, page(URL + "2", "x"), page(URL + "1", "y")]))
    assert [(each.capture.visit.url, each.capture.request[:6]) for each in found] == [
        (URL + "2", b"GET /2"),
        (URL + "1", b""),
    ]
    found = brought(plain([page(URL + "1", "x"), first, second, page(URL + "2", "y")]))
    assert [each.capture.request[:6] for each in found] == [b"GET /1", b"GET /2"]


def test_a_second_request_does_not_take_the_place_of_the_first() -> None:
    requests = [
        record("request", URL, b"GET /%d HTTP/1.1\r\n\r\n" % number, f"2020-05-17T10:20:3{number}Z")
        for number in (1, 2)
    ]
    (one,) = brought(plain([page(URL, "x"), *requests]))
    assert one.capture.request.startswith(b"GET /1")
    (one,) = brought(plain([*requests, page(URL, "x")]))
    assert one.capture.request.startswith(b"GET /2")


def test_what_is_no_capture_is_kept_as_it_is() -> None:
    others = [record(kind, URL, b"x", X_Y="z") for kind in ("warcinfo", "conversion", "request", "metadata", "what")]
    found = [item for item in items(plain(others)) if isinstance(item, Kept)]
    assert [item.record.type for item in found] == ["warcinfo", "conversion", "what", "request", "metadata"]
    for item in found:
        assert (item.record.block, item.record.field("x-y"), item.about) == (b"x", "z", URL)


def test_an_imported_capture_says_where_it_is_from_and_how_it_came() -> None:
    one = record("response", URL, answer(b"body"), WARC_IP_Address=" 192.0.2.7 ", WARC_Truncated="time")
    request = record("request", URL, b"GET / HTTP/1.1\r\n\r\n")
    (found,) = brought(plain([request, one]))
    came = found.capture
    assert (came.source, found.offset, found.cut) == (f"x.warc@{len(request)}", 0, False)
    assert (came.address, came.truncated, came.seconds, came.decoding, came.failure) == (
        "192.0.2.7",
        "time",
        0.0,
        None,
        None,
    )
    assert (came.status, came.wire, came.head) == (200, b"body", answer(b"body")[:-4])
    assert came.visit == Visit(URL)


def test_a_segment_or_a_block_that_is_too_long_is_cut() -> None:
    (part,) = brought(plain([record("response", URL, answer(), WARC_Segment_Number="1")]))
    assert (part.capture.truncated, part.cut) == ("unspecified", False)
    (long,) = brought(plain([record("response", URL, answer(b"x" * 500))]), most=200)
    assert (long.capture.truncated, long.cut) == ("length", True)
    whole = plain([record("response", URL, answer(b"x" * 500))])
    (ends,) = brought(whole[:-100])
    assert (ends.capture.truncated, ends.cut) == ("unspecified", False)


def told(url: str = URL, **changed: object) -> bytes:
    visit = {"url": url, "depth": 3, "hops": 1, "referrer": URL + "from", "etag": '"1"', "attempt": 2}
    failure = {"fault": "incomplete", "detail": "3 of 9 bytes"}
    said = {"visit": visit, "seconds": 1.5, "decoding": "a bad coding", "failure": failure} | changed
    return record("metadata", URL, f"gossamer-capture: {json.dumps(said)}\r\n".encode())


def test_what_our_own_crawls_say_is_taken() -> None:
    (found,) = brought(plain([page(URL, "x"), told()]))
    came = found.capture
    assert (came.visit.depth, came.visit.hops, came.visit.attempt) == (3, 1, 2)
    assert (came.visit.referrer, came.visit.etag) == (URL + "from", '"1"')
    assert (came.seconds, came.decoding) == (1.5, "a bad coding")
    assert came.failure == Failure(Fault.INCOMPLETE, "3 of 9 bytes")
    (other,) = brought(plain([page(URL, "x"), told(URL + "other")]))
    assert (other.capture.visit, other.capture.seconds) == (Visit(URL), 0.0)


def test_claims_are_held_to_their_limits() -> None:
    assert (claims.STEPS_MOST, claims.SECONDS_MOST, claims.WORDS_MOST) == (1_000, 1e6, 1_000)
    assert [claims.steps(count) for count in (-1, 0, 1, 1_000, 1_001)] == [0, 0, 1, 1_000, 1_000]
    assert (claims.words(None), claims.words("w" * 1_000), claims.words("w" * 1_001)) == (None, "w" * 1_000, None)
    for seconds, held in ((0.0, 0.0), (0.5, 0.5), (1e6, 1e6), (1e6 + 1, 0.0), (-0.5, 0.0)):
        assert claims.circumstances(Circumstances(Visit(URL), seconds), URL).seconds == held
    long = Circumstances(Visit(URL), 1.0, None, Failure(Fault.DNS, "d" * 2_000))
    failure = claims.circumstances(long, URL).failure
    assert failure == Failure(Fault.DNS, "d" * 1_000)
    assert claims.circumstances(Circumstances(Visit(URL), 1.0), URL).failure is None


def test_claims_of_addresses_and_reasons() -> None:
    assert claims.web_address(" <HTTP://Example.com:80/a> ") == "http://example.com/a"
    assert claims.web_address(None) is claims.web_address("") is claims.web_address("mailto:x") is None
    assert (claims.ip(" 192.0.2.1 "), claims.ip("2001:DB8::1"), claims.ip("host"), claims.ip(None)) == (
        "192.0.2.1",
        "2001:db8::1",
        None,
        None,
    )
    assert (claims.why_cut(None), claims.why_cut("time"), claims.why_cut("whim")) == (None, "time", "unspecified")
    robots = Visit(URL + "robots.txt", Kind.ROBOTS, owner="http://example.com")
    assert claims.circumstances(Circumstances(robots, 1.0), URL).visit.owner == "http://example.com"


def test_heritrix_says_how_a_page_was_found() -> None:
    def visited(words: str) -> Visit:
        (met,) = [each for each in read(record("metadata", URL, words.encode())) if isinstance(each, Met)]
        return visit_of(URL, met.record)

    assert visited("via: http://example.com/from\r\nhopsFromSeed: LLRLX\r\n") == Visit(
        URL, depth=3, referrer="http://example.com/from"
    )
    assert visited("outlink: http://example.com/ L a/@href\r\nnothing") == Visit(URL)
    assert visited("") == visit_of(URL) == Visit(URL)
    assert visit_of(URL + "robots.txt").kind is Kind.ROBOTS
    assert visit_of(URL + "robots.txt?x").kind is visit_of(URL + "a/robots.txt").kind is Kind.PAGE


def test_a_revisit_says_where_its_payload_is() -> None:
    more = {
        "WARC_Refers_To_Target_URI": "HTTP://example.com/first",
        "WARC_Refers_To_Date": "2020-05-17T10:20:30Z",
        "WARC_Payload_Digest": sha1(b"body"),
    }
    (found,) = brought(record("revisit", URL, answer(b""), **more))
    assert found.refers == Refers("http://example.com/first", 1_589_710_830.0, sha1(b"body"))
    profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    (found,) = brought(record("revisit", URL, answer(b"", status="304 Not Modified"), WARC_Profile=profile, **more))
    assert found.refers == Refers("http://example.com/first", 1_589_710_830.0, None)
    (found,) = brought(record("revisit", URL, answer(b"")))
    assert found.refers == Refers(None, 0.0, None)
    (found,) = brought(page(URL, "x"))
    assert found.refers is None


def test_an_answer_without_its_type_is_one_all_the_same_and_a_resource_has_one_made() -> None:
    (found,) = brought(record("response", URL, answer(b"body"), Content_Type="text/plain"))
    assert (found.capture.status, found.capture.wire) == (200, b"body")
    (found,) = brought(record("resource", URL, b"body", Content_Type="image/png;\t x"))
    assert found.capture.head == b"HTTP/1.1 200 OK\r\nContent-Type: image/png; x\r\nContent-Length: 4\r\n\r\n"


@pytest.mark.parametrize("method", ["POST", "HEAD", "get", ""])
def test_only_answers_to_get_are_pages_and_others_are_kept(method: str) -> None:
    asked = record("request", URL, f"{method} / HTTP/1.1\r\n\r\nbody".encode())
    response, request = items(plain([page(URL, "x"), asked]))
    assert isinstance(request, Kept)
    assert isinstance(response, Kept)
    assert (request.record.type, response.record.type) == ("request", "response")
    assert (request.offset, response.offset) == (0, 0)  # nothing of it counts as read before both have come
    query = "&__wb_post_data=Ym9keQ==" if method == "POST" else ""
    assert response.record.field("gossamer-lookup") == (f"{URL}?__wb_method={method}{query}" if method else None)


def test_a_method_is_short() -> None:
    response, _ = items(plain([page(URL, "x"), record("request", URL, b"X" * 500)]))
    assert isinstance(response, Kept)
    assert response.record.field("gossamer-lookup") == f"{URL}?__wb_method={'X' * 20}"


@pytest.mark.parametrize("url", ["dns:example.com", "<urn:x>", "nothing", "q" * 30 + ":"])
def test_what_has_no_web_address_is_kept_and_is_no_capture(url: str) -> None:
    (kept,) = items(record("response", url, answer()))
    assert isinstance(kept, Kept)
    assert (kept.record.url, kept.record.block, kept.about) == (url, answer(), None)


def test_what_a_browser_made_of_a_page_is_about_that_page() -> None:
    (kept,) = items(record("resource", "urn:thumbnail:http://example.com/", b"png"))
    assert isinstance(kept, Kept)
    assert kept.about == "http://example.com/"


def test_a_head_has_so_many_bytes_and_lines() -> None:
    assert (exchanges.HEAD_MOST, exchanges.LINES_MOST) == (256 << 10, 2_000)
    assert is_head(b"x" * (256 << 10))
    assert not is_head(b"x" * (256 << 10) + b"x")
    assert is_head(b"\n" * 2_000)
    assert not is_head(b"\n" * 2_001)


def test_a_record_that_nobody_has_thought_of_costs_itself() -> None:
    def broken() -> Item:
        raise ZeroDivisionError("w" * 500)

    found = understood(7, broken)
    assert isinstance(found, Wrong)
    assert found.offset == 7
    assert found.words.startswith("a record that cannot be taken in: ZeroDivisionError('www")
    assert len(found.words) < 250


# ------------------------------------------------------------------------------- replay


def archive(folder: Path, *urls: str) -> list[Path]:
    writer = Writer(folder, INFO, StillClock(), max_bytes=3_000)
    for number, url in enumerate(urls):
        one = capture(url, b"<p>%d" % number * 100, began=BEGAN + number)
        writer.capture(one, payload_digest(one.wire))
    writer.close()
    return warc_files(folder)


def test_all_captures_are_replayed_in_order_from_any_place(tmp_path: Path) -> None:
    urls = [f"{URL}{number}" for number in range(9)]
    paths = archive(tmp_path, *urls)
    assert len(paths) > 2
    found = list(replayed(tmp_path))
    assert [each.response.url for each in found] == urls
    groups = [group for path in paths for group in whole_captures(path)]
    assert [each.end for each in found] == [(group.response.place.file, group.end) for group in groups]
    for number, each in enumerate(found):
        assert [record.type for record in each.rest] == ["request", "metadata"]
        assert [later.response.url for later in replayed(tmp_path, each.end)] == urls[number + 1 :]


def test_a_file_that_has_lost_its_first_record_is_replayed_from_its_first_byte(tmp_path: Path) -> None:
    urls = [f"{URL}{number}" for number in range(9)]
    for path in archive(tmp_path, *urls):
        begins = next(whole_captures(path)).response.place.offset
        path.write_bytes(path.read_bytes()[begins:])
    assert [each.response.url for each in replayed(tmp_path)] == urls


def test_what_lies_behind_a_gap_is_replayed_and_what_lost_its_request_is_a_capture(tmp_path: Path) -> None:
    (path,) = archive(tmp_path, URL + "0", URL + "robots.txt", URL + "2")
    first, robots, last = whole_captures(path)
    data = bytearray(path.read_bytes())
    for place in (first.response.place, robots.request.place, last.metadata.place):
        data[place.offset + place.length // 2] ^= 0xFF
    path.write_bytes(data)
    found = list(replayed(tmp_path))
    assert [each.response.url for each in found] == [URL + "robots.txt", URL + "2"]
    assert [[record.type for record in each.rest] for each in found] == [["metadata"], ["request"]]

    class Spy:
        def restored(self, group: Group) -> str:
            return f"restored {group.response.url} {group.request and group.request.type} {group.metadata.type}"

        def decoded(self, record: Record, url: str, kind: Kind) -> str:
            return f"decoded {url} {kind}"

    assert [each.capture(Spy()) for each in found] == [  # type: ignore[arg-type] # what it is asked for is enough
        f"restored {URL}robots.txt None metadata",
        f"decoded {URL}2 page",
    ]
    path.unlink()
    archive(tmp_path, URL)
    (whole,) = replayed(tmp_path)
    assert whole.capture(Spy()) == f"restored {URL} request metadata"  # type: ignore[arg-type] # as above


# -------------------------------------------------------------------------- text records


def text_record(block: bytes) -> Record:
    return Record(Place("x", 7, 0, ""), "conversion", (), block)


def test_text_records_that_are_not_ours_are_damage() -> None:
    html, said = text_record(b"<html>\n<body>\n<p>a</p>\n</body>\n</html>\n"), text_record(b"{}")
    assert page_of(URL, html, None, said).content == "a"
    assert page_of(URL, html, text_record(b"all words"), said).text == "all words"
    for broken in (
        (html, None, text_record(b"{")),
        (html, text_record(b"\xff"), said),
        (text_record(b"\n<body>\n\xff"), None, said),
    ):
        with pytest.raises(Damaged, match="the text at offset 7 is not ours"):
            page_of(URL, *broken)


def test_the_content_of_another_record_is_none() -> None:
    data = b"WARC-Record-ID: <urn:uuid:right>\r\n\r\n<html>\n<body>\n<p>a</p>\n</body>\n</html>\n\r\n\r\n"
    assert content_of("right", data) == "a"
    assert content_of("wrong", data) is None


def test_a_record_has_its_uuid() -> None:
    assert uuid_of("<urn:uuid:abc>") == "abc"


# --------------------------------------------------------------------------------- TREC


def doc(
    first: str,
    head: str = "HTTP/1.1 200 OK\nDate: Sun, 17 May 2020 10:20:30 GMT",
    body: str = "body",
    number: str = "N1",
) -> bytes:
    return f"<DOC>\n<DOCNO>{number}</DOCNO>\n<DOCHDR>\n{first}\n{head}\n\n</DOCHDR>\n{body}\n</DOC>\n".encode()


def docs(data: bytes, most: int = MOST) -> list[Item]:
    return list(trec.captures(Unpacking(io.BytesIO(data)), "x.trec", most))


def test_the_first_line_of_a_document_says_what_it_is() -> None:
    (found,) = docs(doc(f"{URL} 192.0.2.1 20200517102031 text/html 4"))
    assert isinstance(found, Brought)
    came = found.capture
    assert (came.visit.url, came.address, came.began, came.wire) == (URL, "192.0.2.1", 1_589_710_831.0, b"body")
    assert (came.status, came.truncated, came.source, found.cut) == (200, None, "x.trec@0", False)
    assert came.provenance.docno == "N1"
    (found,) = docs(doc(f"{URL} - 20200517102031 text/html 4"))
    assert isinstance(found, Brought)
    assert found.capture.address is None


def test_a_document_without_those_words_has_the_date_of_its_head() -> None:
    for first in (
        URL,
        f"{URL} 192.0.2.1 yesterday text/html 4",
        f"{URL} 192.0.2.1 20200517102031",
        f"{URL} a 20200517102031 b c",
    ):
        (found,) = docs(doc(first))
        assert isinstance(found, Brought)
        assert (found.capture.began, found.capture.address, found.capture.wire) == (1_589_710_830.0, None, b"body")


def test_a_body_may_hold_the_line_that_ends_a_document() -> None:
    body = "one\n</DOC>\ntwo"
    found = docs(doc(f"{URL} - 20200517102031 text/html {len(body)}", body=body) + doc(URL, number="N2"))
    assert [each.capture.wire for each in found if isinstance(each, Brought)] == [body.encode(), b"body"]
    found = docs(doc(f"{URL} - 20200517102031 text/html 999", body="short") + doc(URL, number="N2"))
    assert [each.capture.wire for each in found if isinstance(each, Brought)] == [b"short", b"body"]


def test_an_empty_document_is_one() -> None:
    empty = doc(URL).replace(b"</DOCHDR>\nbody\n", b"</DOCHDR>\n")
    found = docs(empty + doc(URL, number="N2"))
    assert [each.capture.wire for each in found if isinstance(each, Brought)] == [b"", b"body"]


def test_of_a_long_document_only_the_beginning_is_held() -> None:
    for first in (URL, f"{URL} - 20200517102031 text/html 300000"):
        long, after = docs(doc(first, body="x" * 300_000) + doc(URL, number="N2"), most=1_000)
        assert isinstance(long, Brought)
        assert (len(long.capture.wire), long.capture.truncated, long.cut) == (1_000, "length", True)
        assert isinstance(after, Brought)
    (ends,) = docs(doc(URL, body="x" * 300_000), most=1_000)
    assert isinstance(ends, Brought)
    assert (ends.capture.truncated, ends.cut) == ("unspecified", False)


def test_what_begins_no_document_is_told_and_passed_over() -> None:
    for rubbish in (b"rubbish\n", b"<DOC>\n<DOCNO></DOCNO>\n<DOCHDR>\nx\n</DOCHDR>\n"):
        fault, found = docs(rubbish + b"\n" + doc(URL))
        assert isinstance(fault, Wrong)
        assert fault.offset == 0
        assert isinstance(found, Brought)
    endless, found = docs(b"<DOC>\n<DOCNO>1</DOCNO>\n<DOCHDR>\n" + b"x\n" * 200_000 + doc(URL))
    assert isinstance(endless, Wrong)
    assert isinstance(found, Brought)


def test_a_document_that_is_no_page_is_refused_with_a_reason() -> None:
    assert docs(doc("mailto:x")) == [Refused(0, "not a web address")]
    (undated,) = docs(doc(URL, head="HTTP/1.1 200 OK"))
    assert isinstance(undated, Brought)
    assert undated.undated
    assert docs(doc(URL, head="HTTP/1.1 what\nDate: Sun, 17 May 2020 10:20:30 GMT")) == [
        Wrong(0, "the document N1 holds no HTTP answer")
    ]


def test_codings_that_were_undone_are_named_so_and_a_missing_head_is_made() -> None:
    head = "HTTP/1.1 200 OK\nDate: Sun, 17 May 2020 10:20:30 GMT\nTransfer-Encoding: chunked\ncontent-encoding: gzip"
    (found,) = docs(doc(URL, head=head))
    assert isinstance(found, Brought)
    assert found.capture.header("content-encoding") is None
    assert found.capture.header("x-crawl-content-encoding") == "gzip"
    assert found.capture.header("x-crawl-transfer-encoding") == "chunked"
    (found,) = docs(doc(f"{URL} - 20200517102031 image/png 4", head=""))
    assert isinstance(found, Brought)
    assert found.capture.head == b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n"


def test_damage_in_packed_documents_costs_what_it_hit() -> None:
    pieces = [gzip.compress(doc(URL, number=f"N{number}", body="words " * 200)) for number in range(3)]
    spoilt = pieces[1][:20] + b"\xff\xff\xff" + pieces[1][23:]
    found = docs(pieces[0] + spoilt + pieces[2])
    assert any(isinstance(each, Wrong) and each.offset == len(pieces[0]) for each in found)
    assert isinstance(found[-1], Brought)
    assert found[-1].capture.provenance.docno == "N2"


def test_records_of_our_own_files_are_counted(tmp_path: Path) -> None:
    (path,) = archive(tmp_path, URL)
    assert [each.type for each in records(path)] == ["warcinfo", "response", "request", "metadata"]
