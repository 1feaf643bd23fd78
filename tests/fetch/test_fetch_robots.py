"""Which answers to robots.txt are understood? What is not closes the origin. From the wire to the rules."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
import zstandard
from fetch_hostile import Handler, answer, chunked, run, says, visit

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.robots_cache import RobotsCache, understood
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Kind, SystemClock
from gossamer.robots import SIZE_MOST
from gossamer.store.table.table import Table

RULES = b"User-agent: *\nDisallow: /private\n"
PACKED = gzip.compress(RULES)
LONG = RULES + b"# more\n" * (SIZE_MOST // 7)
HEAD = b"HTTP/1.1 200 OK\r\n"


def coded(body: bytes, coding: bytes) -> bytes:
    return answer(body, b"Content-Encoding: " + coding)


TABLE: dict[str, tuple[Handler, str]] = {
    "plain": (says(answer(RULES)), "rules"),
    "chunked": (says(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(RULES[:9], RULES[9:])), "rules"),
    "gzip": (says(coded(PACKED, b"gzip")), "rules"),
    "gzip in gzip": (says(coded(gzip.compress(PACKED), b"gzip, gzip")), "rules"),
    "deflate": (says(coded(zlib.compress(RULES), b"deflate")), "rules"),
    "zstd": (says(coded(zstandard.compress(RULES), b"zstd")), "rules"),
    "identity": (says(coded(RULES, b"identity")), "rules"),
    "a charset where a coding belongs": (says(coded(RULES, b"UTF-8")), "rules"),
    "none where a coding belongs": (says(coded(RULES, b"none")), "rules"),
    "longer than is read": (says(answer(LONG)), "rules"),
    "longer than is read, packed": (says(coded(gzip.compress(LONG), b"gzip")), "rules"),
    "an odd media type": (says(answer(RULES, b"Content-Type: video/mp4")), "rules"),
    "closed without a length": (says(HEAD + b"\r\n" + RULES), "rules"),
    "utf-16": (says(answer(RULES.decode().encode("utf-16"))), "rules"),
    "203": (says(answer(RULES, status=b"203 OK")), "rules"),
    "empty": (says(answer(b"")), "open"),
    "204": (says(b"HTTP/1.1 204 No Content\r\n\r\n"), "open"),
    "a page": (says(answer(b"<html><body>Welcome!</body></html>")), "open"),
    "404": (says(answer(RULES, status=b"404 Not Found")), "open"),
    "410": (says(answer(b"", status=b"410 Gone")), "open"),
    "three layers of gzip": (says(coded(gzip.compress(gzip.compress(PACKED)), b"gzip, gzip, gzip")), "closed"),
    "gzip, broken off": (says(coded(PACKED[:-12], b"gzip")), "closed"),
    "gzip without its check sum": (says(coded(PACKED[:-8], b"gzip")), "closed"),
    "gzip, damaged": (says(coded(PACKED[:15] + b"\xff\xff\xff" + PACKED[18:], b"gzip")), "closed"),
    "gzip, wrong check sum": (says(coded(PACKED[:-8] + bytes(8), b"gzip")), "closed"),
    "gzip, and it is not": (says(coded(RULES, b"gzip")), "closed"),
    "gzip, and it is zstd": (says(coded(zstandard.compress(RULES), b"gzip")), "closed"),
    "brotli, and it is not": (says(coded(RULES, b"br")), "closed"),
    "an unknown coding": (says(coded(PACKED, b"lzma")), "closed"),
    "packed without a word": (says(answer(PACKED, b"Content-Type: text/plain")), "closed"),
    "zstd without a word": (says(answer(zstandard.compress(RULES))), "closed"),
    "shorter than its length": (says(HEAD + b"Content-Length: 99\r\n\r\n" + RULES), "closed"),
    "chunks that break off": (says(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n"), "closed"),
    "reset in the middle": (says(HEAD + b"Content-Length: 99\r\n\r\n" + RULES, then="reset"), "closed"),
    "closed at once": (says(b""), "closed"),
    "not HTTP": (says(b"220 ready\r\n"), "closed"),
    "half a head": (says(HEAD + b"Content-Le"), "closed"),
    "429": (says(answer(b"", status=b"429 Slow Down")), "closed"),
    "500": (says(answer(RULES, status=b"500 Oops")), "closed"),
    "503": (says(answer(b"", status=b"503 Later")), "closed"),
    "600": (says(answer(RULES, status=b"600 What")), "closed"),
}


@pytest.mark.parametrize("case", TABLE)
def test_a_robots_txt_is_understood_or_closes_its_origin(tmp_path: Path, case: str) -> None:
    handler, expected = TABLE[case]
    capture = understood(run(visit(handler, kind=Kind.ROBOTS)))
    origin = Origin("http://site.test", Host("site.test"))
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        access = RobotsCache(table, SystemClock(), "Gossamer")
        assert access.learn(origin, capture) is None
        if access.known(origin):
            met = "open" if access.allows(origin, "http://site.test/private") else "rules"
            assert access.allows(origin, "http://site.test/")
        else:
            met = "closed"
            assert origin.closed_until > SystemClock().steady()
    assert met == expected, capture
