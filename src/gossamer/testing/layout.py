"""Where everything stands and what exists, computed from the place asked for and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gossamer.testing.draw import fraction
from gossamer.testing.hosts import Hosts
from gossamer.testing.places import FAULTY, ROBOTS, TRAPS, Place, Role
from gossamer.testing.prose import prose
from gossamer.testing.spec import SOFT_WAYS, WebSpec

_SECTIONS = 5
_AS_ASKED = TRAPS | ROBOTS | {Role.SITEMAP}


@lru_cache(maxsize=4096)
def topic(seed: int, host: int) -> list[str]:
    """The nouns of a host, kept for the hosts in use."""
    return prose(seed).topic(host)


class Sign(NamedTuple):
    """Where a place stands and what its title is, which is also the text of links to it."""

    target: str
    """Path and query."""
    title: str


@lru_cache(maxsize=1 << 14)
def _sign(seed: int, place: Place) -> Sign:
    """Kept for the places in use: popular pages are linked from everywhere."""
    host, role, number, rest = place
    words = prose(seed).title(topic(seed, host), *place.original.key)
    title = " ".join(words).capitalize()
    if role is Role.PAGE and number == 0:
        return Sign("/", title)
    section = role.value or topic(seed, host)[number % _SECTIONS]
    query = f"?{rest}" if rest else ""
    return Sign(f"/{section}/{'-'.join(words)}-{number}.html{query}", title)


def _companion_shares(spec: WebSpec) -> dict[Role, float]:
    """How many of the pages have a companion in each role, where any has."""
    private = spec.robots.private if spec.robots.rules else 0.0
    wanted = {
        Role.COPY: spec.copies.exact,
        Role.DRAFT: spec.copies.near,
        Role.FORM: spec.copies.forms,
        Role.QUOTE: spec.copies.quoted,
        Role.MISSING: spec.errors.missing,
        Role.BROKEN: spec.errors.broken,
        Role.BUSY: spec.errors.busy,
        Role.DROPPED: spec.errors.dropped,
        Role.SILENT: spec.errors.silent,
        Role.CUT: spec.errors.cut,
        Role.MOVED: spec.redirects.chains,
        Role.LOOP: spec.redirects.loops,
        Role.PRIVATE: private,
        Role.OPEN: private,
        Role.CLOSED: spec.marks.nofollow_pages,
        Role.SPONSORED: spec.marks.nofollow_links,
    }
    return {role: share for role, share in wanted.items() if share}


def _trap_shares(spec: WebSpec) -> dict[Role, float]:
    wanted = {
        Role.CALENDAR: spec.traps.calendar,
        Role.ECHO: spec.traps.echo,
        Role.SESSION: spec.traps.sessions,
        Role.FACETS: spec.traps.facets,
        Role.KEYS: spec.traps.keys,
    }
    return {role: share for role, share in wanted.items() if share}


@dataclass(frozen=True, slots=True)
class Layout:
    """The map of one web."""

    spec: WebSpec
    hosts: Hosts
    companion_shares: dict[Role, float]
    trap_shares: dict[Role, float]

    @classmethod
    def of(cls, spec: WebSpec) -> Layout:
        return cls(spec, Hosts(spec), _companion_shares(spec), _trap_shares(spec))

    def sign(self, place: Place) -> Sign:
        """A copy has the title of its original."""
        if place.role in _AS_ASKED:
            return Sign(f"/{place.role.value}{place.rest}", place.role.name.capitalize())
        return _sign(self.spec.seed, self.served(place))

    def served(self, place: Place) -> Place:
        """The place whose text stands there: another one on a mirror."""
        return place._replace(host=self.hosts.served(place.host)) if self.spec.copies.mirrors else place

    def url(self, place: Place) -> str:
        return self.hosts.origin(place.host) + self.sign(place).target

    def exists(self, place: Place) -> bool:
        """Whether anything stands there. Robots files, sitemaps and traps look closer themselves."""
        host, role, number, rest = place
        if role in TRAPS:
            return self.hosts.chosen(host, role.value, self.trap_shares.get(role, 0.0))
        if role is Role.MOVED:
            return rest in self._hops() and self.has(host, role, number)
        if role is Role.LOOP:
            return rest in ("turn=0", "turn=1") and self.has(host, role, number)
        return not rest and self._exists_plainly(place)

    def _exists_plainly(self, place: Place) -> bool:
        host, role, number, _ = place
        if role is Role.PAGE:
            return number < self.hosts.size(host)
        if role is Role.HIDDEN:
            return self.has(host, Role.CLOSED, number)
        if role is Role.ORPHAN:
            return number < self.orphans(host)
        if role is Role.LANDING:
            return any(self.redirect(hop) == place for hop in self._last_hops(place))
        return self.has(host, role, number)

    def has(self, host: int, role: Role, number: int) -> bool:
        """Whether the plain page of that number has a companion in that role."""
        share = self.companion_shares.get(role)
        if share is None or number >= self.hosts.size(host):
            return False
        if role in (Role.PRIVATE, Role.OPEN) and not self.hosts.chosen(host, "rules", self.spec.robots.rules):
            return False
        return fraction(self.spec.seed, "has", role.value, self.hosts.served(host), number) < share

    def companion(self, page: Place, role: Role) -> Place:
        """The place of that role that belongs to a plain page, with the query it is first met with."""
        first = {Role.MOVED: f"hop={self.spec.redirects.hops}", Role.LOOP: "turn=0"}
        return Place(page.host, role, page.number, first.get(role, ""))

    def soft_way(self, host: int) -> str | None:
        """How a host hides that there is nothing; None when it says 404."""
        errors = self.spec.errors
        if not self.hosts.chosen(host, "soft", errors.soft):
            return None
        return errors.soft_way or SOFT_WAYS[int(fraction(self.spec.seed, "soft way", host) * len(SOFT_WAYS))]

    def has_sitemap(self, host: int) -> bool:
        return self.hosts.chosen(host, "sitemap", self.spec.sitemaps.hosts)

    def orphans(self, host: int) -> int:
        """How many pages only the sitemap of a host names."""
        return self.spec.sitemaps.orphans if self.has_sitemap(host) else 0

    def heals(self, place: Place) -> bool:
        """Whether a faulty address answers well after some tries."""
        share = self.spec.errors.transient
        return place.role in FAULTY and share > 0 and fraction(self.spec.seed, "heals", *place.key) < share

    def redirect(self, place: Place) -> Place | None:
        """Where a place points instead of answering."""
        if place.role is Role.LOOP:
            return place._replace(rest="turn=1" if place.rest == "turn=0" else "turn=0")
        if place.role is not Role.MOVED:
            return None
        hop = int(place.rest.removeprefix("hop="))
        if hop > 1:
            return place._replace(rest=f"hop={hop - 1}")
        across = fraction(self.spec.seed, "across", place.host, place.number) < self.spec.redirects.across
        host = (place.host + 1) % self.spec.hosts if across else place.host
        return Place(host, Role.LANDING, place.number)

    def _hops(self) -> list[str]:
        return [f"hop={hop}" for hop in range(1, self.spec.redirects.hops + 1)]

    def _last_hops(self, landing: Place) -> Iterator[Place]:
        """The places that can lead there: on its own host, and on the host before."""
        for host in {landing.host, (landing.host - 1) % self.spec.hosts}:
            if self.has(host, Role.MOVED, landing.number):
                yield Place(host, Role.MOVED, landing.number, "hop=1")
