"""A page's own page: what it says, how it looked, what it was before, who links to it, and why it is in its state."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Collection, Document
from gossamer.collection.ask.times import moment
from gossamer.errors import InvalidURL, NotFound, UsageError
from gossamer.frontier.why import AddressAnswer
from gossamer.model import HTML
from gossamer.web.page_text import written
from gossamer.web.view_context import face_of, status_of

if TYPE_CHECKING:
    from gossamer.collection.ask.history import Diff, Edition
    from gossamer.collection.ask.links import Links
    from gossamer.dedupe.groups import Copy
    from gossamer.model import Hit

VIEWS = {
    "text": "Text", "markdown": "Markdown", "original": "Original", "versions": "Versions", "links": "Links",
    "copies": "Copies", "screenshot": "Picture",
}  # fmt: skip
_WITHOUT_PAGE = ("versions", "links")
"""What there is to see of an address that is no page: it failed, waits, was left out, or leads elsewhere."""
TEXT_MOST = 300_000
"""Characters of a text that are shown."""
ROWS = 100
"""Links on a page of them, and copies and versions at all."""
DIFF_MOST = 2_000
"""Lines of a difference that are shown."""
ADDRESS_MOST = 20_000
"""Characters of an address that are looked at: a longer one is none."""


_NOTHING = Markup("")
_FRAMES = (0xC0, 0xC1, 0xC2)
"""What the part of a JPEG begins with that says how large it is."""
RELATED = 10
"""Pages on the same subject that are named."""
SUBJECT_MOST = 12
"""Words of a title that are asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the address of the view asks for."""

    url: str
    view: str
    at: datetime | None
    old: int | None
    new: int | None
    full: bool
    """All words, and not those of the main content alone."""
    outgoing: int
    """Which page of links, like the next."""
    incoming: int
    needs: int


class Named(NamedTuple):
    """An address, and what the page there calls itself."""

    url: str
    title: str


class Sheet(NamedTuple):
    """One page of a list."""

    rows: Sequence[Any]
    number: int
    last: int
    total: int


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is known for one view."""

    url: str
    view: str
    views: tuple[str, ...]
    answer: AddressAnswer | None
    """None for robots.txt, which belongs to its host."""
    document: Document | None
    problem: str = ""
    """Why there is nothing to be seen in this view."""
    said: str = ""
    rendered: Markup = _NOTHING
    """The same with its headings, lists, code and tables."""
    cut: bool = False
    head: str = ""
    framed: bool = False
    editions: Sequence[Edition] = ()
    left_out: int = 0
    diff: Diff | None = None
    links: Links | None = None
    outgoing: Sheet | None = None
    incoming: Sheet | None = None
    needs: Sheet | None = None
    copies: Sequence[tuple[Copy, str]] = ()
    """Each with its title."""
    related: Sequence[Hit] = ()
    """What a search for the words of its title finds besides."""
    site: str = ""
    extent: tuple[int, int] = (0, 0)
    """Of its picture."""


async def page(request: Request) -> Response:
    """What is known of an address."""
    face, wanted = face_of(request), _wanted(request.query_params)
    if not wanted.url:
        return face.page(request, "page_missing.html", 200, url="", problem="", near=())
    try:
        shown = await face.ask(lambda web: _shown(web, wanted))
    except (NotFound, InvalidURL) as error:
        others = await face.ask(lambda web: web.near(wanted.url)) if isinstance(error, NotFound) else []
        values = {"url": wanted.url, "problem": str(error), "near": others}
        return face.page(request, "page_missing.html", status_of(error), **values)
    names = (name for name in Shown.__slots__ if name not in ("url", "view"))
    return face.page(
        request,
        "page.html",
        url=shown.url,
        view=shown.view,
        names=VIEWS,
        wanted=wanted,
        at=wanted.at.isoformat() if wanted.at else "",
        diff_most=DIFF_MOST,
        **{name: getattr(shown, name) for name in names},
    )


def _wanted(given: QueryParams) -> Wanted:
    return Wanted(
        given.get("url", "")[:ADDRESS_MOST].strip(),
        given.get("view", ""),
        moment(at, end=True) if (at := given.get("at", "").strip()) else None,
        _number(given.get("old", "")),
        _number(given.get("new", "")),
        given.get("full", "") == "1",
        _number(given.get("out", "")) or 1,
        _number(given.get("in", "")) or 1,
        _number(given.get("needs", "")) or 1,
    )


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,6}", text) else None


def _shown(web: Collection, wanted: Wanted) -> Shown:
    url = web.meant(wanted.url)
    document = problem = None
    try:
        document = web.page(url, wanted.at)
    except NotFound as error:
        problem = str(error) if wanted.at else ""
    answer = _answer(web, url, document)
    views = _views(document) if document else _WITHOUT_PAGE
    view = wanted.view if wanted.view in views else views[0] if document else "links"
    return Shown(
        url, view, views, answer, document, **{"problem": problem or "", **_PARTS[view](web, url, document, wanted)}
    )


def _answer(web: Collection, url: str, document: Document | None) -> AddressAnswer | None:
    try:
        answer = web.why(url)
    except NotFound:
        if document is None:
            raise
        return None
    if isinstance(answer, AddressAnswer):
        return answer
    if document is None:
        raise NotFound(f"{url}: was not fetched yet; it is asked for before the first page of its host")
    return None


def _views(document: Document) -> tuple[str, ...]:
    return tuple(each for each in VIEWS if each != "screenshot" or document.capture.screenshot)


def _text(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    assert document is not None
    if document.html and not wanted.full:
        rendered, cut = written(document.html, TEXT_MOST)
        return {"rendered": rendered, "cut": cut}
    said = document.text if wanted.full else document.content or document.text
    return {"said": said[:TEXT_MOST], "cut": len(said) > TEXT_MOST}


def _markdown(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    assert document is not None
    said = document.markdown
    return {"said": said[:TEXT_MOST], "cut": len(said) > TEXT_MOST}


def _original(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    assert document is not None
    framed = document.media_type in HTML or document.version.encoding is not None
    return {"head": document.capture.head.decode("latin-1").replace("\r\n", "\n").strip()[:TEXT_MOST], "framed": framed}


def _versions(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    editions = web.history(url)[::-1]
    found: dict[str, Any] = {"editions": editions[:ROWS], "left_out": max(len(editions) - ROWS, 0)}
    asked = wanted.old is not None or wanted.new is not None
    if asked or sum(1 for each in editions if each.number and 200 <= each.status < 300) > 1:
        try:
            found["diff"] = web.diff(url, wanted.old, wanted.new)
        except NotFound as error:
            found["problem"] = str(error)
    return found


def _links(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    try:
        links = web.links(url)
    except NotFound as error:
        return {"problem": str(error)}
    incoming = _sheet(sorted(links.incoming), wanted.incoming)
    named = [Named(each, web.title_of(each)) for each in incoming.rows]
    return {
        "links": links,
        "outgoing": _sheet(links.outgoing, wanted.outgoing),
        "incoming": incoming._replace(rows=named),
        "needs": _sheet(links.requisites, wanted.needs),
    }


def _sheet(rows: Sequence[Any], number: int) -> Sheet:
    last = max(-(-len(rows) // ROWS), 1)
    number = min(max(number, 1), last)
    return Sheet(rows[(number - 1) * ROWS : number * ROWS], number, last, len(rows))


def _copies(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    assert document is not None
    copies: Sequence[Copy] = ()
    problem = ""
    try:
        copies = web.similar(url)
    except NotFound as error:
        problem = str(error)
    return {
        "copies": [(each, web.title_of(each.url)) for each in copies[:ROWS]],
        "left_out": max(len(copies) - ROWS, 0),
        "problem": problem,
        "related": _related(web, document, {url, *(each.url for each in copies)}),
        "site": urlsplit(url).hostname or "",
    }


def _screenshot(web: Collection, url: str, document: Document | None, wanted: Wanted) -> dict[str, Any]:
    assert document is not None
    return {"extent": extent(document.capture.screenshot)}


def extent(jpeg: bytes) -> tuple[int, int]:
    """Across and down, so that a browser leaves room for it before it has come; zeros where that is not known."""
    at = 2
    while jpeg[at : at + 1] == b"\xff" and at + 9 <= len(jpeg):
        if jpeg[at + 1] in _FRAMES:
            return int.from_bytes(jpeg[at + 7 : at + 9]), int.from_bytes(jpeg[at + 5 : at + 7])
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4])
    return 0, 0


def _related(web: Collection, document: Document, known: Set[str]) -> list[Hit]:
    """Pages that a search for its subject finds: the words of its title, or those that it begins with."""
    subject = re.findall(r"\w+", document.title.lower() or document.content[:200].lower())[:SUBJECT_MOST]
    if not subject:
        return []
    try:
        found = web.search(" ".join(subject), RELATED + min(len(known), ROWS))
    except (NotFound, UsageError):  # there is no index yet
        return []
    return [hit for hit in found if hit.url not in known][:RELATED]


_PARTS = {
    "text": _text, "markdown": _markdown, "original": _original, "versions": _versions, "links": _links,
    "copies": _copies, "screenshot": _screenshot,
}  # fmt: skip
