"""Take the body in as it comes: keep the wire, undo the codings, stop when it is enough.

A capture that comes from an archive is decoded the same way.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple, Protocol

from gossamer.fetch import no_media_type
from gossamer.fetch.chunked import Dechunker
from gossamer.fetch.decode import Decoder
from gossamer.fetch.head import Head, read_head
from gossamer.fetch.limits import Limits
from gossamer.model import Capture, Failure

_MEMBERS_MOST, _MEMBER_LEAST = 10_000, 256
"""Members of gzip and frames of zstd that may stand for little, and the bytes that each further one stands for."""


class Content(NamedTuple):
    """A body after its last byte."""

    wire: bytes
    payload: bytes
    cut: bool
    """We stopped because a limit was reached; what came before is here."""
    decoding: str | None = None
    """What is wrong with the content coding."""
    framing: str | None = None
    """What is wrong with the chunks."""


class Body(Protocol):
    """A body on its way in."""

    received: int

    @property
    def held(self) -> int:
        """Bytes in memory."""

    def feed(self, data: bytes) -> bool:
        """Take a piece of the wire; say whether more is wanted."""

    def close(self, *, whole: bool) -> Content:
        """Nothing more comes. `whole`: the connection did not break and no clock ran out."""


def open_body(head: Head, cap: int, limits: Limits) -> Body:
    """Where the bytes after a head go; `cap` is how long the payload may become."""
    if head.chunked or head.codings:
        return _CodedBody(head, cap, limits)
    return _PlainBody(cap)


class _PlainBody:
    """Nothing to undo: wire and payload are one object."""

    __slots__ = ("_cap", "_wire", "received")

    def __init__(self, cap: int) -> None:
        self.received = 0
        self._cap = cap
        self._wire: list[bytes] = []

    @property
    def held(self) -> int:
        return self.received

    def feed(self, data: bytes) -> bool:
        self.received += len(data)
        self._wire.append(data)
        return self.received <= self._cap

    def close(self, *, whole: bool) -> Content:
        wire = b"".join(self._wire)[: self._cap]
        return Content(wire, wire, cut=self.received > self._cap)


class _CodedBody:
    """Chunked, compressed or both."""

    __slots__ = (
        "_bomb",
        "_cap",
        "_cut",
        "_dechunker",
        "_decoder",
        "_limits",
        "_payload",
        "_size",
        "_unchunked",
        "_wire",
        "received",
    )

    def __init__(self, head: Head, cap: int, limits: Limits) -> None:
        self.received = 0
        self._cap = cap
        self._limits = limits
        self._wire: list[bytes] = []
        self._dechunker = Dechunker() if head.chunked else None
        self._unchunked = 0
        self._decoder = Decoder(head.codings, limits.layers)
        self._payload: list[bytes] = []
        self._size = 0
        self._cut = False
        self._bomb: str | None = None

    @property
    def held(self) -> int:
        return self.received + self._size

    def feed(self, data: bytes) -> bool:
        self.received += len(data)
        self._wire.append(data)
        if self._dechunker:
            data = self._dechunker.feed(data)
        self._unchunked += len(data)
        for piece in self._decoder.feed(data):
            if piece:
                self._payload.append(piece)
                self._size += len(piece)
            if self._too_much():
                return False
        self._cut = self.received > self._cap + self._limits.framing
        return not (self._cut or (self._dechunker and (self._dechunker.fault or self._dechunker.excess)))

    def _too_much(self) -> bool:
        limits = self._limits
        likely = max(limits.ratio_after, limits.ratio * self._unchunked)
        if likely < max(self._size, self._decoder.between):
            self._bomb = f"grows more than {limits.ratio} times when decoded"
            self._cap = min(self._cap, likely)
        hollow = self._decoder.members > _MEMBERS_MOST + self._size // _MEMBER_LEAST
        if hollow:
            self._bomb = "is made of members without content"
        self._cut = self._size > self._cap or likely < self._decoder.between or hollow
        return self._cut

    def close(self, *, whole: bool) -> Content:
        if whole and not self._cut:
            self._decoder.end()
        payload = b"".join(self._payload if self._size else self._decoder.as_it_came())[: self._cap]
        wire, framing = b"".join(self._wire), None
        if self._dechunker:
            wire, framing = wire[: len(wire) - self._dechunker.excess], self._dechunker.fault
        return Content(wire, payload, self._cut, self._bomb or self._decoder.fault, framing)


_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*[;\r\n]")

_LONGER = "is longer than the limits of the plan let it be decoded"


def decoded(capture: Capture, limits: Limits) -> Capture:
    """The capture with its `body` made from its `wire`; the same object where there is nothing to undo."""
    head = read_head(capture.head.splitlines(keepends=True), limits)
    if isinstance(head, Failure) or not (head.chunked or head.codings):
        told = "" if isinstance(head, Failure) else head.media_type
        most = no_media_type.cap(limits, capture.visit, told, capture.wire)
        if len(capture.wire) > most:  # an import keeps all of it
            return replace(capture, body=capture.wire[:most], decoding=_LONGER)
        return replace(capture, body=capture.wire)
    if head.chunked and capture.wire and not _CHUNK.match(capture.wire):
        head = head._replace(chunked=False)  # other crawlers keep what they have put together under the head that came
    body = open_body(head, limits.cap(capture.visit.kind, head.media_type), limits)
    body.feed(capture.wire)
    content = body.close(whole=capture.truncated is None)
    longer = content.cut and capture.truncated is None  # the limits were others then, or those of another crawler
    return replace(capture, body=content.payload, decoding=content.decoding or (_LONGER if longer else None))
