"""What a made web is like, asked for field by field. Everything but plain pages is off unless asked for.

A share is a probability from 0 to 1. "Of pages" means that so many of a host's pages also link to
something of that kind: the plain pages stay as they are, so that whatever is asked for, every one of
them can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from gossamer.errors import UsageError

SOFT_WAYS = ("text", "echo", "home", "page")
"""How a host can hide that there is nothing; see `nothing`."""


def _hold_shares(value: object, *names: str) -> None:
    for name in names:
        share = getattr(value, name)
        if not 0 <= share <= 1:
            raise UsageError(f"{type(value).__name__}.{name} is a share from 0 to 1, not {share}")


def _hold_range(owner: str, low: float, high: float) -> None:
    if not 0 <= low <= high:
        raise UsageError(f"{owner} is a range (low, high) of numbers from 0 up, not ({low}, {high})")


@dataclass(frozen=True, slots=True)
class Errors:
    """Addresses that do not answer as they should."""

    missing: float = 0.0
    """Share of pages with a link to nothing: 404."""
    broken: float = 0.0
    """Share of pages with a link to a 500."""
    busy: float = 0.0
    """Share of pages with a link to a 503 with Retry-After."""
    dropped: float = 0.0
    """Share of pages with a link where the connection closes before the first byte."""
    silent: float = 0.0
    """Share of pages with a link where no answer ever comes."""
    cut: float = 0.0
    """Share of pages with a link where the connection closes in the middle of the body."""
    transient: float = 0.0
    """Share of the faulty addresses, 404 excepted, that answer with a page after `failures` failed tries."""
    failures: int = 2
    """How often a transient one fails before it answers."""
    retry_after: int = 120
    """Seconds that a 503 asks for."""
    soft: float = 0.0
    """Share of hosts that never answer 404, but with a page or a redirect."""
    soft_way: str = ""
    """How they do that: text, echo, home or page; nothing: each host has a way of its own."""

    def __post_init__(self) -> None:
        _hold_shares(self, "missing", "broken", "busy", "dropped", "silent", "cut", "transient", "soft")
        if self.soft_way not in ("", *SOFT_WAYS):
            raise UsageError(f"Errors.soft_way is one of {', '.join(SOFT_WAYS)}, or empty, not {self.soft_way!r}")


@dataclass(frozen=True, slots=True)
class Redirects:
    """Addresses that point elsewhere, with the status codes 301, 302, 303, 307 and 308 in turn."""

    chains: float = 0.0
    """Share of pages with a link to a chain; its end is a page that nothing else links to."""
    hops: int = 1
    """Redirects in one chain."""
    across: float = 0.0
    """Share of the chains whose last hop leads to the next host."""
    loops: float = 0.0
    """Share of pages with a link to two addresses that point to each other."""

    def __post_init__(self) -> None:
        _hold_shares(self, "chains", "across", "loops")
        if self.hops < 1:
            raise UsageError(f"Redirects.hops is at least 1, not {self.hops}")


@dataclass(frozen=True, slots=True)
class RobotsFiles:
    """What robots.txt says. A host of which nothing is asked has none: 404."""

    rules: float = 0.0
    """Share of hosts that disallow /private/ and allow /private/open/ within it."""
    private: float = 0.3
    """On those hosts: share of pages with a link to a page of each of the two."""
    delays: float = 0.0
    """Share of hosts that ask for a Crawl-delay."""
    delay: float = 2.0
    """Seconds of that Crawl-delay."""
    moved: float = 0.0
    """Share of hosts whose robots.txt is a redirect to /policy.txt."""
    broken: float = 0.0
    """Share of hosts, host 0 excepted, whose robots.txt answers 500: nothing there may be fetched."""
    failures: int = 0
    """How often a broken one answers 500 before it answers well; 0: for ever."""

    def __post_init__(self) -> None:
        _hold_shares(self, "rules", "private", "delays", "moved", "broken")


@dataclass(frozen=True, slots=True)
class Traps:
    """Endless addresses, linked from the home pages of a share of the hosts."""

    calendar: float = 0.0
    """A page for every month, past and future."""
    echo: float = 0.0
    """Relative links that make the path longer and longer: /echo/news/events/news/events/."""
    sessions: float = 0.0
    """Five documents under endless session ids."""
    facets: float = 0.0
    """A catalogue whose filters combine in any order, with endless page numbers."""
    keys: float = 0.0
    """Thirty documents, chosen by one query key, in addresses with three more that change nothing."""

    def __post_init__(self) -> None:
        _hold_shares(self, "calendar", "echo", "sessions", "facets", "keys")


@dataclass(frozen=True, slots=True)
class Copies:
    """The same text under other addresses."""

    exact: float = 0.0
    """Share of pages that also exist byte for byte under /copy/."""
    near: float = 0.0
    """Share of pages that also exist under /draft/, with some words changed."""
    edited: float = 0.05
    """Share of the words that are changed in a draft, all over it; one word at least."""
    forms: float = 0.0
    """Share of pages that link to a page under /form/: all forms of a host have most of their words in common."""
    quoted: float = 0.0
    """Share of pages that link to a page under /quote/, a quarter of which is a passage of theirs."""
    mirrors: int = 0
    """So many of the last hosts serve the pages of the first ones: the last those of host 0, and so on."""

    def __post_init__(self) -> None:
        _hold_shares(self, "exact", "near", "edited", "forms", "quoted")


@dataclass(frozen=True, slots=True)
class Changes:
    """Pages whose last paragraph is rewritten as time goes by, each a Poisson process of its own."""

    pages: float = 0.0
    """Share of pages that ever change."""
    rate: tuple[float, float] = (1.0, 1.0)
    """Changes per day: a page's own rate lies in this range (even on a logarithmic scale)."""

    def __post_init__(self) -> None:
        _hold_shares(self, "pages")
        _hold_range("Changes.rate", *self.rate)
        if self.rate[0] == 0:
            raise UsageError("Changes.rate begins above 0; lower Changes.pages for pages that never change")


@dataclass(frozen=True, slots=True)
class Sitemaps:
    """A sitemap.xml, named in robots.txt, with every plain page of its host."""

    hosts: float = 0.0
    """Share of hosts that have one; above 1,000 addresses it is an index of several."""
    orphans: int = 0
    """Pages of each of those hosts that only the sitemap names."""

    def __post_init__(self) -> None:
        _hold_shares(self, "hosts")


@dataclass(frozen=True, slots=True)
class Marks:
    """What pages and links ask of robots, in meta elements, X-Robots-Tag headers and rel."""

    noindex: float = 0.0
    """Share of the plain pages that say noindex; they are to be fetched all the same."""
    nofollow_pages: float = 0.0
    """Share of pages with a link to a nofollow page, behind which is one that nothing else links to."""
    nofollow_links: float = 0.0
    """Share of pages with a rel=nofollow link to a page that nothing else links to."""

    def __post_init__(self) -> None:
        _hold_shares(self, "noindex", "nofollow_pages", "nofollow_links")


@dataclass(frozen=True, slots=True)
class WebSpec:
    """All there is to say about a made web: equal specs make equal webs."""

    seed: int = 0
    """Another seed, another web of the same kind."""
    hosts: int = 1
    """How many; a hundred thousand cost no more than one until they are asked for."""
    pages: int = 20
    """Plain pages of host 0."""
    zipf: float = 0.0
    """Host n has pages / (n + 1) ** zipf plain pages: 0 makes all alike, 1 is Zipf's law."""
    words: tuple[int, int] = (60, 240)
    """Words in a page: a range, even on a logarithmic scale."""
    links: int = 8
    """Links from a page to pages of its own host."""
    crosslinks: int = 2
    """Links from a page to pages of other hosts."""
    names: Literal["name", "ip"] = "name"
    """Hosts are called h3.example, or by their loopback address: 127.0.1.4."""
    port: int = 80
    """The port in every address; `serve` puts in the one it got."""
    hosts_per_address: int = 1
    """How many hosts share an IP address; more than one needs names."""
    latency: tuple[float, float] = (0.0, 0.0)
    """Seconds before an answer: a host's own latency lies in this range (even on a logarithmic scale)."""
    gzip: bool = False
    """Compress pages for those who accept it."""
    encodings: float = 0.0
    """Share of the plain pages that are not in UTF-8."""
    errors: Errors = field(default_factory=Errors)
    redirects: Redirects = field(default_factory=Redirects)
    robots: RobotsFiles = field(default_factory=RobotsFiles)
    traps: Traps = field(default_factory=Traps)
    copies: Copies = field(default_factory=Copies)
    changes: Changes = field(default_factory=Changes)
    sitemaps: Sitemaps = field(default_factory=Sitemaps)
    marks: Marks = field(default_factory=Marks)

    def __post_init__(self) -> None:
        _hold_shares(self, "encodings")
        _hold_range("WebSpec.words", *self.words)
        _hold_range("WebSpec.latency", *self.latency)
        for name in ("hosts", "pages", "links", "hosts_per_address"):
            if getattr(self, name) < 1:
                raise UsageError(f"WebSpec.{name} is at least 1, not {getattr(self, name)}")
        if not 0 <= self.copies.mirrors <= self.hosts // 2:
            raise UsageError(f"Copies.mirrors is at most half of the hosts, not {self.copies.mirrors}")
        if self.names not in ("name", "ip"):
            raise UsageError(f'WebSpec.names is "name" or "ip", not {self.names!r}')
        if self.names == "ip" and self.hosts_per_address > 1:
            raise UsageError('WebSpec.hosts_per_address above 1 needs names="name"')


def settings(spec: object) -> dict[str, object]:
    """Every setting of a spec and its value, those of its parts with a dot: `hosts`, `errors.busy`."""
    found: dict[str, object] = {}
    for item in fields(spec):  # type: ignore[arg-type]  # called with the dataclasses above only
        value = getattr(spec, item.name)
        if is_dataclass(value):
            found.update({f"{item.name}.{name}": part for name, part in settings(value).items()})
        else:
            found[item.name] = value
    return found


def from_settings(values: dict[str, Any]) -> WebSpec:
    """The spec that has these settings, named as `settings` names them."""
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        part, _, own = name.rpartition(".")
        parts.setdefault(part, {})[own] = value
    plain = parts.pop("", {})
    default = WebSpec()
    return WebSpec(**plain, **{part: replace(getattr(default, part), **own) for part, own in parts.items()})
