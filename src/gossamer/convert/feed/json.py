"""JSON Feed (jsonfeed.org), versions 1.0 and 1.1. What is of another type than it should be is left out."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from gossamer.convert.feed.record import Record, Records
from gossamer.convert.feed.xml import ENTRIES_MOST

MARK = "https://jsonfeed.org/version/"
_DAMAGED = "the JSON is damaged"


def read(text: str, base: str) -> Records:
    """What a feed says; `base` is its address."""
    records = Records(Record(base))
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        records.problem = _DAMAGED
        return records
    said = said if isinstance(said, dict) else {}
    _put(records.feed, said, {"home_page_url": "link", "feed_url": "id", "language": "language"})
    records.feed.offer("summary", escape(_line(said.get("description")), quote=False))
    if _line(said.get("next_url")):
        records.feed.further.append((_line(said["next_url"]), "next"))
    items = said.get("items")
    for item in items[:ENTRIES_MOST] if isinstance(items, list) else ():
        if isinstance(item, dict):
            records.entries.append(_entry(item, base))
    return records


def _entry(item: dict[str, Any], base: str) -> Record:
    record = Record(base)
    roles = {"url": "link", "id": "id", "date_published": "published", "date_modified": "updated"}
    _put(record, item, {**roles, "language": "language", "content_html": "content"})
    record.offer("link", _line(item.get("external_url")), 1)
    record.offer("content", escape(_line(item.get("content_text")), quote=False), 1)
    record.offer("summary", escape(_line(item.get("summary")), quote=False))
    return record


def _put(record: Record, said: dict[str, Any], roles: dict[str, str]) -> None:
    for name, role in roles.items():
        record.offer(role, _line(said.get(name)))
    record.offer("title", escape(_line(said.get("title")), quote=False))
    people = said.get("authors")
    people = people if isinstance(people, list) else [said.get("author")]
    for person in people[:1]:
        if isinstance(person, dict):
            record.offer("author", _line(person.get("name")))


def _line(value: object) -> str:
    """Identifiers may be numbers."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""
