"""The kept original of a page, for a frame of ours: nothing of it runs, nothing is loaded, it leads nowhere else.

Two things hold it, each for itself. The page is written anew from what is harmless (`convert.html.inert`), and a policy
tells the browser to put it into a sandbox with an origin of its own, without scripts, forms and requests. What is no
page and no text is a download.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.collection.ask.times import moment
from gossamer.convert.charset.decode import utf8
from gossamer.convert.html.inert import Original, inert
from gossamer.errors import GossamerError
from gossamer.web.face import face_of, status_of
from gossamer.web.page_page import ADDRESS_MOST
from gossamer.web.templating import link

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
HEADERS = {"content-security-policy": POLICY, "x-frame-options": "SAMEORIGIN"}
HTML, XHTML = "text/html", "application/xhtml+xml"
FILE = "application/octet-stream"
NAME_MOST = 100


class Kept(NamedTuple):
    """What is sent."""

    body: bytes
    media_type: str
    name: str = ""
    """Of the file that it is to be saved as; nothing for what is shown."""


async def cached(request: Request) -> Response:
    """A version of a page as it came, to be looked at or saved."""
    face, given = face_of(request), request.query_params
    url, at, saved = given.get("url", "")[:ADDRESS_MOST], given.get("at", "").strip(), given.get("download", "") == "1"
    try:
        kept = await face.ask(lambda web: _kept(web, url, at, saved=saved))
    except GossamerError as error:
        answer = face.page(request, "cached_missing.html", status_of(error), url=url, problem=str(error))
        answer.headers.update(HEADERS)
        return answer
    headers = {**HEADERS, "content-disposition": f'attachment; filename="{kept.name}"'} if kept.name else HEADERS
    return Response(kept.body, headers=headers, media_type=kept.media_type)


def _kept(web: Collection, url: str, at: str, *, saved: bool) -> Kept:
    document = web.page(url, moment(at, end=True) if at else None)
    body, encoding = document.capture.body, document.version.encoding
    if not saved and document.media_type in (HTML, XHTML):
        original = Original(body, encoding or "UTF-8", document.url, xml=document.media_type == XHTML)
        return Kept(inert(original, _inside).encode("utf-8", "replace"), "text/html; charset=utf-8")
    if not saved and encoding:
        return Kept(utf8(body, encoding), "text/plain; charset=utf-8")
    return Kept(body, FILE, _name(document.url))


def _inside(url: str) -> str:
    """A link in a kept page leads to the kept copy of its target."""
    return link("/cached", url=url)


def _name(url: str) -> str:
    """The end of the address, of letters that no file system and no header minds."""
    last = urlsplit(url).path.rpartition("/")[2]
    return re.sub("[^A-Za-z0-9._-]+", "-", last).strip(".-")[-NAME_MOST:] or "page"
