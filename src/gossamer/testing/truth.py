"""What a right crawl of a made web must find, worked out from the map and not from what is served."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gossamer.testing.answers import Answers
from gossamer.testing.links import links, rel
from gossamer.testing.places import FAULTY, ROBOTS, TRAPS, Place, Role

_NEVER_A_PAGE = TRAPS | ROBOTS | {Role.MISSING, Role.LOOP, Role.SITEMAP}


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a crawl begins and how far it goes."""

    start: Collection[int] = (0,)
    """Hosts, by number, whose home pages are the seeds."""
    hosts: Collection[int] | None = None
    """Only these, by number; None is all."""
    depth: int | None = None
    """Links followed; a redirect is none, and an entry of a sitemap is one from where its host was met."""
    hops: int = 10
    """Redirects followed in a row."""
    sitemaps: bool = True
    """Whether the crawl reads sitemaps."""


class _Found(NamedTuple):
    place: Place
    depth: int
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Truth:
    """The map, read by an honest robot."""

    answers: Answers

    def reachable(self, reach: Reach) -> Iterator[Place]:
        """The pages that answer 200 in the end, are allowed, and can be reached over links to be followed.

        Nearest first. Traps are left out, and a link counts only where robots may follow it.
        """
        waiting = deque(_Found(Place(host, Role.PAGE), 0) for host in reach.start)
        met: set[Place] = set()
        hosts: set[int] = set()
        while waiting:
            found = waiting.popleft()
            if found.place in met or not self._within(found, reach):
                continue
            met.add(found.place)
            if self.is_page(found.place):
                yield found.place
            if (to := self.answers.layout.redirect(found.place)) is not None:
                waiting.appendleft(_Found(to, found.depth, found.hops + 1))  # first, as it is no farther
            waiting.extend(self._linked(found))
            if reach.sitemaps and found.place.host not in hosts:
                hosts.add(found.place.host)
                waiting.extend(self._listed(found))

    def _within(self, found: _Found, reach: Reach) -> bool:
        place, depth, hops = found
        inside = reach.hosts is None or place.host in reach.hosts
        near = reach.depth is None or depth <= reach.depth
        return inside and near and hops <= reach.hops and self._open(place)

    def _open(self, place: Place) -> bool:
        """Whether robots may go there."""
        policy = self.answers.policy
        return place.role not in _NEVER_A_PAGE and policy.recovers(place.host) and policy.allows(place)

    def _linked(self, found: _Found) -> Iterator[_Found]:
        if self.is_page(found.place) and found.place.role is not Role.CLOSED:
            for place in links(self.answers.layout, found.place):
                if not rel(place):
                    yield _Found(place, found.depth + 1)

    def _listed(self, found: _Found) -> Iterator[_Found]:
        if self.answers.layout.has_sitemap(found.place.host):
            for place in self.answers.policy.listed(found.place.host):
                yield _Found(place, found.depth + 1)

    def is_page(self, place: Place) -> bool:
        """Whether it answers 200 and whole, sooner or later."""
        layout = self.answers.layout
        if place.role in _NEVER_A_PAGE or not layout.exists(place) or layout.redirect(place):
            return False
        return place.role not in FAULTY or layout.heals(place)

    def companions(self, role: Role) -> Iterator[tuple[Place, Place]]:
        """Every page of that role with the plain page it belongs to."""
        layout = self.answers.layout
        for host in range(layout.spec.hosts if role in layout.companion_shares else 0):
            for number in range(layout.hosts.size(host)):
                page = Place(host, Role.PAGE, number)
                if layout.has(host, role, number):
                    yield layout.companion(page, role), page
