"""Why is nothing happening? Why was this skipped? Every address and every host has a state and a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gossamer.frontier.entries import (
    HOSTS,
    QUEUE,
    ROBOTS,
    Entry,
    HostRow,
    RobotsRow,
    SiteRow,
    State,
    host_row,
    robots_row,
)
from gossamer.frontier.forms.form_rows import about_forms
from gossamer.frontier.holding import is_queued_again
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.host_delays import Host, Politeness, delays_of
from gossamer.frontier.queue.backlog import Backlog
from gossamer.frontier.queue.rank import distance
from gossamer.frontier.revisit import page_changes
from gossamer.frontier.revisit.dating import Weights, weights
from gossamer.frontier.revisit.priors import Priors
from gossamer.frontier.tally import Tally
from gossamer.frontier.worth import budget
from gossamer.frontier.worth.crawl_traps import KindAnswer, about_kind
from gossamer.frontier.worth.opic import importance
from gossamer.frontier.worth.parameters import dropped_keys
from gossamer.frontier.worth.rendering import TRIALS, about_rendering
from gossamer.frontier.worth.soft404 import disguised_places
from gossamer.frontier.worth.topic_rows import WHOLE, about_topic
from gossamer.model import Kind
from gossamer.printable import counted
from gossamer.robots import Verdict, parse
from gossamer.store.table.table import Table
from gossamer.urls import keys
from gossamer.urls.paths import is_path

IDLE, WAITING, RESTING, PAUSED = "idle", "waiting", "resting", "paused"
"""Where a host may stand."""
UNREACHABLE = "unreachable"
"""How the words on a robots.txt begin that nobody could read."""


@dataclass(frozen=True, slots=True)
class TopicAnswer:
    """How an address stands to the topic of the crawl."""

    promise: float
    """How likely it was on topic by what leads to it, 0 to 1."""
    score: float | None
    """How likely it is by what it says; None as long as it has not come."""
    words: tuple[tuple[str, float], ...]
    """The words of it that speak loudest, each with what it says: above 0 for the topic, below against it."""


@dataclass(frozen=True, slots=True)
class RenderAnswer:
    """What a browser has brought for addresses like it."""

    rendered: int
    """Pages of its kind that a browser has rendered; the older ones count for less, like in the next."""
    gained: int
    """Those that said more then."""
    met: int
    """Pages of its kind with scripts."""
    pays: bool
    """All of them are rendered."""
    undecided: bool
    """Too few were rendered to tell."""


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
    """Rounds that it is away, because its site is over its budget or its kind brings little."""
    importance: float | None = None
    """Its part of all importance, 0 to 1; None where the order does not ask for it."""
    kind: KindAnswer | None = None
    """What addresses like it have brought; None when none of them was a matter of choice."""
    status: int = 0
    referrer: str | None = None
    target: str | None = None
    history: tuple[tuple[float, str], ...] = ()
    host: HostAnswer | None = None
    copy_of: str | None = None
    """The page with the same bytes that stands for it, like the next."""
    near_copy_of: str | None = None
    kept: float | None = None
    """When the page was fetched that is kept of it, and found and exported whatever the state; None where there is
    none."""
    change_rate: float | None = None
    """Changes a day, as its visits and pages like it tell; None where it is not watched."""
    changes_seen: float = 0.0
    """How many of its visits found a change; those that are long ago count less."""
    weights: Weights | None = None
    """What it counts when its next visit is dated; None where it is not watched, or no page."""
    topic: TopicAnswer | None = None
    """None where the crawl has no topic."""
    rendered: bool = False
    """Whether what counts of it is what a browser has made of it."""
    rendering: RenderAnswer | None = None
    """None where no page of its kind has scripts, or the crawl was not to render any by its own choice."""
    needed: bool = False
    """It is what a page needs, and no page; `referrer` has asked for it first."""
    forms: tuple[str, ...] = ()
    """Forms on the page, or whose answer it is, each with what it has brought; in words."""


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """What a host has brought, how it is treated, and why."""

    host: str
    pages: int
    queued: int
    failed: int
    state: str
    """idle (nothing is queued), waiting (for its turn), resting or paused"""
    reason: str
    """Why it waits."""
    next_time: float | None
    """Seconds since 1970, where it is known."""
    gap: float
    """Seconds between two requests: that of its IP address where it is longer."""
    basis: str
    """Where the gap comes from."""
    visits: int
    faults: int
    """Visits that failed through the host."""
    distance: int
    """Rounds that it is away: it waits until few others are left to visit."""
    distance_basis: str
    """Where the distance comes from."""
    budget: int
    """Pages a round for its site."""
    linkers: int
    """Other sites that link to its site: what the budget is made of."""
    robots: dict[str, str]
    """What is known of the robots.txt of each origin."""
    dropped: dict[str, list[str]]
    """Query keys that were found to change nothing, by the kind of path."""
    disguised: list[str]
    """Kinds of directory in which errors look like pages."""
    mirror_of: str | None = None
    """The host that serves the same site and is the main one."""
    mirrors: tuple[str, ...] = ()
    """Other hosts that serve its site, when it is the main one."""
    pace: float = 0.0
    """Seconds that its answers take, smoothed; 0 where none has come."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Asked:
    """What an answer depends on besides the table."""

    politeness: Politeness
    agent: str
    site: Callable[[str], str]
    now: float
    still: str = ""
    """Why nothing at all is fetched; nothing while a crawl runs."""
    full: str = ""
    """Why nothing new is fetched, though what is there may be asked for again, and what pages need be fetched."""
    still_besides: str = ""
    """The same as `still` for these, which no limit of pages keeps away."""


def about_address(table: Table, url: str, asked: Asked) -> AddressAnswer | None:
    """The answer for an address; None when it was never met."""
    entry = Ledger(table).get(url)
    if entry is None:
        return None
    name = keys.host(url)
    host = about_host(table, name, asked) if name else None
    kind = about_kind(table, url)
    reason, when = entry.reason, None
    if entry.state is State.QUEUED:
        besides = is_queued_again(entry) or entry.kind is Kind.RESOURCE
        still = asked.still_besides if besides else asked.still or asked.full
        reason, when = _queued(entry, host, robots_at(table, keys.origin(url)), still)
        if entry.sunk and kind is not None and when is None and not still:
            reason = _behind(distance(entry.rank), kind)
    changes = page_changes.get(table, url)
    if changes is not None and changes.due and entry.state is not State.QUEUED:
        when = changes.due
    return AddressAnswer(
        url,
        entry.state.name.lower(),
        reason,
        when,
        entry.depth,
        entry.attempt,
        _away(entry, host) if entry.state is State.QUEUED else 0,
        importance(table, url),
        kind,
        entry.status,
        entry.referrer,
        entry.target,
        entry.history,
        host,
        change_rate=Priors(table).rate(url, changes) if changes and changes.seen else None,
        changes_seen=changes.history.weight if changes else 0.0,
        weights=weights(changes, entry) if changes and changes.place and not changes.every else None,
        topic=_topic(table, url),
        rendering=_rendering(table, url),
        needed=entry.kind is Kind.RESOURCE,
        forms=tuple(map(str, about_forms(table, url))),
    )


def _rendering(table: Table, url: str) -> RenderAnswer | None:
    row = None if is_path(url) else about_rendering(table, url)
    return RenderAnswer(row.rendered, row.gained, row.met, row.pays, row.rendered < TRIALS) if row else None


def _topic(table: Table, url: str) -> TopicAnswer | None:
    row = about_topic(table, url)
    if row is None:
        return None
    return TopicAnswer(row.promise / WHOLE, row.score if row.score >= 0 else None, row.words)


def _queued(entry: Entry, host: HostAnswer | None, robots: RobotsRow | None, still: str) -> tuple[str, float | None]:
    if entry.due:
        return f"{entry.reason}; to be tried again", entry.due
    if robots is not None and robots.verdict == Verdict.UNREACHABLE:
        return f"its robots.txt is unreachable ({robots.detail})", robots.expires
    if still and (host is None or host.state != PAUSED):
        return still, None
    if host is not None and host.state in (RESTING, PAUSED):
        return f"its host is {host.state}: {host.reason}", host.next_time
    if host is not None and (away := _away(entry, host)):
        return f"its turn comes in {counted(away, 'round')}: {host.distance_basis}", None
    return "waits for its turn", host.next_time if host else None


def _away(entry: Entry, host: HostAnswer | None) -> int:
    return distance(entry.rank) + (host.distance if host else 0)


def _basis(site: SiteRow, number: int) -> str:
    """Which of its two budgets a site has used up."""
    pages = budget.budget(site.linkers)
    if site.visits // pages < budget.distance(site, number):
        hosts = budget.host_budget(site.linkers)
        return f"its host is number {number:,} of its site, which may bring {counted(hosts, 'host')} a round"
    return f"its site has had {counted(site.visits, 'visit')}, at {counted(pages, 'page')} a round"


def _behind(away: int, kind: KindAnswer) -> str:
    brought = f"{counted(kind.fetched, 'address')} like it brought {counted(round(kind.fresh), 'new page')}"
    return f"its turn comes in {counted(away, 'round')}: {brought}, so better ones of its host come first"


def about_host(table: Table, name: str, asked: Asked) -> HostAnswer | None:
    """The answer for a host; None when it was never met."""
    stored = table.get(HOSTS, name.encode())
    if stored is None:
        return None
    row = host_row(stored)
    host = Host(name, pace=row.pace, penalty=row.penalty, delays=delays_of(row))
    site = budget.stored(table, asked.site(f"http://{name}/"))
    away, basis = budget.distance(site, row.number), _basis(site, row.number)
    robots = {origin: told(robots_at(table, origin), asked.agent) for origin in origins(table, name)}
    queued, sums = Backlog(table).of(name), Tally(table).of(name)
    state, reason, when = _standing(row, queued, asked.now)
    if state == WAITING:
        was_asked = bool(robots) or 0 < row.visits <= row.faults  # a dead host has no robots.txt
        is_later = was_asked and not _is_in_queues(table, name)
        reason = _turn(robots, asked.still, is_later=is_later, is_behind=away > 0)
    return HostAnswer(
        name,
        sums.pages,
        queued,
        sums.failed,
        state,
        reason,
        when,
        *asked.politeness.brake(host),
        row.visits,
        row.faults,
        away,
        basis,
        budget.budget(site.linkers),
        site.linkers,
        robots,
        dropped_keys(table, name),
        disguised_places(table, name),
        pace=round(row.pace, 4),
    )


def _standing(row: HostRow, queued: int, now: float) -> tuple[str, str, float | None]:
    if row.paused > now:
        return PAUSED, row.reason, row.paused
    if not queued:
        return IDLE, "nothing of it is queued", None
    if row.due > now:
        return RESTING, "the delay since the last request is not over", row.due
    return WAITING, "", None


def _is_in_queues(table: Table, name: str) -> bool:
    """Whether something of a web host is in a queue; what is tried again later is not."""
    places = (f"{scheme}://{name}{end}".encode() for scheme in ("http", "https") for end in ("\0", ":"))
    return any(next(iter(table.scan(QUEUE, prefix=place)), None) is not None for place in places)


def _turn(robots: Mapping[str, str], still: str, *, is_later: bool, is_behind: bool) -> str:
    """What a host waits for that may be visited."""
    for origin, words in robots.items():
        if words.startswith(UNREACHABLE):
            return f"robots.txt of {origin}: {words}"
    if still:
        return still
    if is_later:
        return "all that is queued failed before, and is to be tried again later"
    if is_behind:
        return "sites that had fewer visits come first"
    return "its turn comes as soon as a connection is free"


def origins(table: Table, host: str) -> list[str]:
    """Those of a host of which robots.txt was ever asked for."""
    both = (f"http://{host}", f"https://{host}")
    found = (keys.origin_in(key) for origin in both for key, _ in table.scan(ROBOTS, prefix=origin.encode()))
    return [origin for origin in found if keys.host(origin + "/") == host]


def robots_at(table: Table, origin: str) -> RobotsRow | None:
    """What is known of the robots.txt of an origin."""
    stored = table.get(ROBOTS, origin.encode())
    return robots_row(stored) if stored else None


def told(row: RobotsRow | None, agent: str) -> str:
    """The same in words."""
    if row is None:
        return "not asked for yet"
    if row.verdict == Verdict.UNAVAILABLE:
        return f"none, so everything is allowed ({row.detail})"
    if row.verdict == Verdict.UNREACHABLE:
        return f"{UNREACHABLE}, so nothing is fetched ({row.detail})"
    delay = parse(row.body).delay(agent)
    return f"{counted(len(row.body), 'byte')} of rules" + (f", Crawl-delay {delay:g} s" if delay else "")
