"""All routes of the server, each with the view that answers it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gossamer.collection.ask.remembered import Remembered
from gossamer.errors import GossamerError
from gossamer.web import (
    broken_page,
    cached,
    dashboard,
    feed_page,
    hosts_page,
    map_page,
    page_page,
    search_page,
    steering_page,
)
from gossamer.web.api import views as api
from gossamer.web.api.problems import is_for_programs, problem
from gossamer.web.leases import Leases
from gossamer.web.live import Pulse
from gossamer.web.metrics import metrics
from gossamer.web.receiver import Receiver
from gossamer.web.safety import Access, Safety
from gossamer.web.templating import environment
from gossamer.web.view_context import Face, face_of, failed

STATIC = Path(__file__).parent / "static"
MODEL_CONTEXT = "/mcp"
"""Where language models ask."""
METHODS = "questions are asked by GET, and what changes something by POST"
FEEDS = 32
"""Questions whose feeds are remembered."""
PACKED_LEAST = 1_000
"""Bytes of an answer that is worth compressing."""


def routes() -> list[BaseRoute]:
    """Where everything is."""
    return [
        Route("/", search_page.search),
        Route("/suggest", search_page.suggest),
        Route("/opensearch.xml", search_page.description),
        Route(feed_page.PATH, feed_page.feed),
        Route("/page", page_page.page),
        Route("/cached", cached.cached),
        Route("/broken", broken_page.broken),
        Route("/broken.csv", broken_page.table),
        Route("/crawl", dashboard.crawl),
        Route("/crawl/charts", dashboard.drawn),
        Route("/crawl/cluster", dashboard.cluster),
        Route("/crawl/hosts", dashboard.hosts),
        Route("/crawl/reasons", dashboard.reasons),
        Route("/crawl/events", dashboard.events),
        Route("/crawl/change", steering_page.change),
        Route("/crawl/confirm/{action}", steering_page.confirm),
        Route("/crawl/steer/{action}", steering_page.steer, methods=["POST"]),
        Route("/hosts", hosts_page.hosts),
        Route("/host", hosts_page.host),
        Route("/map", map_page.picture),
        Route("/health", health),
        Route("/metrics", metrics),
        *api.routes(),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


def make(path: Path, access: Access, receiver: Receiver | None = None) -> tuple[ASGIApp, Pulse]:
    """The application for a collection, and what those who watch it hear: whoever ends the server tells them first.

    `receiver` hears what other machines tell.
    """
    leases = Leases(path)
    face = Face(leases, access, environment(), path.resolve().name)
    more, running = _model_context(face) if MODEL_CONTEXT in access.asked_by_post else ([], nullcontext())

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        async with running, receiver.running(face.ask) if receiver else nullcontext():
            yield
        leases.close()

    app = Starlette(
        routes=[*more, *(receiver.routes() if receiver else ()), *routes()],
        middleware=[Middleware(GZipMiddleware, minimum_size=PACKED_LEAST)],
        exception_handlers={GossamerError: failed, HTTPException: lost},
        lifespan=living,
    )
    app.state.face = face
    app.state.pulse = pulse = dashboard.pulse(face)
    app.state.hosts = hosts_page.HostOrders()
    app.state.map = map_page.Kept()
    app.state.broken = Remembered[broken_page.Found]()
    app.state.feeds = Remembered[feed_page.Made](FEEDS)
    return Safety(app, access), pulse


def _model_context(face: Face) -> tuple[list[BaseRoute], AbstractAsyncContextManager[None]]:
    """For language models: the route, and what runs meanwhile. Loaded where it is asked for, because it takes long."""
    from gossamer.web.mcp_tools import over_http, tools

    return over_http(tools(face.ask, face.name), MODEL_CONTEXT)


async def health(request: Request) -> Response:
    """For who watches the server: it answers, and the collection can be read."""
    await face_of(request).ask(lambda web: web.status())
    return PlainTextResponse("ok\n")


async def lost(request: Request, error: Exception) -> Response:
    """A page for an address that is none of ours, or a method that it does not know; for programs, JSON."""
    assert isinstance(error, HTTPException)
    if is_for_programs(request.url.path):
        return problem(request, error.status_code, f"{error.detail}; {METHODS}", error.headers)
    words = "There is no such page on this server." if error.status_code == 404 else error.detail
    answer = face_of(request).page(request, "error.html", error.status_code, problem=words)
    answer.headers.update(error.headers or {})
    return answer
