"""What a collection holds, what it is doing, what failed and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from gossamer.collection import page_fields
from gossamer.collection.cluster_view import ClusterView, view_of
from gossamer.collection.freshness import Freshness, freshness_of
from gossamer.collection.limits import held_by
from gossamer.collection.lock import holder
from gossamer.collection.steering import Steering
from gossamer.frontier.entries import META
from gossamer.frontier.forms import form_rows
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.worth.topic_rows import stored_sums
from gossamer.plan import Plan
from gossamer.printable import counted, size
from gossamer.rows import decoder
from gossamer.store.table.table import Table


@dataclass(frozen=True, slots=True)
class Progress:
    """One look at a crawl that is going on."""

    pages: int
    failed: int
    queued: int
    out: int
    """Visits under way."""
    waiting: int
    """Hosts that wait for their time."""
    bytes: int
    seconds: float
    limit: int = 0
    """Pages at which it ends; 0 for none."""
    limit_bytes: int = 0
    idle_seconds: float = 0.0
    """Nothing else to do: seconds until the next retry."""
    waits: bool = False
    """It waits for that; a crawl that would have to wait for longer ends."""
    next_time: float = 0.0
    """When that is, as seconds since 1970; 0 where something else is to be done."""
    network_gone: bool = False
    """Nothing can be reached; the crawl waits and goes on by itself."""
    disk_free: int = 0
    """The disk is nearly full: bytes that are free. 0 when there is room."""
    disk_wanted: int = 0
    """Bytes that must be free before the crawl goes on."""
    left: float | None = None
    """Seconds that the rest will take, or until anything may be tried again, as of this look; None when unknown."""
    basis: str = ""
    """What that estimate is counted from."""
    rate: float = 0.0
    """Addresses that got done in a second, in the last minute."""
    paused: bool = False
    """Somebody has asked the crawl to wait."""
    next_visit: float | None = None
    """Seconds until a page is visited again; None where pages are not watched."""
    time_over: bool = False
    """The time is over that the plan gives a crawl."""
    store_away: str = ""
    """The store of checkpoints is away or slow, in words: the crawl waits and goes on by itself."""
    besides: int = 0
    """Of what is queued, what no limit of pages keeps away: what pages need, and pages that are asked for again."""
    unsent: int = 0
    """Links and more that are for other shards, and that these do not have for good yet."""
    lag: float = 0.0
    """Seconds for which the oldest of these waits."""
    byte_rate: float = 0.0
    """Bytes that came in a second, in the last minute."""
    memory: int = 0
    """Bytes that the processes of the shards have in memory."""

    @property
    def held_up(self) -> str:
        """Why it waits for this machine or the network; nothing when it does not."""
        return _held_up(self)


@dataclass(frozen=True, slots=True)
class Harvest:
    """How far the pages are on the topic of the crawl."""

    pages: int
    """Those that were judged."""
    rate: float
    """What they score on average, 0 to 1."""
    on_topic: int
    """Those that are on topic more likely than not."""

    def __str__(self) -> str:
        return f"{self.rate:.0%}; {self.on_topic:,} of {counted(self.pages, 'page')} are so, more likely than not"


@dataclass(frozen=True, slots=True)
class FormsAsked:
    """What search forms have brought, where they are filled in."""

    sent: int
    refused: int
    """Those that are left alone."""
    going: int
    """Of those that are sent, those that are still asked."""
    requests: int
    records: int
    covered: float
    """The part of what there is behind them, 0 to 1, by the estimates of all; 0 where there is none."""

    def __str__(self) -> str:
        parts = [f"{self.sent:,} sent"]
        parts += [f"{self.going:,} of them still asked"] if self.going else []
        parts += [f"{self.refused:,} left alone"] if self.refused else []
        known = f"{counted(self.requests, 'request')} brought {counted(self.records, 'record')}"
        part = f", about {self.covered:.0%} of what there is" if self.covered else ""
        return f"{', '.join(parts)}; {known}{part}" if self.sent else ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A host for which addresses wait."""

    host: str
    queued: int
    reason: str
    next_time: float | None
    """When it may be asked, in seconds since 1970, where that is known."""


@dataclass(frozen=True, slots=True)
class Status:
    """The sums over all addresses."""

    pages: int
    failed: int
    excluded: int
    queued: int
    hosts: int
    bytes: int
    duplicates: int
    near_duplicates: int
    """Pages that say nearly what another says; those whose bytes are the same are duplicates."""
    seconds: float
    unreached: int = 0
    """Pages whose last visit failed; what came before it is still here."""
    unread: int = 0
    """Pages that were kept and could not be read, through a mistake of ours; the next build tries again."""
    mirrors: Mapping[str, list[str]] = field(default_factory=dict)
    """Hosts that serve the same site as others: the main one, and the others. As of the last build."""
    crawling: Mapping[str, Any] | None = None
    """The process that is writing to it now."""
    failures: Mapping[str, int] = field(default_factory=dict)
    exclusions: Mapping[str, int] = field(default_factory=dict)
    disk_free: int = 0
    """The crawl waits because the disk is nearly full: bytes that are free. 0 when it does not."""
    disk_wanted: int = 0
    """Bytes that must be free before it goes on."""
    network_gone: bool = False
    """The crawl waits because nothing can be reached."""
    store_away: str = ""
    """The crawl waits for the store of its checkpoints; why, in words."""
    left: float | None = None
    """Seconds of crawling that the rest will take, or until anything may be tried again, as of the last commit; None
    when it is not known."""
    basis: str = ""
    """What that estimate is counted from."""
    paused: bool = False
    """Somebody has asked the crawl to wait, and nobody to go on."""
    freshness: Freshness | None = None
    """How far what is there is up to date; None where it was never watched."""
    held_by: str = ""
    """No crawl runs, and something is queued: the limit that has ended the last one, and the command that goes on."""
    next_time: float | None = None
    """When the first of what is queued may be tried again, in seconds since 1970; None where others may be before."""
    retries: Mapping[str, int] = field(default_factory=dict)
    """Why some of what is queued is tried again: reasons and how often."""
    waiting: tuple[Waiting, ...] = ()
    """Where all that is queued waits, the hosts that have most of it."""
    harvest: Harvest | None = None
    """How far the pages are on topic; None where the crawl has none."""
    forms: FormsAsked | None = None
    """What search forms have brought; None where none was met, or none is to be filled in."""
    requisites: int = 0
    """What pages need to look as they do, as far as it was asked for: images, styles, scripts."""
    requisites_kept: int = 0
    """That which is here."""
    requisites_queued: int = 0
    """That which waits; the rest has failed or was left out."""
    requisites_missing: Mapping[str, int] = field(default_factory=dict)
    """Why that rest is not here: reasons and how often."""
    fields: tuple[str, ...] = ()
    """Names of fields that a page function has given."""
    fields_failed: int = 0
    """Pages that it failed for."""
    remarks: Mapping[str, int] = field(default_factory=dict)
    """What should be known of pages that are here, as that they could not be read or are cut: reasons and how often."""
    cluster: ClusterView | None = None
    """The nodes of a crawl on a cluster; None where it runs on this machine."""

    @property
    def held_up(self) -> str:
        """Why it waits for this machine or the network; nothing when it does not."""
        return _held_up(self)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def _held_up(now: Progress | Status) -> str:
    if now.disk_wanted:
        return f"the disk is nearly full: {size(now.disk_free)} free, goes on at {size(now.disk_wanted)}"
    if now.store_away:
        return now.store_away
    return "nothing can be reached; goes on by itself as soon as something answers" if now.network_gone else ""


class Fetched(msgspec.Struct, array_like=True, frozen=True):
    """One fetch."""

    url: str
    kind: str
    method: str
    status: int
    """0 when no answer came."""
    bytes: int
    """As they came, without the head."""
    began: float
    seconds: float
    reason: str
    """What went wrong, or where it leads; empty for an answer like any other."""


def status_of(
    folder: Path, plan: Plan, tables: Iterable[Table], mirrors: Mapping[str, list[str]], unread: int = 0
) -> Status:
    """Read the counters of the last commit of each shard."""
    tables = list(tables)
    parts, crawling = [Ledger(table).counts for table in tables], holder(folder)
    last = together(filter(None, map(last_look, tables)))  # a shard that has noted nothing has nothing to do
    now, paused = last if crawling else None, Steering(folder).orders().paused
    fields = page_fields.of_all(tables)
    return Status(
        pages=sum(counts.kept for counts in parts),
        failed=sum(counts.failed for counts in parts),
        excluded=sum(counts.excluded for counts in parts),
        queued=sum(counts.queued for counts in parts),
        hosts=sum(counts.hosts for counts in parts),
        bytes=sum(counts.bytes for counts in parts),
        duplicates=sum(counts.duplicates for counts in parts),
        near_duplicates=sum(counts.near_duplicates for counts in parts),
        seconds=round(max(counts.seconds for counts in parts), 3),
        unreached=sum(counts.unreached for counts in parts),
        unread=unread,
        mirrors=mirrors,
        crawling=crawling,
        failures=_largest(counts.failures for counts in parts),
        exclusions=_largest(counts.exclusions for counts in parts),
        disk_free=now.disk_free if now else 0,
        disk_wanted=now.disk_wanted if now else 0,
        network_gone=now is not None and now.network_gone,
        store_away=now.store_away if now else "",
        left=last.left if last and not paused else None,
        basis=last.basis if last and not paused else "",
        paused=paused,
        freshness=freshness_of(tables),
        held_by=standstill(plan, tables, is_running=crawling is not None),
        next_time=last.next_time or None if last and any(counts.queued for counts in parts) else None,
        retries=_largest(counts.retries or {} for counts in parts),
        harvest=_harvest(tables),
        forms=_forms(tables),
        requisites=sum(counts.needed.all for counts in parts if counts.needed),
        requisites_kept=sum(counts.needed.kept for counts in parts if counts.needed),
        requisites_queued=sum(counts.needed.queued for counts in parts if counts.needed),
        requisites_missing=_largest(counts.missing for counts in parts),
        fields=tuple(fields.kinds),
        fields_failed=fields.failed,
        remarks=_largest(counts.remarks or {} for counts in parts),
        cluster=_cluster(folder, plan, is_running=crawling is not None),
    )


def _cluster(folder: Path, plan: Plan, *, is_running: bool) -> ClusterView | None:
    """Its nodes, if it has any."""
    if plan.is_local:
        return None
    return view_of(folder, plan, is_running=is_running)


def standstill(plan: Plan, tables: Sequence[Table], *, is_running: bool) -> str:
    """The limit that keeps what is queued from being fetched, where no crawl runs."""
    counts = [Ledger(table).counts for table in tables]
    if is_running or not any(each.queued for each in counts):
        return ""
    over = any(look.time_over for look in map(last_look, tables) if look)
    pages, octets = sum(each.kept for each in counts), sum(each.bytes for each in counts)
    if all(each.queued <= each.besides for each in counts):
        pages = 0  # no limit of pages keeps this away
    verb = "files" if plan.folders else "crawl"
    return held_by(plan, pages, octets, time_over=bool(plan.time) and over, verb=verb)


def _harvest(tables: Iterable[Table]) -> Harvest | None:
    sums = [stored_sums(table) for table in tables]
    pages = sum(each.pages for each in sums)
    rate = round(sum(each.score for each in sums) / pages, 4) if pages else 0.0
    return Harvest(pages, rate, sum(each.on_topic for each in sums)) if pages else None


def _forms(tables: Iterable[Table]) -> FormsAsked | None:
    sums = sum(map(form_rows.stored_sums, tables), form_rows.FormSums())
    if not sums.sent + sums.refused:
        return None
    covered = round(min(sums.records / sums.estimate, 1.0), 4) if sums.estimate else 0.0
    return FormsAsked(sums.sent, sums.refused, sums.going, sums.requests, sums.records, covered)


progress_of = decoder(Progress)


def note(table: Table, progress: Progress) -> None:
    """For those who ask from outside how the crawl goes; part of the next commit."""
    table.put(META, b"progress", msgspec.msgpack.encode(progress))


def last_look(table: Table) -> Progress | None:
    """How the crawl went at the last commit."""
    data = table.get(META, b"progress")
    return progress_of(data) if data else None


def together(looks: Iterable[Progress | None]) -> Progress | None:
    """One look at all shards; of those with something to do the one that takes longest says how long it takes.

    Where a number of pages or bytes ends the crawl sooner, all of them say it together: no shard fetches all that are
    left. As long as one of them has not said anything, nobody knows what is left. And all is paused when each of them
    is: one that has not heard of it yet still fetches.
    """
    looks = list(looks)
    parts = [part for part in looks if part is not None]
    if not parts:
        return None
    busy = [part for part in parts if part.queued] or parts
    last = max(busy, key=lambda part: (not part.idle_seconds, (part.left or 0.0) * (-1 if part.idle_seconds else 1)))
    short = max(parts, key=lambda part: part.disk_wanted)
    left, basis = _limited(parts, last) if len(parts) == len(looks) else (None, "")
    return Progress(
        pages=sum(part.pages for part in parts),
        failed=sum(part.failed for part in parts),
        queued=sum(part.queued for part in parts),
        out=sum(part.out for part in parts),
        waiting=sum(part.waiting for part in parts),
        bytes=sum(part.bytes for part in parts),
        seconds=max(part.seconds for part in parts),
        limit=parts[0].limit,
        limit_bytes=parts[0].limit_bytes,
        idle_seconds=min(part.idle_seconds for part in busy),
        waits=all(part.waits for part in busy),
        next_time=_next_time(parts),
        network_gone=any(part.network_gone for part in parts)
        and all(part.network_gone for part in parts if part.queued),
        disk_free=short.disk_free,
        disk_wanted=short.disk_wanted,
        left=left,
        basis=basis,
        rate=sum(part.rate for part in parts),
        paused=all(part is not None and part.paused for part in looks),
        next_visit=min((part.next_visit for part in parts if part.next_visit is not None), default=None),
        time_over=any(part.time_over for part in parts),
        store_away=next((part.store_away for part in parts if part.store_away), ""),
        besides=sum(part.besides for part in parts),
        unsent=sum(part.unsent for part in parts),
        lag=max(part.lag for part in parts),
        byte_rate=sum(part.byte_rate for part in parts),
        memory=sum(part.memory for part in parts),
    )


def _next_time(parts: Sequence[Progress]) -> float:
    """When the first of all that is queued may be tried again, where each shard that has some waits for that."""
    waits = [part.next_time for part in parts if part.queued]
    return min(waits, default=0.0) if all(waits) else 0.0


def _limited(parts: Sequence[Progress], last: Progress) -> tuple[float | None, str]:
    """How long it takes, and what that is counted from, where a limit may end it before all is fetched."""
    to_come, words = min(_to_come(parts), default=(inf, ""))
    if last.left is None or to_come >= sum(part.queued for part in parts):
        return last.left, _basis(parts, last)
    if to_come <= 0:
        return None, ""
    soonest = _soonest(to_come, parts)
    return (
        (soonest, f"{words} at {to_come / soonest:,.2g} pages/s")
        if soonest < last.left
        else (last.left, _basis(parts, last))
    )


_A_NUMBER = re.compile(r"[\d,]+ ")


def _basis(parts: Sequence[Progress], last: Progress) -> str:
    """What the shard that takes longest counts from: who crawls need not know that word. A number alone would be taken
    for that of all."""
    is_number = len(parts) > 1 and _A_NUMBER.match(last.basis)  # a host may be an IP address
    return f"the slowest part has {last.basis}" if is_number else last.basis


def _to_come(parts: Sequence[Progress]) -> Iterator[tuple[float, str]]:
    """Addresses that each limit lets through, of all shards together, and that in words."""
    limit, octets = parts[0].limit, parts[0].limit_bytes
    if limit:
        pages, besides = max(limit - sum(part.pages for part in parts), 0), sum(part.besides for part in parts)
        needed = f" and {besides:,} besides" if besides else ""
        yield pages + besides, f"{pages:,} of {counted(limit, 'page')}{needed} to come"
    if octets:
        come, done = sum(part.bytes for part in parts), sum(part.pages + part.failed for part in parts)
        yield (octets - come) * done / max(come, 1), f"{1 - come / octets:.0%} of {octets:,} bytes to come"


def _soonest(wanted: float, parts: Sequence[Progress]) -> float:
    """Seconds until so many are done, where each shard keeps its pace until nothing of it is queued."""
    paces = sorted((part.queued / pace, pace) for part in parts if (pace := _pace(part)))
    now = 0.0
    for number, (end, _) in enumerate(paces):
        together = sum(pace for _, pace in paces[number:])
        if wanted <= (end - now) * together:
            return now + wanted / together
        wanted, now = wanted - (end - now) * together, end
    return inf


def _pace(part: Progress) -> float:
    """Addresses in a second: as they came, but no faster than its estimate has it, which knows the delays of hosts. The
    first answers of many hosts come at once, and those that follow do not."""
    if not part.left or part.idle_seconds:
        return part.rate
    room = max(part.limit - part.pages, 0) + part.besides
    estimated = (min(part.queued, room) if part.limit else part.queued) / part.left
    return min(part.rate, estimated) if part.rate else estimated


def _largest(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    reasons: Counter[str] = sum(map(Counter, parts), Counter())
    return dict(sorted(((k, v) for k, v in reasons.items() if v), key=lambda item: -item[1]))
