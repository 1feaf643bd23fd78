"""What a collection can be asked, each question as a method. Nothing here changes it.

Here are the questions about pages: what they say and said, which of them answer, and how they hang together. Those
about the crawl are in `crawl_state`, exports in `exporting`, and what all of them stand on in `opened`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from gossamer.collection.ask.exporting import Exporting
from gossamer.collection.ask.times import in_utc
from gossamer.collection.documents import Document, answer, document
from gossamer.collection.sites import site_of
from gossamer.errors import Damaged, GossamerError, NotFound, UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.model import Hit, Kind
from gossamer.plan import texts
from gossamer.urls import keys, normalize

if TYPE_CHECKING:
    from gossamer.collection.ask.changes import Changes
    from gossamer.collection.ask.distributions import Spread
    from gossamer.collection.ask.history import Diff, Edition, Past
    from gossamer.collection.ask.links import Links, Neighbour
    from gossamer.collection.ask.site_map import SiteMap
    from gossamer.collection.ask.webtable import Webtable
    from gossamer.collection.derive.graph_making import Copies
    from gossamer.collection.derive.graphs import Graph
    from gossamer.dedupe.groups import Copy
    from gossamer.search.answer import Answer
    from gossamer.search.evaluation import Judgements, Measures
    from gossamer.search.facets import Facets
    from gossamer.search.searcher import Searcher

SHELLS_AMONG = 5
"""Pages of a collection that may have found no more because one of them needs its scripts."""


class Reading(Exporting):
    """A collection that is asked, and not changed."""

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

    def history(self, url: str, search: str = "") -> list[Edition]:
        """The versions of an address, the oldest first, and how much each changed. None when it was never fetched.

        With `search` only those that have all of these words, as a search finds them.
        """
        editions = self._past(url).editions()
        if not search.strip():
            return editions
        from gossamer.collection.ask.history import saying

        return saying(editions, self._past_searchers().of(None).said(search, self.meant(url)))

    def diff(
        self, url: str, old: int | datetime | None = None, new: int | datetime | None = None, *, full: bool = False
    ) -> Diff:
        """What changed between two versions of a page, by their numbers or times; the last two if none is named.

        It is the main content that is compared; with `full` all words of the page.
        """
        from gossamer.collection.ask.history import chosen, gone

        past = self._past(url)
        editions = past.editions()
        return replace(past.diff(*chosen(editions, self.meant(url), old, new), full=full), gone=gone(editions))

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

    def ever_said(self, question: str) -> int:
        """How many pages answer a question by what they said at any time; 0 also where the past is not in an index."""
        with suppress(NotFound):
            return self.search(question, 0, all_versions=True).total
        return 0

    def _searcher_of(self, at: datetime | None, *, all_versions: bool = False) -> Searcher:
        if at is not None and all_versions:
            raise UsageError("a time and all versions: ask for one of them")
        if at is None and not all_versions:
            return self._searcher()
        return self._past_searchers().of(in_utc(at).timestamp() if at else None)

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
        from gossamer.collection.ask.distributions import spread

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
        from gossamer.search.evaluation import measured

        searcher = self._searcher()
        run = {name: [url for url, _ in searcher.ranking(text, depth)] for name, text in questions.items()}
        return measured(run, judgements)
