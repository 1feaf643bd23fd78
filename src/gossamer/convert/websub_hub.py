"""Which hub tells of changes of a document, and under which name? WebSub (W3C Recommendation, 2018), section 4.

Link header fields are asked first. Only where they name none, the elements of an HTML head or of a feed are, before its
first entry, or the members of a JSON Feed. A hub without a topic is none: nobody could subscribe to anything there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gossamer.convert.feed.markup import attributes
from gossamer.convert.html.links import BLANK, header_relations
from gossamer.convert.source import Source
from gossamer.urls import resolve

WITHIN = 65_536
"""Bytes in which a document says it."""
TOPIC_MOST = 2_000
"""Characters."""
_HUB, _SELF = "hub", "self"
_MARK = b"hub"
_OVER = re.compile(rb"</head|<body|<(?:[\w.-]{1,40}:)?(?:item|entry)[\s>/]", re.IGNORECASE)
_LINK = re.compile(rb"""<(?:[\w.-]{1,40}:)?link(?=[\s/])((?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|(?!))*+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


class Announced(NamedTuple):
    """Where somebody may subscribe to what."""

    hub: str
    topic: str
    """As the document calls itself: a hub knows it by that name alone."""


def announced(source: Source) -> Announced | None:
    """What a document says of it; None where it names no hub, or not itself."""
    base = source.url or ""
    return _found(header_relations(source.links), base) or _found(_within(source.data[:WITHIN], source.data), base)


def _found(relations: Iterable[tuple[str, str]], base: str) -> Announced | None:
    hub, topic = "", ""
    for rel, href in relations:
        types = rel.lower().split()
        hub = hub or (href if _HUB in types else "")
        topic = topic or (href if _SELF in types else "")
    address = resolve([hub], base)[0] if hub and topic else None
    named = _as_named(topic, base) if address else None
    return Announced(address, named) if address and named else None


def _as_named(topic: str, base: str) -> str | None:
    """The address itself, where it is a whole one."""
    whole = topic[:8].lower().startswith(("http://", "https://")) and topic.isprintable() and " " not in topic
    named = topic if whole else resolve([topic], base)[0]
    return named if named and len(named) <= TOPIC_MOST and resolve([named], base)[0] else None


def _within(start: bytes, data: bytes) -> Iterator[tuple[str, str]]:
    if start.lstrip(b"\xef\xbb\xbf\t\n\r ")[:1] == b"{":
        yield from _members(data) if _MARK in start else ()
        return
    start = _head(start)
    if _MARK not in start:
        return
    start = _COMMENT.sub(b"", start)
    over = _OVER.search(start)
    for link in _LINK.finditer(start, 0, over.start() if over else len(start)):
        said = attributes(link[1].decode("utf-8", "replace"))
        yield said.get("rel", ""), said.get("href", "").strip(BLANK)


def _head(start: bytes) -> bytes:
    """Without what comes after the head of a page, which is most of it, where the end of that is no comment."""
    end = start.find(b"</head")
    if end < 0:
        return start
    comment = start.rfind(b"<!--", 0, end)
    is_over = comment < 0 or start.find(b"-->", comment + len(b"<!--"), end) >= 0
    return start[:end] if is_over else start


def _members(data: bytes) -> Iterator[tuple[str, str]]:
    """Of a JSON Feed: `hubs`, those for WebSub, and `feed_url`."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(said, dict) or not isinstance(said.get("hubs"), list):
        return
    for each in said["hubs"]:
        if isinstance(each, dict) and str(each.get("type", "")).lower() == "websub":
            yield _HUB, str(each.get("url", ""))
    yield _SELF, str(said.get("feed_url") or "")
