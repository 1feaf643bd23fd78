"""Read the head of an answer: which bytes are it, and what it says about the body.

HTTP/1.1 as in RFC 9112. libcurl has already refused what is no header line; what is decided here
is how much of a head we take and that two different lengths are no length.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.fetch.limits import Limits
from gossamer.model import Failure, Fault, Headers, status_in

_END = (b"\r\n", b"\n")
_NO_CODING = frozenset(
    {"identity", "none", "utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252", "7bit", "8bit", "binary"}
)
"""Servers write these where a coding belongs, and nothing is coded."""


class Head(NamedTuple):
    """Status line and header fields."""

    raw: bytes
    status: int
    headers: Headers
    media_type: str
    """As declared: lower case, without parameters; empty when nothing is declared."""
    chunked: bool
    codings: tuple[str, ...]
    """Content and transfer codings in the order in which they were applied, without `chunked`."""


def read_head(lines: list[bytes], limits: Limits) -> Head | Failure:
    """The final head among the lines, which may begin with interim ones (1xx)."""
    start = 0
    for interim in range(limits.interim + 2):
        status = _status(lines, start)
        if status >= 200 or not status:
            break
        if status == 101:
            return Failure(Fault.PROTOCOL, "101 Switching Protocols was not asked for")
        if interim >= limits.interim:
            return Failure(Fault.PROTOCOL, f"more than {limits.interim} interim answers")
        start = _next_head(lines, start)
    if len(lines) - start > limits.head_lines + 2 or sum(map(len, lines)) > limits.head_bytes:
        return Failure(Fault.HEADERS_TOO_LARGE, f"more than {limits.head_lines} lines or {limits.head_bytes:,} bytes")
    if not status or lines[-1] not in _END:
        return Failure(Fault.INCOMPLETE, "closed before the end of the head")
    return _parse(b"".join(lines[start:] if start else lines), status)


def _status(lines: list[bytes], at: int) -> int:
    """The code in a status line; 0 when the line is not there or has none."""
    return status_in(lines[at]) if at < len(lines) else 0


def _next_head(lines: list[bytes], at: int) -> int:
    while at < len(lines) and lines[at] not in _END:
        at += 1
    return at + 1


def _parse(raw: bytes, status: int) -> Head | Failure:
    lines = raw.decode("latin-1").split("\n")[1:-2]
    pairs = [line.partition(":") for line in lines]
    fields = [(name.lower(), value.strip(" \t\r")) for name, _, value in pairs]
    present = dict(reversed(fields))  # the first of each name
    media_type = present.get("content-type", "").partition(";")[0].strip().lower()
    codings = _tokens(fields, "content-encoding") if "content-encoding" in present else []
    chunked = False
    if "transfer-encoding" in present:
        if "content-length" in present:
            return Failure(Fault.PROTOCOL, "both Content-Length and Transfer-Encoding")
        transfer = _tokens(fields, "transfer-encoding")
        chunked = transfer[-1:] == ["chunked"]
        codings += [token for token in transfer if token != "chunked"]
    return Head(raw, status, tuple(fields), media_type, chunked, tuple(codings))


def _tokens(fields: list[tuple[str, str]], wanted: str) -> list[str]:
    tokens = (token.strip().lower() for name, value in fields if name == wanted for token in value.split(","))
    return [token for token in tokens if token and token not in _NO_CODING]
