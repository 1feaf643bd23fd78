"""A crawl is steered by a program: what it goes by, and what can be done to it. The same verbs as on the command line.

To look is a question. All else is asked by POST with the token, which the answer to that question names: a page of
another site can send requests, but cannot read it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gossamer import printable
from gossamer.collection import Collection
from gossamer.web.api import parameters
from gossamer.web.steering import Wanted, steered
from gossamer.web.view_context import face_of

NAME = "steering"
"""The place of it all below /api/v1."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done."""

    name: str
    text: str
    takes: type[msgspec.Struct] = parameters.Nothing
    wanted: Callable[[Any], dict[str, Any]] = lambda sent: {}
    """What of it the collection is told."""


ACTIONS = (
    Action("pause", "The crawl that runs fetches nothing until it is resumed"),
    Action("resume", "It goes on"),
    Action("stop", "It finishes what is under way, and ends"),
    Action("start", "A crawl begins where none runs, or goes on where it was stopped"),
    Action("add", "More seeds, for the crawl that runs or the next one", parameters.Seeds, msgspec.structs.asdict),
    Action(
        "retry",
        "What failed is tried again, by the crawl that runs or the next one",
        parameters.Failures,
        lambda sent: {"site": sent.site or None},
    ),
    Action(
        "set",
        "Other settings, for the crawl that runs or the next one",
        parameters.Settings,
        lambda sent: {"settings": _named(sent)},
    ),
)


def _named(sent: msgspec.Struct) -> dict[str, Any]:
    """Settings that were sent: what is not named stays as it is."""
    every = ((name, getattr(sent, name)) for name in parameters.CHANGEABLE)
    return {name: value for name, value in every if value is not msgspec.UNSET}


async def steering(request: Request) -> Response:
    """What the crawl goes by."""
    parameters.given(parameters.Nothing, request.query_params)
    access = face_of(request).access
    answer = await face_of(request).ask(_looked)
    return _answer(answer | {"token": None if access.read_only else access.token})


def _looked(web: Collection) -> dict[str, Any]:
    plan = web.plan
    settings = {name: getattr(plan, name) for name in parameters.CHANGEABLE}
    return {"running": web.status().crawling is not None, "paused": web.is_paused, "settings": settings}


def steers(action: Action) -> Callable[[Request], Awaitable[Response]]:
    """The view that does it."""

    async def view(request: Request) -> Response:
        parameters.given(parameters.Nothing, request.query_params)
        sent = parameters.sent(action.takes, await request.body())
        count = await steered(face_of(request), Wanted(action.name, **action.wanted(sent)))
        return _answer({"action": action.name, "count": count})

    return view


def _answer(answer: dict[str, Any]) -> Response:
    """Of a moment: nobody keeps it."""
    return Response(printable.json(answer).encode() + b"\n", 200, {"cache-control": "no-store"}, "application/json")
