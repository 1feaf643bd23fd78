"""What a host says to robots: its robots.txt and its sitemaps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from gossamer.testing.changes import History
from gossamer.testing.layout import Layout
from gossamer.testing.places import Place, Role

SITEMAP_LENGTH = 1_000
_PART = re.compile(r"-(0|[1-9]\d{0,5})\.xml")
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of every host of one web."""

    layout: Layout
    history: History

    def robots(self, host: int) -> str | None:
        """The text of robots.txt, or None where there is none."""
        lines: list[str] = []
        if self.has_rules(host):
            lines += ["Disallow: /private/", "Allow: /private/open/"]
        if (delay := self.crawl_delay(host)) is not None:
            lines.append(f"Crawl-delay: {delay:g}")
        if self.layout.has_sitemap(host):
            lines.append(f"Sitemap: {self.layout.hosts.origin(host)}/sitemap.xml")
        if not lines and not self.moved(host) and not self.broken(host):
            return None
        return "\n".join(["User-agent: *", *lines, ""])

    def has_rules(self, host: int) -> bool:
        return self.layout.hosts.chosen(host, "rules", self.layout.spec.robots.rules)

    def crawl_delay(self, host: int) -> float | None:
        wanted = self.layout.spec.robots
        return wanted.delay if self.layout.hosts.chosen(host, "delay", wanted.delays) else None

    def moved(self, host: int) -> bool:
        return self.layout.hosts.chosen(host, "robots moved", self.layout.spec.robots.moved)

    def broken(self, host: int) -> bool:
        """Never host 0, so that a crawl can begin."""
        return host > 0 and self.layout.hosts.chosen(host, "robots broken", self.layout.spec.robots.broken)

    def recovers(self, host: int) -> bool:
        """Whether its robots.txt is readable sooner or later."""
        return not self.broken(host) or self.layout.spec.robots.failures > 0

    def allows(self, place: Place) -> bool:
        """Whether robots may ask for it, once robots.txt could be read."""
        return place.role is not Role.PRIVATE or not self.has_rules(place.host)

    def answers_well(self, host: int, tries: int) -> bool:
        """Whether robots.txt answers at the try of that number, counted from 1."""
        failures = self.layout.spec.robots.failures
        return not self.broken(host) or 0 < failures < tries

    def sitemap(self, place: Place, now: float) -> str | None:
        """The sitemap, its index when it is long, or a part of it."""
        if not self.layout.has_sitemap(place.host):
            return None
        listed = self.listed(place.host)
        parts = -(-len(listed) // SITEMAP_LENGTH)
        if place.rest == ".xml":
            return self._urlset(listed, now) if parts == 1 else self._index(place.host, parts)
        match = _PART.fullmatch(place.rest)
        if match is None or parts == 1 or int(match[1]) >= parts:
            return None
        return self._urlset(listed[int(match[1]) * SITEMAP_LENGTH :][:SITEMAP_LENGTH], now)

    def listed(self, host: int) -> list[Place]:
        """Every page that the sitemap of a host names."""
        pages = [Place(host, Role.PAGE, number) for number in range(self.layout.hosts.size(host))]
        return pages + [Place(host, Role.ORPHAN, number) for number in range(self.layout.orphans(host))]

    def _index(self, host: int, parts: int) -> str:
        origin = self.layout.hosts.origin(host)
        items = [f"<sitemap><loc>{origin}/sitemap-{part}.xml</loc></sitemap>\n" for part in range(parts)]
        return f"{_XML}<sitemapindex {_NAMESPACE}>\n{''.join(items)}</sitemapindex>\n"

    def _urlset(self, places: list[Place], now: float) -> str:
        items = [self._entry(place, now) for place in places]
        return f"{_XML}<urlset {_NAMESPACE}>\n{''.join(items)}</urlset>\n"

    def _entry(self, place: Place, now: float) -> str:
        _, since = self.history.version(place, now)
        date = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"<url><loc>{self.layout.url(place)}</loc><lastmod>{date}</lastmod></url>\n"
