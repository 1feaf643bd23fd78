"""A web that is known in advance: made from a seed, and asked in-process or over loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urljoin

from gossamer.errors import NotFound
from gossamer.model import URL, Capture, Clock, Link, SystemClock, Visit
from gossamer.testing.answers import ERROR_PAGE, Answers
from gossamer.testing.client import Client
from gossamer.testing.documents import Document
from gossamer.testing.layout import Layout
from gossamer.testing.log import Log
from gossamer.testing.origin import Origin
from gossamer.testing.places import ROBOTS, TRAPS, Place, Role
from gossamer.testing.server import listen, serving
from gossamer.testing.spec import WebSpec
from gossamer.testing.traps import trap
from gossamer.testing.truth import Reach, Truth
from gossamer.testing.wire import split_url


class MadeWeb:
    """A seeded web with faults on request, a log of what was asked of it, and the truth about itself."""

    def __init__(self, spec: WebSpec | None = None, *, clock: Clock | None = None, log: Log | None = None) -> None:
        self.spec = spec or WebSpec()
        self.clock = clock or SystemClock()
        self.log = log or Log()
        self._layout = Layout.of(self.spec)
        self._answers = Answers.of(self._layout)
        self._truth = Truth(self._answers)
        self._origin = Origin(self._answers, self.clock, self.log)

    async def fetch(self, visit: Visit) -> Capture:
        """Fetch without sockets; takes the place of a real fetcher, on real or virtual time."""
        return await Client(self._origin).fetch(visit)

    @contextmanager
    def serve(self, port: int = 0) -> Iterator[MadeWeb]:
        """Serve on loopback from a thread; gives the web as it is served, with the port in its addresses.

        The log is the same one. Names such as h3.example need a resolver that asks `resolve`; a spec with
        `names="ip"` needs none.
        """
        listeners = listen(map(self.address, range(self.spec.hosts)), port)
        served = replace(self.spec, port=listeners[0].getsockname()[1])
        web = MadeWeb(served, clock=self.clock, log=self.log)
        with serving(web._origin, listeners):
            yield web

    @property
    def seed(self) -> URL:
        """The home page of host 0, from which everything can be reached."""
        return self.home(0)

    def home(self, host: int) -> URL:
        return self._layout.url(Place(host, Role.PAGE))

    def host(self, number: int) -> str:
        """Its name, as it stands in the log."""
        return self._layout.hosts.name(number)

    def address(self, host: int) -> str:
        """Its IP address, always one of 127/8."""
        return self._layout.hosts.address(host)

    def resolve(self, name: str) -> str | None:
        """The IP address of a host by its name, or None: what a resolver would answer."""
        number = self._layout.hosts.number(name)
        return None if number is None else self.address(number)

    def pages(self) -> Iterator[URL]:
        """The plain pages of all hosts."""
        for host in range(self.spec.hosts):
            for number in range(self._layout.hosts.size(host)):
                yield self._layout.url(Place(host, Role.PAGE, number))

    def reachable(self, reach: Reach | None = None) -> set[URL]:
        """All that an honest crawl from the seed must fetch and keep, and nothing else."""
        return {self._layout.url(place) for place in self._truth.reachable(reach or Reach())}

    def copies(self) -> Iterator[tuple[URL, URL]]:
        """Exact copies, each with its original."""
        return self._pairs(Role.COPY)

    def near_copies(self) -> Iterator[tuple[URL, URL]]:
        """Near copies, each with its original."""
        return self._pairs(Role.DRAFT)

    def mirrors(self) -> Iterator[tuple[str, str]]:
        """Hosts that serve the pages of others, each with that other, by name."""
        for number in range(self.spec.hosts - self.spec.copies.mirrors, self.spec.hosts):
            yield self.host(number), self.host(self._layout.hosts.served(number))

    def original(self, url: URL) -> URL:
        """The plain page that an address says the same as, or nearly; everything else is its own original."""
        place = self._place(url)
        return url if place is None else self._layout.url(self._layout.served(place).original)

    def _pairs(self, role: Role) -> Iterator[tuple[URL, URL]]:
        for copy, original in self._truth.companions(role):
            yield self._layout.url(copy), self._layout.url(original)

    def links(self, url: URL) -> tuple[Link, ...]:
        """The links of a page, as absolute addresses, in the order they stand there."""
        written = self._document(url).links
        return tuple(Link(urljoin(url, link.href), link.text, link.rel) for link in written)

    def _document(self, url: URL) -> Document:
        place = self._place(url)
        if place and place.role in TRAPS and self._layout.exists(place) and (page := trap(self._layout, place)):
            return page
        if place is None or not self._truth.is_page(place):
            raise NotFound(f"{url} is not a page of this web; reachable() lists those that are")
        return self._answers.author.document(place, self.clock.wall())

    def is_trap(self, url: URL) -> bool:
        """Whether an address lies in a trap."""
        place = self._place(url)
        return place is not None and place.role in TRAPS and self._layout.exists(place)

    def is_soft_404(self, url: URL) -> bool:
        """Whether there is nothing at an address, and its host does not say so."""
        number = self._layout.hosts.number(split_url(url)[0])
        if number is None or self._layout.soft_way(number) is None or split_url(url)[1] == ERROR_PAGE:
            return False
        place = self._place(url)
        return place is None or place.role is Role.MISSING or not self._stands(place)

    def _stands(self, place: Place) -> bool:
        if place.role in ROBOTS or place.role is Role.SITEMAP:
            return True
        return self._layout.exists(place) and (place.role not in TRAPS or trap(self._layout, place) is not None)

    def allows(self, url: URL) -> bool:
        """Whether robots.txt of its host, once it could be read, allows an address."""
        place, policy = self._place(url), self._answers.policy
        return place is None or (policy.recovers(place.host) and policy.allows(place))

    def crawl_delay(self, host: int) -> float | None:
        """The Crawl-delay that a host asks for."""
        return self._answers.policy.crawl_delay(host)

    def changes(self, url: URL, since: float, until: float) -> list[float]:
        """Every moment after `since` and up to `until`, in seconds since 1970, at which a page changed."""
        place = self._place(url)
        return [] if place is None else self._answers.history.changes(place.original, since, until)

    def _place(self, url: URL) -> Place | None:
        authority, target = split_url(url)
        host = self._layout.hosts.number(authority)
        return None if host is None else self._origin.place(host, target)
