"""Decode a capture that comes from the archive, as it was decoded when it was fetched."""

from __future__ import annotations

from dataclasses import replace

from gossamer.fetch.body import Content, open_body
from gossamer.fetch.head import Head, read_head
from gossamer.fetch.limits import Limits
from gossamer.model import Capture, Failure


def decoded(capture: Capture, limits: Limits) -> Capture:
    """The capture with its `body` made from its `wire`; the same object where there is nothing to undo."""
    head = read_head(capture.head.splitlines(keepends=True), limits)
    if isinstance(head, Failure) or not (head.chunked or head.codings):
        return replace(capture, body=capture.wire)
    content = _content(capture, head, limits)
    if content.framing and not content.payload:  # other people's archives keep bodies that they had put together
        content = _content(capture, head._replace(chunked=False), limits)
    return replace(capture, body=content.payload, decoding=content.decoding)


def _content(capture: Capture, head: Head, limits: Limits) -> Content:
    body = open_body(head, limits.cap(capture.visit.kind, head.media_type), limits)
    body.feed(capture.wire)
    return body.close(whole=capture.truncated is None)
