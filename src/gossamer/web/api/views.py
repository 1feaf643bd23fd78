"""Every question is answered in the same way: checked, asked, and marked, so that nothing is sent twice."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gossamer import printable
from gossamer.collection import Collection
from gossamer.version import VERSION
from gossamer.web.api import parameters
from gossamer.web.api.description import description
from gossamer.web.api.export import export
from gossamer.web.api.problems import problem
from gossamer.web.api.questions import QUESTIONS, Question
from gossamer.web.api.steering import ACTIONS, NAME, steering, steers
from gossamer.web.view_context import face_of

BASE = "/api/v1"
CACHED = {"cache-control": "private, no-cache"}
"""Kept by who asks, and asked for again with its mark."""


def routes() -> list[BaseRoute]:
    """Questions, what can be changed, the description, the export; what is none of them is said in the same form."""
    return [
        *(Route(f"{BASE}/{question.name}", _view(question)) for question in QUESTIONS),
        Route(f"{BASE}/{NAME}", steering),
        *(Route(f"{BASE}/{NAME}/{action.name}", steers(action), methods=["POST"]) for action in ACTIONS),
        Route(f"{BASE}/openapi.json", openapi),
        Route(f"{BASE}/export.jsonl", export),
        Route("/api/{rest:path}", nowhere),
    ]


def _view(question: Question) -> Callable[[Request], Awaitable[Response]]:
    async def view(request: Request) -> Response:
        return await answered(request, question)

    return view


async def answered(request: Request, question: Question) -> Response:
    """The answer, or that it is still the one that whoever asks has."""
    asked = parameters.given(question.takes, request.query_params)
    face, known = face_of(request), _marks(request)

    def ask(web: Collection, state: str) -> tuple[str, dict[str, Any] | None]:
        mark = _mark(state, question.name, repr(asked))
        if question.is_steady and mark in known:
            return mark, None
        return mark, face.alone(lambda: question.ask(web, asked)) if question.walks else question.ask(web, asked)

    mark, answer = await face.ask_at(ask)
    body = b"" if answer is None else printable.json(answer).encode() + b"\n"
    if not question.is_steady:
        mark = _mark(body.decode(), question.name, "")
    return given(request, body, mark)


def given(request: Request, body: bytes, mark: str) -> Response:
    """A body with its mark; without it where it is known."""
    headers = {"etag": f'W/"{mark}"', **CACHED}
    if mark in _marks(request):
        return Response(b"", 304, headers)
    return Response(body, 200, headers, "application/json")


def _mark(state: str, name: str, asked: str) -> str:
    """Weak, as ETags are: the time that a search took is another one each time, and that is no other answer."""
    parts = (VERSION, state, name, asked)
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _marks(request: Request) -> frozenset[str]:
    """Those of the answers that whoever asks has."""
    given = ",".join(request.headers.getlist("if-none-match"))
    return frozenset(each.strip().removeprefix("W/").strip('"') for each in given.split(","))


async def openapi(request: Request) -> Response:
    """What can be asked here, for programs that write programs."""
    parameters.given(parameters.Nothing, request.query_params)
    body = description()
    return given(request, body, _mark(body.decode(), "openapi", ""))


async def nowhere(request: Request) -> Response:
    """For an address that is none of ours."""
    return problem(request, 404, f"there is no such endpoint; {BASE}/openapi.json lists them all")
