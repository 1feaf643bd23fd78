"""How long does a crawl take? Two things hold it: politeness towards its hosts, and its machines.

Politeness does not depend on machines: a host with n pages takes n turns, and its turn is its rest and its answer. All
hosts rest at the same time, so the one with the most pages takes longest. Machines take the CPU of a page for each of
them. The longer of the two is how long it takes at least: what a crawl finds late, and what fails, comes on top.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gossamer.collection.ask.cluster_size import DAY, LOAD, ROOM, Figures, Machine, whole
from gossamer.errors import UsageError
from gossamer.printable import counted

DAYS = 30.0
"""Where nothing says how long it takes."""


@dataclass(frozen=True, slots=True)
class Spread:
    """On how many hosts pages are, and how many the largest of them has."""

    hosts: int
    largest: int = 0
    """0: all have as many."""

    def most(self, pages: float) -> int:
        """Pages of the host that has most of them."""
        if not 1 <= self.hosts <= pages:
            raise UsageError(f"--hosts {self.hosts:,}: there are 1 to {pages:,.0f} of them, since each has a page")
        even = math.ceil(pages / self.hosts)
        if self.largest and not even <= self.largest <= pages:
            raise UsageError(
                f"--largest-host {self.largest:,}: of {pages:,.0f} pages on {counted(self.hosts, 'host')} the largest"
                f" has at least {even:,}, and at most all"
            )
        return self.largest or even


@dataclass(frozen=True, slots=True)
class Politely:
    """What politeness alone allows."""

    hosts: int
    largest: int
    """Pages of the host that has most of them."""
    turn: float
    """Seconds from one request to a host to the next one."""
    days: float
    rate: float
    """Pages a second, as long as every host has some left."""


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a crawl takes."""

    days: float
    held_by: str
    """politeness or machines, whichever takes longer; nothing where the days are those that were asked for."""
    machines: int | None = None
    """Those that are there; None where they are counted from the days."""
    machine_days: float | None = None
    """What these alone allow."""
    polite: Politely | None = None
    """None where nobody has said on how many hosts the pages are."""
    is_assumed: bool = False
    """Nobody has said anything of how long it may take, and the days are the usual ones."""


def politely(pages: float, spread: Spread, turn: float) -> Politely:
    """However many machines there are."""
    most = spread.most(pages)
    return Politely(spread.hosts, most, turn, most * turn / DAY, spread.hosts / turn)


def duration(
    figures: Figures,
    pages: float,
    machine: Machine,
    *,
    days: float | None = None,
    machines: int | None = None,
    spread: Spread | None = None,
) -> Duration:
    """With the days that are asked for, or with so many machines; one, where neither is said but the hosts are."""
    if days is not None and machines is not None:
        raise UsageError("--days counts the machines, and --machines the days; give one of them")
    polite = politely(pages, spread, figures.turn) if spread else None
    if machines is None and (days is not None or spread is None):
        wanted = DAYS if days is None else days
        if polite is None or polite.days <= wanted:
            return Duration(wanted, "", polite=polite, is_assumed=days is None)
        return Duration(polite.days, "politeness", polite=polite)
    count = max(machines or 1, _disks(figures, pages, machine))
    alone = pages / (count * machine_rate(figures, machine)) / DAY
    if polite is not None and polite.days > alone:
        return Duration(polite.days, "politeness", count, alone, polite)
    return Duration(alone, "machines", count, alone, polite)


def machine_rate(figures: Figures, machine: Machine) -> float:
    """Pages a second of one machine. A core without memory for its shard does nothing."""
    shards = max(machine.memory * LOAD // figures.memory, 1) if figures.memory else machine.cores
    return min(machine.cores, shards) * LOAD / figures.cpu


def machines_for(figures: Figures, rate: float, machine: Machine) -> int:
    """Machines that fetch so many pages a second."""
    return max(whole(rate / machine_rate(figures, machine)), 1)


def _disks(figures: Figures, pages: float, machine: Machine) -> int:
    """Machines whose disks hold all of it."""
    kept = pages * (figures.archive + figures.index + figures.rest)
    return whole(kept * ROOM / machine.disk)
