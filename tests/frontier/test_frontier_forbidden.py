"""A site that forbids very much, or sends its robots.txt elsewhere, is nobody else's trouble."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, redirect

from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.polite.robots_redirects import HOPS_MOST
from gossamer.frontier.queue.choice import SETTLED_AT_ONCE
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
    waiting_origins: dict[int, int] = {}
    turn = itertools.count(1)
    now = 0
    allows = Rules.allows

    def counted(rules: Rules, agent: str, url: str) -> bool:
        waiting_origins[now] = waiting_origins.get(now, 0) + 1
        return allows(rules, agent, url)

    def watch(clock: VirtualClock, frontier: Frontier) -> None:
        dispatch = frontier._dispatcher._pause

        def paused() -> float | None:
            nonlocal now
            now = next(turn)
            return dispatch()

        monkeypatch.setattr(frontier._dispatcher, "_pause", paused)

    monkeypatch.setattr(Rules, "allows", counted)
    web = forbidding(1_000)
    done = crawl_small(web, tmp_path, f"{BAD}/", workers=1, during=watch)
    assert max(waiting_origins.values()) <= SETTLED_AT_ONCE + 2
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


def sending(hosts: int, target: str) -> SmallWeb:
    """Hosts whose robots.txt redirects to a site of ten pages that forbids /secret/."""
    good = tuple(f"{GOOD}/{n}" for n in range(10))
    senders = {f"http://s{n}.example/robots.txt": redirect(target, 302) for n in range(hosts)}
    robots = Answer(body=b"User-agent: *\nDisallow: /secret/\n")
    return SmallWeb(
        {f"{GOOD}/robots.txt": robots, f"{GOOD}/": Answer(good), **dict.fromkeys(good, Answer()), **senders}
    )


def test_a_redirected_robots_txt_asks_for_nothing_that_another_site_forbids(tmp_path: Path) -> None:
    web = sending(30, f"{GOOD}/secret/x")
    seeds = [f"http://s{n}.example/" for n in range(30)]
    done = crawl_small(web, tmp_path, *seeds, f"{GOOD}/", workers=40, patience=0)
    assert f"{GOOD}/secret/x" not in web.asked()
    assert not set(seeds) & set(web.asked()), "a file that may not be read closes its site"
    assert len(web.asked()) == 11
    assert done.counts.queued == 30


def test_a_redirect_to_an_overlong_address_is_not_followed(tmp_path: Path) -> None:
    web = sending(1, f"{GOOD}/{'x' * 3_000}")
    crawl_small(web, tmp_path, "http://s0.example/", patience=0)
    assert web.host_times("good.example") == []


def test_robots_txt_files_that_redirect_to_each_other_close_both_sites(tmp_path: Path) -> None:
    a, b = "http://a.example", "http://b.example"
    web = SmallWeb({f"{a}/robots.txt": redirect(f"{b}/rules"), f"{b}/robots.txt": redirect(f"{a}/rules")})
    done = crawl_small(web, tmp_path, f"{a}/", f"{b}/", patience=0)
    assert web.asked() == []
    assert done.counts.queued == 2


def test_the_questions_of_others_take_turns_with_the_pages_of_a_site_and_are_few(tmp_path: Path) -> None:
    web = sending(60, f"{GOOD}/rules")
    seeds = [f"http://s{n}.example/" for n in range(60)]
    crawl_small(web, tmp_path, f"{GOOD}/", *seeds, workers=80, patience=0)
    there = [url for url in web.asked() if url.startswith(GOOD)]
    assert 1 <= there.count(f"{GOOD}/rules") <= 2 * HOPS_MOST
    assert all(pair != (f"{GOOD}/rules",) * 2 for pair in itertools.pairwise(there[: 2 * HOPS_MOST]))
