"""Broken links: what failed or is gone, and the pages that link to it. To find them all, every address is looked at.

So what was found is remembered, and turning its pages costs nothing.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from gossamer.collection import Collection
from gossamer.collection.ask.broken_table import BrokenTable
from gossamer.collection.ask.remembered import Remembered
from gossamer.errors import UsageError
from gossamer.web.leases import Busy
from gossamer.web.view_context import Face, face_of, status_of

if TYPE_CHECKING:
    from gossamer.collection.ask.broken import Source

ROWS = 50
"""Addresses on a page."""
ROWS_MOST = 10_000
"""Addresses that can be turned to. All are counted; the file has them all."""
SOURCES = 5
"""Links to an address that are shown."""
LIMIT, EXPORT_LIMIT = 30.0, 300.0
"""Seconds that a page and a download may take."""
IN_MEMORY = 1 << 20
CHUNK = 1 << 16


class Row(NamedTuple):
    """A broken address as it is shown."""

    url: str
    reason: str
    again: float | None
    sources: tuple[Source, ...]
    """The first ones."""
    links: int
    """How many there are."""


@dataclass(slots=True)
class Found:
    """What is broken."""

    total: int = 0
    later: int = 0
    """Those that failed so far, and are to be tried again."""
    links: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Whatever reason was asked for."""
    rows: list[Row] = field(default_factory=list)


async def broken(request: Request) -> Response:
    """A page of them."""
    face, given = face_of(request), request.query_params
    site, reason = given.get("site", "").strip()[:300], given.get("reason", "")[:300]
    number = max(int(page), 1) if re.fullmatch("[0-9]{1,6}", page := given.get("page", "")) else 1
    problem, code, found = "", 200, Found()
    try:
        found = await face.ask_at(lambda web, state: _remembered(request, face, web, state, (site, reason)), LIMIT)
    except (Busy, UsageError) as error:
        problem, code = str(error), status_of(error)
    return face.page(
        request,
        "broken.html",
        code,
        site=site,
        reason=reason,
        number=number,
        last=max(-(-len(found.rows) // ROWS), 1),
        found=found,
        rows=found.rows[(number - 1) * ROWS : number * ROWS],
        problem=problem,
    )


def _remembered(request: Request, face: Face, web: Collection, state: str, filters: tuple[str, str]) -> Found:
    kept: Remembered[Found] = request.app.state.broken
    return kept.get(filters, state, lambda: face.alone(lambda: _found(web, *filters)))


def _found(web: Collection, site: str, reason: str) -> Found:
    found = Found()
    for each in web.broken(site=site or None):
        kind = each.reason.partition(":")[0]
        found.reasons[kind] += 1
        if reason and kind != reason:
            continue
        if len(found.rows) < ROWS_MOST:
            found.rows.append(Row(each.url, each.reason, each.again, each.sources[:SOURCES], len(each.sources)))
        found.total += 1
        found.later += each.again is not None
        found.links += len(each.sources)
    return found


async def table(request: Request) -> Response:
    """All of them as CSV."""
    face, site = face_of(request), request.query_params.get("site", "").strip()[:300]
    file = await face.walk(lambda web: _written(web, site), EXPORT_LIMIT)
    headers = {"content-disposition": 'attachment; filename="broken.csv"'}
    return StreamingResponse(_chunks(file), media_type="text/csv; charset=utf-8", headers=headers)


def _written(web: Collection, site: str) -> IO[bytes]:
    """Written down first: a slow reader must not hold the collection, and what goes wrong is said before the answer."""
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # it is closed when it was sent
    text = io.TextIOWrapper(file, "utf-8", errors="replace", newline="")
    rows = BrokenTable(text)
    for each in web.broken(site=site or None):
        rows.add(each)
    text.detach()
    file.seek(0)
    return file


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while some := file.read(CHUNK):
            yield some
