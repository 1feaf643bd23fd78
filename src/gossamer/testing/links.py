"""Who links to whom.

The plain pages of a host form a tree (page n links to the few that follow fanout * n), and so do the
home pages of the hosts. Other links are drawn, low numbers more often, so that some pages are popular.
Faults, redirects and the like are never in these trees: whatever is asked for, every plain page can be
reached from the home page of host 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.testing.draw import numbers
from gossamer.testing.layout import Layout
from gossamer.testing.places import LIKE_THE_PAGE, Place, Role

_HOST_FANOUT = 8
_TRAP_ENTRIES = {
    Role.CALENDAR: "/2026/01.html",
    Role.ECHO: "/",
    Role.SESSION: "/0",
    Role.FACETS: "",
    Role.KEYS: "?item=0",
}


def rel(place: Place) -> str:
    """What a link to a place says about itself."""
    return "nofollow" if place.role is Role.SPONSORED else ""


def links(layout: Layout, place: Place) -> Iterator[Place]:
    """Where a page links to, in the order the links stand there; a copy has those of its original.

    Traps write links of their own.
    """
    host, role, number, _ = place
    if role in LIKE_THE_PAGE:
        yield from _tree(layout, host, number)
        yield from _drawn(layout, place.original)
        yield from _companions(layout, place.original)
        if number == 0:
            yield from _homes(layout, host)
            yield from _traps(layout, host)
        return
    yield Place(host, Role.PAGE)
    if role is Role.CLOSED:
        yield Place(host, Role.HIDDEN, number)
    else:
        yield from _within(layout, place, 2)


def _fanout(layout: Layout) -> int:
    return max(1, layout.spec.links // 2)


def _tree(layout: Layout, host: int, number: int) -> Iterator[Place]:
    if number:
        yield Place(host, Role.PAGE)
    fanout = _fanout(layout)
    first = fanout * number + 1
    for child in range(first, min(first + fanout, layout.hosts.size(host))):
        yield Place(host, Role.PAGE, child)


def _drawn(layout: Layout, place: Place) -> Iterator[Place]:
    yield from _within(layout, place, layout.spec.links - _fanout(layout))
    if layout.spec.hosts > 1:
        yield from _across(layout, place)


def _within(layout: Layout, place: Place, count: int) -> Iterator[Place]:
    size = layout.hosts.size(place.host)
    for number in numbers(count, layout.spec.seed, "within", *layout.served(place).key):
        yield Place(place.host, Role.PAGE, _popular(number, size))


def _across(layout: Layout, place: Place) -> Iterator[Place]:
    source = layout.served(place)
    drawn = iter(numbers(2 * layout.spec.crosslinks, layout.spec.seed, "across", *source.key))
    for number, page in zip(drawn, drawn, strict=True):
        host = _popular(number, layout.spec.hosts - 1)
        host += host >= source.host  # any but its own
        yield Place(host, Role.PAGE, _popular(page, layout.hosts.size(host)))


def _companions(layout: Layout, page: Place) -> Iterator[Place]:
    for role in layout.companion_shares:
        if layout.has(page.host, role, page.number):
            yield layout.companion(page, role)


def _homes(layout: Layout, host: int) -> Iterator[Place]:
    first = _HOST_FANOUT * host + 1
    for other in range(first, min(first + _HOST_FANOUT, layout.spec.hosts)):
        yield Place(other, Role.PAGE)


def _traps(layout: Layout, host: int) -> Iterator[Place]:
    for role in layout.trap_shares:
        entry = Place(host, role, 0, _TRAP_ENTRIES[role])
        if layout.exists(entry):
            yield entry


def _popular(number: int, count: int) -> int:
    """One of so many, the low ones more often."""
    return number * number * count >> 32
