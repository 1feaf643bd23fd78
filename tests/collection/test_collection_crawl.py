"""A crawl of the made web without sockets, on the virtual clock: what comes out must be the truth about that web."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.errors import NotFound, NothingFetched, UsageError
from gossamer.model import Capture, Visit
from gossamer.testing import (
    Changes,
    Copies,
    Errors,
    MadeWeb,
    Marks,
    Redirects,
    RobotsFiles,
    Sitemaps,
    VirtualClock,
    WebSpec,
)

EVERYTHING = WebSpec(
    seed=5,
    hosts=4,
    pages=25,
    latency=(0.05, 0.4),
    gzip=True,
    encodings=0.3,
    errors=Errors(missing=0.1, broken=0.05, busy=0.05, dropped=0.05, cut=0.05, transient=1.0),
    redirects=Redirects(chains=0.1, hops=3, across=0.5, loops=0.05),
    robots=RobotsFiles(rules=0.5, delays=0.5, moved=0.5),
    copies=Copies(exact=0.2),
    sitemaps=Sitemaps(hosts=0.5, orphans=4),
    marks=Marks(noindex=0.1, nofollow_pages=0.1, nofollow_links=0.1),
)


class Crawl:
    """A made web, a clock, and a collection to crawl it into."""

    def __init__(self, folder: Path, spec: WebSpec) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(spec, clock=self.clock)
        self.collection = gossamer.open(folder / "web")

    def __call__(self, *seeds: str, **settings: Any) -> gossamer.Status:
        outside = Outside(self.clock, self.web.fetch)
        asked = {"scope": "any", **settings}
        return self.clock.run(self.collection.crawl_async(*seeds, outside=outside, **asked))


@pytest.fixture
def crawl_of(tmp_path: Path) -> Iterator[Callable[[WebSpec], Crawl]]:
    crawls: list[Crawl] = []

    def make(spec: WebSpec) -> Crawl:
        crawls.append(Crawl(tmp_path, spec))
        return crawls[-1]

    yield make
    for crawl in crawls:
        crawl.collection.close()


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    """One crawl for all that is asked of it."""
    crawl = Crawl(tmp_path_factory.mktemp("everything"), EVERYTHING)
    crawl(crawl.web.seed, patience=1e9)
    yield crawl
    crawl.collection.close()


def urls(collection: Collection) -> set[str]:
    return {page.url for page in collection.pages()}


def test_an_honest_crawl_fetches_all_that_is_reachable_and_nothing_else(everything: Crawl) -> None:
    assert urls(everything.collection) == everything.web.reachable()
    assert everything.collection.status().pages == len(everything.web.reachable())
    assert everything.collection.verify().problems == []


def test_a_crawl_of_everything_keeps_the_politeness_contract(everything: Crawl) -> None:
    log = everything.web.log
    assert log.disallowed() == []
    assert log.early() == []
    for number in range(EVERYTHING.hosts):
        host = everything.web.host(number)
        assert log.overlaps(host) == []
        assert min(log.gaps(host)) >= (everything.web.crawl_delay(number) or 1.0) - 1e-6


def test_text_links_and_copies_come_out_as_they_were_made(everything: Crawl) -> None:
    whole = [page for page in everything.collection.pages() if page.version.truncated is None]
    assert len(whole) > 100
    for page in whole:
        made = [link.url for link in everything.web.links(page.url)]
        assert [link.url for link in page.links if link.place == "a"] == made
        assert page.title
        assert "\ufffd" not in page.text
    marked = {page.url: page.version.copy_of for page in everything.collection.pages() if page.version.copy_of}
    families = {frozenset(pair) for pair in everything.web.copies()}
    assert marked
    assert all(frozenset(pair) in families for pair in marked.items())


def test_a_crawl_can_be_cut_in_pieces_by_its_page_limit(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(seed=2, hosts=3, pages=20))
    for limit in (5, 17, 40, 0):
        status = crawl(*([crawl.web.seed] if limit == 5 else []), pages=limit)
        assert status.pages == (limit or 60)
    assert urls(crawl.collection) == crawl.web.reachable()
    assert max(crawl.web.log.counts().values()) == 1


def test_the_same_command_again_fetches_nothing_again(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=10))
    crawl(crawl.web.seed)
    asked = len(crawl.web.log.entries)
    crawl(crawl.web.seed)
    assert len(crawl.web.log.entries) == asked


def test_a_wider_plan_lets_in_what_was_left_out(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(hosts=3, pages=10))
    crawl(crawl.web.seed, scope="host")
    assert {page.url.split("/")[2] for page in crawl.collection.pages()} == {"h0.example"}
    crawl(scope="any")
    assert urls(crawl.collection) == crawl.web.reachable()


def test_a_revisit_takes_only_what_has_changed(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    spec = WebSpec(seed=3, pages=30, changes=Changes(pages=0.5, rate=(1.0, 1.0)))
    crawl = crawl_of(spec)
    crawl(crawl.web.seed)
    before = {page.url: page.text for page in crawl.collection.pages()}
    crawl.clock.advance(5 * 86_400)
    asked = len(crawl.web.log.entries)
    crawl(revisit=True)
    again = crawl.web.log.entries[asked:]
    assert {entry.status for entry in again if entry.path != "/robots.txt"} == {200, 304}
    now = {page.url: page.text for page in crawl.collection.pages()}
    changed = {url for url in before if before[url] != now[url]}
    assert changed == {entry.url for entry in again if entry.status == 200}
    assert crawl.collection.verify().problems == []


@pytest.mark.parametrize("order", ["breadth", "random"])
def test_a_revisit_at_a_limit_asks_for_the_pages_that_are_there(
    crawl_of: Callable[[WebSpec], Crawl], order: str
) -> None:
    crawl = crawl_of(WebSpec(seed=3, pages=40))
    crawl(crawl.web.seed, pages=12, order=order)
    before, asked = urls(crawl.collection), len(crawl.web.log.entries)
    crawl.clock.advance(86_400)
    status = crawl(revisit=True)
    again = {entry.url for entry in crawl.web.log.entries[asked:] if entry.path != "/robots.txt"}
    assert again == urls(crawl.collection) == before
    assert status.pages == 12


def test_an_older_version_can_be_asked_for(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(seed=3, pages=5, changes=Changes(pages=1.0, rate=(2.0, 2.0))))
    crawl(crawl.web.seed)
    first = crawl.collection.page(crawl.web.seed)
    crawl.clock.advance(30 * 86_400)
    crawl(revisit=True)
    assert crawl.collection.page(crawl.web.seed).text != first.text
    assert crawl.collection.page(crawl.web.seed, at=first.fetched).text == first.text


def test_the_exported_lines_have_the_promised_fields(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=5))
    crawl(crawl.web.seed)
    out = io.BytesIO()
    assert crawl.collection.export("jsonl", out) == 5
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert set(lines[0]) == {
        *("url", "final_url", "fetched", "status", "media_type", "digest", "title", "text"),
        *("content", "markdown", "language", "kind", "author", "published", "modified", "last_modified"),
        *("depth", "copy_of", "near_copy_of", "links"),
    }
    assert {link for line in lines for link in line["links"][0]} == {"url", "anchor", "rel", "content"}
    assert [line["depth"] for line in lines if line["url"] == crawl.web.seed] == [0]


def test_a_crawl_of_nothing_says_why(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=1))
    with pytest.raises(NothingFetched, match=r"h0\.example/nowhere: http 404"):
        crawl("http://h0.example/nowhere")


def test_a_crawl_of_nothing_says_why_of_three_seeds_and_that_there_are_more(
    crawl_of: Callable[[WebSpec], Crawl],
) -> None:
    crawl = crawl_of(WebSpec(pages=1))
    seeds = [f"http://h0.example/nowhere{number}" for number in range(4)]
    with pytest.raises(NothingFetched) as told:
        crawl(*seeds[:3])
    assert "other seeds" not in str(told.value)
    with pytest.raises(NothingFetched, match=r"gossamer status .*web` counts the reasons of the other seeds") as told:
        crawl(*seeds)
    assert str(told.value).count("http 404") == 3


def test_questions_about_the_unknown_are_answered_plainly(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=2))
    crawl(crawl.web.seed, scope="host")
    with pytest.raises(NotFound, match="never met, and it would be left out: outside the hosts"):
        crawl.collection.why("http://elsewhere.example/")
    with pytest.raises(NotFound, match="no such host"):
        crawl.collection.why("elsewhere.example")
    with pytest.raises(NotFound, match="no page"):
        crawl.collection.page("http://h0.example/nowhere")
    with pytest.raises(UsageError, match="unknown format"):
        crawl.collection.export("docx", io.BytesIO())


def test_why_tells_state_reason_and_history(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(seed=1, pages=30, errors=Errors(missing=1.0, broken=1.0)))
    crawl(crawl.web.seed, patience=0)
    missing = next(
        e.url for e in crawl.web.log.entries if e.status == 404 and e.path not in ("/robots.txt", "/sitemap.xml")
    )
    broken = next(e.url for e in crawl.web.log.entries if e.status == 500)
    gone = crawl.collection.why(missing)
    assert (gone.state, gone.reason) == ("failed", "http 404")
    later = crawl.collection.why(broken)
    assert (later.state, later.reason) == ("queued", "http 500; to be tried again")
    assert later.next_time is not None
    host = crawl.collection.why("h0.example")
    assert host.state in ("waiting", "resting", "paused")
    assert "least delay 1 s" in getattr(host, "basis")  # noqa: B009 - the answer for a host has it, mypy sees both kinds


def test_a_narrower_plan_holds_for_what_is_queued(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(hosts=3, pages=10))
    crawl(crawl.web.seed, pages=2)
    before = len(crawl.web.log.of("h1.example"))
    crawl(pages=0, exclude=("h1.example",))
    assert len(crawl.web.log.of("h1.example")) == before
    assert {page.url.split("/")[2] for page in crawl.collection.pages()} >= {"h0.example", "h2.example"}


def test_a_wider_plan_still_leaves_nofollow_links_alone(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(hosts=2, pages=10, marks=Marks(nofollow_links=1.0)))
    crawl(crawl.web.seed, scope="host")
    crawl(scope="any")
    assert urls(crawl.collection) == crawl.web.reachable()


def test_a_seed_that_failed_is_tried_again_when_it_is_given_again(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=2))
    for _ in range(2):
        with pytest.raises(NothingFetched):
            crawl("http://h0.example/nowhere")
    assert crawl.web.log.counts()["http://h0.example/nowhere"] == 2


def test_copies_are_counted_once_however_often_they_are_visited(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=20, copies=Copies(exact=0.5)))
    copies = crawl(crawl.web.seed).duplicates
    assert copies == len(list(crawl.web.copies()))
    assert crawl(revisit=True).duplicates == copies


def test_a_plan_that_was_there_before_the_first_crawl_is_obeyed(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=20))
    crawl.collection.path.mkdir()
    (crawl.collection.path / "plan.toml").write_text("pages = 7\ncontact = 'me@example.org'\n")
    assert crawl(crawl.web.seed).pages == 7
    assert crawl.collection.plan.contact == "me@example.org"


def test_every_file_that_was_fetched_can_be_shown(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=2, robots=RobotsFiles(rules=1.0)))
    crawl(crawl.web.seed)
    assert "Disallow" in crawl.collection.page("http://h0.example/robots.txt").text


def test_the_index_has_a_line_for_every_capture(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=6))
    crawl(crawl.web.seed)
    out = io.BytesIO()
    lines = crawl.collection.export("cdxj", out)
    assert lines == len(out.getvalue().splitlines()) == len(crawl.web.log.entries)
    assert out.getvalue().splitlines() == sorted(out.getvalue().splitlines())


def test_a_page_with_too_many_links_says_so(crawl_of: Callable[[WebSpec], Crawl]) -> None:
    crawl = crawl_of(WebSpec(pages=1))
    links = b"".join(b"<a href=/%d>x</a>" % number for number in range(6_000))
    seed = crawl.web.seed

    async def fetch(visit: Visit) -> Capture:
        capture = await crawl.web.fetch(visit)
        return replace(capture, body=links, wire=links) if visit.url == seed else capture

    outside = Outside(crawl.clock, fetch)
    crawl.clock.run(crawl.collection.crawl_async(seed, outside=outside, pages=1))
    assert crawl.collection.why(seed).reason == "more links than the 5,000 that were followed"
    assert crawl.collection.status().queued == 5_000 + 1  # and the sitemap that every host may have
