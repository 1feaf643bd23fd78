"""A collection that is watched: what changes is found, and what was learned is there for the next watch."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Outside, collection
from gossamer.errors import NothingFetched
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing import VirtualClock

HOME, NEWS, OLD = (f"http://a.example/{name}" for name in ("", "news", "old"))
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
    monkeypatch.setattr(collection, "ROUND", HOUR / 3)
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


def test_a_watch_that_cannot_fetch_any_seed_says_so(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def nothing(visit: Visit) -> Capture:
        return Capture(visit, clock.wall(), 0.1, 404)

    with gossamer.open(tmp_path / "web") as web, pytest.raises(NothingFetched, match="http 404"):
        clock.run(web.crawl_async(HOME, outside=Outside(clock, nothing), keep_fresh=True, **SETTINGS))


class Closing:
    """Two pages of a host that is closed for some hours, in one way or another."""

    def __init__(self, clock: VirtualClock, closed: str, first: float, last: float) -> None:
        self.clock, self.closed, self.first, self.last = clock, closed, clock.wall() + first, clock.wall() + last
        self.visits: list[str] = []
        """After it was open again."""

    async def fetch(self, visit: Visit) -> Capture:
        now, url = self.clock.wall(), visit.url
        is_closed = self.first < now < self.last
        if now > self.last:
            self.visits.append(url)
        if is_closed and self.closed == "silent":
            return Capture(visit, now, 0.1, failure=Failure(Fault.CONNECT, "nobody is there"))
        if url.endswith("/robots.txt"):
            rules = b"User-agent: *\nDisallow: /\n" if is_closed and self.closed == "robots.txt" else b""
            return _answer(visit, now, 200, rules, "text/plain")
        if is_closed and self.closed == "404":
            return _answer(visit, now, 404, b"")
        words = f'<title>{url}</title><p>All about herons.</p><a href="{NEWS}">news</a>'.encode()
        return _answer(visit, now, 200 if url in (HOME, NEWS) else 404, words if url in (HOME, NEWS) else b"")


def _answer(visit: Visit, now: float, status: int, body: bytes, media: str = "text/html; charset=utf-8") -> Capture:
    head = f"HTTP/1.1 {status} As it is\r\ncontent-type: {media}\r\n\r\n".encode()
    return Capture(visit, now, 0.1, status, (("content-type", media),), head=head, body=body, wire=body)


@pytest.mark.parametrize(
    ("closed", "first", "last", "days"),
    [("silent", 2.0, 6.0, 0.5), ("404", 2.0, 12.0, 1.8), ("robots.txt", 20.0, 30.0, 2.5)],
)
def test_a_host_that_is_closed_for_hours_does_not_end_the_watch_and_its_pages_come_back(
    tmp_path: Path, closed: str, first: float, last: float, days: float
) -> None:
    clock = VirtualClock()
    began, made = clock.wall(), Closing(clock, closed, first * HOUR, last * HOUR)
    with gossamer.open(tmp_path / "web") as web:
        settings = SETTINGS | {"time": days * 24 * HOUR, "budget": 60.0}
        clock.run(web.crawl_async(HOME, outside=Outside(clock, made.fetch), keep_fresh=True, **settings))
        assert clock.wall() - began == pytest.approx(days * 24 * HOUR, rel=0.05)
        assert {HOME, NEWS} <= set(made.visits)
        assert web.status().pages == 2
        assert web.verify().problems == []


def test_a_clock_that_was_years_ahead_does_not_silence_a_page(tmp_path: Path) -> None:
    clock = VirtualClock()
    years = 20 * 365 * 24 * HOUR
    clock.jump(years)
    made = Changing(clock)
    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, made.fetch)
        clock.run(web.crawl_async(HOME, outside=outside, keep_fresh=True, **SETTINGS))
        clock.jump(-years)
        made.visits.clear()
        clock.run(web.crawl_async(outside=outside, keep_fresh=True))
        assert {HOME, NEWS} <= set(made.visits)
        assert len(made.visits) <= 2 * 500 / 24 + 2
        answer: Any = web.why(HOME)
        assert answer.next_time < clock.wall() + HOUR
