"""Many hosts whose robots.txt redirects to one address cost the server there one request, and are all crawled."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, fault, redirect

from gossamer.frontier import Frontier
from gossamer.frontier.polite.outage import Outage, Witness
from gossamer.frontier.polite.robots_redirects import HOPS_MOST, REMEMBERED, REUSED, Hops
from gossamer.model import Capture, Fault, Kind, Visit
from gossamer.testing import VirtualClock

PLATFORM = "https://platform.example"
HOSTS = 200


def platform(target: str, hosts: int = HOSTS, latency: float = 0.1) -> SmallWeb:
    """Hosts of two pages each, one of which is forbidden by the file that all of them redirect to."""
    answers: dict[str, Answer] = {target: Answer(body=b"User-agent: *\nDisallow: /private\n")}
    for n in range(hosts):
        host = f"http://h{n}.example"
        answers[f"{host}/robots.txt"] = redirect(target)
        answers[f"{host}/"] = Answer((f"{host}/private",))
    return SmallWeb({**answers}, latency=latency)


def seeds(hosts: int = HOSTS) -> list[str]:
    return [f"http://h{n}.example/" for n in range(hosts)]


@pytest.mark.parametrize("path", ["/robots.txt", "/shared/rules"])
@pytest.mark.parametrize("workers", [4, 300])
def test_two_hundred_hosts_that_share_a_robots_txt_are_crawled_with_a_handful_of_requests_there(
    tmp_path: Path, path: str, workers: int
) -> None:
    target = f"{PLATFORM}{path}"
    web = platform(target)
    done = crawl_small(web, tmp_path, *seeds(), workers=workers, patience=0)
    assert set(seeds()) <= set(web.asked())
    assert not [url for url in web.asked() if url.endswith("/private")]
    assert len(web.times(target)) == 1
    assert len(web.host_times("platform.example")) <= 2
    assert done.counts.queued == 0


def test_what_was_answered_is_asked_again_after_its_time(tmp_path: Path) -> None:
    web = platform(f"{PLATFORM}/robots.txt", 2)
    web.answers["http://h0.example/"] = Answer(("http://h0.example/1", "http://h0.example/2"))
    web.answers["http://h0.example/1"] = Answer(("http://h1.example/",))
    web.answers["http://h0.example/robots.txt"] = redirect(f"{PLATFORM}/slow")
    web.answers[f"{PLATFORM}/slow"] = Answer(body=f"User-agent: *\nCrawl-delay: {REUSED}".encode())
    web.answers["http://h1.example/robots.txt"] = redirect(f"{PLATFORM}/slow")
    crawl_small(web, tmp_path, "http://h0.example/", patience=2 * REUSED)
    assert len(web.times(f"{PLATFORM}/slow")) == 2


def test_a_failed_answer_closes_all_who_wait_for_it_and_is_not_given_to_others(tmp_path: Path) -> None:
    target = f"{PLATFORM}/robots.txt"
    web = platform(target, 20)
    web.answers[target] = lambda earlier: fault(Fault.TLS) if earlier == 0 else Answer()
    done = crawl_small(web, tmp_path, *seeds(20), workers=40, patience=400)
    assert len(web.times(target)) == 2, "all of them ask again after their pause, together"
    assert done.counts.queued == 0


def test_a_redirect_to_a_host_that_is_gone_closes_the_site_and_fails_none_of_its_pages(tmp_path: Path) -> None:
    web = platform(f"{PLATFORM}/robots.txt", 1)
    web.answers[f"{PLATFORM}/robots.txt"] = fault(Fault.NO_SUCH_HOST)
    done = crawl_small(web, tmp_path, *seeds(1), patience=0)
    assert web.asked() == []
    assert done.reason(seeds(1)[0]) == ""
    assert (done.counts.queued, done.counts.failed) == (1, 0)


def test_no_more_than_a_few_addresses_of_an_origin_wait_for_others(tmp_path: Path) -> None:
    web = platform(f"{PLATFORM}/robots.txt", 60, latency=1.0)
    for n in range(60):
        web.answers[f"http://h{n}.example/robots.txt"] = redirect(f"{PLATFORM}/{n % 20}/robots")
    done = crawl_small(web, tmp_path, *seeds(60), workers=100, patience=0)
    there = [url for _, url in web.log if url.startswith(PLATFORM) and url.endswith("/robots")]
    assert len(there) == len(set(there)) == HOPS_MOST
    assert done.counts.queued == 60 - 3 * HOPS_MOST


def test_five_hops_over_five_origins_are_followed_by_each_for_itself(tmp_path: Path) -> None:
    """A host that comes in the middle of a chain has its own five hops from there."""
    chain = [f"http://c{n}.example/robots.txt" for n in range(7)]
    answers = {here: redirect(there) for here, there in pairwise(chain)}
    pages = {f"http://c{n}.example/": Answer() for n in range(7)}
    forbidding = Answer(body=b"User-agent: *\nDisallow: /\n")
    web = SmallWeb({**answers, **pages, chain[-1]: forbidding})
    done = crawl_small(web, tmp_path, *pages, workers=20, patience=0)
    assert web.asked() == ["http://c0.example/"], "only the first needs a sixth"
    assert done.counts.excluded == 6


def test_who_joins_others_in_a_ring_of_redirects_does_not_wait_for_itself(tmp_path: Path) -> None:
    """p waits for the rules of x, and x is sent where another waits for the rules of p."""
    late, p, x = "http://late.example", "http://p.example", "http://x.example"
    web = SmallWeb(
        {
            f"{late}/robots.txt": redirect(f"{p}/rules"),
            f"{p}/robots.txt": redirect(f"{x}/foo"),
            f"{x}/robots.txt": redirect(f"{p}/rules"),
        }
    )
    done = crawl_small(web, tmp_path, f"{late}/", f"{p}/", f"{x}/", patience=0)
    assert web.asked() == []
    assert done.counts.queued == 3


def test_a_long_chain_of_sites_that_wait_for_each_other_is_settled(tmp_path: Path) -> None:
    """Each is sent to what only the next one's rules can allow; the last one's cannot be read."""
    names = [f"http://n{n}.example" for n in range(400)]
    answers = {f"{here}/robots.txt": redirect(f"{there}/rules") for here, there in pairwise(names)}
    web = SmallWeb({**answers, f"{names[-1]}/robots.txt": Answer(status=500)})
    done = crawl_small(web, tmp_path, f"{names[0]}/", patience=0)
    assert web.asked() == []
    assert done.counts.queued == 1


def test_hosts_that_were_killed_while_they_waited_ask_again(tmp_path: Path) -> None:
    target = f"{PLATFORM}/robots.txt"
    web = platform(target, 20, latency=10)

    def stop_early(clock: VirtualClock, frontier: Frontier) -> None:
        hop = frontier._rooms.robots.hop

        def stopping(visit: Visit) -> None:
            hop(visit)
            frontier.stop()

        frontier._rooms.robots.hop = stopping  # type: ignore[method-assign]  # the moment at which the crawl is cut off

    first = crawl_small(web, tmp_path, *seeds(20), workers=40, during=stop_early, patience=0)
    assert web.asked() == []
    assert first.counts.queued == 20
    done = crawl_small(web, tmp_path, *seeds(20), workers=40, patience=0)
    assert set(seeds(20)) <= set(web.asked())
    assert len(web.times(target)) == 1
    assert done.counts.queued == 0


def test_an_answer_that_is_taken_in_again_after_a_kill_goes_to_all_who_are_there(tmp_path: Path) -> None:
    """The first in the row may be another one than before."""
    target = f"{PLATFORM}/robots.txt"
    web = platform(target, 3)

    def roll_forward(clock: VirtualClock, frontier: Frontier) -> None:
        for n in (2, 0, 1):
            visit = Visit(f"http://h{n}.example/robots.txt", Kind.ROBOTS, owner=f"http://h{n}.example")
            headers = (("location", target),)
            frontier._rooms.robots.done(Capture(visit, clock.wall(), 0.1, 301, headers))
        hop = Visit(target, Kind.ROBOTS, hops=1, owner="http://h1.example")
        frontier._rooms.robots.done(Capture(hop, clock.wall(), 0.1, 200, body=b"User-agent: *\nDisallow: /private\n"))

    crawl_small(web, tmp_path, *seeds(3), during=roll_forward, patience=0)
    assert sorted(url for _, url in web.log) == seeds(3)


def test_who_shared_an_answer_that_our_network_lost_is_taken_back_with_the_others() -> None:
    outage, who = Outage(VirtualClock(), 0.0), Witness("p.example", PLATFORM)
    visit = Visit(f"{PLATFORM}/robots.txt", Kind.ROBOTS, owner="http://h0.example")
    others = [replace(visit, owner=f"http://h{n}.example") for n in (1, 2)]
    assert outage.silent(who, visit, others, spoke=True) == []
    outage.confirmed = True
    assert outage.silent(who, visit, spoke=True) == [visit, visit, *others]
    assert outage.silent(who, visit, spoke=True) == [visit]


def test_answers_are_remembered_for_a_while_and_few_bytes_of_them() -> None:
    clock = VirtualClock()
    hops = Hops(clock)
    visits = [Visit(f"{PLATFORM}/{n}", Kind.ROBOTS, owner="http://h0.example") for n in range(20)]
    for visit in visits:
        hops.remember(Capture(visit, clock.wall(), 0.0, 200, body=b"x" * 500_000, wire=b"x" * 500_000))
    kept = [answer for answer in map(hops.recall, visits) if answer]
    assert kept[-1].visit == visits[-1]
    assert 1 < sum(len(answer.body) + len(answer.wire) for answer in kept) <= REMEMBERED
    hops.remember(Capture(visits[0], clock.wall() - REUSED - 1, 0.0, 200))
    assert hops.recall(visits[0]) is None, "it was read again after a kill and is old"


def test_nothing_is_remembered_of_an_origin_for_which_nobody_waits() -> None:
    hops, visit = Hops(VirtualClock()), Visit("http://a.example/robots.txt", Kind.ROBOTS, owner="http://b.example")
    assert hops.join(visit)
    assert not hops.join(visit)
    assert hops.leave(visit.url) == [visit, visit]
    assert hops.leave(visit.url) == []
    assert hops._waiting == {}
