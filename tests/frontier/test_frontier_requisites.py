"""What pages need is asked for level by level, within bounds, and is a page where a link leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.requisites import CUT, DEEPER, HOSTS_COUNTED, Requisites, as_page, ending
from gossamer.frontier.entries import REMOVED, Entry, State
from gossamer.frontier.ledger import Needed
from gossamer.model import Kind, Link, Page, Visit
from gossamer.urls.scope import Scope

A, STYLE, FRAME, PICTURE = "http://a.example/", "http://a.example/s.css", "http://b.example/f", "http://c.example/p.png"


def found(visit: Visit, *needs: Link) -> list[Found]:
    return list(Requisites(0).found(visit, Page(visit.url, requisites=needs)))


@pytest.mark.parametrize(
    ("kind", "depth", "most"),
    [
        (Kind.PAGE, 0, 1_000),
        (Kind.PAGE, 7, 1_000),  # however far from a seed
        (Kind.RESOURCE, 1, 300),
        (Kind.RESOURCE, 2, 100),
        (Kind.RESOURCE, 3, 30),
        (Kind.RESOURCE, 4, 10),
        (Kind.RESOURCE, 5, 0),
        (Kind.RESOURCE, 6, 0),
    ],
)
def test_each_level_may_need_less_than_the_one_before(kind: Kind, depth: int, most: int) -> None:
    needs = [Link(f"{A}{number}.png") for number in range(1_001)]
    level = depth + 1 if kind is Kind.RESOURCE else 1
    assert found(Visit(A, kind, depth=depth), *needs) == [
        Found(link.url, level, A, Kind.RESOURCE) for link in needs[:most]
    ]


def test_what_a_frame_shows_may_be_a_page_and_says_so() -> None:
    shown = [Link(FRAME, place=place) for place in ("iframe", "frame", "object", "embed", "img", "link", "a")]
    assert [each.hint for each in found(Visit(A), *shown)] == [1, 1, 1, 1, 0, 0, 0]


def test_what_was_met_lately_is_met_again_only_nearer_to_its_page() -> None:
    known = Requisites(0)
    for level, again in ((2, True), (2, False), (3, False), (1, True), (1, False)):
        visit = Visit(STYLE, Kind.RESOURCE if level > 1 else Kind.PAGE, depth=level - 1)
        met = list(known.found(visit, Page(visit.url, requisites=(Link(PICTURE),))))
        assert [each.depth for each in met] == ([level] if again else [])
        for each in met:
            known.recent.add(each.url, each.depth)


def test_a_host_is_asked_for_so_many_and_a_chain_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    known, picture = Requisites(2), Found(PICTURE, 1, A, Kind.RESOURCE)
    for _ in range(2):
        assert known.refusal(picture) is None
        known.queued(PICTURE)
    assert known.refusal(picture) == "more than 2 requisites of its host"
    assert known.refusal(picture._replace(url=STYLE)) is None
    assert known.refusal(picture._replace(url=STYLE, depth=5)) is None
    assert (
        known.refusal(picture._replace(url=STYLE, depth=6)) == DEEPER == "what pages need, more than 5 documents deep"
    )
    free = Requisites(0)
    free.queued(PICTURE)
    assert free.refusal(picture) is None
    for number in range(HOSTS_COUNTED - 1):
        known.queued(f"http://h{number}.example/")
    assert known.refusal(picture) is not None
    known.queued("http://one.more.example/")
    assert known.refusal(picture) is None, "as many hosts are counted anew"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://a.example/dir.d/p.PNG?x=/y.css", "png"),
        ("http://a.example/dir.d/p", ""),
        ("http://a.example/a.tar.gz", "gz"),
        ("http://a.example/", ""),
    ],
)
def test_a_name_ends_with_what_stands_behind_its_last_dot(url: str, says: str) -> None:
    assert ending(url) == says


def entry(state: State, kind: Kind = Kind.PAGE, depth: int = 1, reason: str = "", **more: object) -> Entry:
    return Entry(state, depth, 1.0, reason, kind=kind, **more)  # type: ignore[arg-type]  # fields of an entry


NEEDED = Found(PICTURE, 2, STYLE, Kind.RESOURCE, hops=1)


@pytest.mark.parametrize(
    ("known", "linked"),
    [
        (entry(State.EXCLUDED, reason="left out"), False),
        (entry(State.QUEUED, rank=5, position=9, attempt=2), True),
        (entry(State.DONE, reason=CUT), False),
        (entry(State.EXCLUDED, Kind.RESOURCE, 7, DEEPER), False),
        (entry(State.EXCLUDED, Kind.RESOURCE, 7, DEEPER, linked=True), True),
    ],
)
def test_what_was_left_out_or_waits_is_fetched_where_a_page_needs_it(known: Entry, linked: bool) -> None:
    now = Requisites(0).met_again(NEEDED, known)
    assert (now.state, now.kind, now.depth, now.hops, now.referrer) == (State.QUEUED, Kind.RESOURCE, 2, 1, STYLE)
    assert (now.reason, now.linked, now.rank, now.position, now.attempt) == ("", linked, 0, 0, 0)


@pytest.mark.parametrize(
    ("known", "met"),
    [
        (entry(State.EXCLUDED, reason=f"{REMOVED} by hand"), NEEDED),
        (entry(State.QUEUED, depth=0), NEEDED),  # a seed
        (entry(State.QUEUED, status=200), NEEDED),  # we have it
        (entry(State.QUEUED), NEEDED._replace(hint=1)),  # a frame shows it
        (entry(State.DONE, depth=0, reason=CUT), NEEDED),
        (entry(State.DONE, reason="cut: time"), NEEDED),
        (entry(State.DONE, reason=CUT), NEEDED._replace(url=FRAME)),  # by its name it may be a page
        (entry(State.DONE), NEEDED),
        (entry(State.FAILED), NEEDED),
        (entry(State.QUEUED, Kind.SITEMAP), NEEDED),
        (entry(State.EXCLUDED, Kind.RESOURCE, reason="robots.txt forbids it"), NEEDED),
        (entry(State.QUEUED, Kind.RESOURCE), NEEDED),
        (entry(State.DONE, Kind.RESOURCE, document=True), Found(PICTURE, 3, A)),  # no page, by its name
        (entry(State.QUEUED, Kind.RESOURCE, linked=True), Found(FRAME, 3, A)),
        (entry(State.DONE, Kind.RESOURCE), Found(FRAME, 3, A)),
        (entry(State.FAILED, Kind.RESOURCE, document=True), Found(FRAME, 3, A)),
    ],
)
def test_all_else_stays_what_it_is(known: Entry, met: Found) -> None:
    assert Requisites(0).met_again(met, known) == known


@pytest.mark.parametrize(
    "known", [entry(State.EXCLUDED, Kind.RESOURCE, 7, DEEPER), entry(State.DONE, Kind.RESOURCE, document=True)]
)
def test_what_pages_need_is_a_page_where_a_link_leads_to_it(known: Entry) -> None:
    assert Requisites(0).met_again(Found(FRAME, 3, A), known) == as_page(known, 3, A)
    waiting = entry(State.QUEUED, Kind.RESOURCE)
    assert Requisites(0).met_again(Found(FRAME, 3, A), waiting).linked


def test_what_pages_need_is_counted_by_itself() -> None:
    needed = Needed(reasons={})
    entries = [
        *[entry(State.DONE, Kind.RESOURCE, status=200)] * 5,
        entry(State.DONE, Kind.RESOURCE, status=301, target=A),  # where it leads to is counted
        *[entry(State.QUEUED, Kind.RESOURCE)] * 4,
        *[entry(State.FAILED, Kind.RESOURCE, reason="http 404")] * 3,
        *[entry(State.EXCLUDED, Kind.RESOURCE, reason=DEEPER)] * 2,
    ]
    for each in entries:
        needed.shift(each, 1)
    assert needed == Needed(5, 4, 3, 2, {"http 404": 3, DEEPER: 2})
    assert needed.all == 14
    for each in entries:
        needed.shift(each, -1)
    assert needed == Needed(reasons={})


def dressed(held: Books, url: str, *, is_document: bool) -> None:
    """A page needs it, and it is answered."""
    held.frontier.add([Found(A)])
    held.frontier.sift()
    held.answered(A, page={"requisites": (Link(url),)})
    held.frontier.sift()
    assert held.entry(url).kind is Kind.RESOURCE
    more = {"text": "words", "content": "words"} if is_document else {}
    kind = "text/html" if is_document else "image/png"
    held.answered(url, headers=(("content-type", kind),), page=more)


def test_a_page_that_another_shows_as_a_picture_comes_as_a_page_once_a_link_leads_to_it(tmp_path: Path) -> None:
    with books(tmp_path, requisites=True) as held:
        dressed(held, FRAME, is_document=True)
        assert (held.state(FRAME), held.entry(FRAME).kind) == ("DONE", Kind.RESOURCE)
        held.frontier.add([Found(FRAME, 4, A)])
        held.frontier.sift()
        now = held.entry(FRAME)
        assert (now.state, now.kind, now.depth) == (State.QUEUED, Kind.PAGE, 4)


def test_where_a_link_was_there_before_it_comes_as_a_page_at_once(tmp_path: Path) -> None:
    with books(tmp_path, requisites=True) as held:
        held.frontier.add([Found(FRAME, 2, A)])
        dressed(held, FRAME, is_document=True)
        now = held.entry(FRAME)
        assert (now.state, now.kind, now.linked) == (State.QUEUED, Kind.PAGE, False)
        held.answered(FRAME)
        assert held.state(FRAME) == "DONE"


@pytest.mark.parametrize(("kind", "inside"), [("any", True), ("host", False)])
def test_a_picture_that_a_link_leads_to_is_no_page_within_the_scope(tmp_path: Path, kind: str, inside: bool) -> None:
    scope = Scope("any") if kind == "any" else Scope("host", seeds=frozenset({A}))
    with books(tmp_path, scope=scope, requisites=True, media_links=True) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        held.answered(A, 200, PICTURE, f"{A}b")
        held.frontier.sift()
        assert held.entry(f"{A}b").kind is Kind.PAGE
        now = held.entry(PICTURE)
        assert (now.kind, now.state) == ((Kind.RESOURCE, State.QUEUED) if inside else (Kind.PAGE, State.EXCLUDED))
