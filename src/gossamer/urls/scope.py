"""Which addresses a crawl is about, and the plain limits that keep it out of traps.

The limits are those that proved their worth in Heritrix, BUbiNG and Nutch: hops, path segments,
length, and tandem repeats, the same run of path segments three times in a row (`/a/b/a/b/a/b/`),
which is what a relative link on a page that answers every address grows into. Like BUbiNG we look
for repeats that touch; scattered ones (`/x/1/y/1/z/1/`) occur on honest sites too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from gossamer.errors import InvalidPlan
from gossamer.model import URL
from gossamer.printable import counted
from gossamer.urls.keys import authority, host, origin
from gossamer.urls.safe_regex import Patterns, patterns
from gossamer.urls.seed_prints import SeedPrints
from gossamer.urls.sites import site

OUTSIDE = {
    "page": "not one of the seeds",
    "path": "outside the directories of the seeds",
    "host": "outside the hosts of the seeds",
    "domain": "outside the domains of the seeds",
    "any": "",
    "folders": "outside the folders that were named",
}
"""By the kind of scope, the reason why an address is left out that lies elsewhere."""
NOT_INCLUDED = "matches no include pattern"

_AROUND = 2
"""Slashes of an address beyond one for each path segment, at least."""


@dataclass(frozen=True)
class Scope:
    """What a crawl is about: a place around its seeds, patterns, and limits.

    The kinds of place, each around every seed:
    page    the seed itself
    path    what lies in the seed's directory or below; a name without a slash or dot at the top of a host is one
    host    the seed's host, over http and https; another port is another host
    domain  the seed's registrable domain with all hosts and ports in it
    any     everywhere
    folders a file or folder that is named, and what lies below it; no limit of the web holds there

    A seed is always in its place and need not match `include`; all else holds for it too.
    Seeds are canonical addresses. Patterns are searched for anywhere in the address.
    """

    kind: str = "host"
    seeds: frozenset[URL] = frozenset()
    include: tuple[str, ...] = ()
    """If there are any, an address must match one."""
    exclude: tuple[str, ...] = ()
    max_depth: int = 20
    """Links followed from a seed."""
    max_segments: int = 20
    max_length: int = 2_048
    suffixes: frozenset[str] = frozenset()
    """Names to treat as public suffixes besides those of the list."""
    more: SeedPrints = field(default_factory=SeedPrints, repr=False, compare=False)
    """Seeds that come besides, which may be a million: what is asked for is the same. It grows: see `add_seed`."""

    def __post_init__(self) -> None:
        if self.kind not in OUTSIDE:
            raise InvalidPlan(f"unknown scope {self.kind!r}; choose one of {', '.join(OUTSIDE)}")
        _ = self._included, self._excluded  # a bad pattern is reported now, not at the first link

    def check(self, url: URL, depth: int) -> str | None:
        """None for an address inside; else the reason why it is not."""
        if depth > self.max_depth:
            return f"deeper than {counted(self.max_depth, 'link')}"
        if reason := self.too_long(url):
            return reason
        seed = url in self.seeds or (depth == 0 and self.more.has(url))
        if not seed and self.kind != "any" and not self._is_near(url) and not self._listed(url):
            return OUTSIDE[self.kind]
        return self._trap(url) or (self._unwanted(url, seed) if self.exclude or self.include else None)

    def add_seed(self, url: URL) -> bool:
        """One more seed. Whether it is new."""
        return url not in self.seeds and self.more.add(url, self._place_of_seed(url))

    def load_seeds(self, urls: Iterable[URL]) -> None:
        """Many more at once."""
        self.more.load(urls, self._place_of_seed)

    def is_start(self, origin: str) -> bool:
        """Is a seed at this origin?"""
        return origin in self._origins or self.more.has_origin(origin)

    def _is_near(self, url: URL) -> bool:
        """Is it in the place of one of the seeds? For the usual scope, which most links of a page are asked for, with
        no more than that takes."""
        if self.kind == "host":
            return authority(url) in self._places
        return not self._places.isdisjoint(self._around(url))

    def _listed(self, url: URL) -> bool:
        return self.more.some and self.more.reach(self._around(url))

    def _around(self, url: URL) -> Iterable[str]:
        """The places an address lies in, the nearest first."""
        match self.kind:
            case "host":
                return (authority(url),)
            case "domain":
                return (site(host(url), self.suffixes),)
            case "path":
                return _directories(url)
            case "folders":
                return _above(url)
            case _:
                return (url,)

    def _place_of_seed(self, url: URL) -> str:
        return _directory_of_seed(url) if self.kind == "path" else next(iter(self._around(url)))

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset(map(self._place_of_seed, self.seeds))

    @cached_property
    def _origins(self) -> frozenset[str]:
        return frozenset(map(origin, self.seeds))

    @cached_property
    def _included(self) -> Patterns:
        return patterns(self.include)

    @cached_property
    def _excluded(self) -> Patterns:
        return patterns(self.exclude)

    def _trap(self, url: URL) -> str | None:
        if self.kind == "folders":
            return None
        if url.count("/") - _AROUND <= min(2, self.max_segments):  # few segments, as most have, are no trap
            return None
        segments = _segments(url)
        if len(segments) > self.max_segments:
            return f"more than {self.max_segments} path segments"
        return "the same path segments three times in a row" if _repeats(segments) else None

    def too_long(self, url: URL) -> str | None:
        """The reason when an address is too long."""
        return f"address longer than {self.max_length} bytes" if len(url) > self.max_length else None

    def excluded(self, url: URL) -> str | None:
        """The reason when an exclude pattern keeps an address out; all that is asked of sitemaps."""
        if self.exclude and (pattern := self._excluded.first_match(url)) is not None:
            return f"excluded by pattern {pattern}"
        return None

    def _unwanted(self, url: URL, seed: bool) -> str | None:
        if reason := self.excluded(url):
            return reason
        if self.include and not seed and not self._included.match(url):
            return NOT_INCLUDED
        return None


def _directory_of_seed(url: URL) -> str:
    """The directory a seed lies in. `/guide` is one itself: nobody who asks for a directory means the whole host."""
    place = url.partition("://")[2].partition("?")[0]
    host, _, name = place.partition("/")
    return f"{host}/{name}/" if name and "/" not in name and "." not in name else place[: place.rfind("/") + 1]


def _directories(url: URL) -> Iterator[str]:
    """Authority and path of the directory an address lies in, then of each one above."""
    place = url.partition("://")[2].partition("?")[0]
    while slash := place.rfind("/") + 1:
        yield place[:slash]
        place = place[: slash - 1]


def _above(url: URL) -> Iterator[str]:
    """A path, and each folder above it."""
    top = f"{origin(url)}/"
    while not url.endswith("/"):
        yield url
        url = url[: url.rindex("/")]
    yield top


def _segments(url: URL) -> list[str]:
    path = url.split("/", 3)[3].partition("?")[0]
    return path.removesuffix("/").split("/") if path else []


def _repeats(segments: list[str]) -> bool:
    """Whether some run of segments stands three times in a row.

    Then 2p segments in a row equal the ones p places on, for some p: one of them stands at a
    multiple of 2p, and 2p of them are no news. Most paths hold no segment twice and are done at
    once; a hostile one costs n log n.
    """
    known = len(segments) - len(set(segments))
    return known > 1 and any(
        segments[start] == segments[start + period] and _equal_stretch(segments, start, period) >= 2 * period
        for period in range(1, known // 2 + 1)
        for start in range(0, len(segments) - period, 2 * period)
    )


def _equal_stretch(segments: list[str], start: int, period: int) -> int:
    """How many segments in a row, around `start`, equal the one `period` places on."""
    first = last = start
    while first > 0 and segments[first - 1] == segments[first - 1 + period]:
        first -= 1
    while last + period < len(segments) and segments[last] == segments[last + period]:
        last += 1
    return last - first
