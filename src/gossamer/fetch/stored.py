"""Decode a capture that comes from an archive, as it was decoded when it was fetched."""

from __future__ import annotations

import re
from dataclasses import replace

from gossamer.fetch.body import open_body
from gossamer.fetch.head import read_head
from gossamer.fetch.limits import Limits
from gossamer.model import Capture, Failure

_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*[;\r\n]")

_LONGER = "is longer than the limits of the plan let it be decoded"


def decoded(capture: Capture, limits: Limits) -> Capture:
    """The capture with its `body` made from its `wire`; the same object where there is nothing to undo."""
    head = read_head(capture.head.splitlines(keepends=True), limits)
    if isinstance(head, Failure) or not (head.chunked or head.codings):
        return replace(capture, body=capture.wire)
    if head.chunked and capture.wire and not _CHUNK.match(capture.wire):
        head = head._replace(chunked=False)  # other crawlers keep what they have put together under the head that came
    body = open_body(head, limits.cap(capture.visit.kind, head.media_type), limits)
    body.feed(capture.wire)
    content = body.close(whole=capture.truncated is None)
    longer = content.cut and capture.truncated is None  # the limits were others then, or those of another crawler
    return replace(capture, body=content.payload, decoding=content.decoding or (_LONGER if longer else None))
