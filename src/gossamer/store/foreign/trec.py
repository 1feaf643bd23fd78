"""TREC Web: the form in which collections of the TREC conferences are handed on (WT10g, .GOV, .GOV2).

    <DOC>
    <DOCNO>a name without spaces</DOCNO>
    <DOCHDR>
    URL IP-address date media-type length
    the HTTP head of the answer
    </DOCHDR>
    the body
    </DOC>

The first line of a DOCHDR is as in WT10g. Its length counts the bytes of the body, so that a body which holds a line
`</DOC>` itself is read back as it was; where there is no such number, as in .GOV2, the body ends at that line. The body
has its codings undone, while the head is that of the server, and may name them.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import BinaryIO

from gossamer.model import TREC_ID, Kind, Provenance
from gossamer.printable import counted
from gossamer.store.foreign import claims
from gossamer.store.foreign.exchanges import Brought, Item, Refused, understood, visit_of
from gossamer.store.foreign.lenient_warc import ENDS, HEAD_MOST, LONG, Fault
from gossamer.store.foreign.unpacking import Broken, Unpacking
from gossamer.store.warc.reader import capture_of
from gossamer.store.warc.warc import Place, Record, date

OPENING = b"<DOC>"
_NO_ADDRESS = "-"
_BEGINS = re.compile(rb"\n<DOC>[ \t]{0,64}\r?\n")
_HEADER_END = re.compile(rb"(?<=\n)</DOCHDR>[ \t]{0,64}\r?\n")
_END = b"</DOC>"
_END_LINE = re.compile(rb"\n</DOC>")
_CLOSED = re.compile(rb"\r?\n?</DOC>")
_AFTER = 16
"""Bytes in which a document ends after its body."""
_STAMP = 14
"""Digits of a date."""
_CODINGS = re.compile(rb"(?im)^(transfer-encoding|content-encoding):")


@dataclass(frozen=True, slots=True)
class Doc:
    """One document."""

    number: str
    url: str
    address: str | None
    began: float
    """To the second."""
    media_type: str
    head: bytes
    """Status line and fields, as the server sent them, with the empty line."""
    body: bytes


def write(doc: Doc, out: BinaryIO) -> None:
    """One document more."""
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(doc.began))
    first = f"{doc.url} {doc.address or _NO_ADDRESS} {stamp} {doc.media_type} {len(doc.body)}\n"
    out.write(b"<DOC>\n<DOCNO>%s</DOCNO>\n<DOCHDR>\n%s" % (doc.number.encode(), first.encode()))
    out.write(doc.head)
    out.write(b"</DOCHDR>\n")
    out.write(doc.body)
    out.write(b"\n</DOC>\n")


def docs(stream: Unpacking, most: int) -> Iterator[tuple[int, Doc, str] | Fault]:
    """Every document with its offset, up to `most` bytes of its body and why that is cut, if it is; every fault."""
    while True:
        try:
            if not stream.skip_blank():
                return
            yield _next(stream, most)
        except Broken as broken:
            yield Fault(broken.offset, broken.words)
            if not stream.resume():
                return


def captures(stream: Unpacking, name: str, most: int) -> Iterator[Item]:
    """What a file of documents brings, as if it had been fetched here."""
    for found in docs(stream, most):
        yield found if isinstance(found, Fault) else understood(found[0], partial(_brought, name, *found))


def _next(stream: Unpacking, most: int) -> tuple[int, Doc, str] | Fault:
    offset, passed = stream.offset, stream.passed
    begins = stream.peek(len(OPENING)) == OPENING
    header = stream.until(_HEADER_END, HEAD_MOST) if begins else None
    torn = _BEGINS.search(header) if header else None
    if header and torn:  # another begins before this one has its header
        stream.back(len(header) - torn.start())
    parts = _parts(header) if header and not torn else None
    if parts is None:
        stream.skip(1)
        stream.skip_to(_BEGINS, HEAD_MOST)
        count = f"{counted(stream.passed - passed, 'byte was', 'bytes were')} passed over"
        return Fault(offset, f"no document begins here, or its header is not whole; {count}")
    doc, length = parts
    body, cut = _body(stream, length, most)
    return offset, replace(doc, body=body), cut


def _parts(header: bytes) -> tuple[Doc, int | None] | None:
    """What the header says, and the length of the body where it is given."""
    number = header.partition(b"<DOCNO>")[2].partition(b"</DOCNO>")[0].strip()
    told = header.partition(b"<DOCHDR>")[2].lstrip()
    first, _, head = _HEADER_END.sub(b"", told).partition(b"\n")
    words = first.split()
    if not number or not words:
        return None
    full = len(words) >= 4 and len(words[2]) == _STAMP and words[2].isdigit() and words[-1].isdigit()
    url, address, stamp, *more = words if full else (words[0], b"", b"")
    doc = Doc(
        number.decode("utf-8", "replace"),
        url.decode("utf-8", "replace"),
        None if address in (b"", _NO_ADDRESS.encode()) else address.decode("latin-1"),
        _moment(stamp, head),
        b" ".join(more[:-1]).decode("latin-1"),
        head,
        b"",
    )
    return doc, int(more[-1][:18]) if more else None


def _moment(stamp: bytes, head: bytes) -> float:
    """From the first line, or from the Date of the server; `UNDATED` where neither has one."""
    try:
        if stamp:
            return float(timegm(time.strptime(stamp.decode(), "%Y%m%d%H%M%S")))
    except ValueError:
        return claims.UNDATED
    return claims.server_date(head) or claims.UNDATED


def _body(stream: Unpacking, length: int | None, most: int) -> tuple[bytes, str]:
    if length is not None and length <= most:
        data = stream.peek(length + _AFTER)
        if closed := _CLOSED.match(data, length):
            stream.skip(closed.end())
            return data[:length], ""
    if stream.peek(len(_END)) == _END:
        stream.skip(len(_END))
        return b"", ""
    body = stream.until(_END_LINE, most)
    if body is not None:
        return body[: -len(b"\n</DOC>")], ""
    body = stream.take(most)
    return body, LONG if stream.skip_to(_BEGINS, HEAD_MOST) else ENDS


def _brought(name: str, offset: int, doc: Doc, cut: str) -> Item:
    url = claims.web_address(doc.url)
    if url is None:
        return Refused(offset, "not a web address")
    head = _whole(doc, len(doc.body))
    fields = (("content-type", "application/http"), ("warc-date", date(doc.began)))
    capture = capture_of(Record(Place(name, offset, 0, ""), "response", fields, head + doc.body), url, Kind.PAGE)
    if not capture.status:
        return Fault(offset, f"the document {doc.number:.100} holds no HTTP answer")
    return Brought(
        replace(
            capture,
            visit=visit_of(url),
            address=claims.ip(doc.address),
            truncated=cut or None,
            source=f"{name}@{offset}",
            provenance=Provenance(fields=claims.further(((TREC_ID, doc.number),))),
        ),
        offset,
        cut=cut == LONG,
        undated=doc.began == claims.UNDATED,
    )


def _whole(doc: Doc, length: int) -> bytes:
    """The head of an answer with that body; codings that were undone are named as Common Crawl names them."""
    head = _CODINGS.sub(rb"X-Crawl-\1:", doc.head.rstrip())
    if not head.startswith(b"HTTP/"):
        media_type = doc.media_type or "text/html"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {length}".encode()
    return head + b"\r\n\r\n"
