"""How is something sent? By POST, through the same guard as every fetch, with short limits of time and size.

Redirects are not followed: whoever sends decides about that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self

from gossamer.fetch import Fetcher, Guard, Resolver, Threads
from gossamer.model import Capture, Fault, SystemClock
from gossamer.plan import Plan

ANSWER_MOST = 65_536
"""Bytes of an answer."""
AGAIN = frozenset({408, 425, 429})
"""With these and those from 500 on it may be better in a moment."""
HOPELESS = frozenset({Fault.BLOCKED_ADDRESS, Fault.PROTOCOL})
"""Not better in a moment."""


class Posting:
    """Sends by the plan of a collection."""

    def __init__(self, plan: Plan) -> None:
        from gossamer.collection.crawl.wiring import route_of

        clock = SystemClock()
        limits = replace(plan.as_limits(), connect=5.0, first_byte=10.0, idle=10.0, total=15.0)
        self._resolver = Resolver(clock, Threads() if plan.names == "system" else None)
        self._fetch = Fetcher(
            limits=replace(limits, html=ANSWER_MOST, text=ANSWER_MOST, document=ANSWER_MOST),
            identity=plan.as_identity(),
            guard=Guard(plan.allow_addresses),
            resolver=self._resolver,
            clock=clock,
            route=route_of(plan),
            opens=lambda address: opens(plan, address),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._fetch.close()
        self._resolver.close()

    async def post(self, url: str, fields: Mapping[str, str], body: bytes) -> Capture:
        """What came back; the web's faults are in it."""
        return await self._fetch.post(url, fields, body)


def opens(plan: Plan, address: str) -> str:
    """The command that opens an address besides those that are open: nothing that sends has an option for it."""
    return f"`gossamer set DIR allow_addresses={','.join((*plan.allow_addresses, address))}`"


def may_pass(answer: Capture) -> bool:
    """Is it worth another try?"""
    if answer.status:
        return answer.status >= 500 or answer.status in AGAIN
    return answer.failure is not None and answer.failure.fault not in HOPELESS
