"""What a collection holds, what it is doing, what failed and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gossamer.collection import page_fields
from gossamer.collection.cluster_view import ClusterView, view_of
from gossamer.collection.freshness import Freshness, freshness_of
from gossamer.collection.held_up import standstill, waits_for
from gossamer.collection.lock import holder
from gossamer.collection.progress import last_look, together
from gossamer.collection.steering import Steering
from gossamer.frontier.forms import form_rows
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.worth.topic_rows import stored_sums
from gossamer.plan import Plan
from gossamer.printable import counted
from gossamer.store.table.table import Table


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
        return waits_for(self.disk_free, self.disk_wanted, self.store_away, self.network_gone)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


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
        held_by="" if crawling else standstill(plan, parts, time_over=last is not None and last.time_over),
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
        cluster=None if plan.is_local else view_of(folder, plan, is_running=crawling is not None),
    )


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


def _largest(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    reasons: Counter[str] = sum(map(Counter, parts), Counter())
    return dict(sorted(((k, v) for k, v in reasons.items() if v), key=lambda item: -item[1]))
