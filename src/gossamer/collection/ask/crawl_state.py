"""How does it stand? The questions about the crawl: sums, addresses, hosts, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from gossamer.collection.ask.opened import Opened
from gossamer.collection.ask.times import in_utc
from gossamer.collection.documents import is_document
from gossamer.collection.lock import CRAWL, holder
from gossamer.collection.sites import site_of
from gossamer.errors import NotFound, UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.backlog import Backlog
from gossamer.printable import counted
from gossamer.store.unread import Unread
from gossamer.store.versions import STATE, Versions
from gossamer.urls import keys, paths
from gossamer.urls.seeds import address, as_seed

if TYPE_CHECKING:
    from gossamer.collection.ask.addresses import Address
    from gossamer.collection.ask.cluster_size import Figures, Machine, Need
    from gossamer.collection.ask.crawl_time import Duration, Spread
    from gossamer.collection.ask.host_order import HostOrder
    from gossamer.collection.ask.host_page import HostPage
    from gossamer.collection.ask.listing import Listed
    from gossamer.collection.progress import Progress
    from gossamer.collection.series import Sample
    from gossamer.collection.status import Status, Waiting
    from gossamer.frontier.host_details import HostDetails
    from gossamer.frontier.revisit.hubs import Subscribable
    from gossamer.frontier.why import AddressAnswer, Asked, HostAnswer

HOSTS_AT_ONCE = 1_000
WAITING_MOST = 5
"""Hosts that `status` names where all that is queued waits."""


class CrawlState(Opened):
    """What a collection says of its crawl."""

    def status(self) -> Status:
        """What it holds, what it is doing, what failed and why."""
        from gossamer.collection.status import status_of

        unread = sum(1 for _ in self.unread())
        found = status_of(self.path, self.plan, self._readers().tables, self._mirrors(), unread)
        return replace(found, waiting=tuple(self._waiting_hosts())) if found.next_time else found

    def _waiting_hosts(self) -> Iterator[Waiting]:
        """Where most is queued, and why nothing of it may be fetched now, whether a crawl runs or not."""
        from gossamer.collection.status import Waiting
        from gossamer.frontier.why import about_host

        asked = replace(self._asking(), still="", still_besides="")
        hosts = ((*each, table) for table in self._readers().tables for each in Backlog(table).largest(WAITING_MOST))
        for _, name, table in nlargest(WAITING_MOST, hosts, key=lambda each: each[0]):
            host = about_host(table, name, asked)
            if host is not None:
                yield Waiting(name, host.queued, host.reason, host.next_time)

    def change_rates(self) -> dict[float, int]:
        """How many pages change how often a day, as `watch` has learned it; none where it never ran."""
        from gossamer.collection.freshness import rates_of

        return rates_of(self._readers().tables)

    def hubs(self) -> dict[str, Subscribable]:
        """Documents that name a hub which tells of their changes (WebSub), feeds first."""
        from gossamer.frontier.revisit.hubs import named

        found = [each for table in self._readers().tables for each in named(table)]
        return dict(sorted(found, key=lambda each: not each[1].feed))

    def series(self, since: datetime | None = None, points: int = 200) -> list[Sample]:
        """How it went: the sums at so many times, the oldest first, over the whole life of the collection.

        By the minute for the last two hours, by ten for two days, by the hour for sixty days, then by the day.
        """
        from gossamer.collection.series import series

        return series(self._readers().tables, in_utc(since) if since else None, points)

    def plan_cluster(
        self,
        pages: float,
        days: float | None = None,
        machine: Machine | None = None,
        *,
        machines: int | None = None,
        spread: Spread | None = None,
        delay: float | None = None,
    ) -> tuple[Figures, Need, Duration]:
        """What a page took here, what a crawl of so many would take, and how long.

        With `days`, machines are counted; with `machines`, days. `spread` says on how many hosts the pages are, and
        `delay` how long one rests, where that is not as in this collection.
        """
        from gossamer.collection.ask.cluster_size import Machine, answer_time, measured, need
        from gossamer.collection.ask.crawl_time import duration

        plan, machine = self.plan if delay is None else self.plan.changed(delay=delay), machine or Machine()
        figures = measured(self._folder, plan, self.series(), answer_time(self._readers().tables))
        try:
            lasts = duration(figures, pages, machine, days=days, machines=machines, spread=spread)
            return figures, need(figures, pages, lasts.days, machine, plan.checkpoint_seconds), lasts
        except (ArithmeticError, ValueError) as error:
            raise UsageError("pages and days give sums that have no end; name figures that a crawl can have") from error

    def unread(self) -> Iterator[tuple[str, str]]:
        """Pages that were kept and could not be read, through a mistake of ours, and what it was."""
        for table in self._readers().tables:
            for url, note in Unread(table, STATE).pages(Versions(table)):
                yield url, note.problem

    def addresses(
        self, *, state: str | None = None, reason: str | None = None, site: str | None = None
    ) -> Iterator[Address]:
        """Every address that was ever found, in the order of the addresses, or those of a state, a reason, a site.

        Whatever `status` counts: `state` may also be page, redirect, duplicate, near-copy, unread, or missing: what
        pages need and is not here, which is not among failed and excluded.
        """
        from gossamer.collection.ask.addresses import addresses

        return addresses(self._readers(), state, reason, site)

    def require_site(self, *sites: str) -> None:
        """Whoever names a site that nothing is known of has misspelt it: no answer about it would be right."""
        from gossamer.collection.ask.addresses import has_port, host_of

        for site in sites:
            if has_port(site):
                raise UsageError(f"{site}: a site is a host on all its ports; write {host_of(site)}")
            if next(self.addresses(site=site), None) is None:
                raise NotFound(f"{site}: no such host in the collection; `gossamer list DIR --hosts` names them")

    def hosts(self, *, site: str | None = None) -> Iterator[HostAnswer]:
        """Every host that `status` counts, by name: all pages of `host_page`."""
        page = self.host_page("name", site=site, limit=HOSTS_AT_ONCE)
        yield from page.hosts
        while page.cursor is not None:
            page = self.host_page("name", site=site, limit=HOSTS_AT_ONCE, cursor=page.cursor)
            yield from page.hosts

    def host_page(
        self,
        sort: str = "queued",
        *,
        search: str = "",
        site: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        order: HostOrder | None = None,
    ) -> HostPage:
        """Some hosts, by what is queued, pages, failed, name, the next time, or how slow they are, each with why it
        waits.

        `search` is a part of the name, `site` means a host and those below it; `cursor` is that of the page before. By
        queued and next come hosts with something queued, by failed those with a failure, by pages those with either,
        by slow those that have answered.
        `order` is that of `host_order`: hand it in to turn many pages.
        """
        from gossamer.collection.ask.host_page import Wanted, host_page

        wanted = Wanted(sort, search, site, limit, cursor)
        readers, asked, mirrors = self._readers(), self._asking(), self._mirrors()
        page = host_page(readers, asked, wanted, order if order and order.sort == sort else None)
        return replace(page, hosts=[replace(each, **_mirrored(each.host, mirrors)) for each in page.hosts])

    def host_order(self, sort: str) -> HostOrder | None:
        """How all hosts stand by queued, pages, failed or the next time; by name none is needed. To read a million of
        them takes a second or two, a page of it some milliseconds."""
        from gossamer.collection.ask.host_page import NAME, order_of, require_sort

        require_sort(sort)
        return None if sort == NAME else order_of(self._readers(), sort)

    def _asking(self) -> Asked:
        from gossamer.collection.held_up import standstill
        from gossamer.frontier.why import Asked

        plan, running = self.plan, holder(self.path)
        counts = [Ledger(table).counts for table in self._readers().tables]
        still = besides = full = ""
        if running is None or running.get("verb") != CRAWL:
            last, on = self.progress(), "`gossamer crawl DIR` goes on"
            over = last is not None and last.time_over
            still = f"no crawl runs; {standstill(plan, counts, time_over=over) or on}"
            besides = f"no crawl runs; {standstill(plan.changed(pages=0), counts, time_over=over) or on}"
        elif 0 < plan.pages <= sum(each.kept for each in counts):
            more = f"`gossamer set DIR pages={2 * plan.pages}` lets more in"
            full = f"the limit of {counted(plan.pages, 'page')} is reached; {more}"
        identity = plan.as_identity().product
        return Asked(plan.as_politeness(), identity, site_of(plan), time.time(), still, full, besides)

    def listed(self, *, site: str | None = None, after: str | None = None) -> Iterator[Listed]:
        """What is known of every page without reading it, in the order of the addresses.

        `after` leaves out an address and all that come before it.
        """
        from gossamer.collection.ask.listing import listed

        return listed(self._readers(), site, after)

    def why(self, subject: str) -> AddressAnswer | HostAnswer:
        """State, reason, next time and history of an address or a host."""
        from gossamer.frontier.why import about_address, about_host

        readers, asked = self._readers(), self._asking()
        if "/" not in subject and not self.plan.folders:
            name = keys.host(address(as_seed(subject)))
            host = about_host(readers.of(f"http://{name}/").table, name, asked)
            if host is None:
                raise NotFound(f"{name}: no such host in the collection; it was never met{self._perhaps(subject)}")
            return replace(host, **_mirrored(name, self._mirrors()))
        url = self.meant(subject)
        answer = about_address(readers.of(url).table, url, asked)
        if answer is None and url.endswith("/robots.txt"):
            return self.why(keys.host(url))
        if answer is None:
            why = readers.of(url).archive.asides.told(url) or f"{self._unmet(url)}{self._perhaps(url)}"
            raise NotFound(f"{url}: not in the collection; {why}")
        latest = readers.current(url)
        if latest is None:
            return answer
        return replace(
            answer,
            copy_of=latest.copy_of,
            near_copy_of=latest.near_copy_of,
            kept=latest.began if is_document(latest) else None,
            rendered=bool(latest.rendered),
        )

    def _unmet(self, url: str) -> str:
        """What would become of an address that was never met."""
        if paths.is_path(url):
            from gossamer.collection.crawl.folders import left_out

            unread = left_out(self.plan, url)
            return f"it is not read: {unread}" if unread else f"the next `gossamer files {self.path}` reads it"
        from gossamer.collection.seed_list import scope_of

        verdict = scope_of(self.plan, self.path).check(url, 0)
        return f"it was never met, and it would be left out: {verdict}" if verdict else "it was never met"

    def host_details(self, name: str) -> HostDetails:
        """The robots.txt of a host, rule by rule, and the kinds of addresses that it has."""
        from gossamer.frontier.host_details import host_details

        host = keys.host(address(as_seed(name)))
        table = self._readers().of(f"http://{host}/").table
        return host_details(table, host, self.plan.as_identity().product)

    def progress(self) -> Progress | None:
        """How the crawl went at its last commit; None before the first."""
        from gossamer.collection.progress import last_look, together

        return together(filter(None, map(last_look, self._readers().tables)))

    def near(self, url: str) -> list[str]:
        """Addresses of the collection that may be meant by one that is not in it, the likeliest first."""
        from gossamer.collection.ask.similar_addresses import near

        return near(self._readers(), self.meant(url), self.plan.seeds)

    def _perhaps(self, url: str) -> str:
        from gossamer.collection.ask.similar_addresses import question

        return question(self.near(url))

    @property
    def is_built(self) -> bool:
        """The index has all pages. It has not after a crawl that only collected."""
        from gossamer.collection.derive import index_state

        return all(map(index_state.is_whole, self._readers().tables))

    @property
    def not_indexed(self) -> int:
        """Pages that were read and are not in the index yet, as after a crawl that ended on a full disk."""
        if self._waiting is None:
            from gossamer.collection.derive import index_state

            readers, indexes = self._readers(), self._searcher().indexes
            self._waiting = sum(
                index_state.behind(place, reader.table, reader.archive, index)
                for place, reader, index in zip(readers.places, readers.all, indexes, strict=True)
            )
        return self._waiting

    @property
    def is_paused(self) -> bool:
        """Somebody has asked its crawl to wait, and nobody to go on."""
        self._folder.require()
        return self._steering.orders().paused

    @property
    def is_busy(self) -> bool:
        """Somebody writes to it now: a crawl, or another command that changes it."""
        return holder(self.path) is not None


def _mirrored(host: str, mirrors: Mapping[str, list[str]]) -> dict[str, Any]:
    main = next((main for main, others in mirrors.items() if host in others), None)
    return {"mirror_of": main, "mirrors": tuple(mirrors.get(host, ()))}
