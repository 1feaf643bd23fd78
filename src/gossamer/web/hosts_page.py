"""All hosts, a page at a time; and one host: why it stands where it does, what its robots.txt says to us, and what its
addresses have brought."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection
from gossamer.errors import NotFound
from gossamer.frontier.host_details import HostDetails
from gossamer.frontier.why import HostAnswer
from gossamer.web.face import face_of

HOSTS = 50
"""On a page."""
SORTS = {"queued": "Queued", "pages": "Pages", "failed": "Failed", "next": "Next visit", "name": "Host"}


async def hosts(request: Request) -> Response:
    """A table of hosts, by what is asked for."""
    face, given = face_of(request), request.query_params
    sort = given.get("sort", "") if given.get("sort", "") in SORTS else "pages"
    search, cursor = given.get("search", "").strip()[:200], given.get("after") or None
    found = await face.ask(lambda web: web.host_page(sort, search=search, limit=HOSTS, cursor=cursor))
    return face.page(request, "hosts.html", found=found, sort=sort, sorts=SORTS, search=search, is_first=cursor is None)


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
