"""A collection that is open for reading: what is held of it, and what of it was loaded.

Each part is loaded with the first question that needs it: to start a crawl that only collects takes half the time
without NumPy, the index and the graph.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from gossamer import files
from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.folder import Folder, settled
from gossamer.collection.steering import Steering
from gossamer.errors import InvalidPlan, InvalidURL, StorageError
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Page
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.urls import normalize, paths

if TYPE_CHECKING:
    from gossamer.collection.ask.searching import PastSearchers
    from gossamer.collection.derive.graphs import Graph
    from gossamer.search.searcher import Searcher


class Opened:
    """What every question stands on: one moment of a collection, and its plan."""

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

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"

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
        self._let_go_of_derived()

    def _let_go_of_derived(self) -> None:
        """All that stands on an index or the graph; the shards stay open."""
        self._asked = self._asked_of_past = self._waiting = self._mirrored = None
        self._linked = False
        if self._moment is not None:
            self._moment.close()
            self._moment = None

    @property
    def plan(self) -> Plan:
        """What it was asked for."""
        return self._folder.load_plan()

    def meant(self, text: str) -> str:
        """An address as people write it: without a scheme it is that of https or http which the collection knows."""
        readers = self._readers()
        if "://" in text:
            return paths.canonical(text)
        if self.plan.folders:
            return paths.address_of(os.path.abspath(os.fsencode(text)))
        if text.lstrip().startswith("/"):
            from gossamer.collection.ask.similar_addresses import below

            known = next(iter(below(readers, text.strip(), self.plan.seeds)), None)
            cure = f"is {known} meant?" if known else f"name the whole address, like https://example.org{text.lstrip()}"
            raise InvalidURL(f"{text}: has no host; {cure}")
        both = [normalize(f"{scheme}://{text.strip()}") for scheme in ("https", "http")]
        return next((url for url in both if Ledger(readers.of(url).table).get(url) is not None), both[0])

    def _mirrors(self) -> dict[str, list[str]]:
        """The main host of each site that several serve, and the others."""
        if self._mirrored is None:
            from gossamer.collection.derive import mirrored

            self._mirrored = mirrored.by_host(self._folder) if files.kind(self._folder.graph) else {}
        return self._mirrored

    @property
    def _steering(self) -> Steering:
        return Steering(self.path)

    def _answers(self, question: str) -> set[str]:
        """All pages that have what a question asks for."""
        searcher = self._searcher()
        total = searcher.search(question, 1).total
        return {url for url, _ in searcher.ranking(question, total)} if total else set()

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
        from gossamer.collection import trust
        from gossamer.collection.stored import refresh

        if not trust.may_read(self._folder, plan):
            words = "%s: somebody else has made it, so its store %s is not asked; a crawl with --trust-plan asks it"
            log.warning(words, self.path, plan.store)
            return
        try:
            refresh(self._folder, plan)
        except StorageError as error:
            log.warning("%s; the answers are as of the last time it could be reached", error)

    def _read(self, capture: Capture) -> Page:
        from gossamer import convert

        plan = self.plan
        return convert.read(capture, plan.as_identity().product, content=plan.content)
