"""A frontier without a crawl: a test adds and answers by hand, and the books are checked at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from small_web import end

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Entry, Frontier, Politeness
from gossamer.frontier.rules import Outward, Rules
from gossamer.frontier.shards.peers import Peers
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import Answer, Capture, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope


class Books:
    """An open frontier, its table and its clock."""

    def __init__(self, table: Table, frontier: Frontier, clock: VirtualClock) -> None:
        self.table, self.frontier, self.clock = table, frontier, clock

    def entry(self, url: str) -> Entry:
        entry = self.frontier.ledger.get(url)
        assert entry is not None, url
        return entry

    def state(self, url: str) -> str:
        return self.entry(url).state.name

    def answered(
        self, url: str, status: int = 200, *links: str, visit: Visit | None = None, **more: Any
    ) -> list[Correction]:
        """The server answers the visit that the entry stands for."""
        visit = visit or self.entry(url).visit(url)
        page = Page(url, "text/html", links=tuple(map(Link, links)), **more.pop("page", {}))
        body = more.pop("body", b"a page")
        capture = Capture(visit, more.pop("began", self.clock.wall()), 0.1, status, body=body, wire=body, **more)
        return self.frontier.done(Answer(visit, capture, page))


@contextmanager
def books(
    folder: Path,
    *,
    clock: VirtualClock | None = None,
    scope: Scope | None = None,
    outward: Outward | None = None,
    peers: Peers | None = None,
    politeness: Politeness | None = None,
    **rules: Any,
) -> Iterator[Books]:
    """Open, and at the end close as a crawl does that ends in good order."""
    clock = clock or VirtualClock()
    asked = Rules(scope or Scope(kind="any"), politeness or Politeness(), "Gossamer", **{"sitemaps": False, **rules})
    with Table.open(folder, FAMILIES, writable=True) as table:
        seen = folder / "seen"
        frontier = Frontier(table, asked, clock, seen=seen, outward=outward or Outward(), peers=peers)
        yield Books(table, frontier, clock)
        end(frontier, table)
