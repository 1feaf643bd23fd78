"""What a collection can be asked, each question as a method. Nothing here changes it.

Each question loads its own part: to start a crawl that only collects takes half the time without NumPy, the index and
the graph.
"""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self

from gossamer import files
from gossamer.collection.ask.formats import FORMATS
from gossamer.collection.ask.moment import Moment
from gossamer.collection.ask.part import Part
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.ask.times import in_utc
from gossamer.collection.documents import Document, Pages, answer, document, documents, newest
from gossamer.collection.folder import Folder, settled
from gossamer.collection.lock import CRAWL, holder
from gossamer.collection.sites import site_of
from gossamer.collection.status import Progress, Status, last_look, standstill, status_of, together
from gossamer.collection.steering import Steering
from gossamer.errors import Damaged, GossamerError, InvalidPlan, NotFound, StorageError, UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Hit, Kind, Page
from gossamer.plan import Plan, texts
from gossamer.shown import counted, log
from gossamer.store.versions import Version
from gossamer.tagged.passages import WORDS
from gossamer.urls import keys, normalize, paths
from gossamer.urls.seeds import address, as_seed

if TYPE_CHECKING:
    from gossamer.collection.ask.addresses import Address
    from gossamer.collection.ask.changes import Changes
    from gossamer.collection.ask.cluster_size import Figures, Machine, Need
    from gossamer.collection.ask.history import Diff, Edition, Past
    from gossamer.collection.ask.host_page import HostPage
    from gossamer.collection.ask.links import Links, Neighbour
    from gossamer.collection.ask.listing import Listed
    from gossamer.collection.ask.searching import PastSearchers
    from gossamer.collection.ask.site_map import SiteMap
    from gossamer.collection.ask.spread import Spread
    from gossamer.collection.ask.webtable import Webtable
    from gossamer.collection.derive.graphs import Copies, Graph
    from gossamer.collection.series import Sample
    from gossamer.dedupe.groups import Copy
    from gossamer.frontier.host_details import HostDetails
    from gossamer.frontier.revisit.hubs import Subscribable
    from gossamer.frontier.why import AddressAnswer, Asked, HostAnswer
    from gossamer.search.answer import Answer
    from gossamer.search.facets import Facets
    from gossamer.search.measures import Judgements, Measures
    from gossamer.search.searcher import Searcher

ALL = Part()
HOSTS_AT_ONCE = 1_000
SHELLS_AMONG = 5
"""Pages of a collection that may have found no more because one of them needs its scripts."""
REPORT_EVERY = 100
"""Pages of an export."""


class Reading:
    """A collection that is asked, and not changed."""

    def __init__(self, path: Path) -> None:
        self._folder = Folder(settled(path))
        self.path = self._folder.path
        self._reader: ShardReaders | None = None
        self._asked: Searcher | None = None
        self._asked_of_past: PastSearchers | None = None
        self._waiting: int | None = None
        """Pages that are not in its index; to count them takes longer than a search."""
        self._mirrored: dict[str, list[str]] | None = None
        self._linked: Graph | Literal[False] | None = False
        """The graph, if there is one; False before anybody has looked."""
        self._moment: Moment | None = None
        """What is held of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what reading holds open. The next question sees what has been committed since."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self._asked = self._asked_of_past = self._waiting = self._mirrored = None
        self._linked = False
        if self._moment is not None:
            self._moment.close()
            self._moment = None

    @property
    def plan(self) -> Plan:
        """What it was asked for."""
        return self._folder.load_plan()

    def status(self) -> Status:
        """What it holds, what it is doing, what failed and why."""
        unread = sum(1 for _ in self.unread())
        return status_of(self.path, self.plan, self._readers().tables, self._mirrors(), unread)

    def change_rates(self) -> dict[float, int]:
        """How many pages change how often a day, as `watch` has learned it; none where it never ran."""
        from gossamer.collection.freshness import rates_of

        return rates_of(self._readers().tables)

    def about(self, urls: Iterable[str]) -> list[str]:
        """Those of some canonical addresses that a crawl would take in, of hosts that it knows or was given."""
        from gossamer.collection.seed_list import scope_of
        from gossamer.frontier.entries import HOSTS

        scope, readers = scope_of(self.plan, self.path), self._readers()
        within = (url for url in urls if scope.check(url, 1) is None)
        return [
            url
            for url in within
            if scope.is_start(keys.origin(url)) or readers.of(url).table.get(HOSTS, keys.host(url).encode()) is not None
        ]

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

    def plan_cluster(self, pages: float, days: float = 30.0, machine: Machine | None = None) -> tuple[Figures, Need]:
        """What a page took here, and what a crawl of so many pages in so many days would take."""
        from gossamer.collection.ask.cluster_size import Machine, measured, need

        figures = measured(self._folder, self.plan, self.series())
        return figures, need(figures, pages, days, machine or Machine(), self.plan.checkpoint_seconds)

    def needs_scripts(self) -> str:
        """A page that says next to nothing without its scripts, where there are hardly any others; or nothing."""
        from gossamer.frontier.worth.rendering import has_scripts, is_shell, said

        if self.plan.render != "never" or self.plan.folders or not self.plan.build:
            return ""
        with suppress(Damaged):  # which `verify` tells, and not a hint
            first = list(islice(self.pages(), SHELLS_AMONG + 1))
            found = (each.url for each in first if is_shell(said(each.page)) and has_scripts(each.capture.body))
            return next(found, "") if len(first) <= SHELLS_AMONG else ""
        return ""

    def unread(self) -> Iterator[tuple[str, str]]:
        """Pages that were kept and could not be read, through a mistake of ours, and what it was."""
        for archive in self._readers().archives:
            for url, note in archive.not_read():
                yield url, note.problem

    def addresses(
        self, *, state: str | None = None, reason: str | None = None, site: str | None = None
    ) -> Iterator[Address]:
        """Every address that was ever found, in the order of the addresses, or those of a state, a reason, a site.

        Whatever `status` counts: `state` may also be page, redirect, duplicate, near-copy or unread.
        """
        from gossamer.collection.ask.addresses import addresses

        return addresses(self._readers(), state, reason, site)

    def require_site(self, *sites: str) -> None:
        """Whoever names a site that nothing is known of has misspelt it: no answer about it would be right."""
        for site in sites:
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
    ) -> HostPage:
        """Some hosts, by what is queued, pages, failed, name, or the next time, each with why it waits.

        `search` is a part of the name, `site` means a host and those below it; `cursor` is that of the page before. By
        queued and next come hosts with something queued, by failed those with a failure, by pages those with either.
        """
        from gossamer.collection.ask.host_page import host_page

        readers, asked, mirrors = self._readers(), self._asking(), self._mirrors()
        page = host_page(readers, asked, sort=sort, search=search, site=site, limit=limit, cursor=cursor)
        return replace(page, hosts=[replace(each, **_mirrored(each.host, mirrors)) for each in page.hosts])

    def _asking(self) -> Asked:
        from gossamer.frontier.why import Asked

        plan, running = self.plan, holder(self.path)
        still = full = ""
        if running is None or running.get("verb") != CRAWL:
            held = standstill(plan, self._readers().tables, is_running=False)
            still = f"no crawl runs; {held or '`gossamer crawl DIR` goes on'}"
        elif 0 < plan.pages <= sum(Ledger(table).counts.kept for table in self._readers().tables):
            more = f"`gossamer set DIR pages={2 * plan.pages}` lets more in"
            full = f"the limit of {counted(plan.pages, 'page')} is reached; {more}"
        return Asked(plan.as_politeness(), plan.as_identity().product, site_of(plan), time.time(), still, full)

    def listed(self, *, site: str | None = None, after: str | None = None) -> Iterator[Listed]:
        """What is known of every page without reading it, in the order of the addresses.

        `after` leaves out an address and all that come before it.
        """
        from gossamer.collection.ask.listing import listed

        return listed(self._readers(), site, after)

    def changes(
        self,
        since: datetime | None = None,
        *,
        query: str = "",
        site: str | None = None,
        newest: int = 0,
        after: str | None = None,
        detailed: bool = True,
    ) -> Changes:
        """Pages that are new, changed, gone and more since a time, or since the last crawl began.

        All in the order of the addresses, where `after` leaves out an address and all that come before it, or so many
        of the newest. With a query only pages that answer it: they have all of its words. With a site only those of a
        host and of hosts below it. `detailed` are the words that came and went.
        """
        from gossamer.collection.ask.changes import Changes, Wanted, begun

        readers = self._readers()
        basis = (in_utc(since).timestamp(),) * len(readers.all) if since else begun(readers)
        answering = self._searcher().answering(query) if query.strip() else None
        wanted = Wanted(answering=answering, site=site, newest=newest, after=after, detailed=detailed)
        return Changes(readers, basis, wanted)

    def news(
        self,
        since: datetime | None = None,
        *,
        query: str = "",
        site: str | None = None,
        newest: int = 50,
        detailed: bool = True,
    ) -> Changes:
        """The newest pages and changes of pages: of each page that is there the last change, the newest first.

        A query, a site and `detailed` as for `changes`; `since` leaves out what was seen before.
        """
        from gossamer.collection.ask.changes import PRESENT, Changes, Wanted

        readers = self._readers()
        answering = self._searcher().answering(query) if query.strip() else None
        wanted = Wanted(latest=True, kinds=PRESENT, newest=newest, answering=answering, site=site, detailed=detailed)
        return Changes(readers, (in_utc(since).timestamp() if since else 0.0,) * len(readers.all), wanted)

    def answering(self, query: str, urls: Iterable[str]) -> set[str]:
        """Of some addresses those of pages that have all words of a question, as `changes` asks it."""
        from gossamer.collection.ask.changes import BATCH

        readers, told = self._readers(), self._searcher().answering(query)
        by_shard: dict[int, list[str]] = {}
        for url in urls:
            by_shard.setdefault(readers.number(url), []).append(url)
        batches = (
            (number, some[at : at + BATCH]) for number, some in by_shard.items() for at in range(0, len(some), BATCH)
        )
        return set().union(*(told(number, some) for number, some in batches))

    def meant(self, text: str) -> str:
        """An address as people write it: without a scheme it is that of https or http which the collection knows."""
        readers = self._readers()
        if "://" in text:
            return paths.canonical(text)
        if self.plan.folders:
            return paths.address_of(os.path.abspath(os.fsencode(text)))
        both = [normalize(f"{scheme}://{text.strip()}") for scheme in ("https", "http")]
        return next((url for url in both if Ledger(readers.of(url).table).get(url) is not None), both[0])

    def why(self, subject: str) -> AddressAnswer | HostAnswer:
        """State, reason, next time and history of an address or a host."""
        from gossamer.frontier.why import about_address, about_host

        readers, asked = self._readers(), self._asking()
        if "/" not in subject and not self.plan.folders:
            name = keys.host(address(as_seed(subject)))
            host = about_host(readers.of(f"http://{name}/").table, name, asked)
            if host is None:
                raise NotFound(f"{name}: no such host in the collection; it was never met")
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
        rendered = bool(latest.rendered)
        return replace(answer, copy_of=latest.copy_of, near_copy_of=latest.near_copy_of, rendered=rendered)

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
        return together(filter(None, map(last_look, self._readers().tables)))

    def _mirrors(self) -> dict[str, list[str]]:
        """The main host of each site that several serve, and the others."""
        if self._mirrored is None:
            from gossamer.collection.derive import mirrored

            self._mirrored = mirrored.by_host(self._folder) if files.kind(self._folder.graph) else {}
        return self._mirrored

    def page(self, url: str, at: datetime | None = None) -> Document:
        """A page as it was last fetched, or as it was at a time."""
        return self._found(document, url, at)

    def answer(self, url: str, at: datetime | None = None) -> Document:
        """What an address answered last, or last up to a time, also with an error or a redirect."""
        return self._found(answer, url, at)

    def answer_if_kept(self, url: str, at: datetime | None = None) -> Document | None:
        """The same; None where there is none. To say what else might be meant takes far longer than to look."""
        return self._sought(answer, url, at)

    def _found(self, find: Callable[..., Document | None], url: str, at: datetime | None) -> Document:
        found = self._sought(find, url, at)
        if found is None:
            raise NotFound(self._not_then(url, in_utc(at) if at else None))
        return found

    def _sought(self, find: Callable[..., Document | None], url: str, at: datetime | None) -> Document | None:
        meant = self.meant(url)
        reader = self._readers().of(meant)
        return find(reader.archive, Ledger(reader.table), self._read, meant, in_utc(at).timestamp() if at else None)

    def title_of(self, url: str) -> str:
        """What a page of the collection calls itself; nothing where it has no title, or it cannot be read."""
        with suppress(GossamerError):
            version = self._readers().current(self.meant(url))
            return version.title if version else ""
        return ""

    def _not_then(self, url: str, at: datetime | None) -> str:
        first = next((each for each in self.history(url) if each.change == "first"), None) if at else None
        if at is None or first is None:
            met = Ledger(self._readers().of(meant := self.meant(url)).table).get(meant) is not None
            more = (
                f"; `gossamer why {self.path} {url}` says more" if met else f"; it was never met{self._perhaps(meant)}"
            )
            return f"{url}: no page in the collection{more}"
        known = f"the first version is of {first.fetched.astimezone(at.tzinfo):%Y-%m-%d %H:%M:%S}"
        return f"{url}: was not in the collection yet at {at:%Y-%m-%d %H:%M:%S}; {known}"

    def near(self, url: str) -> list[str]:
        """Addresses of the collection that may be meant by one that is not in it, the likeliest first."""
        from gossamer.collection.ask.nearby import near

        return near(self._readers(), self.meant(url))

    def _perhaps(self, url: str) -> str:
        from gossamer.collection.ask.nearby import question

        return question(self.near(url))

    def history(self, url: str, search: str = "") -> list[Edition]:
        """The versions of an address, the oldest first, and how much each changed. None when it was never fetched.

        With `search` only those that have all of these words, as a search finds them.
        """
        editions = self._past(url).editions()
        if not search.strip():
            return editions
        from gossamer.collection.ask.history import saying

        return saying(editions, self._past_searchers().of(None).said(search, self.meant(url)))

    def diff(self, url: str, old: int | datetime | None = None, new: int | datetime | None = None) -> Diff:
        """What changed between two versions of a page, by their numbers or times; the last two if none is named."""
        from gossamer.collection.ask.history import chosen

        past = self._past(url)
        return past.diff(*chosen(past.editions(), self.meant(url), old, new))

    def _past(self, url: str) -> Past:
        from gossamer.collection.ask.history import Past

        meant = self.meant(url)
        reader = self._readers().of(meant)
        return Past(reader.archive, Ledger(reader.table), meant, self._read)

    def search(
        self,
        question: str,
        limit: int = 10,
        offset: int = 0,
        *,
        number: int | None = None,
        sort: str = "relevance",
        facets: bool = False,
        at: datetime | None = None,
        all_versions: bool = False,
    ) -> Answer:
        """The pages that answer a question best; docs/search.md has the query language.

        `sort` by "date" shows the newest first, by "-date" the oldest. `facets` are counted where they are asked for.
        `at` a time it is asked of the collection as it stood then; with `all_versions` of all that pages ever said, and
        each hit tells when it was said first and last. `number` is an older name of `limit`.
        """
        most = limit if number is None else number
        if most < 0 or offset < 0:
            raise UsageError(f"{min(most, offset)}: neither the number of hits nor the offset can be below 0")
        searcher = self._searcher_of(at, all_versions=all_versions)
        if facets and all_versions:
            raise UsageError("facets count pages, and not their versions; ask without all_versions, or at a time")
        return searcher.search(question, most, offset, sort=sort, facets=facets)

    def _searcher_of(self, at: datetime | None, *, all_versions: bool = False) -> Searcher:
        if at is not None and all_versions:
            raise UsageError("a time and all versions: ask for one of them")
        if at is None and not all_versions:
            return self._searcher()
        return self._past_searchers().of(in_utc(at).timestamp() if at else None)

    @property
    def is_built(self) -> bool:
        """The index has all pages. It has not after a crawl that only collected."""
        from gossamer.collection.derive import indexer

        return all(map(indexer.is_whole, self._readers().tables))

    @property
    def not_indexed(self) -> int:
        """Pages that were read and are not in the index yet, as after a crawl that ended on a full disk."""
        if self._waiting is None:
            from gossamer.collection.derive import indexer

            readers, indexes = self._readers(), self._searcher().indexes
            self._waiting = sum(
                indexer.behind(place, reader.table, reader.archive, index)
                for place, reader, index in zip(readers.places, readers.all, indexes, strict=True)
            )
        return self._waiting

    @property
    def is_paused(self) -> bool:
        """Somebody has asked its crawl to wait, and nobody to go on."""
        self._folder.require()
        return self._steering.orders().paused

    @property
    def _steering(self) -> Steering:
        return Steering(self.path)

    @property
    def is_busy(self) -> bool:
        """Somebody writes to it now: a crawl, or another command that changes it."""
        return holder(self.path) is not None

    def explain(
        self, question: str, number: int = 10, at: datetime | None = None
    ) -> list[tuple[Hit, dict[str, float]]]:
        """Hits, each with what its score is made of; `at` a time, as the collection stood then."""
        return self._searcher_of(at).explained(question, number)

    def similar(self, url: str) -> list[Copy]:
        """The copies of a page, exact and near, and pages that are alike, over all shards, the most alike first."""
        from gossamer.collection.derive import copies as copying

        return copying.similar(self._readers(), self.meant(url))

    def duplicates(self) -> Copies:
        """All groups of copies over all shards, the largest first, and the hosts that serve the same site."""
        from gossamer.collection.derive import copies as copying

        return copying.found(self._readers())

    def links(self, url: str) -> Links:
        """Who points to an address and what it points to."""
        from gossamer.collection.ask.links import linked, targets
        from gossamer.collection.ask.page_forms import page_forms
        from gossamer.convert.document import requisites

        graph = self._graph()
        try:
            page: Document | None = self.page(url)
        except NotFound:
            page = None
        guesses = page.page.guesses if page else ()
        forms = page_forms(page.capture, self._readers().of(page.url).table) if page else ()
        needs = requisites(page.capture) if page else ()
        around = linked(meant := self.meant(url), page, graph, self._needed_by(meant))
        found = replace(around, guesses=guesses, forms=forms, requisites=needs)
        every = (*found.outgoing, *guesses, *needs)
        return replace(found, targets=targets(lambda target: self._readers().of(target).table, every))

    def _needed_by(self, url: str) -> str:
        """The page that has asked for it first in order to look as it does; nothing for what is no requisite."""
        entry = Ledger(self._readers().of(url).table).get(url)
        return (entry.referrer or "") if entry is not None and entry.kind is Kind.RESOURCE else ""

    def neighbours(self, question: str) -> list[Neighbour]:
        """Hubs and authorities among the pages that answer a question and those around them."""
        from gossamer.collection.ask.links import ROOTS, neighbours

        best = self._searcher().ranking(question, ROOTS)
        return neighbours(self.graph, [keys.fingerprint(url) for url, _ in best], site_of(self.plan))

    def rank_sites(self) -> list[tuple[str, float]]:
        """Sites by their harmonic centrality, the best first."""
        from gossamer.collection.ask import links

        return links.of_sites(self.graph, site_of(self.plan))

    def site_map(self) -> SiteMap:
        """The sites and the links between them, placed for a picture."""
        from gossamer.collection.ask.site_map import site_map
        from gossamer.search.composition import sites

        return site_map(sites(self._searcher().searchers), self._graph(), site_of(self.plan))

    def spread(self) -> Spread:
        """How addresses are spread over what servers answered, and pages over depths, sizes and changes."""
        from gossamer.collection.ask.spread import spread

        return spread(self._readers())

    def composition(self) -> Facets:
        """How many pages there are of each site, type, language and year."""
        return self._searcher().composition()

    def trust(self, urls: str | Iterable[str], number: int = 10) -> list[tuple[str, float]]:
        """The pages that trust in some good pages leads to, the best first."""
        from gossamer.collection.ask import links

        return links.trusted(self.graph, [normalize(url) for url in texts(urls)], number)

    @property
    def graph(self) -> Graph:
        """Who points to whom over the whole collection, as of the last build."""
        self._folder.require()
        found = self._graph()
        if found is None:
            from gossamer.collection.derive import graphs

            for damage in graphs.check(self._folder):
                raise Damaged(damage)
            raise NotFound(f"{self.path}: has no graph; `gossamer build {self.path}` makes it")
        return found

    @property
    def table(self) -> Webtable:
        """Rows, columns and times: the collection as one big table, for reading; docs/table.md has the columns."""
        from gossamer.collection.ask.webtable import Webtable

        return Webtable(self._readers(), self._graph(), self._read)

    def evaluate(self, questions: Mapping[str, str], judgements: Judgements, depth: int = 1_000) -> Measures:
        """How good the ranking is, by the judgements of people. Documents are named by their addresses."""
        from gossamer.search.measures import measured

        searcher = self._searcher()
        run = {name: [url for url, _ in searcher.ranking(text, depth)] for name, text in questions.items()}
        return measured(run, judgements)

    def file_of(self, page: Document) -> Path:
        """The WARC file that a page lies in."""
        return self._readers().of(page.url).archive.path(page.version)

    def pages(self, *, site: str | Iterable[str] = (), include: str | Iterable[str] = (), query: str = "") -> Pages:
        """Every page, in the order of the addresses; or those of some sites, with a pattern, that answer a question.

        `records()` of it gives rows for pandas, Polars and the like.
        """
        is_meant = Part(texts(site), texts(include), query).chosen(self._answers)
        every = (documents(each.archive, Ledger(each.table), self._read, is_meant) for each in self._readers().all)
        return Pages(heapq.merge(*every, key=lambda page: keys.row(page.url)))

    def _answers(self, question: str) -> set[str]:
        """All pages that have what a question asks for."""
        searcher = self._searcher()
        total = searcher.search(question, 1).total
        return {url for url, _ in searcher.ranking(question, total)} if total else set()

    def export(
        self,
        form: str,
        out: BinaryIO,
        report: Callable[[int, int], None] | None = None,
        *,
        part: Part = ALL,
        links: bool = True,
        words: int = WORDS,
    ) -> int:
        """Write the collection in one of FORMATS. Gives the number of what was written: pages, files, lines, links.

        `report` is called now and then with the number of pages so far and of all. `part` says which pages are meant;
        without `links`, jsonl and parquet have none. A passage has so many `words` at most.
        """
        from gossamer.collection.ask import export, parquet
        from gossamer.collection.page_fields import of_all

        part.require_sense(form)
        archives = self._readers().archives
        warcs = export.warcs(archives)  # also where only pages are asked for: what is missing is said at the beginning
        pages = self._reported(part, report)
        match form:
            case "jsonl":
                return export.jsonl(pages, out, links=links)
            case "warc":
                return export.warc(warcs, out)
            case "wacz":
                return export.web_archive(warcs, archives, self._newest(), self.path.resolve().name, self.plan, out)
            case "cdxj":
                return export.cdxj(archives, out)
            case "trec":
                return export.trec_web(pages, out)
            case "parquet":
                return parquet.write(pages, out, links=links, fields=of_all(self._readers().tables).kinds)
            case "passages":
                return export.passages(pages, out, words)
            case "passages-parquet":
                return parquet.write_passages(pages, out, words)
            case "graph":
                return export.graph(pages, out)
            case "markdown":
                raise UsageError("markdown is a file for each page; name a directory for them, as in `-o pages`")
            case "bagit":
                raise UsageError("a bag is a directory; name a new one, as in `-o my-bag`")
        raise UsageError(f"unknown format {form!r}; choose one of {', '.join(FORMATS)}")

    def export_lines(self, *, part: Part = ALL, links: bool = True) -> Iterator[bytes]:
        """What `export` writes as jsonl, a line for each page, for those who send it on."""
        from gossamer.collection.ask import export

        part.require_sense("jsonl")
        export.warcs(self._readers().archives)
        return export.lines(self._reported(part, None), links=links)

    def export_markdown(
        self,
        folder: Path,
        report: Callable[[int, int], None] | None = None,
        *,
        part: Part = ALL,
        links: bool = True,
    ) -> int:
        """A Markdown file for each page, in a new or an empty folder. Gives their number."""
        from gossamer.collection.ask import export, markdown_files

        export.warcs(self._readers().archives)
        return markdown_files.write(self._reported(part, report), folder, links=links)

    def export_bag(self, folder: Path) -> int:
        """All files in a new or an empty folder, with their digests, as repositories take them in. Their number."""
        from gossamer.collection.ask import bagit

        identity = self.plan.as_identity()
        software = f"{identity.product}/{identity.version}"
        return bagit.write(self._readers().archives, folder, self.path.resolve().name, software)

    def _reported(self, part: Part, report: Callable[[int, int], None] | None) -> Iterator[Document]:
        of = self.status().pages if report else 0
        for number, page in enumerate(self.pages(site=part.sites, include=part.include, query=part.query), 1):
            yield page
            if report and number % REPORT_EVERY == 0:
                report(number, of)

    def export_files(self, folder: Path) -> int:
        """Copy the WARC files, one by one; none may be there. Gives their number."""
        from gossamer.collection.ask import export

        return export.warc_files(export.warcs(self._readers().archives), folder)

    def _newest(self) -> Iterator[tuple[str, Version, str]]:
        """Every page with its words."""
        every = (newest(reader.archive, Ledger(reader.table)) for reader in self._readers().all)
        for url, _, version in heapq.merge(*every, key=lambda page: keys.row(page[0])):
            archive = self._readers().of(url).archive
            page = archive.page(url, version) or self._read(archive.capture(url, version))
            yield url, version, page.text

    def _searcher(self) -> Searcher:
        from gossamer.collection.ask.searching import searcher

        readers = self._readers()
        if self._asked is None:
            self._asked = searcher(self._folder, readers, self._graph(), self.plan.as_weights())
        return self._asked

    def _past_searchers(self) -> PastSearchers:
        from gossamer.collection.ask.searching import past_searchers

        present = self._searcher()
        if self._asked_of_past is None:
            self._asked_of_past = past_searchers(self._folder, self._readers(), self._graph(), present)
        return self._asked_of_past

    def _graph(self) -> Graph | None:
        if self._linked is False:
            self._linked = self._present_graph()
        return self._linked

    def _present_graph(self) -> Graph | None:
        if not files.kind(self._folder.graph):
            return None
        from gossamer.collection.derive import graphs

        self._moment = Moment()
        return graphs.current(self._folder, self._moment)

    def _readers(self) -> ShardReaders:
        if self._reader is None:
            self._bring_from_store()
            self._folder.require()
            self._reader = ShardReaders(self._folder, self.plan)
        return self._reader

    def _bring_from_store(self) -> None:
        """The shards of a crawl on a cluster are elsewhere: their newest checkpoints are read."""
        if not self._folder.has_plan():
            return
        try:
            plan = self.plan
        except InvalidPlan:
            return  # which is told where it is needed, unless this is no collection at all
        if plan.engine == "local" or not plan.store:
            return
        from gossamer.collection.stored import refresh

        try:
            refresh(self._folder, plan)
        except StorageError as error:
            log.warning("%s; what is told is as of the last time that it could be reached", error)

    def _read(self, capture: Capture) -> Page:
        from gossamer import convert

        plan = self.plan
        return convert.read(capture, plan.as_identity().product, content=plan.content)


def _mirrored(host: str, mirrors: Mapping[str, list[str]]) -> dict[str, Any]:
    main = next((main for main, others in mirrors.items() if host in others), None)
    return {"mirror_of": main, "mirrors": tuple(mirrors.get(host, ()))}
