"""A collection that is watched: what changes is found, and what was learned is there for the next watch."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli import answers
from gossamer.cli.main import main
from gossamer.collection import Outside, crawling
from gossamer.collection.crawl.page_ranks import PageRanks
from gossamer.collection.derive import graphs
from gossamer.errors import NothingFetched
from gossamer.model import Capture, Visit
from gossamer.store.commits import Commits
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

HOME, NEWS, OLD = (f"http://a.example/{name}" for name in ("", "news", "old"))
pytestmark = pytest.mark.usefixtures("seldom_looked_at")
HOUR = 3_600.0
SETTINGS: dict[str, Any] = {"delay": 1.0, "budget": 500.0, "time": HOUR, "shards": 1}


class Changing:
    """Three pages; one of them says something else after half an hour, and one is gone then."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock, self.began = clock, clock.wall()
        self.visits: list[str] = []

    async def fetch(self, visit: Visit) -> Capture:
        self.visits.append(visit.url)
        later = self.clock.wall() - self.began > HOUR / 2
        body = {
            HOME: f'<title>Home</title><p>All about herons.</p><a href="{NEWS}">news</a> <a href="{OLD}">old</a>',
            NEWS: f"<title>News</title><p>{'A bittern was seen.' if later else 'Nothing was seen yet.'}</p>",
        } | ({} if later else {OLD: "<title>Old</title><p>It is as it was, and there is no more to it.</p>"})
        found = body.get(visit.url, "").encode()
        kind = (("content-type", "text/html; charset=utf-8"),)
        head = b"HTTP/1.1 200 OK\r\n" if found else b"HTTP/1.1 404 Not Found\r\n"
        head += b"content-type: text/html; charset=utf-8\r\n\r\n"
        status = 200 if found else 404
        return Capture(visit, self.clock.wall(), 0.1, status, kind, head=head, body=found, wire=found)


def test_what_changes_is_found_and_what_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "ROUND", HOUR / 3)
    clock = VirtualClock()
    made = Changing(clock)
    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, made.fetch)
        clock.run(web.crawl_async(HOME, outside=outside, keep_fresh=True, **SETTINGS))
        assert clock.wall() - made.began == pytest.approx(HOUR, abs=60)
        assert 15 < len(made.visits) <= 500 / 24 + 500 / 24 + 2
        assert [hit.url for hit in web.search("bittern")] == [NEWS]
        assert len(list(web.history(NEWS))) == 2
        change = {each.url: each for each in web.changes(since=datetime.fromtimestamp(made.began + HOUR / 2, UTC))}
        assert {url: each.kind for url, each in change.items()} == {NEWS: "changed", OLD: "gone"}
        freshness = web.status().freshness
        assert freshness is not None
        assert freshness.pages == 2
        answer: Any = web.why(NEWS)
        assert answer.changes_seen == pytest.approx(1, rel=0.7)
        assert answer.next_time > clock.wall() - HOUR
        assert answer.change_rate > web.why(HOME).change_rate  # type: ignore[union-attr]
        assert web.verify().problems == []
        before = len(made.visits)
        clock.run(web.crawl_async(outside=outside, keep_fresh=True))
        assert 10 < len(made.visits) - before <= 500 / 24 + 500 / 24 + 2


def test_a_watch_with_little_to_do_seldom_syncs_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits: list[float] = []
    now = Commits.now

    def noted(self: Commits) -> None:
        commits.append(clock.steady())
        now(self)

    monkeypatch.setattr(Commits, "now", noted)
    clock = VirtualClock()
    made = Changing(clock)
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(HOME, outside=Outside(clock, made.fetch), keep_fresh=True, **SETTINGS))
    assert len(commits) < 3 * len(made.visits) + HOUR / 60


def test_what_pages_count_follows_the_graph_of_the_round_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawling, "ROUND", HOUR / 3)
    clock = VirtualClock()
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(HOME, outside=Outside(clock, Changing(clock).fetch), keep_fresh=True, **SETTINGS))
        ranks = PageRanks(tmp_path / "web")
        assert {url: ranks(url) for url, _ in web.graph.top(9)} == dict(web.graph.top(9))
        for url in (HOME, NEWS):
            answer: Any = web.why(url)
            assert answer.weights.rank == pytest.approx(ranks(url) ** 0.5, rel=0.2)
            assert answer.weights.rank != 1.0
        assert ranks(f"{HOME}unknown") == 1.0
        monkeypatch.setattr(graphs, "current", lambda folder: graphs.Graph(tmp_path / "replaced"))
        assert PageRanks(tmp_path / "web")(HOME) == 1.0, "another graph has just taken its place"
    assert PageRanks(tmp_path / "nothing")(HOME) == 1.0


def test_the_first_change_after_a_crawl_is_learned_from(tmp_path: Path) -> None:
    clock = VirtualClock()
    made = Changing(clock)
    outside = Outside(clock, made.fetch)
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(HOME, outside=outside, **{**SETTINGS, "time": 0.0}))
        clock.advance(HOUR)
        clock.run(web.crawl_async(outside=outside, keep_fresh=True, time=HOUR / 4))
        seen = {url: web.why(url).changes_seen for url in (HOME, NEWS)}  # type: ignore[union-attr]
        assert seen[HOME] == 0 < seen[NEWS] < 1  # the visits after it have made it count less
        assert "(seen to change 1 time lately;" in answers.why(web.why(NEWS))  # type: ignore[arg-type]
        assert "(not seen to change lately;" in answers.why(web.why(HOME))  # type: ignore[arg-type]


def test_changes_are_counted_from_the_beginning_of_the_watch(tmp_path: Path) -> None:
    clock = VirtualClock()
    made = Changing(clock)
    outside = Outside(clock, made.fetch)
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(HOME, outside=outside, **{**SETTINGS, "time": 0.0}))
        assert {each.kind for each in web.changes()} == {"new"}
        clock.advance(HOUR)
        for _ in range(2):  # the second goes on with the first
            clock.run(web.crawl_async(outside=outside, keep_fresh=True, time=HOUR / 4))
            assert {each.url: each.kind for each in web.changes()} == {NEWS: "changed", OLD: "gone"}
        clock.run(web.crawl_async(outside=outside, revisit=True, time=0.0))
        assert list(web.changes()) == []
        clock.run(web.crawl_async(outside=outside, keep_fresh=True, time=HOUR / 4))
        assert list(web.changes()) == []


def test_a_watch_lets_old_versions_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "ROUND", HOUR / 6)
    monkeypatch.setattr(crawling, "DAY", HOUR / 6)
    clock = VirtualClock()
    began, said = clock.wall(), set()

    async def news(visit: Visit) -> Capture:
        time = int((clock.wall() - began) // 600)
        said.add(time)
        body = f"<title>Part {time}</title><p>{f'What happened in part {time} is this. ' * 9}</p>".encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, clock.wall(), 0.1, 200, (("content-type", "text/html"),), head=head, body=body, wire=body)

    settings = {**SETTINGS, "keep": "last 2", "sitemaps": "never"}
    with gossamer.open(tmp_path / "web") as web:
        clock.run(web.crawl_async(HOME, outside=Outside(clock, news), keep_fresh=True, **settings))
        assert len(said) == 6
        assert 2 <= len(list(web.history(HOME))) <= 3  # and what has come since it was pruned last
        assert web.verify().problems == []


def test_a_watch_that_cannot_fetch_any_seed_says_so(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def nothing(visit: Visit) -> Capture:
        return Capture(visit, clock.wall(), 0.1, 404)

    with gossamer.open(tmp_path / "web") as web, pytest.raises(NothingFetched, match="http 404"):
        clock.run(web.crawl_async(HOME, outside=Outside(clock, nothing), keep_fresh=True, **SETTINGS))


FEED, ENTRY = "http://a.example/feed.xml", "http://a.example/bittern"
TTL = 1_800.0


class Fed:
    """A home page and a feed, which has one entry more after some minutes."""

    def __init__(self, clock: VirtualClock, after: float) -> None:
        self.clock, self.news = clock, clock.wall() + after
        self.visits: list[tuple[str, float]] = []

    async def fetch(self, visit: Visit) -> Capture:
        now = self.clock.wall()
        self.visits.append((visit.url, now))
        item = f"<item><title>Bittern</title><link>{ENTRY}</link></item>" if now >= self.news else ""
        found = {
            HOME: ("text/html", f'<link rel="alternate" href="{FEED}"><p>All about herons.</p>'),
            FEED: ("application/rss+xml", f"<rss><channel><title>News</title><ttl>30</ttl>{item}</channel></rss>"),
            ENTRY: ("text/html", "<title>Bittern</title><p>A bittern was seen.</p>"),
        }
        kind, text = found.get(visit.url, ("text/plain", ""))
        head = f"HTTP/1.1 {200 if text else 404} OK\r\ncontent-type: {kind}\r\n\r\n".encode()
        fields = (("content-type", kind),)
        body = text.encode()
        return Capture(visit, now, 0.1, 200 if text else 404, fields, head=head, body=body, wire=body)

    def times(self, url: str) -> list[float]:
        return [when for each, when in self.visits if each == url]


@pytest.mark.parametrize("minutes", [29, *(pytest.param(each, marks=pytest.mark.soak) for each in (2, 40))])
def test_what_is_new_in_a_feed_is_there_when_its_time_is_over_and_nobody_asks_before(
    tmp_path: Path, minutes: int
) -> None:
    clock = VirtualClock()
    made = Fed(clock, minutes * 60.0)
    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, made.fetch)
        clock.run(web.crawl_async(HOME, outside=outside, keep_fresh=True, **{**SETTINGS, "time": 2 * HOUR}))
        feed, (entry,) = made.times(FEED), made.times(ENTRY)[:1]
        gaps = [later - sooner for sooner, later in pairwise(feed)]
        assert gaps
        assert (min(gaps) >= TTL, max(gaps) <= TTL + 60) == (True, True)
        assert made.news <= entry <= made.news + TTL + 60
        assert ENTRY in [hit.url for hit in web.search("bittern")]


def test_the_last_words_of_a_watch_say_what_has_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, fast = str(tmp_path / "web"), ["--allow-address", "127.0.0.0/8", "--delay", "0", "--shards", "1"]
    with MadeWeb(WebSpec(seed=3, hosts=1, pages=3, names="ip")).serve() as served:
        for words, time in (("next: gossamer search", "3s"), ("unchanged", "1s")):  # the first finds all pages new
            assert main(["watch", folder, served.seed, "--time", time, *fast]) == 0
            assert words in capsys.readouterr().out
    assert main(["changes", folder]) == 0
