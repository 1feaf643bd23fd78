"""A feed of new and changed pages, for any question: whoever reads feeds follows it.

To find the newest, every page is looked at. So a feed is remembered, like the broken links, and made again when
somebody has committed; whoever has it already is told that it is the same (304).
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.collection.ask.change_feed import MEDIA_TYPE, Feed, atom
from gossamer.collection.ask.remembered import Remembered
from gossamer.web.api import parameters
from gossamer.web.templating import link
from gossamer.web.view_context import Face, face_of

LIMIT = 30.0
"""Seconds that it may take."""
PATH = "/feed"


class Made(NamedTuple):
    """A feed."""

    body: bytes
    modified: int
    """Seconds since 1970, as HTTP counts them."""


async def feed(request: Request) -> Response:
    """The newest pages and changes, or those of pages that answer a question."""
    asked, face = parameters.given(parameters.Feed, request.query_params), face_of(request)
    base = str(request.base_url).rstrip("/")
    made = await face.ask_at(lambda web, state: _remembered(request, face, web, state, asked, base), LIMIT)
    mark = hashlib.blake2b(made.body, digest_size=16).hexdigest()
    headers = {
        "etag": f'"{mark}"',
        "last-modified": format_datetime(datetime.fromtimestamp(made.modified, UTC), usegmt=True),
        "cache-control": "private, no-cache",
    }
    if _is_known(request, mark, made.modified):
        return Response(b"", 304, headers)
    return Response(made.body, 200, headers, media_type=f"{MEDIA_TYPE}; charset=utf-8")


def _remembered(request: Request, face: Face, web: Collection, state: str, asked: parameters.Feed, base: str) -> Made:
    kept: Remembered[Made] = request.app.state.feeds
    return kept.get((asked, base), state, lambda: face.alone(lambda: _made(web, face.name, asked, base)))


def _made(web: Collection, name: str, asked: parameters.Feed, base: str) -> Made:
    found = web.news(query=asked.q, site=asked.site or None, newest=asked.limit)
    entries, (first, *_) = list(found), (*web.plan.seeds, "")
    values = {"q": asked.q, "site": asked.site}
    limit = asked.limit if asked.limit != parameters.Feed().limit else ""
    own, page = f"{base}{link(PATH, **values, limit=limit)}", f"{base}{link('/', **values)}"
    told = Feed(name, first, asked.q, asked.site, found.last, own, page)
    newest = max((each.seen for each in entries), default=found.last)
    return Made(atom(told, entries), int(newest))


def _is_known(request: Request, mark: str, modified: int) -> bool:
    """Whether whoever asks has it. A mark counts for more than a date (RFC 9110, 13.2.2)."""
    given = ",".join(request.headers.getlist("if-none-match"))
    if given:
        # what was sent compressed has a weak mark
        return mark in {each.strip().removeprefix("W/").strip('"') for each in given.split(",")} or given == "*"
    try:
        return modified <= parsedate_to_datetime(request.headers.get("if-modified-since", "")).timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return False
