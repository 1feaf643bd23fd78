"""Changes as a feed (Atom 1.0, RFC 4287), for every program that reads feeds.

An entry is a change of a page: it has an id of its own, which is the same whenever it is asked for, and the time at
which the change was seen. What pages say gets into it as text. The content is HTML, because that is what feed readers
show best; it is ours, and words of pages are escaped in it, once for HTML and once more for XML.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from gossamer import printable
from gossamer.collection.ask.changes import BACK, CHANGED, GONE, MOVED, NEW, UNREACHED, Change
from gossamer.printable import counted
from gossamer.version import VERSION

MEDIA_TYPE = "application/atom+xml"
_KINDS = {
    NEW: "New",
    CHANGED: "Changed",
    BACK: "Back again",
    MOVED: "Moved",
    GONE: "Gone",
    UNREACHED: "Not reached",
}
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may have, not even escaped."""
_EPOCH = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Feed:
    """What a feed says of itself."""

    name: str
    """Of the collection."""
    origin: str
    """What tells the collection from others of that name: its first seed."""
    question: str = ""
    site: str = ""
    updated: float = 0.0
    """When the newest capture of all was made: what is said where there is no entry."""
    own: str = ""
    """Where the feed is; nothing for a file."""
    page: str = ""
    """Where people find the same."""

    @property
    def title(self) -> str:
        """As a feed reader lists it."""
        about = " ".join(filter(None, (self.question, f"site:{self.site}" if self.site else "")))
        return f"{about} - {self.name}" if about else f"{self.name}: what is new"

    @property
    def id(self) -> str:
        """The same for the same question to the same collection."""
        name = "\n".join((self.name, self.origin, self.question, self.site))
        return uuid.uuid5(uuid.NAMESPACE_URL, printable.text(name)).urn


def atom(feed: Feed, changes: Iterable[Change]) -> bytes:
    """The whole document."""
    found = list(changes)
    newest = max((each.seen for each in found), default=feed.updated)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(feed.title)}</title>",
        f"<id>{feed.id}</id>",
        f"<updated>{_time(newest)}</updated>",
        f"<author><name>{_text(feed.name)}</name></author>",
        f'<generator version="{_text(VERSION)}">Gossamer</generator>',
        *([f'<link rel="self" type="{MEDIA_TYPE}" href="{_text(feed.own)}"/>'] if feed.own else ()),
        *([f'<link rel="alternate" type="text/html" href="{_text(feed.page)}"/>'] if feed.page else ()),
        *(line for each in found for line in _entry(each)),
        "</feed>",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _entry(change: Change) -> Iterator[str]:
    yield "<entry>"
    yield f"<title>{_text(change.title or change.url)}</title>"
    yield f"<id>{change.id}</id>"
    yield f"<updated>{_time(change.seen)}</updated>"
    yield f'<link rel="alternate" href="{_text(change.url)}"/>'
    yield f'<category term="{_text(change.kind)}"/>'
    yield f'<content type="html">{_text(html(change))}</content>'
    yield "</entry>"


def html(change: Change) -> str:
    """What changed, in elements of our own."""
    said = ".".join((amount(change), ""))
    parts = [f"<p>{_safe(said)}</p>"]
    if change.added:
        words = f"<ins>{_safe(change.added)}</ins>" if change.kind == CHANGED else _safe(change.added)
        parts.append(f"<p>{words}</p>")
    if change.removed:
        parts.append(f"<p><del>{_safe(change.removed)}</del></p>")
    return "".join(parts)


def amount(change: Change) -> str:
    """How much changed, in words, or why there is nothing to read."""
    kind = _KINDS[change.kind]
    if change.words is None:
        return f"{kind}: {change.reason}" if change.reason else kind
    added, removed = change.words
    if change.kind != CHANGED:
        return f"{kind}, {counted(added, 'word')}"
    if not added and not removed:
        return f"{kind}: the same words in another order or place"
    return f"{kind} by {counted(added + removed, 'word')}: {added:,} new, {removed:,} gone"


def _safe(words: str) -> str:
    return escape(printable.text(words))


def _text(words: str) -> str:
    """For an element or an attribute of XML: nothing that turns a line, or that no document may have."""
    return escape(_NO_XML.sub("\ufffd", printable.text(words)))


def _time(moment: float) -> str:
    return printable.timestamp(moment) or _EPOCH
