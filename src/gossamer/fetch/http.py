"""Bring one answer: look the host up, check its addresses, ask, and say what came.

Redirects are not followed here. Each hop is a visit of its own, so that scope, robots, the guard
and the delay hold for it as for any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from gossamer.fetch.curl import Handle, Multi, Verdict
from gossamer.fetch.dns import Resolver, is_address, literal
from gossamer.fetch.guard import Guard
from gossamer.fetch.limits import Limits
from gossamer.fetch.logins import FORM, NONE, Sending
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.proxy import Route
from gossamer.fetch.request import Identity, Request, Requests
from gossamer.fetch.transfer import Transfer
from gossamer.model import URL, Capture, Clock, Failure, Fault, Kind, Visit

_ADDRESSES_TRIED = 2
_DROPPING_MOST = 10_000
_SPARE_HANDLES = 256
_UNREACHABLE = (Fault.CONNECT, Fault.TIMEOUT)


class Fetcher:
    """Call it with a visit and await the capture. It belongs to the event loop of its first call.

    The web's faults come back in `Capture.failure`. Cancelling the await ends the request.
    """

    def __init__(
        self,
        *,
        limits: Limits,
        identity: Identity,
        guard: Guard,
        resolver: Resolver,
        clock: Clock,
        route: Route = Route(),  # noqa: B008  # a frozen value
        turn: Callable[[Visit], str | None] = lambda visit: None,
        held: Held | None = None,
        logins: Sending = NONE,
        opens: Callable[[str], str] = lambda address: f"--allow-address {address}",
        may_ask: Callable[[], bool] = lambda: True,
    ) -> None:
        """`turn` tells the one address that a visit has its turn at, where somebody counts; without it the first ones
        of the host are tried. `held` is the budget of bytes; whoever hands one in says when a page is kept.
        `logins` are sent besides, and stand in no capture. `opens` names what opens a refused address. `may_ask`
        says at the last moment whether a request may go out; see `LeaseOver`."""
        self._may_ask = may_ask
        self._turn = turn
        self._opens = opens
        self._limits = limits
        self._guard = guard
        self._resolver = resolver
        self._clock = clock
        self._route = route
        self._requests = Requests(identity, logins)
        self._multi: Multi | None = None
        self._spare: list[Handle] = []
        self._open: dict[Handle, Transfer] = {}
        self._sweeper: asyncio.TimerHandle | None = None
        times = (limits.connect, limits.first_byte, limits.idle, limits.total, limits.slow_seconds)
        self._interval = min(1.0, min(times) / 4)
        self._expected = 0.0
        self._lag = 0.0
        """Seconds that we were busy with something else when it was time to look."""
        self._held = held or Held()
        self._kept_later = held is not None
        self._held.wake = self._go_on
        self._soon: asyncio.Handle | None = None
        self._dropping: dict[str, None] = {}
        """Origins that close connections which they have let us use again; the oldest first."""
        self._closed = False

    async def __call__(self, visit: Visit) -> Capture:
        return await self._brought(visit, self._requests.make(visit))

    async def post(self, url: URL, fields: Mapping[str, str], body: bytes) -> Capture:
        """Send something to an address that somebody has named for it, by the same rules."""
        visit = Visit(url, Kind.RESOURCE, "POST")
        return await self._brought(visit, self._requests.post(visit, fields, body))

    async def submit(self, url: URL, referrer: URL, body: bytes, fields: Mapping[str, str] = FORM) -> Capture:
        """Send a form that stood on a page, with the login of its place."""
        visit = Visit(url, Kind.PAGE, "POST")
        return await self._brought(visit, self._requests.form(visit, referrer, body, fields))

    async def _brought(self, visit: Visit, request: Request | Failure) -> Capture:
        if isinstance(request, Failure):
            return self._nothing(visit, request)
        addresses = await self._addresses(request.host, self._turn(visit))
        if isinstance(addresses, Failure):
            return self._nothing(visit, addresses)
        for address in addresses[:_ADDRESSES_TRIED]:
            self._held.begin(visit)
            transfer = Transfer(visit, self._limits, self._guard if address else None, self._held, self._may_ask)
            capture = await self._fetch(visit, request, address, transfer)
            if transfer.asked or not capture.failure or capture.failure.fault not in _UNREACHABLE:
                break
        return capture

    @property
    def asked(self) -> int:
        """Requests that are out."""
        return sum(transfer.asked for transfer in self._open.values())

    async def close(self) -> None:
        """Cancel what is under way and close all connections."""
        self._closed = True
        for timer in (self._sweeper, self._soon):
            if timer:
                timer.cancel()
        if self._multi:
            self._multi.close()
        for handle in self._spare:
            handle.easy.close()
        self._spare.clear()

    async def _fetch(self, visit: Visit, request: Request, address: str | None, transfer: Transfer) -> Capture:
        handle = self._spare.pop() if self._spare else Handle(self._limits, self._route)
        handle.aim(request, transfer, address, fresh=request.body is not None or request.origin in self._dropping)
        began, start = self._clock.wall(), self._clock.steady()
        try:
            code, words, times = await self._run(handle, transfer)
            seconds = times.taken(self._clock.steady() - start)
            head, content, truncated, failure = transfer.outcome(code, words)
            if transfer.resent:
                self._note_dropping(request.origin)
        finally:
            self._put_back(handle)
            self._held.end(visit) if self._kept_later else self._held.free(visit)
        return Capture(
            visit,
            began,
            seconds,
            status=head.status if head else 0,
            headers=head.headers if head else (),
            request=request.head if transfer.asked else b"",
            head=head.raw if head else b"",
            wire=content.wire,
            body=content.payload,
            address=transfer.address if transfer.asked else None,
            truncated=truncated,
            decoding=content.decoding,
            failure=failure,
        )

    def _note_dropping(self, origin: str) -> None:
        """It was asked twice, a moment apart; that must not come again."""
        self._dropping[origin] = None
        if len(self._dropping) > _DROPPING_MOST:
            del self._dropping[next(iter(self._dropping))]

    async def _run(self, handle: Handle, transfer: Transfer) -> Verdict:
        if self._closed:
            raise RuntimeError("the fetcher is closed")
        if self._multi is None:
            self._multi = Multi(self._limits.kept_connections)
        self._open[handle] = transfer
        if self._sweeper is None:
            self._expected = self._clock.steady()
            self._sweep()
        transfer.overdue(self._clock.steady() - self._lag)  # its time begins
        try:
            return await self._multi.run(handle)
        finally:
            del self._open[handle]

    def _sweep(self) -> None:
        """Give up what is overdue; look again as long as anything is under way."""
        if self._multi:
            self._multi.catch_up()
        now = self._clock.steady()
        self._lag += max(now - self._expected, 0.0)
        for handle, transfer in list(self._open.items()):
            if self._multi and transfer.overdue(now - self._lag):
                self._multi.give_up(handle)
        self._sweeper = None
        if self._open:
            self._expected = self._clock.steady() + self._interval
            self._sweeper = asyncio.get_running_loop().call_later(self._interval, self._sweep)

    def _go_on(self) -> None:
        """There may be room for answers that wait."""
        if self._soon is None and any(transfer.waits for transfer in self._open.values()):
            self._soon = asyncio.get_running_loop().call_soon(self._resume)

    def _resume(self) -> None:
        self._soon = None
        for handle, transfer in list(self._open.items()):
            if transfer.waits and self._multi:
                self._multi.resume(handle)

    def _put_back(self, handle: Handle) -> None:
        handle.release()
        if self._closed or handle.is_spent or len(self._spare) >= _SPARE_HANDLES:
            handle.easy.close()
        else:
            self._spare.append(handle)

    def _nothing(self, visit: Visit, failure: Failure) -> Capture:
        return Capture(visit, began=self._clock.wall(), seconds=0.0, failure=failure)

    async def _addresses(self, host: str, turn: str | None) -> tuple[str | None, ...] | Failure:
        """Where to connect to; None leaves it to the proxy. One refused address condemns the host.

        A host that had no address when it got its turn, and has one now, has no turn there.
        """
        if self._route.proxy:
            written_out = literal(host)
            return self._refusal(host, (written_out,) if written_out else ()) or (None,)
        answer = await self._resolver.resolve(host)
        if answer.failure or turn is None:
            return answer.failure or self._refusal(host, answer.addresses) or answer.addresses
        if turn not in answer.addresses and not is_address(turn):
            return Failure(Fault.DNS, f"{host} had no address a moment ago")
        return self._refusal(host, (*answer.addresses, turn)) or (turn,)

    def _refusal(self, host: str, addresses: tuple[str, ...]) -> Failure | None:
        for address in addresses:
            reason = self._guard.refusal(address)
            if reason:
                named = "" if host == address else f"{host} is "
                cure = f"{self._opens(address)} opens it"
                return Failure(Fault.BLOCKED_ADDRESS, f"{named}{address}, {reason}; {cure}")
        return None
