"""An intake alone: what is found comes into the books, and an address that is queued gets no place, only a mention."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gossamer.frontier import Entry, Politeness
from gossamer.frontier.discover.credit import Credit
from gossamer.frontier.discover.discovery import Discovery, Found
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.discover.seen import Seen
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rules import Rules
from gossamer.frontier.worth.budget import Budgets
from gossamer.frontier.worth.crawl_traps import NEAR, Place
from gossamer.model import Link
from gossamer.runs.growing import Shape
from gossamer.store.table.table import Table
from gossamer.store.url_seen import Sieve
from gossamer.urls import keys
from gossamer.urls.scope import Scope

TINY = Shape(generation=3, fan=2, at_once=4)


class Finder:
    """An intake over a table, and the addresses it has queued, in order."""

    def __init__(self, table: Table, folder: Path, scope: Scope, *, now: float = 1.0, **more: Any) -> None:
        self.table, self.ledger, self.seen = table, Ledger(table), Seen(Sieve(table, folder, TINY))
        self.discovery = Discovery(scope, **more)
        parts = SimpleNamespace(
            rules=Rules(scope, Politeness(), "Gossamer", order=lambda url, entry: 0),
            clock=SimpleNamespace(wall=lambda: now),
            peers=None,
            ledger=self.ledger,
            seen=self.seen,
            requisites=None,
            discovery=self.discovery,
            credit=Credit(table, Budgets(table), keys.host),
            worth=self,
        )
        self.intake = Intake(parts, self)  # type: ignore[arg-type]  # we stand for what gives addresses a place
        self.queued: list[str] = []
        self.expected: list[list[str]] = []
        """What was said to be new, before each batch."""

    def meet(self, *found: Found) -> None:
        self.intake.add(found)

    def sift(self) -> None:
        self.intake.sift()

    def commit(self) -> None:
        self.sift()
        self.seen.prepare()
        self.table.commit()

    def new_links(self, links: Sequence[Link], depth: int) -> list[str]:
        return [written for _, written, _ in self.discovery.new_links(links, depth)]

    # ------------------------------------------- in the place of worth and of the origins

    def place(self, url: str, entry: Entry) -> Place:
        return NEAR

    def read_ahead(self, urls: Sequence[str]) -> None:
        self.expected.append(list(urls))

    def append(self, url: str, place: int) -> int:
        self.queued.append(url)
        return 0
