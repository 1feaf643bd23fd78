"""What was asked for, as far as the frontier must know, and what does the frontier ask of those around it?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gossamer.freshness.revisit import Goal
from gossamer.freshness.waits import Policy
from gossamer.frontier.polite.host_delays import Politeness
from gossamer.frontier.polite.limits import Allowance
from gossamer.frontier.queue.rank import Order, breadth
from gossamer.model import Page
from gossamer.urls import site
from gossamer.urls.scope import Scope

if TYPE_CHECKING:
    from gossamer.topic.judge import Judge

Resolve: TypeAlias = Callable[[str], Awaitable[tuple[tuple[str, ...], float]]]
"""host name -> the addresses to visit it at, the best first (none when unknown), and for how many seconds they hold."""


@dataclass(frozen=True, slots=True)
class Outward:
    """Functions of whoever runs the crawl."""

    resolve: Resolve | None = None
    committed: Callable[[], None] = lambda: None
    """A commit may be made now."""
    copied: Callable[[str, str, str], bool] = lambda url, digest, of: True
    """Another shard had the body of a page of ours before: its address, the digest, and the other address. False when
    the page has changed since."""
    again: Callable[[str, Callable[[Page | None], None]], None] = lambda url, then: then(None)
    """Reads once more what a list of addresses says, from the archive, and hands it on; None when that does not have
    it. Whoever does that later calls `go_on` afterwards."""
    earlier: Callable[[str, float], Page | None] = lambda url, until: None
    """What a page said at a time, from the archive; None when that does not have it."""
    learned: Callable[[Judge], None] = lambda judge: None
    """What the judge of the topic knows is another: it is to be kept with the next commit."""
    rank: Callable[[str], float] = lambda url: 1.0
    """How a page ranks by the links to it: 1 is the average, and what is not known."""


@dataclass(frozen=True, slots=True)
class WatchRules:
    """How pages are kept up to date."""

    budget: float = 0.0
    """Visits a day, of all shards together; 0: as many revisits as there are pages, and new pages without a limit."""
    goal: Goal = "age"
    octets: int = 0
    """Bytes a day, of all shards together; 0: any number."""
    policy: Policy = "learning"


@dataclass(slots=True)
class Rules:
    """What a crawl was asked for, as far as the frontier must know. It changes by `Frontier.change` alone."""

    scope: Scope
    politeness: Politeness
    agent: str
    pages: int = 0
    """Stop after so many; 0 for all."""
    allowance: Allowance = Allowance()  # noqa: RUF009  # a frozen value
    """Bytes and time that it may take."""
    pages_per_host: int = 0
    """Most pages of a host; 0 for all."""
    patience: float = 90.0
    """How long a crawl that has nothing else to do waits for a retry or a paused host."""
    closed: bool = False
    """Nothing is asked for: what comes was captured elsewhere."""
    sitemaps: bool = True
    head_first: Callable[[str], bool] = lambda url: False
    heads: bool = False
    """No body is wanted at all. Otherwise nobody asks first whether a seed is: somebody has named it."""
    wanted: Callable[[str], bool] = lambda media_type: True
    rewrite: Callable[[str], str] | None = None
    order: Order = breadth
    weigh: bool = False
    """Keep the cash of addresses, because an order wants it; see `opic`."""
    topic: Judge | None = None
    """Says how far pages and links are on the topic of the crawl, if it has one. It takes the place of an order."""
    forms: str = "off"
    """Which forms are filled in: off, search or all; see `forms`."""
    form_budget: int = 500
    """Most requests for the answers of one form."""
    requisites: bool = False
    """What pages need to look as they do is asked for too; see `discover/requisites`."""
    requisites_per_host: int = 0
    """Most of it that a crawl asks of a host; 0 for all."""
    requisites_own: bool = False
    """Also what robots.txt forbids, where there is a seed."""
    media_links: bool = False
    """So are pictures, sound and film that links lead to."""
    signs_out: Callable[[str, str], bool] | None = None
    """Would a link, by its address and what it is called, end a session that the crawl has? None where it has none."""
    site: Callable[[str], str] = site
    """The site that an address belongs to."""
    watch: WatchRules | None = None
    """Pages that we have are visited again, for as long as it runs; None: each is visited once."""
    at_once: int = 0
    """Visits that may be under way, the slow ones aside; 0 for any number. See `slots`."""
    front: int = 384
    """Origins that should be ready or out before one that is over its budget joins them."""
