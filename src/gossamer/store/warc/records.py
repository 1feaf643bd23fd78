"""The bytes of WARC records: one header, one block, one gzip member each. Nothing here touches a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gossamer.lazy import pattern
from gossamer.model import Asked, Capture, Kind, Link, Provenance, Visit
from gossamer.outlinks import targets
from gossamer.store.warc.gzip_members import packed, packed_around
from gossamer.store.warc.warc import (
    CONFORMS_TO,
    JPEG,
    OUR_FIELDS,
    RESOURCE,
    REVISIT_EQUAL,
    REVISIT_NOT_MODIFIED,
    Circumstances,
    Original,
    Record,
    block_digest,
    date,
    id_of,
)

END = b"\r\n\r\n"
LOW = 1
"""The level for requests and metadata: short lines gain nothing from a higher one."""

_SPELLED = {"warc": "WARC", "id": "ID", "ip": "IP", "uri": "URI"}

# Some readers take a line without a visible character for the end of a head, others want CRLF.
_REGULAR_HEAD = pattern(rb"(?:[^!-~\r\n]*[!-~][^\r\n]*\r\n)+\r\n")

# Hop letters and contexts as Heritrix writes them: L link, E embed, R redirect, M manifest, P prerequisite,
# X speculation.
_CONTEXTS = {
    "a": " L a/@href\r\n",
    "area": " L area/@href\r\n",
    "frame": " E frame/@src\r\n",
    "iframe": " E iframe/@src\r\n",
    "link": " L link/@href\r\n",
    "refresh": " R meta/@content\r\n",
    "header": " L link:\r\n",
    "sitemap": " M loc\r\n",
    "feed": " L link/@href\r\n",
    "robots": " M sitemap:\r\n",
    "redirect": " R location:\r\n",
    "img": " E img/@src\r\n",
    "srcset": " E img/@srcset\r\n",
    "source": " E source/@src\r\n",
    "poster": " E video/@poster\r\n",
    "script": " E script/@src\r\n",
    "stylesheet": " E link/@href\r\n",
    "icon": " E link/@href\r\n",
    "object": " E object/@data\r\n",
    "embed": " E embed/@src\r\n",
    "background": " E body/@background\r\n",
    "style": " E =CSS\r\n",
    "import": " E =CSS\r\n",
    **dict.fromkeys(("audio", "image", "imagesrcset", "input", "manifest", "preload"), " E =EMBED_MISC\r\n"),
    **dict.fromkeys(("track", "use", "video", "data-srcset", "feimage", "modulepreload"), " E =EMBED_MISC\r\n"),
}
_OURS = Provenance()
_NAMES = {name: "-".join(_SPELLED.get(word, word.capitalize()) for word in name.split("-")) for name in OUR_FIELDS}
"""How the standard writes its fields."""
_OTHER_CONTEXT = " L =MISC\r\n"
_KIND_HOPS = {Kind.PAGE: "", Kind.ROBOTS: "P", Kind.SITEMAP: "M", Kind.PROBE: "X"}


@dataclass(frozen=True, slots=True)
class Info:
    """Who made a file; told in the warcinfo record that it begins with."""

    software: str
    robots: str = "obey"
    agent: str | None = None
    """The User-Agent field of the requests."""
    operator: str | None = None
    """Whom to ask: a name, a mail address or a page."""


class Packed(NamedTuple):
    """The packed records of one capture."""

    record: str
    """The UUID of the response."""
    response: bytes
    request: bytes
    """Nothing where a file that was imported has none."""
    metadata: bytes
    rendered: bytes = b""
    """What a browser has made of it; it lies right behind the response."""
    screenshot: bytes = b""
    """What that looked like; it lies right behind the last."""

    @property
    def at_once(self) -> tuple[bytes, ...]:
        """What is read together: the response and what lies right behind it."""
        return tuple(filter(None, (self.response, self.rendered, self.screenshot)))


def warcinfo(info: Info, filename: str, moment: float, record: str) -> bytes:
    """`record` is its UUID, which all others of the file name."""
    told = {
        "software": info.software,
        "format": "WARC File Format 1.1",
        "conformsTo": CONFORMS_TO,
        "robots": info.robots,
        "http-header-user-agent": info.agent,
        "operator": info.operator,
    }
    lines = [f"{name}: {' '.join(value.split())}\r\n" for name, value in told.items() if value]
    block = "".join(lines).encode()
    fields = f"WARC-Date: {date(moment)}\r\nWARC-Filename: {filename}\r\n"
    opening = header("warcinfo", record, fields, "application/warc-fields", block)
    return packed((opening, block, END), LOW)


def group(
    capture: Capture, digest: str, outlinks: Sequence[Link], original: Original | None, level: int, info: str = ""
) -> Packed:
    """`digest` is that of `capture.wire`; `level` is for the response, the one record that is large; `info` is the UUID
    of the warcinfo record of the file."""
    told = capture.provenance or _OURS
    record, moment = told.record or new_record(), told.date or date(capture.began)
    target = f"WARC-Target-URI: {capture.visit.url}\r\n"
    about, source = f"WARC-Date: {moment}\r\n{target}", named(told.info or info)
    address = f"WARC-IP-Address: {capture.address}\r\n" if capture.address else ""
    beside = f"WARC-Concurrent-To: {id_of(record)}\r\n"
    fields = f"{about}{source}{address}{_truncated(capture)}{_further(told.fields)}"
    asked = told.asked or Asked()
    if told.type == RESOURCE:
        response = _resource(capture, record, f"{fields}WARC-Payload-Digest: {digest}\r\n", level)
    elif original is None:
        response = _response(capture, record, f"{fields}{_digest(capture.head, digest)}", level)
    else:
        refers = _refers_to(original, capture.status, digest)
        response = _revisit(capture.head, record, f"{fields}{refers}")
    return Packed(
        record,
        response,
        _request(
            capture.request,
            asked.record,
            f"WARC-Date: {asked.date or moment}\r\n{target}{source}{beside}{address}{_further(asked.fields)}",
        )
        if capture.request or not capture.source
        else b"",
        _metadata(capture, f"{about}{named(info)}{beside}", outlinks),
        *(
            _converted(data, media_type, f"{about}{named(info)}{beside}", record) if data else b""
            for data, media_type in ((capture.rendered, "text/html;charset=utf-8"), (capture.screenshot, JPEG))
        ),
    )


def aside(record: Record) -> bytes:
    """A record of somebody else's that is kept as it was; its fields are sound, see `store.foreign.claims`."""
    lines = _further(field for field in record.fields if field[0] not in ("content-length", "warc-block-digest"))
    digest, length = block_digest(record.block), len(record.block)
    opening = f"WARC/1.1\r\n{lines}WARC-Block-Digest: {digest}\r\nContent-Length: {length}\r\n\r\n".encode()
    return packed((opening, record.block, END), LOW)


def _further(fields: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{_NAMES.get(name, name)}: {value}\r\n" for name, value in fields)


def _resource(capture: Capture, record: str, fields: str, level: int) -> bytes:
    media_type = capture.header("content-type") or "application/octet-stream"
    return packed((header(RESOURCE, record, fields, media_type, capture.wire), capture.wire, END), level)


def _response(capture: Capture, record: str, fields: str, level: int) -> bytes:
    opening = header("response", record, fields, "application/http;msgtype=response", capture.head, capture.wire)
    if capture.wire and (capture.header("content-encoding") or "identity") != "identity":
        return packed_around(opening + capture.head, capture.wire, END)
    return packed((opening, capture.head, capture.wire, END), level)


def _revisit(head: bytes, record: str, fields: str) -> bytes:
    opening = header("revisit", record, fields, "application/http;msgtype=response", head)
    return packed((opening, head, END), LOW)


def _refers_to(original: Original, status: int, digest: str) -> str:
    # A 304 brings no payload whose digest could be given.
    equal = f"WARC-Payload-Digest: {digest}\r\n" if status != 304 else ""
    return (
        f"{equal}WARC-Profile: {REVISIT_EQUAL if equal else REVISIT_NOT_MODIFIED}\r\n"
        f"WARC-Refers-To: {id_of(original.record)}\r\n"
        f"WARC-Refers-To-Target-URI: {original.url}\r\n"
        f"WARC-Refers-To-Date: {date(original.began)}\r\n"
    )


def _converted(data: bytes, media_type: str, beside: str, response: str) -> bytes:
    """What a browser has made of the response: the document as it was after its scripts had run, or its picture."""
    fields = f"{beside}WARC-Refers-To: {id_of(response)}\r\n"
    return packed((header("conversion", new_record(), fields, media_type, data), data, END), LOW)


def _request(head: bytes, record: str, fields: str) -> bytes:
    opening = header("request", record or new_record(), fields, "application/http;msgtype=request", head)
    return packed((opening, head, END), LOW)


def _metadata(capture: Capture, fields: str, outlinks: Sequence[Link]) -> bytes:
    visit = capture.visit
    told = Circumstances(visit, capture.seconds, capture.decoding, capture.failure, capture.source)
    lines = [
        f"via: {visit.referrer}\r\n" if visit.referrer else "",
        f"hopsFromSeed: {hops}\r\n" if (hops := _hops(visit)) else "",
        f"fetchTimeMs: {round(capture.seconds * 1000)}\r\n",
        f"gossamer-capture: {msgspec.json.encode(told).decode()}\r\n",
    ]
    urls, places, _ = targets(outlinks)  # a page links to half of its targets twice
    lines += [f"outlink: {url}{_CONTEXTS.get(place, _OTHER_CONTEXT)}" for url, place in zip(urls, places, strict=True)]
    block = "".join(lines).encode()
    opening = header("metadata", new_record(), fields, "application/warc-fields", block)
    return packed((opening, block, END), LOW)


def header(kind: str, record: str, fields: str, media_type: str, *block: bytes) -> bytes:
    """How a record begins that has this block, in parts."""
    return (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id_of(record)}\r\n{fields}"
        f"WARC-Block-Digest: {block_digest(*block)}\r\n"
        f"Content-Type: {media_type}\r\nContent-Length: {sum(map(len, block))}\r\n\r\n"
    ).encode()


def named(info: str) -> str:
    """The field with the UUID of a warcinfo record; nothing where that is not known."""
    return f"WARC-Warcinfo-ID: {id_of(info)}\r\n" if info else ""


def _digest(head: bytes, digest: str) -> str:
    """No digest where readers would not agree which bytes it is about."""
    return f"WARC-Payload-Digest: {digest}\r\n" if _REGULAR_HEAD.fullmatch(head) else ""


def _truncated(capture: Capture) -> str:
    return f"WARC-Truncated: {capture.truncated}\r\n" if capture.truncated else ""


def _hops(visit: Visit) -> str:
    if visit.kind is Kind.RESOURCE:  # its depth is how far it is from its page
        return "R" * visit.hops + "E" * max(visit.depth, 1)
    return f"{'L' * visit.depth}{'R' * visit.hops}{_KIND_HOPS[visit.kind]}"


def new_record() -> str:
    """A random UUID (version 4); the library's takes three times as long."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
