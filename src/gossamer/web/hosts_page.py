"""All hosts, a page at a time; and one host: why it stands where it does, what its robots.txt says to us, and what its
addresses have brought."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.collection.ask.remembered import Remembered
from gossamer.errors import NotFound
from gossamer.frontier.host_details import HostDetails
from gossamer.frontier.why import HostAnswer
from gossamer.web.view_context import face_of

if TYPE_CHECKING:
    from gossamer.collection.ask.host_order import HostOrder
    from gossamer.collection.ask.host_page import HostPage

HOSTS = 50
"""On a page."""
LIMIT = 60.0
"""Seconds: to look at a million hosts for the first time takes longer than an answer to a question."""
SORTS = {
    "pages": "most pages", "queued": "most queued", "failed": "most failed", "slow": "slowest", "next": "next visit",
    "name": "name",
}  # fmt: skip


class HostOrders:
    """How all hosts stand, by each sort: remembered, because to look at a million of them takes a second."""

    def __init__(self) -> None:
        self._kept: Remembered[HostOrder | None] = Remembered()
        self._looking = Lock()

    def page(self, web: Collection, state: str, sort: str, **wanted: Any) -> HostPage:
        """A page of `Collection.host_page`. What each host has is that of now, where it stands that of a while ago."""
        with self._looking:  # whoever comes meanwhile has the same question
            order = self._kept.get(sort, state, lambda: web.host_order(sort))
        return web.host_page(sort, order=order, **wanted)


def orders_of(request: Request) -> HostOrders:
    """Those of the server that a request came to."""
    found: HostOrders = request.app.state.hosts
    return found


async def hosts(request: Request) -> Response:
    """A table of hosts, by what is asked for."""
    face, given = face_of(request), request.query_params
    sort = given.get("sort", "") if given.get("sort", "") in SORTS else "pages"
    search, cursor = given.get("search", "").strip()[:200], given.get("after") or None
    orders = orders_of(request)
    found, is_running = await face.ask_at(
        lambda web, state: (
            orders.page(web, state, sort, search=search, limit=HOSTS, cursor=cursor),
            web.is_busy,
        ),
        LIMIT,
    )
    shown = {"found": found, "sort": sort, "sorts": SORTS, "search": search}
    return face.page(request, "hosts.html", **shown, is_first=cursor is None, is_running=is_running)


async def host(request: Request) -> Response:
    """The page of one host."""
    face, name = face_of(request), request.query_params.get("name", "").strip()
    answer, details = await face.ask(lambda web: _about(web, name))
    return face.page(request, "host.html", host=answer, details=details)


def _about(web: Collection, name: str) -> tuple[HostAnswer, HostDetails]:
    answer = web.why(name.partition("/")[0]) if name else None
    if not isinstance(answer, HostAnswer):
        raise NotFound("name a host, as in /host?name=example.org")
    return answer, web.host_details(answer.host)
