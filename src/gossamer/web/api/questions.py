"""All questions of the API: where each is, what it takes, what it answers, and which verb of the collection it is.

What changes something is no question: it is in `steering`, is asked by POST, and carries the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import dropwhile, islice
from typing import Any, TypeVar

import msgspec

from gossamer.collection import Collection, Status
from gossamer.collection.ask.broken import Broken
from gossamer.collection.ask.times import moment
from gossamer.errors import UsageError
from gossamer.frontier.why import AddressAnswer, HostAnswer
from gossamer.printable import timestamp
from gossamer.urls import keys
from gossamer.web.api import answers, parameters
from gossamer.web.api.cursors import Cursor, address_after, host_after, written

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """One of them."""

    name: str
    """Its place below /api/v1."""
    text: str
    takes: type[msgspec.Struct]
    gives: tuple[type, ...]
    """One of these."""
    ask: Callable[[Collection, Any], dict[str, Any]]
    is_steady: bool = True
    """The answer is the same until somebody commits; that of others also depends on the clock or on who is at work."""
    walks: bool = False
    """It looks at every address, and is asked by one at a time."""


def search(web: Collection, asked: parameters.Search) -> dict[str, Any]:
    """Hits, and what else there is to say of them."""
    at = moment(asked.at, end=True) if asked.at else None
    if asked.explain and asked.all_versions:
        raise UsageError("explain: says what a score is made of now, or at a time; ask without all_versions")
    found = web.search(
        asked.q,
        asked.limit,
        asked.offset,
        sort=asked.sort,
        facets=asked.facets,
        at=at,
        all_versions=asked.all_versions,
    )
    explained = web.explain(asked.q, asked.limit + asked.offset, at) if asked.explain else []
    waiting = web.not_indexed if web.is_built else None
    return found.as_json(asked.q, waiting, {hit.url: signs for hit, signs in explained} if explained else None)


def pages(web: Collection, asked: parameters.Listing) -> dict[str, Any]:
    """What is known of each without reading it."""
    last = address_after(asked.cursor)
    found = web.listed(site=asked.site or None, after=last.after if last else None)
    some, more = _some(found, asked.limit)
    following = written(Cursor(some[-1].url)) if more else None
    return {"pages": [each.as_json() for each in some], "next": following}


def page(web: Collection, asked: parameters.PageAt) -> dict[str, Any]:
    """Text, Markdown, metadata and links of one version."""
    return web.page(asked.url, moment(asked.at, end=True) if asked.at else None).as_json()


def links(web: Collection, asked: parameters.OfAddress) -> dict[str, Any]:
    """In and out."""
    return web.links(asked.url).as_json()


def history(web: Collection, asked: parameters.Versions) -> dict[str, Any]:
    """All versions of a page, or those that say something."""
    editions = web.history(asked.url, asked.search)
    if not editions and not web.history(asked.url):
        web.page(asked.url)  # says what is known of it
    return {"url": asked.url, "versions": [each.as_json() for each in editions]}


def diff(web: Collection, asked: parameters.Difference) -> dict[str, Any]:
    """What changed between two of them."""
    return web.diff(asked.url, _version(asked.old), _version(asked.new)).as_json()


def _version(text: str) -> int | datetime | None:
    if not text:
        return None
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else moment(text, end=True)


def hosts(web: Collection, asked: parameters.Hosts) -> dict[str, Any]:
    """Each with its sums, and why it waits."""
    found = web.host_page(
        asked.sort,
        search=asked.search,
        site=asked.site or None,
        limit=asked.limit,
        cursor=host_after(asked.cursor),
    )
    following = written(Cursor(found.cursor)) if found.cursor else None
    return {"whole": found.whole, "hosts": [each.as_json() for each in found.hosts], "next": following}


def host(web: Collection, asked: parameters.OfHost) -> dict[str, Any]:
    """How it is treated, and why."""
    return asdict(web.why(asked.host))


def series(web: Collection, asked: parameters.Past) -> dict[str, Any]:
    """The sums at many times."""
    found = web.series(moment(asked.since) if asked.since else None, asked.points)
    return {"series": [each.as_json() for each in found]}


def status(web: Collection, asked: parameters.Nothing) -> dict[str, Any]:
    """The sums."""
    return web.status().as_json()


def why(web: Collection, asked: parameters.Subject) -> dict[str, Any]:
    """Where an address or a host stands."""
    return asdict(web.why(asked.subject))


def broken(web: Collection, asked: parameters.Listing) -> dict[str, Any]:
    """Each with the links to it."""
    last = address_after(asked.cursor)
    some, more = _some(_after(web.broken(site=asked.site or None), last), asked.limit)
    following = written(Cursor(some[-1].url)) if more else None
    return {"broken": [each.as_json() for each in some], "next": following}


def _after(found: Iterable[Broken], last: Cursor | None) -> Iterator[Broken]:
    """Who links where is found by one walk over all links, so what was given before is found again, and passed over."""
    start = keys.row(last.after) if last else b""
    return dropwhile(lambda each: keys.row(each.url) <= start, found)


def changes(web: Collection, asked: parameters.ChangedSince) -> dict[str, Any]:
    """Since a time, or since the last crawl began."""
    last = address_after(asked.cursor)
    since = moment(asked.since) if asked.since else None
    if last is not None and last.since is not None:
        since = datetime.fromtimestamp(last.since, UTC)
    newest = asked.limit if asked.sort == "newest" else 0
    if last is not None and newest:
        raise UsageError("cursor: the newest have no further page; ask with sort=address")
    after = last.after if last else None
    found = web.changes(since, query=asked.q, site=asked.site or None, newest=newest, after=after)
    basis = min(found.since)
    some, more = _some(iter(found), asked.limit)
    following = written(Cursor(some[-1].url, basis)) if more else None
    return {"since": timestamp(basis), "changes": [each.as_json() for each in some], "next": following}


def similar(web: Collection, asked: parameters.OfAddress) -> dict[str, Any]:
    """Copies, and pages that are alike."""
    copies = web.similar(asked.url)
    return {"url": asked.url, "copies": [copy.as_json(web.title_of(copy.url)) for copy in copies]}


def _some(found: Iterator[T], limit: int) -> tuple[list[T], bool]:
    """A page of a list, and whether there is more."""
    some = list(islice(found, limit + 1))
    return some[:limit], len(some) > limit


QUESTIONS = (
    Question("search", "The pages that answer a question best", parameters.Search, (answers.Found,), search),
    Question("pages", "All pages, without what they say", parameters.Listing, (answers.PageList,), pages),
    Question("page", "One page: text, Markdown, metadata, links", parameters.PageAt, (answers.Page,), page),
    Question("links", "Who points to an address and what it points to", parameters.OfAddress, (answers.Links,), links),
    Question("history", "The versions of a page", parameters.Versions, (answers.History,), history),
    Question("diff", "What changed between two versions", parameters.Difference, (answers.Diff,), diff),
    Question("similar", "Copies of a page, and pages like it", parameters.OfAddress, (answers.CopyList,), similar),
    Question("hosts", "Hosts, with their sums", parameters.Hosts, (answers.HostList,), hosts, is_steady=False),
    Question("host", "How a host is treated, and why", parameters.OfHost, (HostAnswer,), host, is_steady=False),
    Question("status", "The sums over all addresses", parameters.Nothing, (Status,), status, is_steady=False),
    Question("series", "How it went: the sums at many times", parameters.Past, (answers.Series,), series),
    Question(
        "why",
        "State, reason, next time and history of an address or a host",
        parameters.Subject,
        (AddressAnswer, HostAnswer),
        why,
        is_steady=False,
    ),
    Question(
        "broken", "What is broken, with the links to it", parameters.Listing, (answers.BrokenList,), broken, walks=True
    ),
    Question(
        "changes",
        "What is new, changed or gone",
        parameters.ChangedSince,
        (answers.ChangeList,),
        changes,
        is_steady=False,
    ),
)
