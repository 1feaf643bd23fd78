"""What the archive holds is decoded again as it was decoded when it came."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace

import pytest
from fetch_hostile import OK, answer, chunked, run, says, visit

from gossamer.fetch import Limits
from gossamer.fetch.body import decoded

TEXT = b"".join(b"line %d\n" % number for number in range(20_000))
DAMAGED = bytearray(gzip.compress(TEXT))
DAMAGED[len(DAMAGED) // 2] ^= 0xFF
GZIP = b"Content-Encoding: gzip"
CASES = {
    "plain": answer(TEXT),
    "chunked": OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(TEXT[:9000], TEXT[9000:]),
    "gzip": answer(gzip.compress(TEXT), GZIP),
    "two layers": answer(zlib.compress(gzip.compress(TEXT)), b"Content-Encoding: gzip, deflate"),
    "bomb": answer(gzip.compress(bytes(20 << 20)), b"Content-Type: text/html", GZIP),
    "damaged": answer(bytes(DAMAGED), GZIP),
    "broken off": answer(gzip.compress(TEXT)[:-20], GZIP),
    "mislabelled": answer(TEXT, GZIP),
    "disconnected": OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(TEXT)[:5000],
}


@pytest.mark.parametrize("sent", CASES.values(), ids=CASES.keys())
def test_a_stored_capture_decodes_as_it_did_when_it_came(sent: bytes) -> None:
    capture = run(visit(says(sent)))
    assert capture.body
    again = decoded(replace(capture, body=b"", decoding=None), Limits())
    assert again == capture


@pytest.mark.parametrize("coded", [False, True])
def test_chunks_that_another_crawler_has_put_together_are_not_looked_for(coded: bool) -> None:
    packed = gzip.compress(TEXT) if coded else TEXT
    fields = b"Transfer-Encoding: chunked\r\n" + (GZIP + b"\r\n" if coded else b"")
    capture = run(visit(says(OK + fields + b"\r\n" + chunked(packed))))
    assert capture.body == TEXT
    again = decoded(replace(capture, wire=packed, body=b""), Limits())
    assert (again.body, again.wire, again.decoding) == (TEXT, packed, None)
    assert decoded(replace(capture, wire=b""), Limits()).body == b""


def test_under_a_head_that_cannot_be_read_the_body_is_what_came() -> None:
    capture = run(visit(says(answer(gzip.compress(TEXT), GZIP))))
    for head in (b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip"):
        assert decoded(replace(capture, head=head, body=b""), Limits()).body == capture.wire


def test_what_was_cut_by_a_limit_is_not_said_to_break_off() -> None:
    packed = gzip.compress(TEXT)
    capture = replace(run(visit(says(answer(packed, GZIP)))), wire=packed[:-20])
    assert decoded(capture, Limits()).decoding == "gzip: breaks off before its end"
    assert decoded(replace(capture, truncated="length"), Limits()).decoding is None


def test_what_the_limits_of_today_cut_is_said_unless_it_was_cut_when_it_came() -> None:
    capture = run(visit(says(answer(gzip.compress(TEXT), GZIP, b"Content-Type: text/html"))))
    narrow = Limits(html=1000)
    again = decoded(capture, narrow)
    assert (again.body, again.decoding) == (TEXT[:1000], "is longer than the limits of the plan let it be decoded")
    again = decoded(replace(capture, truncated="length"), narrow)
    assert (again.body, again.decoding) == (TEXT[:1000], None)
