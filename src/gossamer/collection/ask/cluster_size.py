"""How many machines does a crawl of so many pages take? Sums from the figures of a small one.

The pages of a small crawl give bytes, CPU and addresses a page. What a crawl of another size takes is these figures,
times its pages; memory is that of a shard, times the shards, because a shard keeps its rows on its disk. What that
leaves out is said with the answer: nobody knows the web that was not crawled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from gossamer import files
from gossamer.collection.folder import Folder
from gossamer.collection.series import Sample
from gossamer.errors import UsageError
from gossamer.frontier.entries import HOSTS, host_row
from gossamer.frontier.polite.host_delays import Host
from gossamer.plan import Plan
from gossamer.settings import SETTINGS
from gossamer.store.table.table import Table

DAY = 86_400
LOAD = 0.7
"""How much of its cores a machine may be busy."""
ROOM = 1.25
"""Disk for each byte that is kept: what is merged or packed stands there twice for a while."""
ANSWER = 0.3
"""Seconds that a server takes to answer, where none was asked yet."""
ANSWER_NEAR = 0.02
"""A server that answers sooner is on this machine or the next one."""
TURN_LEAST = 0.001
"""Seconds; no host takes less, also where it need not rest."""
TRAVEL = 1.3
"""Bytes that go to the store for each byte that is kept: tables are written again when they are merged."""
OBJECT = 32_000_000
"""Bytes of an object in the store, at most."""
PUTS, LISTS = 3, 2
"""Requests to the store for each checkpoint."""
MONTH = 30.0
MOST = 1e18
"""Pages, and whatever a machine has: no more of anything is on earth, and sums of it still have an end."""
ROUNDING = 1e-9
PAGES_LEAST = 500
"""Fewer pages tell mostly what a collection takes that is empty."""
USUAL_DELAY: float = SETTINGS["delay"].default
_ANY = re.compile(".+", re.DOTALL)
_ARCHIVE = ("captures", "texts")


@dataclass(frozen=True, slots=True)
class Machine:
    """One node of the cluster, and what things cost in any one currency."""

    cores: float = 8
    memory: float = 32e9
    """Bytes."""
    disk: float = 1e12
    hour: float = 0.0
    """Price of an hour."""
    store_month: float = 0.0
    """Of a gigabyte in the store for a month."""
    puts: float = 0.0
    """Of a thousand requests that write or list."""
    traffic: float = 0.0
    """Of a gigabyte that comes in from the web."""


EXAMPLE = """\
# One machine, and what things cost, in any one currency. What is left out costs nothing.
cores = 8
memory = 32e9        # bytes
disk = 1e12          # bytes
hour = 0.40          # of a machine
store_month = 0.023  # of a gigabyte in the store
puts = 0.005         # of a thousand requests to the store
traffic = 0.0        # of a gigabyte from the web
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a page took in a crawl that was done."""

    pages: int
    cpu: float
    """Seconds of CPU a page."""
    wire: float
    """Bytes a page, as they came; the next three as they are kept."""
    archive: float
    index: float
    rest: float
    """Of rows, links and fingerprints."""
    known: float
    """Addresses a page that were found, it among them."""
    memory: float
    """Bytes of a shard."""
    delay: float
    """Seconds that a host rests, at least."""
    answer: float
    """Seconds that a host took to answer."""
    turn: float
    """Seconds from one request to a host to the next one: its rest, which is longer for a slow host, and its answer."""
    usual_turn: float
    """The same on the web, with the delay that is usual there and hosts that are not next door."""

    @property
    def is_hurried(self) -> bool:
        """It was a crawl of servers that are nearer, or bear more, than those of the web."""
        return self.delay < USUAL_DELAY or self.answer < ANSWER_NEAR


@dataclass(frozen=True, slots=True)
class Need:
    """What a crawl takes."""

    rate: float
    """Pages a second."""
    hosts: int
    """That must be at work at any time."""
    cores: float
    machines: int
    because: str
    """What the number of machines comes from: cores, memory or disk."""
    shards: int
    memory: float
    """Bytes, on all machines."""
    disk: float
    network: float
    """Bytes a second from the web."""
    travels: float
    """Bytes that go to the store, in all."""
    requests: float
    """To the store, in all."""
    prices: dict[str, float]
    """Of the machines, the store, requests to it and what comes from the web, in the currency of the price table."""

    @property
    def price(self) -> float:
        """Of all together; 0 where there are no prices."""
        return sum(self.prices.values())


def measured(folder: Folder, plan: Plan, past: Sequence[Sample], answer: float) -> Figures:
    """The figures of a collection whose hosts take so many seconds to answer."""
    last = past[-1] if past else None
    if last is None or not last.pages:
        raise UsageError(f"{folder.path}: no page in it yet; the figures come from a crawl of {PAGES_LEAST:,} or more")
    if not last.cpu:
        raise UsageError(f"{folder.path}: was crawled before CPU was counted; `gossamer crawl {folder.path}` a new one")
    sizes = _sizes(folder, plan.shards)
    archive, index = (sum(sizes.get(name, 0) for name in names) for names in (_ARCHIVE, ("index",)))
    return Figures(
        pages=last.pages,
        cpu=last.cpu / last.pages,
        wire=last.bytes / last.pages,
        archive=archive / last.pages,
        index=index / last.pages,
        rest=(sum(sizes.values()) - archive - index) / last.pages,
        known=last.known / last.pages,
        memory=max(each.memory for each in past) / plan.shards,
        delay=plan.delay,
        answer=answer,
        turn=turn(plan, answer),
        usual_turn=turn(plan.changed(delay=max(plan.delay, USUAL_DELAY)), max(answer, ANSWER)),
    )


def answer_time(tables: Iterable[Table]) -> float:
    """Seconds that hosts take to answer, on average over what was asked of them."""
    rows = [host_row(data) for table in tables for _, data in table.scan(HOSTS)]
    visits = sum(row.visits for row in rows)
    return sum(row.pace * row.visits for row in rows) / visits if visits else ANSWER


def turn(plan: Plan, answer: float) -> float:
    """Seconds from one request to a host to the next, where its robots.txt asks for nothing else."""
    politeness = plan.as_politeness()
    gap = max(politeness.gap(Host("", pace=answer)), politeness.ip_delay)
    return max(gap + answer / politeness.per_host, TURN_LEAST)


def _sizes(folder: Folder, shards: int) -> dict[str, int]:
    """Bytes of the parts of all shards, by their names."""
    sizes: dict[str, int] = {}
    for shard in map(folder.shard, range(shards)):
        for name in files.tree(shard, _ANY):
            part = name.partition("/")[0]
            sizes[part] = sizes.get(part, 0) + files.size(shard / name)
    return sizes


def need(figures: Figures, pages: float, days: float, machine: Machine, checkpoint: float) -> Need:
    """What so many pages in so many days take."""
    if not (1 <= pages <= MOST and 0 < days < math.inf):
        raise UsageError(f"pages and days are numbers above 0, and no more than {MOST:g}")
    rate = pages / (days * DAY)
    cores = rate * figures.cpu / LOAD
    kept = pages * (figures.archive + figures.index + figures.rest)
    wanted = {
        "cores": cores / machine.cores,
        "memory": whole(cores) * figures.memory / LOAD / machine.memory,
        "disk": kept * ROOM / machine.disk,
    }
    because = max(wanted, key=wanted.__getitem__)
    machines = max(whole(wanted[because]), 1)
    shards = machines * max(whole(cores / machines), 1)
    requests = shards * days * DAY / checkpoint * (PUTS + LISTS) + kept * TRAVEL / OBJECT
    return Need(
        rate=rate,
        hosts=hosts_at_work(rate, figures.turn),
        cores=cores,
        machines=machines,
        because=because,
        shards=shards,
        memory=shards * figures.memory,
        disk=kept * ROOM,
        network=rate * figures.wire,
        travels=kept * TRAVEL,
        requests=requests,
        prices={
            "machines": machines * days * 24 * machine.hour,
            "store": kept / 1e9 * machine.store_month * days / MONTH / 2,  # it fills while it is crawled
            "requests": requests / 1e3 * machine.puts,
            "traffic": pages * figures.wire / 1e9 * machine.traffic,
        },
    )


def whole(number: float) -> int:
    """So many of something that cannot be had in parts. What is left over of a sum that should be even is none."""
    return math.ceil(number - ROUNDING)


def hosts_at_work(rate: float, turn: float) -> int:
    """So many at any time, where each has its turn again after so many seconds."""
    return math.ceil(rate * turn)


def machine_of(table: dict[str, object], name: str) -> Machine:
    """A machine from a table of numbers; `name` is where it was read."""
    known = [each.name for each in fields(Machine)]
    for key, value in table.items():
        if key not in known:
            raise UsageError(f"{name}: {key} is not known; known are {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
            raise UsageError(f"{name}: {key} is a number from 0 to {MOST:g}")
    machine = Machine(**{key: float(value) for key, value in table.items() if isinstance(value, int | float)})
    if not min(machine.cores, machine.memory, machine.disk) >= 1:
        raise UsageError(f"{name}: cores, memory and disk are at least 1")
    return machine
