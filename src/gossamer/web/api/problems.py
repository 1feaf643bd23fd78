"""What does a program hear when something did not work? A problem with its cure, as RFC 9457 has it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gossamer import printable

PLACE = "/api/"
"""Below it, faults are for programs."""
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "2"


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why there is no answer, and what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    """The path that was asked for."""


def is_for_programs(path: str) -> bool:
    """Whether who asks there reads JSON and not pages."""
    return path.startswith(PLACE)


def problem(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that tells it."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, instance=request.url.path)
    more = {"retry-after": RETRY_AFTER} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    body = printable.json(msgspec.to_builtins(told)).encode() + b"\n"
    return Response(body, status, {**more, **(headers or {})}, MEDIA_TYPE)
