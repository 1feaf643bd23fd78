"""May what a page needs be fetched? Not where a page of the public web would reach into a private network by it.

Addresses that a crawl was opened for are for what its user named, and for what these pages need. A page of the web that
shows `http://10.0.0.1/` as a picture must not get there, though the guard would let its user. Where a page is, and
where that is which it needs, the resolver knows: it has just answered for both.
"""

from __future__ import annotations

from gossamer.collection.crawl.outside import Fetch
from gossamer.fetch import Guard
from gossamer.frontier.rules import Resolve
from gossamer.model import Capture, Clock, Failure, Fault, Kind, Visit
from gossamer.urls import keys

PUBLIC = Guard()
"""Refuses all that is private."""


def guarded(fetch: Fetch, addresses: Resolve, clock: Clock) -> Fetch:
    """The same, but for what leads from the public web to an address that was opened."""

    async def fetched(visit: Visit) -> Capture:
        if visit.kind is Kind.RESOURCE and visit.referrer and await _leads_inside(visit, addresses):
            words = f"{keys.host(visit.url)} is private, and {visit.referrer} is not"
            return Capture(visit, clock.wall(), 0.0, failure=Failure(Fault.BLOCKED_ADDRESS, words))
        return await fetch(visit)

    return fetched


async def _leads_inside(visit: Visit, addresses: Resolve) -> bool:
    here, there = keys.host(visit.referrer or ""), keys.host(visit.url)
    if here == there:
        return False
    found, _ = await addresses(there)
    if not any(map(PUBLIC.refusal, found)):
        return False
    came_from, _ = await addresses(here)
    return not any(map(PUBLIC.refusal, came_from))
