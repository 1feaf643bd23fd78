"""How does a crawl reach the web? The resolver and the fetcher of its plan, and the open files that they need."""

from __future__ import annotations

import resource
from collections.abc import Awaitable, Callable
from math import inf
from typing import TYPE_CHECKING

from gossamer.collection.crawl.outside import Fetch
from gossamer.collection.crawl.wiring import route_of
from gossamer.errors import StorageError, UsageError
from gossamer.fetch import Fetcher, Guard, Resolver, Threads
from gossamer.fetch.logins import NONE, Logins, Sending
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.threads import DaemonThreads
from gossamer.model import Capture, Clock, Visit
from gossamer.plan import Plan
from gossamer.printable import counted

if TYPE_CHECKING:
    from gossamer.fetch.sessions import SignedIn

ADDRESSES = 4
"""Addresses of a host that are tried before a visit has failed."""
OTHERS = 384
"""What a process of a crawl has open besides its connections: the table up to 256 files, index, archive, pipes."""
PER_WORKER = 2
"""A visit that drips along does not count among the workers, and each may leave a connection open."""
ENOUGH = 65_536
"""What nobody needs more than; some systems allow a thousand million, and programs that count them all take long."""
MEMORY_LEAST = 1 << 30
"""Addresses that a process has to be able to use, most of which are code of libraries and files that are mapped."""


class Network:
    """The real one."""

    def __init__(
        self,
        plan: Plan,
        clock: Clock,
        held: Held,
        turn: Callable[[Visit], str | None],
        logins: Logins = NONE,
        leased_until: Callable[[], float] = lambda: inf,
    ) -> None:
        """`held` says how much may be in memory, `turn` which address of its host a visit goes to. Nothing is asked
        for when it is later than `leased_until`, in steady time."""
        self._may_ask = lambda: clock.steady() < leased_until()
        self._clock = clock
        self._held = held
        self._threads: DaemonThreads | None = None
        self._plan = plan
        self._logins = logins
        self._resolver = Resolver(clock, Threads() if plan.names == "system" else None)
        self._fetchers: list[Fetcher] = []
        self.fetch: Callable[[Visit], Awaitable[Capture]] = (
            self._signed_in(logins, held, turn) if logins else self._fetcher(NONE, held, turn)
        )

    def _signed_in(self, logins: Logins, held: Held, turn: Callable[[Visit], str | None]) -> SignedIn:
        """Loaded only where there are logins. What they ask themselves has a fetcher of its own: nobody keeps it."""
        from gossamer.fetch.sessions import Sessions, SignedIn

        sessions = Sessions(logins, self._clock)
        fetch, asking = self._fetcher(sessions, held, turn), self._fetcher(sessions)
        return SignedIn(sessions, fetch, asking, self._plan.delay)

    def _fetcher(
        self,
        logins: Sending,
        held: Held | None = None,
        turn: Callable[[Visit], str | None] = lambda visit: None,
    ) -> Fetcher:
        fetcher = Fetcher(
            limits=self._plan.as_limits(),
            identity=self._plan.as_identity(),
            guard=Guard(self._plan.allow_addresses),
            resolver=self._resolver,
            clock=self._clock,
            route=route_of(self._plan),
            turn=turn,
            held=held,
            logins=logins,
            may_ask=self._may_ask,
        )
        self._fetchers.append(fetcher)
        return fetcher

    def speak(self, plan: Plan, fetch: Fetch) -> Fetch:
        """The same with other protocols than HTTP, for a plan that has such seeds."""
        from gossamer.fetch.protocols.asking import OtherProtocols
        from gossamer.fetch.protocols.deadlines import THREADS_MOST, Means

        if plan.proxy:
            raise UsageError(
                "proxy is set, and only http and https go through it; take out the proxy or the other seeds"
            )
        self._threads = DaemonThreads(min(2 * plan.workers, THREADS_MOST), "gossamer-protocol")
        means = Means(plan.as_limits(), self._clock, self._held, self._threads)
        return OtherProtocols(fetch, Guard(plan.allow_addresses), self._resolver, means, self._logins)

    async def addresses(self, host: str) -> tuple[tuple[str, ...], float]:
        """Where a host may be visited, and for how many seconds that holds."""
        try:
            answer = await self._resolver.resolve(host.strip("[]"))
        except StorageError:
            return (), 0.0  # this machine lacks something, which the visit itself will meet and report
        seconds = min(answer.expires - self._clock.steady(), 3_600.0)
        return answer.addresses[:ADDRESSES], seconds

    async def hang_up(self) -> None:
        """No more fetching."""
        for fetcher in self._fetchers:
            await fetcher.close()
        if self._threads:
            self._threads.shutdown()

    def close(self) -> None:
        """No more names are resolved."""
        self._resolver.close()


def make_room(workers: int) -> None:
    """Raise the limit of open files as far as it goes; StorageError when so many workers would meet it all the same.

    The processes that a crawl starts inherit what is set here. Memory is looked at too: the libraries of the table and
    of the index end the process without a word where there is none.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    wanted = OTHERS + PER_WORKER * workers
    if most < wanted:
        raise StorageError(
            f"only {most:,} files may be open at once here, and {counted(workers, 'worker needs', 'workers need')}"
            f" {wanted:,}; raise the limit (`ulimit -n {wanted}`, as root or in a new login), or give fewer --workers"
        )
    _require_memory()


def _require_memory() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft >= MEMORY_LEAST:
        return
    if hard == resource.RLIM_INFINITY or hard >= MEMORY_LEAST:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        return
    raise StorageError(
        f"a process may have only {hard >> 20:,} MiB of memory here, and needs {MEMORY_LEAST >> 20:,}; raise the limit"
        f" (`ulimit -v {MEMORY_LEAST >> 10}`, as root or in a new login)"
    )
