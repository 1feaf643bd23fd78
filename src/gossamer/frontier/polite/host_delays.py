"""How long is a host left alone? The only place where a delay is decided.

The gap before the next request to a host is the largest of the least delay, ten times the smoothed time its
answers take (Mercator's rule: a slow server gets more rest), and the Crawl-delay of its robots.txt, plus a penalty
that 429 and 503 raise at once and that good answers wear off slowly. All gaps are counted on the steady clock.

A host has a robots.txt for each of its origins (http, https, other ports), and is one machine: the longest of their
Crawl-delays holds for all of them.

`Dates` writes moments of the steady clock as dates that can be kept on disk, and reads them back. The distance between
the two clocks is measured once, so within a run a date comes back as the very moment it was, however the wall clock
jumps meanwhile. Only a restart looks at the wall clock again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gossamer.frontier.entries import HOSTS, HostRow, encode, host_row
from gossamer.model import Clock, Kind
from gossamer.store.table.table import Table

SMOOTHING = 0.3
"""Weight of the newest answer in the smoothed fetch time."""
RECENT = 5
"""Answers of a host that its usual time is taken from."""
PENALTY_FIRST, PENALTY_MOST, PENALTY_DECAY = 1.0, 30.0, 0.9
THROTTLE_FIRST = 60.0
PAUSE_MOST = 86_400.0
"""No host is left alone for longer, by its own wish or for its failures."""
RETRY_AFTER_LEAST = 1.0
ROUNDING = 0.001
BREAKER_STREAK = 5
BREAKER_FIRST = 600.0
ORIGINS_REMEMBERED = 16
"""Crawl-delays of a host that are kept, the longest ones; it may have a robots.txt on each of its ports."""


@dataclass(frozen=True, slots=True)
class Politeness:
    """What a site owner may count on."""

    delay: float = 1.0
    """Least gap for a host; 0 switches it off, and the rule of ten with it."""
    ip_delay: float = 0.5
    factor: float = 10.0
    longest: float = 30.0
    """Most that slow answers alone can ask for."""
    crawl_delay_most: float = 300.0
    per_host: int = 1
    requisite_delay: float = 0.5
    """Least gap after a request for what a page needs, so that pages are complete soon."""

    @property
    def per_address(self) -> int | None:
        """Requests one IP address may have at once; None where the owner switched delays off."""
        return None if self.ip_delay == 0 else self.per_host

    def gap(self, host: Host, kind: Kind = Kind.PAGE) -> float:
        """Seconds between two requests to this host, of which the first is of that kind."""
        return self._gap(host, kind, host.pace)

    def usual_gap(self, host: Host) -> float:
        """The same for pages, as it will be most of the time: one slow answer makes a few gaps long."""
        return self._gap(host, Kind.PAGE, host.usual)

    def _gap(self, host: Host, kind: Kind, pace: float) -> float:
        gap = 0.0
        if self.delay:
            least = self.delay if kind is not Kind.RESOURCE else min(self.requisite_delay, self.delay)
            gap = max(least, min(self.factor * pace, self.longest))
        return max(gap, min(host.crawl_delay, self.crawl_delay_most)) + host.penalty

    def basis(self, host: Host) -> str:
        """Where the present gap comes from, in words."""
        parts = {
            f"least delay {self.delay:g} s": self.delay,
            f"{self.factor:g} x smoothed fetch time {host.pace:.3f} s": min(self.factor * host.pace, self.longest)
            * bool(self.delay),
            self._asked(host): min(host.crawl_delay, self.crawl_delay_most),
        }
        words = max(parts, key=lambda name: parts[name])
        return f"{words}, and {host.penalty:.1f} s after 429 or 503" if host.penalty else words

    def brake(self, host: Host) -> tuple[float, str]:
        """The gap that is noticed, and where it comes from: that of its IP address where it is longer."""
        gap = self.gap(host)
        if self.ip_delay > gap:
            return self.ip_delay, f"least delay {self.ip_delay:g} s for its IP address"
        return gap, self.basis(host)

    def _asked(self, host: Host) -> str:
        """The longest Crawl-delay, which origin asks for it, and how much of it is obeyed."""
        origin = max(host.delays, key=lambda name: host.delays[name], default="")
        words = f"Crawl-delay {host.crawl_delay:g} s" + (f" of {origin}" if origin else "")
        most = self.crawl_delay_most
        return f"{words}, obeyed up to {most:g} s" if host.crawl_delay > most else words


@dataclass(slots=True)
class Host:
    """A host name and how it has been answering."""

    name: str
    next: float = 0.0
    """Steady time before which no request starts."""
    out: int = 0
    pace: float = 0.0
    """Seconds that a fetch takes, of late."""
    recent: tuple[float, ...] = ()
    """What the last of them took."""
    penalty: float = 0.0
    delays: dict[str, float] = field(default_factory=dict)
    """Crawl-delays by origin, of those that ask for one."""
    streak: int = 0
    trips: int = 0
    throttled: int = 0
    paused: float = 0.0
    """Steady time until which the host is left alone altogether."""
    lingers: bool = False
    """Its last visit took long from beginning to end, whoever was to blame; see `slots`."""
    reason: str = ""
    visits: int = 0
    faults: int = 0
    addresses: tuple[str, ...] = ()
    """Where it can be visited; empty when nobody knows."""
    at: int = 0
    """Which of them is visited."""
    dead: int = 0
    """Addresses in a row that took no connection."""
    address_until: float = 0.0
    origins: int = 0
    """Origins in memory that belong to it."""
    number: int = 0
    """It was the n-th host of its site to be met; see `budget`."""
    crawl_delay: float = field(init=False)
    """The longest that any of its origins asks for."""

    def __post_init__(self) -> None:
        self.crawl_delay = max(self.delays.values(), default=0.0)

    @property
    def usual(self) -> float:
        """Seconds that a fetch takes most of the time: the median, and the lower one of two."""
        return sorted(self.recent)[(len(self.recent) - 1) // 2] if self.recent else self.pace

    @property
    def address(self) -> str:
        """The address that politeness is counted for; its name where there is none."""
        return self.addresses[self.at] if self.addresses else self.name

    def found(self, addresses: tuple[str, ...]) -> None:
        """It was looked up. The address that was visited is kept as long as it is one of them."""
        here = self.address
        self.addresses = addresses
        self.at = addresses.index(here) if here in addresses else 0
        self.dead = self.dead if here in addresses else 0

    def leave(self, address: str) -> bool:
        """No connection to this address: is there another one to try? When all were tried, the next one is next."""
        if len(self.addresses) < 2:
            return False
        if address != self.address:  # another visit has noticed
            return True
        self.at = (self.at + 1) % len(self.addresses)
        self.dead = (self.dead + 1) % len(self.addresses)
        return self.dead > 0

    def asks(self, origin: str, delay: float) -> None:
        """The robots.txt of one of its origins was read; 0 when it asks for no delay."""
        known = {name: each for name, each in self.delays.items() if name and name != origin}
        if delay > 0:
            known[origin] = delay
        longest = sorted(known, key=lambda name: known[name], reverse=True)[:ORIGINS_REMEMBERED]
        self.delays = {name: known[name] for name in longest}
        self.crawl_delay = max(self.delays.values(), default=0.0)

    def answered(self, seconds: float) -> None:
        """A good answer: the pace is learned, penalties wear off, the breaker closes."""
        self.dead = 0
        self.recent = (*self.recent[1 - RECENT :], seconds)
        self.pace = seconds if not self.pace else (1 - SMOOTHING) * self.pace + SMOOTHING * seconds
        self.penalty = 0.0 if self.penalty < 0.05 else self.penalty * PENALTY_DECAY
        self.streak = self.trips = self.throttled = 0
        self.reason = ""

    def throttle(self, now: float, retry_after: float | None, status: int) -> float:
        """429 or 503: leave it alone for as long as it asks, then go slower. Gives the end of the pause."""
        self.penalty = min(max(PENALTY_FIRST, 2 * self.penalty), PENALTY_MOST)
        wait = THROTTLE_FIRST * 2**self.throttled if retry_after is None else retry_after
        self.throttled = min(self.throttled + 1, 12)
        self._pause(now + min(max(wait, RETRY_AFTER_LEAST), PAUSE_MOST), f"asked to wait by a {status}")
        return self.paused

    def failed(self, now: float) -> None:
        """A fault of the host. Five in a row open the circuit breaker, for longer each time."""
        self.faults += 1
        self.streak += 1
        if self.streak % BREAKER_STREAK == 0:
            wait = min(BREAKER_FIRST * 2**self.trips, PAUSE_MOST)
            self.trips += 1
            self._pause(now + wait, f"{self.streak} failures in a row")

    def forgive(self) -> None:
        """Its failures were ours. A pause that it asked for stays."""
        self.streak = self.trips = 0
        if not self.throttled:
            self.paused, self.reason = 0.0, ""

    def _pause(self, until: float, reason: str) -> None:
        if until > self.paused:
            self.paused, self.reason = until, reason


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds asked for by a Retry-After field: a number or an HTTP date; None when it says neither."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(min(int(value.strip()[:12]), int(PAUSE_MOST)))
    from email.utils import parsedate_to_datetime  # slow to load, and few servers name a date

    try:
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def delays_of(row: HostRow) -> dict[str, float]:
    """Crawl-delays by origin. A row of before they were told apart has one of somebody, until one is read again."""
    return row.delays or ({"": row.crawl_delay} if row.crawl_delay else {})


class Hosts:
    """The hosts being visited, each loaded once, changed in memory, and saved with the next commit.

    After a crash the last request to any host may be younger than its row says, so each host first rests for its
    whole gap (`careful`). A date that a jump of the wall clock has made absurd is brought back within bounds.
    """

    def __init__(self, table: Table, clock: Clock, dates: Dates, politeness: Politeness, *, careful: bool) -> None:
        self._table = table
        self._clock = clock
        self._dates = dates
        self._politeness = politeness
        self._careful_from = clock.steady() if careful else None
        self._hosts: dict[str, Host] = {}
        self._changed: dict[str, Host] = {}
        """Of those that are in memory."""

    def read_ahead(self, names: Iterable[str]) -> None:
        """These will be asked for soon."""
        self._table.read_ahead(HOSTS, map(str.encode, names))

    def number(self, name: str) -> int | None:
        """Its number among the hosts of its site; None when it was never met."""
        host = self._hosts.get(name)
        if host is not None:
            return host.number
        stored = self._table.get(HOSTS, name.encode())
        return None if stored is None else host_row(stored).number

    def meet(self, name: str, number: int) -> None:
        """An address of it was found for the first time. It costs a row and nothing else."""
        self._write(Host(name, number=number))

    def get(self, name: str) -> Host:
        """The host, in memory as long as an origin of it is."""
        host = self._hosts.get(name)
        if host is not None:
            return host
        stored = self._table.get(HOSTS, name.encode())
        host = self._restored(name, host_row(stored)) if stored else Host(name)
        if self._careful_from is not None:
            host.next = max(host.next, self._careful_from + self._politeness.gap(host))
        self._hosts[name] = host
        return host

    def visited(self, name: str) -> Host | None:
        """A host that is in memory; None when nobody visits it now."""
        return self._hosts.get(name)

    def change(self, politeness: Politeness) -> None:
        """Other gaps from now on. Whoever rests after a request rests for the new gap, counted from that request."""
        before, self._politeness = self._politeness, politeness
        for host in self._hosts.values():
            host.next += politeness.gap(host) - before.gap(host) if host.next else 0.0

    def release(self, host: Host) -> None:
        """One origin of it less in memory; with the last one the host goes too. Its row remembers."""
        host.origins -= 1
        if host.origins <= 0:
            self._write(host)
            self._hosts.pop(host.name, None)
            self._changed.pop(host.name, None)

    def note(self, host: Host) -> None:
        """It was visited, or something else about it has changed: part of the next commit, however often it does."""
        self._changed[host.name] = host

    def save(self) -> None:
        """The clocks of all that have changed become part of the next commit."""
        for host in self._changed.values():
            self._write(host)
        self._changed.clear()

    def _write(self, host: Host) -> None:
        row = HostRow(
            due=self._dates.date(host.next) + ROUNDING,  # coming back from disk must not make it earlier
            pace=host.pace,
            penalty=host.penalty,
            crawl_delay=host.crawl_delay,
            streak=host.streak,
            trips=host.trips,
            throttled=host.throttled,
            paused=self._dates.date(host.paused) if host.paused else 0.0,
            reason=host.reason,
            visits=host.visits,
            faults=host.faults,
            number=host.number,
            delays=host.delays,
        )
        self._table.put(HOSTS, host.name.encode(), encode(row))

    def _restored(self, name: str, row: HostRow) -> Host:
        steady = self._clock.steady()
        wall = self._dates.date(steady)
        host = Host(
            name,
            pace=row.pace,
            penalty=row.penalty,
            delays=delays_of(row),
            streak=row.streak,
            trips=row.trips,
            throttled=row.throttled,
            reason=row.reason,
            visits=row.visits,
            faults=row.faults,
            number=row.number,
        )
        host.next = steady + min(max(row.due - wall, 0.0), self._politeness.gap(host))
        if row.paused > wall:
            host.paused = steady + min(row.paused - wall, PAUSE_MOST)
        return host


class Dates:
    """One run's translation between the clocks."""

    def __init__(self, clock: Clock) -> None:
        self._ahead = clock.wall() - clock.steady()

    def date(self, steady: float) -> float:
        """A moment as a date."""
        return steady + self._ahead

    def steady(self, date: float) -> float:
        """A date as a moment of this run."""
        return date - self._ahead
