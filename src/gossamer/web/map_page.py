"""A picture of the collection: its sites and the links between them, and what it is made of."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.collection.ask.distributions import Spread
from gossamer.collection.ask.site_map import MappedSite, SiteMap
from gossamer.search.facets import Facets
from gossamer.web.chart import bars
from gossamer.web.languages import named
from gossamer.web.leases import place
from gossamer.web.view_context import face_of

COLOURS = ("language", "type", "rank")
SHADES = 6
"""Colours that are told apart; what comes after shares the last."""
LABELS_MOST = 60
FEW = 8
"""Sites, whose names are read on a phone too where they stand within their circles."""
LIMIT = 60.0
"""Seconds: a large map takes longer than an answer to a question."""
FRESH = 5.0
"""Seconds that a picture is shown again."""
MARGIN = 12.0
WIDE, HIGH = 1_000, 560
"""Pixels of the picture on a desk."""
LETTER, HIGH_LETTER, LETTER_SIZE = 7.0, 14.0, 13.0
"""About how wide and high a letter of a name is, and its size."""
LARGER_MOST = 2.5
"""So many times as large a name is written where there is room, so that it is read on a phone too."""
NAME_MOST = 40
DISC_MOST = 120.0
"""Pixels from the middle of the largest site to its edge, where there are few."""


Picture: TypeAlias = tuple[SiteMap, Facets, Spread, bool]
"""The last is whether a crawl runs."""


class Label(NamedTuple):
    """Where a name stands, from the top, and how large: within the circle if there is room, else below it."""

    y: float
    size: float
    is_within: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """A site as it is drawn."""

    site: MappedSite
    shade: int
    label: Label | None


async def picture(request: Request) -> Response:
    """The map, and charts of what there is."""
    face, colour = face_of(request), request.query_params.get("colour", COLOURS[0])
    colour = colour if colour in COLOURS else COLOURS[0]
    kept: Kept = request.app.state.map
    found, made_of, how, crawling = await kept.get(place(face.leases.path), lambda: face.ask(_found, limit=LIMIT))
    names, drawn = await asyncio.to_thread(_drawn, found, colour)
    return face.page(
        request,
        "map.html",
        found=found,
        drawn=drawn,
        is_wide=is_wide(drawn),
        names=names,
        colour=colour,
        colours=COLOURS,
        box=_box(found.sites),
        made_of={name: _bars(counts) for name, counts in made_of.items() if counts},
        charts=charts(how),
        whole=how.whole,
        crawling=crawling,
    )


class Kept:
    """The picture of a moment ago: to draw a large one takes seconds."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._until = 0.0
        self._last: Picture | None = None
        self._of = ""

    async def get(self, of: str, make: Callable[[], Awaitable[Picture]]) -> Picture:
        """The last one of this place, or a new one; one is made at a time."""
        async with self._lock:
            if self._last is None or of != self._of or time.monotonic() > self._until:
                began = time.monotonic()
                self._last, self._of = await make(), of
                self._until = time.monotonic() + max(FRESH, 20 * (time.monotonic() - began))
            return self._last


def _found(web: Collection) -> Picture:
    return web.site_map(), web.composition(), web.spread(), web.status().crawling is not None


def charts(how: Spread) -> list[tuple[str, str, Markup]]:
    """A name, what is counted, and the bars."""
    every = [
        ("Answers", "What the server said last, of all addresses that were asked for.", how.status),
        ("Depth", "Links from a seed to each page.", how.depth),
        ("Sizes", "Of each page, unpacked.", how.size),
        ("Change", "How often a page had other bytes, of those that were fetched more than once.", how.change),
    ]
    return [(name, words, bars(name, counts)) for name, words, counts in every if counts]


def _drawn(found: SiteMap, colour: str) -> tuple[list[str], list[Drawn]]:
    """What each shade means, and the sites, the largest first, so that small ones lie above."""
    values = [_value(site, colour) for site in found.sites]
    counts = {value: values.count(value) for value in dict.fromkeys(values)}
    names = sorted(counts, key=lambda value: (-counts[value], value)) if colour != "rank" else _QUARTERS
    shades = {value: min(number, SHADES - 1) for number, value in enumerate(names)}
    labelled = _labelled(found.sites)
    drawn = [
        Drawn(site, shades[value], labelled.get(number))
        for number, (site, value) in enumerate(zip(found.sites, values, strict=True))
    ]
    told = map(named, names[:SHADES]) if colour == "language" else names[:SHADES]
    return [name or "not known" for name in told], drawn


def is_wide(drawn: Sequence[Drawn]) -> bool:
    """On a phone it would be too small to be read, and is moved instead."""
    return len(drawn) > FEW or any(each.label is not None and not each.label.is_within for each in drawn)


_QUARTERS = ["linked best", "well", "less", "least"]


def _value(site: MappedSite, colour: str) -> str:
    if colour == "rank":
        return _QUARTERS[min(3, int((1 - site.rank) * 4))]
    return site.language if colour == "language" else site.media


def _labelled(sites: Sequence[MappedSite]) -> dict[int, Label]:
    """Sites whose name has room, and where it stands: the largest first. In a large circle it is written larger."""
    taken: list[tuple[float, float, float, float]] = []
    chosen: dict[int, Label] = {}
    unit = _unit(sites)
    for number, site in enumerate(sites[:500]):
        half = min(len(site.name), NAME_MOST) * LETTER * unit / 2
        larger = min(0.8 * site.radius / half, LARGER_MOST) if half else 0.0
        size, wide = (LETTER_SIZE * unit * larger, half * larger) if larger > 1 else (LETTER_SIZE * unit, half)
        base = site.y + (0.35 * size if larger > 1 else site.radius + HIGH_LETTER * unit)
        place = (site.x - wide, base - size, site.x + wide, base)
        if len(chosen) < LABELS_MOST and not any(_meet(place, other) for other in taken):
            taken.append(place)
            chosen[number] = Label(round(base, 1), round(size, 2), larger > 1)
    return chosen


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _box(sites: Sequence[MappedSite]) -> dict[str, float]:
    """The part of the plane that is drawn, and how large a pixel is in it."""
    if not sites:
        return {"left": 0, "top": 0, "width": 100, "height": 60, "unit": 1}
    unit = _unit(sites)
    left, top, right, bottom = _all_ends(sites, unit)
    width = max(right - left + 2 * MARGIN * unit, WIDE * unit)
    height = max(bottom - top + 2 * MARGIN * unit, HIGH * unit)
    return {
        "left": (left + right - width) / 2,
        "top": (top + bottom - height) / 2,
        "width": width,
        "height": height,
        "unit": unit,
    }


def _all_ends(sites: Sequence[MappedSite], unit: float) -> tuple[float, float, float, float]:
    """The outermost edges of all circles, and of the names that stand below them."""
    left, top, right, bottom = _ends(sites)
    for number, label in _labelled(sites).items():
        half = min(len(sites[number].name), NAME_MOST) * LETTER * unit / 2
        left, right = min(left, sites[number].x - half), max(right, sites[number].x + half)
        bottom = max(bottom, label.y + HIGH_LETTER * unit / 4)
    return left, top, right, bottom


def _unit(sites: Sequence[MappedSite]) -> float:
    """About a pixel of the picture as most see it. A few sites do not fill it."""
    left, top, right, bottom = _ends(sites)
    largest = max((site.radius for site in sites), default=0.0)
    return max((right - left) / WIDE, (bottom - top) / HIGH, largest / DISC_MOST, 0.05)


def _ends(sites: Sequence[MappedSite]) -> tuple[float, float, float, float]:
    """The outermost edges of all circles."""
    return (
        min((site.x - site.radius for site in sites), default=0.0),
        min((site.y - site.radius for site in sites), default=0.0),
        max((site.x + site.radius for site in sites), default=0.0),
        max((site.y + site.radius for site in sites), default=0.0),
    )


def _bars(counts: Mapping[str, int]) -> Sequence[Mapping[str, Any]]:
    most = max(counts.values(), default=1)
    return [{"name": name, "count": count, "part": count / most} for name, count in list(counts.items())[:12]]
