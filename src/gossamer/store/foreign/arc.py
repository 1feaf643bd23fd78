"""Records of ARC files, the form that the Internet Archive wrote before WARC (1996 to 2008, versions 1 and 2).

A record is a line, URL, IP address, date, media type and length, then so many bytes, by rule an HTTP answer. In version
2 the line has further words in between. They are handed on as WARC responses.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from collections.abc import Iterator

from gossamer.printable import counted
from gossamer.store.foreign.lenient_warc import ENDS, Fault, Met, why_cut
from gossamer.store.foreign.unpacking import Broken, Unpacking
from gossamer.store.warc.warc import Place, Record, date

OPENING = b"filedesc://"
_LINE_MOST = 16 << 10
_DATE, _LENGTH_MOST = 14, 18
"""Digits."""
_ENDS = re.compile(rb".(?:\r?\n.*)?", re.DOTALL)
_BEGINS = re.compile(rb"\n(?:https?|dns|ftp|filedesc):[^\n]{0,4096} \d{14}\d{0,6} [^\n]{0,256}\d\r?\n")


def records(stream: Unpacking, name: str, most: int) -> Iterator[Met | Fault]:
    """Every record, with up to `most` bytes of its block, and every fault, in their order in the file."""
    while True:
        try:
            if not stream.skip_blank():
                return
            met = _next(stream, name, most)
            yield met
            if isinstance(met, Met) and met.cut == ENDS:
                yield Fault(met.record.place.offset, "the file ends before the record does; what there is was read")
        except Broken as broken:
            yield Fault(broken.offset, broken.words)
            if not stream.resume():
                return


def _next(stream: Unpacking, name: str, most: int) -> Met | Fault:
    offset, passed = stream.offset, stream.passed
    line, newline, _ = stream.peek(_LINE_MOST).partition(b"\n")
    parts = _parts(line) if newline else None
    if parts is None:
        stream.skip(1)
        stream.skip_to(_BEGINS, _LINE_MOST)
        return Fault(
            offset, f"no record begins here; {counted(stream.passed - passed, 'byte was', 'bytes were')} passed over"
        )
    stream.skip(len(line) + 1)
    url, address, stamp, length = parts
    length = stream.believed(length, _ENDS, _BEGINS, _LINE_MOST)
    block = stream.take(min(length, most))
    there = len(block) + stream.skip(length - len(block))
    fields = (
        ("warc-target-uri", url.decode("utf-8", "replace")),
        ("warc-ip-address", address.decode("latin-1")),
        ("warc-date", _date(stamp.decode())),
        ("content-type", "application/http;msgtype=response"),
    )
    kind = "warcinfo" if url.startswith(OPENING) else "response"
    return Met(Record(Place(name, offset, length, ""), kind, fields, block), why_cut(there, len(block), length))


def _parts(line: bytes) -> tuple[bytes, bytes, bytes, int] | None:
    """URL, which may have spaces, IP address, date and length."""
    words = line.strip().split(b" ")
    dates = (at for at in range(len(words) - 2, 1, -1) if len(words[at]) >= _DATE and words[at].isdigit())
    at, length = next(dates, None), words[-1]
    if at is None or not length.isdigit() or len(length) > _LENGTH_MOST:
        return None
    return b" ".join(words[: at - 1]), words[at - 1], words[at][:_DATE], int(length)


def _date(stamp: str) -> str:
    try:
        return date(timegm(time.strptime(stamp, "%Y%m%d%H%M%S")))
    except ValueError:
        return ""
