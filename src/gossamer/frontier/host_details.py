"""What does the robots.txt of a host say to us, rule by rule, and which kinds of addresses does the host have?"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.frontier.why import origins, robots_at, told
from gossamer.frontier.worth.crawl_traps import KindSums, kinds_of
from gossamer.robots import parse
from gossamer.store.table.table import Table

KINDS_MOST = 50
RULES_MOST = 1_000
"""Rules that are told; a file with more is made by a program."""
TEXT_MOST = 100_000
"""Characters of a robots.txt that are told."""


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The robots.txt of an origin, as we read it."""

    origin: str
    told: str
    """What is known of it, in words."""
    rules: tuple[tuple[str, str], ...] = ()
    """Those that count for us: `Allow` or `Disallow`, and a pattern."""
    delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    text: str = ""
    fetched: float = 0.0
    expires: float = 0.0


@dataclass(frozen=True, slots=True)
class HostDetails:
    """More about a host than why it stands where it does."""

    robots: tuple[RobotsFile, ...]
    kinds: tuple[KindSums, ...]


def host_details(table: Table, host: str, agent: str) -> HostDetails:
    """What is stored of a host."""
    names = origins(table, host)
    kinds = (kind for origin in names for kind in kinds_of(table, origin.partition("://")[2], KINDS_MOST))
    return HostDetails(
        tuple(_robots_file(table, origin, agent) for origin in names),
        tuple(sorted(kinds, key=lambda kind: (-kind.found, kind.name))[:KINDS_MOST]),
    )


def _robots_file(table: Table, origin: str, agent: str) -> RobotsFile:
    row = robots_at(table, origin)
    words = told(row, agent)
    if row is None or not row.body:
        return RobotsFile(origin, words)
    read = parse(row.body)
    return RobotsFile(
        origin,
        words,
        tuple(read.written(agent)[:RULES_MOST]),
        read.delay(agent),
        read.sitemaps,
        row.body.decode("utf-8", "replace")[:TEXT_MOST],
        row.fetched,
        row.expires,
    )
