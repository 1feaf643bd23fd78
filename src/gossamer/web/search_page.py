"""The search page: a question, its filters, and a page of answers. It works without scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gossamer.collection import Collection, Status
from gossamer.errors import GossamerError, NotFound
from gossamer.search.answer import Answer
from gossamer.search.sorting import Sort
from gossamer.web.api.parameters import TEXT_MOST
from gossamer.web.asked import PAGES_MOST, Asked, asked
from gossamer.web.feed_page import PATH as FEED
from gossamer.web.templating import link
from gossamer.web.view_context import face_of

HITS = 10
"""On a page."""
SUGGESTED = 8
NUMBERED = 4
"""Pages of answers that are named before and after this one."""
_FACETS = {"site": "site", "type": "type", "language": "lang", "year": "year"}
"""What is counted, and the parameter that asks for one value of it."""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer, and what else the page says."""

    status: Status
    answer: Answer | None = None
    behind: int = 0
    """Pages that are not in the index yet."""
    problem: str = ""
    """Why there is no answer."""
    once: int = 0
    """Pages that said it at another time, where nothing is found."""
    signs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """What the score of each answer is made of, by its address, where somebody asks."""


async def search(request: Request) -> Response:
    """The front page, or the answers to a question."""
    face, wanted = face_of(request), asked(request.query_params)
    found = await face.ask(lambda web: _found(web, wanted))
    pages = _pages(found.answer, wanted)
    return face.page(
        request,
        "search.html",
        question=wanted.text,
        asked=wanted,
        values=wanted.values,
        facet_names=_FACETS,
        feed=link(FEED, q=wanted.question.strip()[:TEXT_MOST]),
        first=(wanted.page - 1) * HITS + 1,
        pages=pages,
        last=pages[-1] if pages else 1,
        **{name: getattr(found, name) for name in Found.__slots__},
    )


def _found(web: Collection, wanted: Asked) -> Found:
    status = web.status()
    try:
        at = wanted.moment
        if not (wanted.text or wanted.filters):
            return Found(status)
        first = (wanted.page - 1) * HITS
        answer = web.search(
            wanted.question,
            HITS,
            first,
            sort=wanted.sort,
            facets=not wanted.all_versions,
            at=at,
            all_versions=wanted.all_versions,
        )
        once = 0 if answer.total or wanted.all_versions else web.ever_said(wanted.question)
        signs = {hit.url: made for hit, made in web.explain(wanted.question, HITS, at)} if _explains(wanted) else {}
        return Found(status, answer, web.not_indexed, once=once, signs=signs)
    except GossamerError as error:
        return Found(status, problem=str(error))


def _explains(wanted: Asked) -> bool:
    """Only the best have a reason to be told: by date, or in all of time, the order explains itself."""
    return wanted.explain and wanted.page == 1 and wanted.sort is Sort.RELEVANCE and not wanted.all_versions


def _pages(answer: Answer | None, wanted: Asked) -> list[int]:
    """The pages of answers around this one."""
    if answer is None:
        return []
    known = -(-answer.total // HITS)
    last = min(max(known, wanted.page + 1) if answer.is_least and len(answer) == HITS else known, PAGES_MOST)
    return list(range(max(1, wanted.page - NUMBERED), min(last, wanted.page + NUMBERED) + 1))


async def suggest(request: Request) -> Response:
    """Titles of pages for what has been typed so far, in the form that browsers know from OpenSearch."""
    text = request.query_params.get("q", "")[:200].strip()
    titles = await face_of(request).ask(lambda web: _titles(web, text)) if len(text) > 1 else []
    return JSONResponse([text, titles], media_type="application/x-suggestions+json")


def _titles(web: Collection, text: str) -> list[str]:
    begun = text if re.search(r"\W$", text) else f"{text}*"
    try:
        found = web.search(begun, SUGGESTED)
    except NotFound:
        return []
    return list(dict.fromkeys(hit.title for hit in found if hit.title))


async def description(request: Request) -> Response:
    """So that a browser can add the collection as a search engine."""
    face = face_of(request)
    words = face.templates.get_template("opensearch.xml").render(name=face.name[:16], base=str(request.base_url))
    return Response(words, media_type="application/opensearchdescription+xml")
