"""Files as other crawlers write them, for the tests of importing."""

from __future__ import annotations

import gzip
import hashlib
import uuid
from base64 import b32encode

import lz4.frame
import zstandard

DATE = "2020-05-17T10:20:30Z"


def answer(body: bytes = b"<title>A page</title><p>Words.", *fields: str, status: str = "200 OK") -> bytes:
    """An HTTP answer."""
    lines = [f"HTTP/1.1 {status}", *(fields or ("Content-Type: text/html",)), f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def record(kind: str, url: str, block: bytes, date: str = DATE, **more: str) -> bytes:
    """One WARC record; names of further fields have underscores for hyphens."""
    http = "application/http; msgtype=" + ("request" if kind == "request" else "response")
    fields = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": date,
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + date + kind)}>",
        "Content-Type": http if kind in ("response", "request", "revisit") else "text/plain",
        "Content-Length": str(len(block)),
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def sha1(data: bytes) -> str:
    """As most crawlers write it."""
    return f"sha1:{b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


def page(url: str, words: str, date: str = DATE) -> bytes:
    """The record of a small page."""
    return record("response", url, answer(f"<title>{words}</title><p>{words}.".encode()), date)


def plain(records: list[bytes]) -> bytes:
    return b"".join(records)


def zipped(records: list[bytes]) -> bytes:
    """A gzip member for each record, as the standard asks for."""
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def zipped_whole(records: list[bytes]) -> bytes:
    """All in one member."""
    return gzip.compress(b"".join(records), mtime=0)


def zstandard_frames(records: list[bytes]) -> bytes:
    return b"".join(zstandard.ZstdCompressor(write_checksum=True).compress(each) for each in records)


def lz4_frames(records: list[bytes]) -> bytes:
    """As FastWARC writes them."""
    return b"".join(lz4.frame.compress(each, content_checksum=True) for each in records)


def zstandard_with_dictionary(records: list[bytes]) -> bytes:
    """As Archive Team writes them: the dictionary is in a frame of its own at the beginning."""
    words = zstandard.ZstdCompressionDict(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nWARC-Record-ID: <urn:uuid:" * 20
    )
    data = words.as_bytes()
    pack = zstandard.ZstdCompressor(dict_data=words)
    return b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data + b"".join(map(pack.compress, records))
