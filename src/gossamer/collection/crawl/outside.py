"""What does a crawl take from outside? The network, the clock, the disk, secrets, and when to end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from gossamer.fetch.logins import NONE, Logins
from gossamer.model import Capture, Clock, SystemClock, Visit

if TYPE_CHECKING:
    from gossamer.collection.crawl.checkpoints import Checkpoints
    from gossamer.collection.progress import Fetched
    from gossamer.collection.steering import OrdersWatch
    from gossamer.frontier.queue.rank import Order
    from gossamer.store.disk import Look

Fetch: TypeAlias = Callable[[Visit], Awaitable[Capture]]


@dataclass(frozen=True, slots=True)
class Outside:
    """What a test or a user may put in the place of the real network, clock and disk, and of the plan's order."""

    clock: Clock
    fetch: Fetch | None = None
    order: Order | None = None
    room: Look | None = None
    """How much room there is on the disk."""
    heads: bool = False
    """Only ask whether addresses answer: see `link_check`."""
    logins: Logins = NONE
    """What is sent to some sites and kept nowhere."""
    told: Callable[[Fetched], None] | None = None
    """Hears of every fetch."""
    began: float | None = None
    """Steady time when the crawl began, for a limit of time; None: just now."""
    fresh_until: float | None = None
    """Steady time until which pages are visited again when they are due; None: each is visited once."""
    changed: tuple[bytes, ...] | None = None
    """Paths at which files of this machine have changed; None: all folders are walked."""
    watch: OrdersWatch | None = None
    """Where it hears what is wanted of it meanwhile."""
    checkpoints: Checkpoints | None = None
    """Where the shard is kept besides."""
    on_page: Callable[[Any], Any] | None = None
    """What is called with each page, where no other process could import it; see `page_function`."""

    @property
    def is_handed_in(self) -> bool:
        """Whether it has a fetch function or a clock that no other process knows."""
        return self.fetch is not None or not isinstance(self.clock, SystemClock)

    def is_over(self, seconds: float) -> bool:
        """Has the crawl taken so long? 0: it may take any time."""
        return self.began is not None and 0 < seconds <= self.clock.steady() - self.began


REAL = Outside(SystemClock())
