"""What a page asks for while a browser renders it: by the rules and the clock of each host."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest
from books import Books, books

from gossamer.frontier import Politeness
from gossamer.frontier.entries import ROBOTS, robots_row
from gossamer.frontier.polite import browser_requests
from gossamer.model import Capture, Failure, Fault, Kind, Visit

HERE, THERE = "http://here.test", "http://there.test"
CALM = Politeness(delay=2.0, factor=0.0)


def rules(held: Books, origin: str, body: bytes = b"", status: int = 200, **more: Any) -> None:
    """Its robots.txt has come."""
    visit = Visit(f"{origin}/robots.txt", Kind.ROBOTS)
    held.frontier.errands.learn(origin, Capture(visit, held.clock.wall(), 0.1, status, body=body, wire=body, **more))


def answered(held: Books, url: str, status: int = 200, *fields: tuple[str, str]) -> None:
    held.frontier.errands.done(Capture(Visit(url, Kind.RESOURCE), held.clock.wall(), 0.1, status, fields))


def test_the_rules_of_another_host_hold_for_a_day_and_a_closed_one_is_asked_again_after_five_minutes(
    tmp_path: Path,
) -> None:
    with books(tmp_path) as held:
        errands = held.frontier.errands
        assert errands.allows(f"{THERE}/a") is None
        rules(held, THERE, b"User-agent: *\nDisallow: /private\n")
        assert [errands.allows(f"{THERE}/{path}") for path in ("a", "private/a")] == [True, False]
        rules(held, HERE, status=404)
        assert errands.allows(f"{HERE}/private/a") is True
        rules(held, "http://broken.test", status=503)
        rules(held, "http://silent.test", status=0, failure=Failure(Fault.TIMEOUT, "silent"))
        rules(held, "http://packed.test", b"x", decoding="gzip: broken")
        closed = [f"http://{name}.test/a" for name in ("broken", "silent", "packed")]
        held.clock.advance(299)
        assert [errands.allows(url) for url in closed] == [False] * 3
        held.clock.advance(1)
        assert [errands.allows(url) for url in closed] == [None] * 3
        held.clock.advance(86_400 - 301)
        assert errands.allows(f"{THERE}/a") is True
        held.clock.advance(1)
        assert errands.allows(f"{THERE}/a") is None


@pytest.mark.parametrize(("status", "allowed"), [(200, False), (404, True), (503, False)])
def test_rules_that_the_frontier_has_are_used_as_long_as_they_hold(status: int, allowed: bool, tmp_path: Path) -> None:
    with books(tmp_path) as held:
        access, origin = held.frontier._parts.access, held.frontier._rooms.active.get(HERE)
        body = b"User-agent: *\nDisallow: /\n"
        access.learn(origin, Capture(access.ask(origin), held.clock.wall(), 0.1, status, body=body, wire=body))
        stored = held.table.get(ROBOTS, HERE.encode())
        assert stored is not None
        assert held.frontier.errands.allows(f"{HERE}/a") is allowed
        held.clock.advance(robots_row(stored).expires - held.clock.wall() - 1)
        assert held.frontier.errands.allows(f"{HERE}/a") is allowed
        held.clock.advance(1)
        assert held.frontier.errands.allows(f"{HERE}/a") is None


def test_requests_to_a_host_are_a_gap_apart_whether_it_has_answered_or_not(tmp_path: Path) -> None:
    with books(tmp_path, politeness=CALM) as held:
        errands = held.frontier.errands
        assert [errands.wait(f"{THERE}/{number}") for number in range(3)] == [0.0, 2.0, 4.0]
        assert errands.wait(f"{HERE}/") == 0.0
        held.clock.advance(20)
        assert errands.wait(f"{THERE}/3") == 0.0
        held.clock.advance(1.5)
        answered(held, f"{THERE}/3")
        assert errands.wait(f"{THERE}/4") == 2.0, "it rests from its answer on"
        answered(held, f"{THERE}/4")
        assert errands.wait(f"{THERE}/5") == 4.0, "an answer takes no rest away that was given out"


def test_the_delay_of_a_robots_txt_holds_for_what_pages_need(tmp_path: Path) -> None:
    with books(tmp_path, politeness=CALM) as held:
        rules(held, THERE, b"User-agent: *\nCrawl-delay: 7\n")
        assert [held.frontier.errands.wait(f"{THERE}/{number}") for number in range(2)] == [0.0, 7.0]
    with books(tmp_path / "quick", politeness=Politeness(delay=0.25, factor=0.0)) as held:
        rules(held, THERE, b"User-agent: *\nDisallow:\n")
        assert [held.frontier.errands.wait(f"{THERE}/{number}") for number in range(2)] == [0.0, 0.25]


def test_a_host_that_asks_to_be_left_alone_is_left_alone(tmp_path: Path) -> None:
    with books(tmp_path, politeness=CALM) as held:
        answered(held, f"{THERE}/1", 429, ("retry-after", "60"))
        assert held.frontier.errands.wait(f"{THERE}/2") == inf
        held.clock.advance(60)
        assert held.frontier.errands.wait(f"{THERE}/2") < inf


def test_what_was_asked_for_is_counted_with_its_bytes(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        before = held.frontier.ledger.counts.bytes
        visit = Visit(f"{THERE}/a", Kind.RESOURCE)
        held.frontier.errands.done(Capture(visit, held.clock.wall(), 0.1, 200, body=b"12345", wire=b"12345"))
        assert held.frontier.ledger.counts.bytes == before + 5


def test_of_too_many_other_hosts_the_oldest_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert browser_requests.REMEMBERED == 10_000
    monkeypatch.setattr(browser_requests, "REMEMBERED", 2)
    with books(tmp_path, politeness=CALM) as held:
        errands, names = held.frontier.errands, [f"http://{name}.test" for name in "abc"]
        for name in names[:2]:
            rules(held, name, status=404)
            assert errands.wait(f"{name}/") == 0.0
        assert [errands.allows(f"{name}/") for name in names] == [True, True, None]
        assert [errands.wait(f"{name}/") for name in names[:2]] == [2.0, 2.0]
        rules(held, names[2], status=404)
        assert [errands.allows(f"{name}/") for name in names] == [None, True, True]
        assert [errands.wait(f"{name}/") for name in (names[1], names[0])] == [4.0, 0.0]
