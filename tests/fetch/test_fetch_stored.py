"""What the archive holds is decoded again as it was decoded when it came."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace

import pytest
from fetch_hostile import OK, answer, chunked, run, says, visit

from gossamer.fetch import Limits
from gossamer.fetch.stored import decoded

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
