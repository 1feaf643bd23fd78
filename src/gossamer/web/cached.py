"""The kept original of a page, for a frame of ours: nothing of it runs, nothing is loaded, it leads nowhere else.

What was kept with it, styles, pictures and fonts, is a part of what is sent (`convert.html.inlining`).

Two things hold it, each for itself. The page is written anew from what is harmless (`convert.html.inert`), and a policy
tells the browser to put it into a sandbox with an origin of its own, without scripts, forms and requests. What is no
page and no text is a download.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from threading import Event
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.collection.ask.times import moment
from gossamer.collection.documents import Document
from gossamer.convert.charset.decode import utf8
from gossamer.convert.html.inert import Original, inert
from gossamer.convert.html.inlining import Held
from gossamer.errors import GossamerError
from gossamer.model import HTML
from gossamer.store.warc.warc import JPEG
from gossamer.urls import resolve
from gossamer.web.leases import Busy
from gossamer.web.page_page import ADDRESS_MOST
from gossamer.web.templating import link
from gossamer.web.view_context import face_of, status_of

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
HOPS = 4
"""Answers that are looked at, of which all but the last lead elsewhere."""
SOON = 3_600.0
"""Seconds after a page in which what it needs has come."""
HEADERS = {"content-security-policy": POLICY, "x-frame-options": "SAMEORIGIN"}
FILE = "application/octet-stream"
NAME_MOST = 100


class Kept(NamedTuple):
    """What is sent."""

    body: bytes
    media_type: str
    name: str = ""
    """Of the file that it is to be saved as; nothing for what is shown."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a browser asks for."""

    url: str
    at: str
    """As it was then; nothing: as it is now."""
    saved: bool
    picture: bool = False
    """What a browser has made of it."""
    given_up: Event = field(default_factory=Event)
    """Set when nobody waits for it any more."""


async def cached(request: Request) -> Response:
    """A version of a page as it came, to be looked at or saved."""
    face, given = face_of(request), request.query_params
    url, at, saved = given.get("url", "")[:ADDRESS_MOST], given.get("at", "").strip(), given.get("download", "") == "1"
    wanted = Wanted(url, at, saved=saved, picture=given.get("picture", "") == "1")
    try:
        kept = await face.ask(lambda web: _kept(web, wanted))
    except GossamerError as error:
        answer = face.page(request, "cached_missing.html", status_of(error), url=url, problem=str(error))
        answer.headers.update(HEADERS)
        return answer
    finally:
        wanted.given_up.set()
    headers = {**HEADERS, "content-disposition": f'attachment; filename="{kept.name}"'} if kept.name else HEADERS
    return Response(kept.body, headers=headers, media_type=kept.media_type)


def _kept(web: Collection, wanted: Wanted) -> Kept:
    saved, at = wanted.saved, wanted.at
    document = web.page(wanted.url, moment(at, end=True) if at else None)
    if wanted.picture:
        return Kept(document.picture(), JPEG)
    body, encoding = document.capture.body, document.version.encoding
    if not saved and document.media_type in HTML:
        original = Original(body, encoding or "UTF-8", document.url, xml=document.media_type != "text/html")
        html = inert(original, _inside, partial(_held, web, document.version.began, wanted.given_up))
        return Kept(html.encode("utf-8", "replace"), "text/html; charset=utf-8")
    if not saved and encoding:
        return Kept(utf8(body, encoding), "text/plain; charset=utf-8")
    return Kept(body, FILE, _name(document.url))


def _held(web: Collection, began: float, given_up: Event, url: str) -> Held | None:
    """What was kept of an address that a page needs: what it was soon after the page came, or is now.

    A page may need thousands, so each is a place to stop when whoever asked for the page has gone or was sent away.
    """
    if given_up.is_set():
        raise Busy("nobody waits for this page any more")
    for _ in range(HOPS):
        try:
            found = _nearest(web, url, began)
        except GossamerError:
            return None
        if found is None:
            return None
        target = found.capture.header("location") if 300 <= found.capture.status < 400 else None
        if target is None:
            said = found.capture.header("content-type") or ""
            whole = found.capture.status == 200
            return Held(found.url, found.capture.body, found.media_type, said) if whole else None
        url = resolve([target], url)[0] or ""
    return None


def _nearest(web: Collection, url: str, began: float) -> Document | None:
    """A page comes first, and what it needs within the hour; where it came before, that was not asked for again."""
    return web.answer_if_kept(url, datetime.fromtimestamp(began + SOON, UTC)) or web.answer_if_kept(url)


def _inside(url: str) -> str:
    """A link in a kept page leads to the kept copy of its target."""
    return link("/cached", url=url)


def _name(url: str) -> str:
    """The end of the address, of letters that no file system and no header minds."""
    last = urlsplit(url).path.rpartition("/")[2]
    return re.sub("[^A-Za-z0-9._-]+", "-", last).strip(".-")[-NAME_MOST:] or "page"
