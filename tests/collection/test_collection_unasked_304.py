"""A 304 to a request without a condition is a fault of its server, and no damage to the collection."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import gossamer
from gossamer.collection import Outside
from gossamer.errors import NothingFetched
from gossamer.frontier import Entry, State
from gossamer.frontier.answer.outcome import Act, judge
from gossamer.frontier.queue.retry import FAULTS
from gossamer.model import Capture, Fault, Kind, Visit
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

HEAD = b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'


class Site:
    """A made web of one host that answers some addresses with 304, whatever it was asked."""

    def __init__(self, *unasked: str) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(WebSpec(seed=3, hosts=1, pages=6), clock=self.clock)
        self.unasked = {self.web.seed.rstrip("/") + path for path in unasked}
        self.visits: list[Visit] = []

    async def fetch(self, visit: Visit) -> Capture:
        self.visits.append(visit)
        if visit.url not in self.unasked:
            return await self.web.fetch(visit)
        return Capture(visit, self.clock.wall(), 0.1, 304, (("etag", '"x"'),), head=HEAD)

    def crawl(self, collection: gossamer.Collection, **more: Any) -> None:
        outside = Outside(self.clock, self.fetch)
        with suppress(NothingFetched):
            self.clock.run(collection.crawl_async(self.web.seed, outside=outside, **more))


def captures(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*.warc.gz*"))}


def test_the_collection_verifies_and_the_address_is_not_done(tmp_path: Path) -> None:
    site = Site("/")
    with gossamer.open(tmp_path) as collection:
        site.crawl(collection)
        why = collection.why(site.web.seed)
        assert why.state != "done"
        assert "no condition" in str(why)
        assert_sound(collection)
        assert [page.url for page in collection.pages()] == []


def test_a_page_that_was_kept_stays_when_a_304_comes_that_nobody_asked_for(tmp_path: Path) -> None:
    site = Site()
    with gossamer.open(tmp_path) as collection:
        site.crawl(collection)
        text = collection.page(site.web.seed).text
        site.unasked = {site.web.seed}
        site.crawl(collection, revisit=True)
        assert collection.page(site.web.seed).text == text
        assert_sound(collection)


def test_rows_that_are_made_again_do_not_turn_it_into_a_page(tmp_path: Path) -> None:
    site = Site("/")
    with gossamer.open(tmp_path) as collection:
        site.crawl(collection)
    shutil.rmtree(tmp_path / "shards" / "00" / "table")
    with gossamer.open(tmp_path) as collection:
        assert collection.repair().left == ()
        assert collection.why(site.web.seed).state != "done"
        assert collection.verify().problems == []


def test_it_is_a_fault_of_the_protocol_and_tried_again_as_such() -> None:
    outcome = judge(Capture(Visit("http://a.example/"), 0.0, 0.1, 304), lambda _: True)
    assert (outcome.act, outcome.rule) == (Act.FAIL, FAULTS[Fault.PROTOCOL])
    for asked in (Visit("http://a.example/", etag='"x"'), Visit("http://a.example/", modified="Mon")):
        assert judge(Capture(asked, 0.0, 0.1, 304), lambda _: True).act is Act.UNCHANGED


def test_what_an_earlier_crawl_took_for_unchanged_is_asked_for_without_a_condition() -> None:
    entry = Entry(State.DONE, 0, 0.0, status=304, etag='"x"', modified="Mon, 01 Jan 2024 00:00:00 GMT")
    visit = entry.visit("http://a.example/")
    assert (visit.etag, visit.modified) == (None, None)


def test_a_robots_txt_that_answers_so_closes_its_origin(tmp_path: Path) -> None:
    site = Site("/robots.txt")
    with gossamer.open(tmp_path) as collection:
        site.crawl(collection)
        assert {visit.kind for visit in site.visits} == {Kind.ROBOTS}
        assert "robots.txt is unreachable (http 304)" in str(collection.why(site.web.seed))
        assert_sound(collection)


def assert_sound(collection: gossamer.Collection) -> None:
    """Nothing is wrong, and a repair finds nothing to do."""
    assert collection.verify().problems == []
    before = captures(collection.path)
    done = collection.repair()
    assert (done.problems, done.adopted, done.aside) == ((), 0, ())
    assert captures(collection.path) == before
