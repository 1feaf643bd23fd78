"""A site that forbids very much, or sends its robots.txt elsewhere, is nobody else's trouble."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.choice import SETTLED_AT_ONCE
from gossamer.robots import Rules
from gossamer.testing import VirtualClock

BAD, GOOD = "http://bad.example", "http://good.example"


def forbidding(links: int) -> SmallWeb:
    """A site of links that it forbids, with one at the end that may be fetched, and a site of ten pages."""
    forbidden = tuple(f"{BAD}/no/{n}" for n in range(links))
    good = tuple(f"{GOOD}/{n}" for n in range(10))
    return SmallWeb(
        {
            f"{BAD}/robots.txt": Answer(body=b"User-agent: *\nDisallow: /no/\n"),
            f"{BAD}/": Answer((*forbidden, f"{BAD}/yes")),
            f"{BAD}/yes": Answer(),
            f"{GOOD}/": Answer(good),
            **dict.fromkeys(good, Answer()),
        }
    )


def test_between_a_few_forbidden_addresses_the_event_loop_gets_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: dict[int, int] = {}
    turn = itertools.count(1)
    now = 0
    allows = Rules.allows

    def counted(rules: Rules, agent: str, url: str) -> bool:
        turns[now] = turns.get(now, 0) + 1
        return allows(rules, agent, url)

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        dispatch = frontier._handout._pause

        def paused() -> float | None:
            nonlocal now
            now = next(turn)
            return dispatch()

        monkeypatch.setattr(frontier._handout, "_pause", paused)

    monkeypatch.setattr(Rules, "allows", counted)
    web = forbidding(1_000)
    done = crawl_small(web, tmp_path, f"{BAD}/", workers=1, during=watch)
    assert max(turns.values()) <= SETTLED_AT_ONCE + 2
    assert sum(done.state(f"{BAD}/no/{n}") == "EXCLUDED" for n in range(1_000)) == 1_000
    assert f"{BAD}/yes" in web.asked()
    assert done.counts.queued == 0


def test_a_site_of_forbidden_addresses_does_not_rest_between_them(tmp_path: Path) -> None:
    web = forbidding(1_000)
    crawl_small(web, tmp_path, f"{BAD}/", politeness=Politeness(delay=100.0))
    home, last = web.times(f"{BAD}/", f"{BAD}/yes")
    assert 100.0 <= last - home < 102.0


def test_others_are_visited_while_forbidden_addresses_are_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    allows = Rules.allows

    def noted(rules: Rules, agent: str, url: str) -> bool:
        order.append(url)
        return allows(rules, agent, url)

    monkeypatch.setattr(Rules, "allows", noted)
    polite = Politeness(delay=0.001, ip_delay=0.001, factor=0.0)
    done = crawl_small(forbidding(4_000), tmp_path, f"{BAD}/", f"{GOOD}/", politeness=polite)
    between = [n for n, url in enumerate(order) if url.startswith(GOOD)]
    first, last = (order.index(f"{BAD}/no/{n}") for n in (0, 3_999))
    assert any(first < n < last for n in between)
    assert done.counts.queued == 0
