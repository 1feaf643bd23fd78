"""Endless addresses, as real sites make them by accident. Each page of a trap answers 200 and links to more.

`calendar`  a page for every month, and a link to the one before and the one after
`echo`      relative links below a path that accepts anything, so that the path repeats itself
`sessions`  five documents; every link gets a new session id, so that each is there under endless addresses
`facets`    filters that can be added in any order, and page numbers without end
`keys`      documents chosen by one query key, with three more in every link that are new each time and change nothing
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from gossamer.testing.documents import Document, Written
from gossamer.testing.draw import token
from gossamer.testing.layout import Layout, topic
from gossamer.testing.places import Place, Role
from gossamer.testing.prose import paragraphs, prose

_MONTH = re.compile(r"/(\d{4})/(0[1-9]|1[0-2])\.html")
_PATH = re.compile(r"/([a-z]+/)*")
_SESSION = re.compile(r"/([0-4])(?:\?sid=([0-9a-f]{16}))?")
_DOCUMENTS = 5
_ITEM = re.compile(r"\?item=([12]?\d)(?:&(?:ref|time|visit)=[0-9a-f]{8})*")
_ITEMS = 30
_JUNK = ("ref", "time", "visit")
_FACETS = {
    "colour": ("red", "green", "blue"),
    "size": ("small", "large"),
    "shape": ("round", "square"),
    "order": ("price", "name"),
}
_HOME = Written("/", "Home")


def trap(layout: Layout, place: Place) -> Document | None:
    """The page of a trap, or None where even the trap has nothing."""
    return _TRAPS[place.role](layout, place)


def _calendar(layout: Layout, place: Place) -> Document | None:
    match = _MONTH.fullmatch(place.rest)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2])
    months = year * 12 + month - 1
    links = [_HOME] + [_month(other) for other in (months - 1, months + 1) if 0 <= other < 120_000]
    return Document(f"Calendar {year}-{month:02}", [f"Nothing happens in {year}-{month:02}."], links)


def _month(months: int) -> Written:
    year, month = divmod(months, 12)
    return Written(f"/calendar/{year:04}/{month + 1:02}.html", f"{year:04}-{month + 1:02}")


def _echo(layout: Layout, place: Place) -> Document | None:
    if not _PATH.fullmatch(place.rest):
        return None
    links = [_HOME, Written("news/", "News"), Written("events/", "Events")]
    return Document("Echo", ["The links of this page are relative, and any path is a page."], links)


def _sessions(layout: Layout, place: Place) -> Document | None:
    match = _SESSION.fullmatch(place.rest)
    if match is None:
        return None
    number, session = int(match[1]), match[2] or ""
    key = layout.spec.seed, "session", place.host, session
    links = [Written(f"/visitor/{to}?sid={token(*key, to)}", f"Document {to}") for to in range(_DOCUMENTS)]
    noun = topic(layout.spec.seed, place.host)[number]
    return Document(f"Document {number}", [f"All about the {noun}, whoever you are."], [_HOME, *links])


def _keys(layout: Layout, place: Place) -> Document | None:
    match = _ITEM.fullmatch(place.rest)
    if match is None:
        return None
    number, seed = int(match[1]), layout.spec.seed
    words = prose(seed).sentences(40, topic(seed, place.host), "shelf", place.host, number)
    others = sorted({0, (number + 1) % _ITEMS, (number * 7 + 3) % _ITEMS, (number * 3 + 1) % _ITEMS})
    links = [Written(f"/shelf?item={to}{_junk(layout, place, to)}", f"Item {to}") for to in others]
    return Document(f"Item {number}", paragraphs(words), [_HOME, *links])


def _junk(layout: Layout, place: Place, to: int) -> str:
    key = layout.spec.seed, "junk", place.host, place.rest, to
    return "".join(f"&{name}={token(*key, name)[:8]}" for name in _JUNK)


def _facets(layout: Layout, place: Place) -> Document | None:
    chosen = dict(parse_qsl(place.rest.removeprefix("?")))
    if place.rest != _query(chosen) or not _sensible(chosen):
        return None
    links = [_HOME]
    for name, values in _FACETS.items():
        if name not in chosen:
            links += [Written("/catalogue" + _query({**chosen, name: value}), value) for value in values]
    following = {**chosen, "page": str(int(chosen.get("page", "1")) + 1)}
    links.append(Written("/catalogue" + _query(following), "more"))
    listed = ", ".join(sorted(value for name, value in chosen.items() if name != "order")) or "everything"
    return Document("Catalogue", [f"All that we have of: {listed}."], links)


def _query(chosen: dict[str, str]) -> str:
    return f"?{urlencode(chosen)}" if chosen else ""


def _sensible(chosen: dict[str, str]) -> bool:
    number = chosen.get("page", "2")
    facets = {name: value for name, value in chosen.items() if name != "page"}
    known = all(value in _FACETS.get(name, ()) for name, value in facets.items())
    return known and number.isascii() and number.isdigit() and len(number) < 10 and number == str(int(number))


_TRAPS: dict[Role, Callable[[Layout, Place], Document | None]] = {
    Role.CALENDAR: _calendar,
    Role.ECHO: _echo,
    Role.SESSION: _sessions,
    Role.FACETS: _facets,
    Role.KEYS: _keys,
}
