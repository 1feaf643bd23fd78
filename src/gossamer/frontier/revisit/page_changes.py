"""What have the visits of a page told of its changes? One row beside that of its address, of a bounded size."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec.structs import replace

from gossamer.freshness.content import content_print, difference, is_change, restlessness
from gossamer.freshness.rate_estimator import History
from gossamer.freshness.signals import is_build_stamp
from gossamer.frontier.entries import FRESHNESS, encode
from gossamer.frontier.queue.retry import DAY
from gossamer.model import Kind, Page
from gossamer.rows import Count, Natural, Seconds, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

_BLEND = 0.3
"""How much the last change counts in the amount that is kept."""

Part = Annotated[float, msgspec.Meta(ge=0, le=1)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class PageChanges(msgspec.Struct, array_like=True, frozen=True):
    """Of one page."""

    history: History = History()
    print: Annotated[bytes, msgspec.Meta(max_length=128)] = b""
    """Of what it said at the last look; see `freshness.content`."""
    seen: Seconds = 0.0
    """When that was."""
    due: Seconds = 0.0
    """When it is looked at again; 0 while it is queued, and when it is not."""
    position: Natural = 0
    """Tells this date from an older one."""
    place: Count = 0
    """Where it is counted among all pages, by its rate; 0: it is not. See `freshness.price`."""
    restless: Count = 0
    """How many times in a row it was a little different."""
    missed: Count = 0
    """How many visits in a row found nothing there."""
    amount: Part = 0.0
    """How much of it is different when it changes."""
    every: Seconds = 0.0
    """Seconds after which a sitemap or feed is worth another look, as it says, or else a day; 0: it is none."""
    said: Seconds = 0.0
    """When it changed last, as a sitemap or feed says; 0: none says it."""
    claimed: Seconds = 0.0
    """Seconds between its changes, as a sitemap says; 0: none says it."""
    good_for: Seconds = 0.0
    """Seconds for which its server calls a copy good; 0: it does not."""
    soonest: Seconds = 0.0
    """Seconds before which a feed wants no further look; 0: it does not say."""
    quiet: Count = 0
    """Hours and days in which it has nothing new; see `freshness.hints`."""
    sampled: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 0.0
    """Its next visit is a sample, at a random moment before it is due: days until it would be due. 0: it is none."""
    ranked: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.0
    """What it counts more than others by the links to it; see `dating`."""
    interval: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 0.0
    """Days between two visits by Nutch's rule; 0: the watch does not go by it."""

    @property
    def hint(self) -> float:
        """Seconds between its changes, as its site says in one way or another."""
        return self.claimed or self.good_for

    def after(self, look: Look, when: float) -> PageChanges:
        """After a visit that found a document."""
        amount = self.amount + (_BLEND if self.amount else 1.0) * (look.differs - self.amount)
        return replace(
            self,
            history=self.history.seen((when - self.seen) / DAY, look.changed) if look.tells else self.history,
            print=look.print,
            seen=when,
            restless=look.restless,
            missed=0,
            every=self.every if look.every is None else look.every,
            soonest=look.soonest,
            quiet=look.quiet,
            amount=amount if look.tells and look.changed else self.amount,
        )


changes_of = decoder(PageChanges)


def get(table: Table, url: str) -> PageChanges | None:
    """What is known of an address; None where nobody watches it."""
    row = table.get(FRESHNESS, keys.row(url))
    return changes_of(row) if row is not None else None


def put(table: Table, url: str, changes: PageChanges) -> None:
    """Durable with the next commit."""
    table.put(FRESHNESS, keys.row(url), encode(changes))


class Look:
    """What a visit has shown, compared with the one before."""

    def __init__(
        self,
        before: PageChanges,
        page: Page,
        kind: Kind,
        *,
        unchanged: bool,
        dated: bool = True,
    ) -> None:
        """`dated` says whether the dates of a sitemap tell anything."""
        self.every = None if unchanged else every(page, kind)
        self.soonest = before.soonest if unchanged else min(page.update_every or 0.0, DAY)
        self.quiet = before.quiet if unchanged else page.quiet
        self.print = before.print if unchanged else printed(page, kind, dated=dated)
        self.differs = difference(before.print, self.print) if before.print else 0.0
        self.tells = bool(before.seen) and (unchanged or bool(before.print))
        """There is something to compare it with."""
        self.changed = is_change(self.differs, before.restless)
        self.restless = restlessness(self.differs, before.restless)


def every(page: Page, kind: Kind) -> float:
    """Seconds after which a list of addresses is worth another look; 0 where it is none."""
    listed = page.update_every is not None or any(link.place == "feed" for link in page.links)  # it may be empty yet
    is_list = kind is Kind.SITEMAP or listed
    return min(page.update_every or DAY, DAY) if is_list else 0.0


def _listed(page: Page, *, dated: bool) -> bytes:
    """Of a sitemap, what it brings: its addresses in whatever order, and their dates if these tell anything. One that
    is written anew every hour, and dates all pages to that, brings nothing but what is new in it."""
    dated = dated and not is_build_stamp(link.modified for link in page.links if link.modified is not None)
    return content_print(" ".join(sorted(f"{link.url} {link.modified if dated else ''}" for link in page.links)))


def printed(page: Page, kind: Kind, *, dated: bool = True) -> bytes:
    """Of its title and main content; of a sitemap, what it lists; of what cannot be read, all of it."""
    if kind is Kind.SITEMAP and page.links:
        return _listed(page, dated=dated)
    said = page.content or page.text
    if kind is not Kind.PAGE or not said:
        return content_print(page.digest)
    return content_print(f"{page.title}\n{said}")
