"""What does a page say of itself for programs? JSON-LD, microdata, Open Graph, as one JSON object.

    {"json_ld": [...], "microdata": [...], "meta": {"og:title": "..."}}

JSON-LD is taken as it is, but for what no JSON can say: numbers without an end (NaN) are null, and half a character is
U+FFFD. An item of microdata is an object with `@type` and its properties; an item within another is the value of a
property, and what is said several times is a list. Strangers write all of it, so that all is bounded: by the number of
things, their depth and their size; what is too much is left out, whole things at a time.

Microdata is read only of pages without JSON-LD, which say the same in it, and from the tags alone, without a tree: an
item ends where an element of its name ends that was not opened within it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import islice
from math import isfinite
from typing import Any

from gossamer.convert.html.scan import Hint, Scan

DATA_MOST = 64 << 10
"""Characters of all of it, as JSON."""
SCRIPTS_MOST = 16
SCRIPT_MOST = 400_000
"""Bytes. JSON that is larger is a catalogue."""
_ITEMS_MOST = 200
_VALUE_MOST = 2_000
"""Characters of a property."""
_TAGS_MOST = 5_000
_DEPTH_MOST = 16
_SCRIPT_MARK, _SCRIPT_END = b"ld+json", b"</script"
_SCOPE_MARK, _PROPERTY_MARK = b"itemscope", b"itemprop"
_TAG_MOST = 4_000
"""Bytes of a tag, from its last mark on."""
_READ_MOST = 256 << 10
"""Bytes from the first item on."""
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9-]*+)([^<>]*+)>")
_ATTRIBUTE = re.compile(rb"([a-zA-Z-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_SAYING = (b"content", b"datetime", b"href", b"src", b"value", b"data")
"""Attributes that hold the value of a property; else its text does."""
_META = ("og:", "article:", "product:", "book:", "profile:", "video:", "music:", "twitter:")
_MARKUP = re.compile(rb"<[^<>]*>")


def structured(page: bytes, found: Scan, linked: Iterable[object]) -> str:
    """What a page in UTF-8 says, as JSON; nothing if it says nothing. `linked`: what its `scripts` say."""
    meta = {name: content for name, content in reversed(found.metas) if name.startswith(_META) and content.strip()}
    room = _Room()
    things = room.fitting(thing for script in linked for thing in _outermost(script))
    has_items = not things and found.hints & Hint.ITEM and _SCOPE_MARK in page
    parts = [
        ("json_ld", things),
        ("microdata", room.fitting(microdata(page)) if has_items else ""),
        ("meta", "".join(room.written([dict(reversed(meta.items()))]) if meta else ())),
    ]
    said = ",".join(f'"{name}":{value}' for name, value in parts if value)
    return f"{{{said}}}" if said else ""


class _Room:
    """What fits in, thing by thing."""

    def __init__(self) -> None:
        self._left = DATA_MOST

    def fitting(self, things: Iterable[object]) -> str:
        """Those that do, as a list; nothing if none does."""
        written = list(self.written(things))
        return f"[{','.join(written)}]" if written else ""

    def written(self, things: Iterable[object]) -> Iterator[str]:
        for thing in things:
            try:
                said = json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
            except RecursionError:
                continue
            said = _whole(said)
            if len(said) <= self._left:
                self._left -= len(said)
                yield said


def scripts(page: bytes, within: tuple[int, int]) -> Iterator[object]:
    """What stands in the scripts with JSON-LD, one after the other; what is no JSON is left out. Their tags are looked
    for `within` some bytes of the page, see `Scan.linked_data`."""
    place, last = within
    for _ in range(SCRIPTS_MOST):
        if (place := page.find(_SCRIPT_MARK, place, last)) < 0:
            return
        start = page.find(b">", place) + 1
        place = end = page.find(_SCRIPT_END, start)
        if start == 0 or end < 0:
            return
        if end - start <= SCRIPT_MOST:
            try:
                text = page[start:end].decode("utf-8", "replace")
                yield json.loads(text, strict=False, parse_constant=_number, parse_float=_number)
            except (ValueError, RecursionError):
                continue


def _number(text: str) -> float | None:
    """Python reads and writes NaN and infinity, other programs do not."""
    number = float(text)
    return number if isfinite(number) else None


def _whole(text: str) -> str:
    """JSON may name one half of a surrogate pair, which cannot be written in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def microdata(page: bytes) -> Iterator[dict[str, Any]]:
    """The outermost items of a page in UTF-8."""
    begin = page.rfind(b"<", 0, page.find(_SCOPE_MARK))
    end = min(max(page.rfind(mark) for mark in (_SCOPE_MARK, _PROPERTY_MARK)) + _TAG_MOST, begin + _READ_MOST)
    open_items: list[tuple[bytes, int, dict[str, Any]]] = []
    """The name of the element of each item, how many of that name are open within it, and the item."""
    count = 0
    for tag in islice(_TAG.finditer(page, max(begin, 0), end), _TAGS_MOST):
        name = tag[2].lower()
        if tag[1]:
            if open_items and open_items[-1][0] == name:
                element, depth, item = open_items.pop()
                if depth:
                    open_items.append((element, depth - 1, item))
                elif not open_items:
                    yield item
            continue
        if open_items and open_items[-1][0] == name:
            element, depth, item = open_items.pop()
            open_items.append((element, depth + 1, item))
        if b"item" not in tag[3]:
            continue
        said = _attributes(tag[3])
        inner = _begun(said) if b"itemscope" in said and name not in _VOID else None
        if open_items and b"itemprop" in said:
            _add(open_items[-1][2], said[b"itemprop"], _value(page, tag.end(), said) if inner is None else inner)
        if inner is None:
            continue
        if len(open_items) == _DEPTH_MOST or (count := count + 1) > _ITEMS_MOST:
            break
        if open_items and open_items[-1][0] == name:  # it was counted as one within, but ends for itself
            element, depth, item = open_items.pop()
            open_items.append((element, depth - 1, item))
        open_items.append((name, 0, inner))
    if open_items:
        yield open_items[0][2]


def _begun(said: Mapping[bytes, str]) -> dict[str, Any]:
    kind = said.get(b"itemtype", "").strip()
    return {"@type": kind} if kind else {}


def _add(item: dict[str, Any], names: str, value: object) -> None:
    if value == "":
        return
    for name in names.split()[:4]:
        if name not in item:
            item[name] = value
        elif isinstance(item[name], list):
            item[name].append(value)
        else:
            item[name] = [item[name], value]


def _attributes(written: bytes) -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    for name, *values in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), unescape(b"".join(values).decode("utf-8", "replace")))
    return found


def _value(page: bytes, at: int, said: Mapping[bytes, str]) -> str:
    """An attribute, or the text up to the end of what begins here, as far as one can see."""
    for name in _SAYING:
        if name in said:
            return said[name].strip()[:_VALUE_MOST]
    text = page[at : page.find(b"</", at) if page.find(b"</", at) >= 0 else len(page)]
    words = unescape(_MARKUP.sub(b" ", text[: 4 * _VALUE_MOST]).decode("utf-8", "replace"))
    return " ".join(words.split())[:_VALUE_MOST]


def _outermost(value: object) -> Iterator[object]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
    elif isinstance(value, dict):
        yield value
