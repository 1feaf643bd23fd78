"""Why is nothing happening? Why was this skipped? Every address and every host has a state and a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gossamer.frontier.budget import budget
from gossamer.frontier.budget import stored as stored_site
from gossamer.frontier.entries import HOSTS, ROBOTS, Entry, HostRow, RobotsRow, State, host_row, robots_row
from gossamer.frontier.hosts import Host, Politeness
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rank import distance
from gossamer.robots import Verdict, parse
from gossamer.store.table import Table
from gossamer.urls import keys


@dataclass(frozen=True, slots=True)
class AddressAnswer:
    """Where an address stands and how it came there."""

    url: str
    state: str
    """queued, done, failed, excluded, or unknown"""
    reason: str
    next_time: float | None
    """Wall time of the next visit, as far as it is known."""
    depth: int | None = None
    attempts: int = 0
    distance: int = 0
    """Rounds that it is away, because its site is over its budget."""
    status: int = 0
    referrer: str | None = None
    target: str | None = None
    history: tuple[tuple[float, str], ...] = ()
    host: HostAnswer | None = None


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """How a host is treated, and why."""

    host: str
    state: str
    """ready, resting, or paused"""
    reason: str
    next_time: float | None
    gap: float
    basis: str
    """Where the gap comes from."""
    visits: int
    faults: int
    queued: int
    budget: int
    """Pages a round for its site."""
    linkers: int
    """Other sites that link to its site: what the budget is made of."""
    robots: dict[str, str]
    """What is known of the robots.txt of each origin."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an answer depends on besides the table."""

    politeness: Politeness
    agent: str
    site: Callable[[str], str]
    now: float


def about_address(table: Table, url: str, asked: Asked) -> AddressAnswer | None:
    """The answer for an address; None when it was never met."""
    entry = Ledger(table).get(url)
    if entry is None:
        return None
    host = about_host(table, keys.host(url), asked)
    reason, when = entry.reason, None
    if entry.state is State.QUEUED:
        reason, when = _queued(entry, host, _robots(table, keys.origin(url)))
    return AddressAnswer(
        url,
        entry.state.name.lower(),
        reason,
        when,
        entry.depth,
        entry.attempt,
        distance(entry.rank) if entry.state is State.QUEUED else 0,
        entry.status,
        entry.referrer,
        entry.target,
        entry.history,
        host,
    )


def _queued(entry: Entry, host: HostAnswer | None, robots: RobotsRow | None) -> tuple[str, float | None]:
    if entry.due:
        return f"to be tried again after: {entry.reason}", entry.due
    if robots is not None and robots.verdict == Verdict.UNREACHABLE:
        return f"its robots.txt is unreachable ({robots.detail})", robots.expires
    if host is not None and host.state != "ready":
        return f"its host is {host.state}: {host.reason}", host.next_time
    away = distance(entry.rank)
    if away and host is not None:
        return f"{away} rounds away: its site has a budget of {host.budget} pages a round", None
    return "waits for its turn", host.next_time if host else None


def about_host(table: Table, name: str, asked: Asked) -> HostAnswer | None:
    """The answer for a host; None when it was never met."""
    stored = table.get(HOSTS, name.encode())
    if stored is None:
        return None
    row = host_row(stored)
    host = Host(name, pace=row.pace, penalty=row.penalty, crawl_delay=row.crawl_delay)
    state, reason, when = _standing(row, asked.now)
    site = stored_site(table, asked.site(f"http://{name}/"))
    robots = {origin: _told(_robots(table, origin), asked.agent) for origin in _origins(table, name)}
    return HostAnswer(
        name,
        state,
        reason,
        when,
        asked.politeness.gap(host),
        asked.politeness.basis(host),
        row.visits,
        row.faults,
        _count_queued(table, name),
        budget(site.linkers),
        site.linkers,
        robots,
    )


def _standing(row: HostRow, now: float) -> tuple[str, str, float | None]:
    if row.paused > now:
        return "paused", row.reason, row.paused
    if row.due > now:
        return "resting", "the gap since the last request is not over", row.due
    return "ready", "", None


def _origins(table: Table, host: str) -> list[str]:
    both = (f"http://{host}", f"https://{host}")
    found = (key.decode() for origin in both for key, _ in table.scan(ROBOTS, prefix=origin.encode()))
    return [origin for origin in found if keys.host(origin + "/") == host]


def _count_queued(table: Table, host: str) -> int:
    entries = Ledger(table).all(prefix=keys.host_prefix(host))
    return sum(entry.state is State.QUEUED for _, entry in entries)


def _robots(table: Table, origin: str) -> RobotsRow | None:
    stored = table.get(ROBOTS, origin.encode())
    return robots_row(stored) if stored else None


def _told(row: RobotsRow | None, agent: str) -> str:
    if row is None:
        return "not asked for yet"
    if row.verdict == Verdict.UNAVAILABLE:
        return f"none, so everything is allowed ({row.detail})"
    if row.verdict == Verdict.UNREACHABLE:
        return f"unreachable, so nothing is fetched ({row.detail})"
    delay = parse(row.body).delay(agent)
    return f"{len(row.body)} bytes of rules" + (f", Crawl-delay {delay:g} s" if delay else "")
