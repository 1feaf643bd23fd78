"""Requests and answers as bytes. Both faces of the web, with and without sockets, speak these bytes."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from email.utils import formatdate
from enum import Enum
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import urlsplit

from gossamer.model import URL, Headers, Visit

AGENT = "Gossamer-testing"


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request."""

    method: str
    target: str
    fields: dict[str, str]
    """By lower-case name; the last of a name counts."""
    version: str = "HTTP/1.1"

    @property
    def authority(self) -> str:
        return self.fields.get("host", "").lower()

    @property
    def accepts_gzip(self) -> bool:
        return "gzip" in self.fields.get("accept-encoding", "")

    @property
    def closes(self) -> bool:
        """Whether the connection ends with the answer."""
        return self.version != "HTTP/1.1" or self.fields.get("connection", "").lower() == "close"


def read_request(head: bytes) -> Request | None:
    """The request that a head states, or None when it is not one of HTTP/1."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[1].startswith("/") or not parts[2].startswith("HTTP/1."):
        return None
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    return Request(parts[0], parts[1], fields, parts[2])


def split_url(url: URL) -> tuple[str, str]:
    """Authority and target (path and query), as a client sends them."""
    authority = urlsplit(url).netloc
    target = url.partition("://")[2].removeprefix(authority).partition("#")[0]
    return authority, target if target.startswith("/") else f"/{target}"


def request_head(visit: Visit) -> bytes:
    """The head of the request that a visit asks for."""
    authority, target = split_url(visit.url)
    lines = [f"{visit.method} {target} HTTP/1.1", f"Host: {authority}", f"User-Agent: {AGENT}"]
    lines += ["Accept: */*", "Accept-Encoding: gzip"]
    if visit.etag:
        lines.append(f"If-None-Match: {visit.etag}")
    if visit.modified:
        lines.append(f"If-Modified-Since: {visit.modified}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


class Ending(Enum):
    """How an answer ends."""

    WHOLE = "whole"
    CUT = "cut"
    """The connection closes in the middle of the body."""
    DROPPED = "dropped"
    """The connection closes before the first byte."""
    SILENT = "silent"
    """Nothing comes and nothing closes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server sends back."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    """What is meant to follow the head, as it goes over the wire."""
    ending: Ending = Ending.WHOLE
    retry_after: int = 0

    def head(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def sent(self) -> tuple[bytes, bytes]:
        """Head and body as far as they go out."""
        if self.ending in (Ending.DROPPED, Ending.SILENT):
            return b"", b""
        return self.head(), self.body[: len(self.body) // 2] if self.ending is Ending.CUT else self.body

    @property
    def closes(self) -> bool:
        return ("connection", "close") in self.headers


UNANSWERED = Answer(0, ending=Ending.SILENT)


@lru_cache(maxsize=1024)
def http_date(second: int) -> str:
    return formatdate(second, usegmt=True)


def compressed(body: bytes) -> bytes:
    """The same bytes for the same body: no date in the gzip header."""
    return gzip.compress(body, compresslevel=1, mtime=0)


def decompressed(wire: bytes) -> bytes:
    """As much as can be read, also when the end is missing."""
    return zlib.decompressobj(wbits=31).decompress(wire)
