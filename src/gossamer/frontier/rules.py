"""What a crawl was asked for, as far as the frontier must know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gossamer.frontier.hosts import Politeness
from gossamer.frontier.rank import Order, breadth
from gossamer.urls import site
from gossamer.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class Rules:
    """What a crawl was asked for, as far as the frontier must know."""

    scope: Scope
    politeness: Politeness
    agent: str
    pages: int = 0
    """Stop after so many; 0 for all."""
    patience: float = 90.0
    """How long a crawl that has nothing else to do waits for a retry or a paused host."""
    closed: bool = False
    """Nothing is asked for: what comes was captured elsewhere."""
    sitemaps: bool = True
    head_first: Callable[[str], bool] = lambda url: False
    wanted: Callable[[str], bool] = lambda media_type: True
    rewrite: Callable[[str], str] | None = None
    order: Order = breadth
    weigh: bool = False
    """Keep the cash of addresses, because an order wants it; see `importance`."""
    site: Callable[[str], str] = site
    """The site that an address belongs to."""
    at_once: int = 0
    """Visits that may be under way, the slow ones aside; 0 for any number. See `slots`."""
    front: int = 384
    """Origins that should be ready or out before one that is over its budget joins them."""
