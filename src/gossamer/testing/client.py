"""The face without sockets: a fetcher that asks the origin directly and builds captures as a real one would.

Waiting is `asyncio.sleep`, so on a virtual clock it costs nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing.origin import Exchange, Origin
from gossamer.testing.wire import UNANSWERED, Answer, Ending, decompressed, request_head

PATIENCE = 20.0
"""Seconds until the first byte, after which this client gives up."""


@dataclass(frozen=True, slots=True)
class Client:
    """Fetches from the origin in the same process."""

    origin: Origin

    async def fetch(self, visit: Visit) -> Capture:
        """One request; the web's faults are in the capture."""
        began, start = self.origin.clock.wall(), self.origin.clock.steady()
        request = request_head(visit)
        exchange = self.origin.receive(request)
        if exchange is None:
            return Capture(visit, began, 0.0, request=request, failure=Failure(Fault.NO_SUCH_HOST))
        answer = await self._answered(exchange)
        head, wire = answer.sent()
        return Capture(
            visit,
            began,
            self.origin.clock.steady() - start,
            status=answer.status,
            headers=answer.headers if head else (),
            request=request,
            head=head,
            wire=wire,
            body=_decoded(answer, wire),
            address=exchange.entry.address,
            truncated="disconnect" if answer.ending is Ending.CUT else None,
            failure=_failure(answer, wire),
        )

    async def _answered(self, exchange: Exchange) -> Answer:
        """The answer when its time has come; who stops waiting leaves an unfinished entry in the log."""
        answer, sent, finished = UNANSWERED, 0, False
        try:
            await asyncio.sleep(min(exchange.latency, PATIENCE))
            if exchange.latency < PATIENCE:
                answer = self.origin.answer(exchange)
                if answer.ending is Ending.SILENT:
                    await asyncio.sleep(PATIENCE - exchange.latency)
                sent, finished = sum(map(len, answer.sent())), answer.ending is Ending.WHOLE
        finally:
            self.origin.end(exchange, answer, sent, finished=finished)
        return answer


def _decoded(answer: Answer, wire: bytes) -> bytes:
    return decompressed(wire) if wire and ("content-encoding", "gzip") in answer.headers else wire


def _failure(answer: Answer, wire: bytes) -> Failure | None:
    if answer.ending is Ending.SILENT:
        return Failure(Fault.TIMEOUT, f"no answer within {PATIENCE:g} s")
    if answer.ending is Ending.DROPPED:
        return Failure(Fault.RESET, "closed before the first byte")
    if answer.ending is Ending.CUT:
        return Failure(Fault.INCOMPLETE, f"{len(wire)} of {len(answer.body)} bytes came")
    return None
