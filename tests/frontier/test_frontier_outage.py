"""When the network is gone no site is blamed; when sites are gone the network is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_web import Answer, Crawled, SmallWeb, crawl_small, fault, gaps

from gossamer.frontier import Frontier
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.outage import HOSTS, VISITS, Outage, Witness, is_silence
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing import VirtualClock, running_clock
from gossamer.urls import keys

HOMES = [f"http://h{number}.example/" for number in range(20)]


@dataclass
class FailingWeb(SmallWeb):
    """Nothing can be reached while `gone` says so; the time counts from the first request."""

    gone: Callable[[float], bool] = lambda seconds: False
    swallowed: float = 0.0
    """Seconds until a visit to what is gone is given up; 0 where it is refused at once."""
    began: float = 0.0

    async def fetch(self, visit: Visit) -> Capture:
        capture = await super().fetch(visit)
        clock = running_clock()
        self.began = self.began or clock.steady()
        if not self.gone(clock.steady() - self.began):
            return capture
        await asyncio.sleep(self.swallowed)
        fault = Fault.TIMEOUT if self.swallowed else Fault.CONNECT
        return Capture(visit, capture.began, capture.seconds, failure=Failure(fault, "no route"))


def pages(*homes: str) -> dict[str, Answer | Callable[[int], Answer]]:
    web: dict[str, Answer | Callable[[int], Answer]] = {}
    for home in homes or HOMES:
        links = tuple(f"{home}{number}" for number in range(30))
        web |= {home: Answer(links), **{url: Answer() for url in links}}
    return web


def crawl(
    folder: Path, gone: Callable[[float], bool], *homes: str, swallowed: float = 0.0, stop: float | None = None
) -> tuple[FailingWeb, Crawled]:
    """`stop`: after so many seconds."""

    def during(clock: VirtualClock, frontier: Frontier) -> None:
        if stop is not None:
            asyncio.get_running_loop().call_later(stop, frontier.stop)

    web = FailingWeb(pages(*homes), gone=gone, swallowed=swallowed)
    return web, crawl_small(web, folder, *(homes or HOMES), workers=64, during=during)


def test_an_outage_of_a_minute_costs_no_address_a_try(tmp_path: Path) -> None:
    _, calm = crawl(tmp_path / "calm", lambda seconds: False)
    _, storm = crawl(tmp_path / "storm", lambda seconds: 10 < seconds < 70)
    assert {url: entry.state for url, entry in storm.entries.items()} == {
        url: entry.state for url, entry in calm.entries.items()
    }
    assert {entry.attempt for entry in storm.entries.values()} == {0}
    assert storm.counts.failed == 0
    assert storm.seconds < calm.seconds + 60 + 60


@pytest.mark.parametrize("homes", [1, 2, 3])
@pytest.mark.parametrize("swallowed", [0.0, 10.0])
def test_an_outage_of_a_minute_is_survived_by_a_crawl_of_a_few_hosts(
    tmp_path: Path, homes: int, swallowed: float
) -> None:
    _, calm = crawl(tmp_path / "calm", lambda seconds: False, *HOMES[:homes])
    _, storm = crawl(tmp_path / "storm", lambda seconds: 10 < seconds < 70, *HOMES[:homes], swallowed=swallowed)
    assert storm.counts.pages == calm.counts.pages == 31 * homes
    assert {entry.attempt for entry in storm.entries.values()} == {0}
    assert storm.seconds < calm.seconds + 60 + 60


def test_an_answer_that_breaks_off_is_no_sign_that_the_network_is_there() -> None:
    clock = VirtualClock()
    outage = Outage(clock, 90.0)
    visits = [Visit(f"{HOMES[0]}{number}") for number in range(VISITS)]
    outage.answered(Witness("h0.example", HOMES[0]))
    for visit in visits:
        broken = Capture(visit, 0.0, 20.0, 200, body=b"half", failure=Failure(Fault.TIMEOUT, "nothing more came"))
        assert is_silence(broken)
        assert outage.silent(Witness("h0.example", HOMES[0]), visit, spoke=True) == []
    assert outage.suspected
    probe = outage.probe()
    assert outage.silent(Witness("h0.example", HOMES[0]), probe, spoke=True) == [*visits, probe]


def test_visits_without_an_answer_that_lie_before_an_answer_are_not_counted_nor_taken_back() -> None:
    outage, who = Outage(VirtualClock(), 90.0), Witness("h0.example", HOMES[0])
    visits = [Visit(f"{HOMES[0]}{number}") for number in range(2 * VISITS)]
    for visit in visits[: VISITS - 1]:
        outage.silent(who, visit, spoke=True)
    outage.answered(who)
    for visit in visits[VISITS : 2 * VISITS - 1]:
        outage.silent(who, visit, spoke=True)
    assert not outage.suspected
    outage.silent(who, visits[-1], spoke=True)
    assert outage.suspected
    probe = outage.probe()
    assert outage.silent(who, probe, spoke=True) == [*visits[VISITS:], probe]


@pytest.mark.parametrize("homes", [1, 8])
def test_a_crawl_that_goes_on_while_the_network_is_gone_costs_no_try(tmp_path: Path, homes: int) -> None:
    crawl(tmp_path, lambda seconds: seconds > 10, *HOMES[:homes], stop=20)
    _, done = crawl(tmp_path, lambda seconds: seconds < 60, *HOMES[:homes])
    assert done.counts.pages == 31 * homes
    assert {entry.attempt for entry in done.entries.values()} == {0}


def test_a_site_that_is_gone_for_good_ends_a_crawl_of_it_soon_and_costs_no_try(tmp_path: Path) -> None:
    web, done = crawl(tmp_path, lambda seconds: seconds > 10, HOMES[0])
    assert done.counts.pages + done.counts.queued == 31
    assert done.counts.failed == 0
    assert {entry.attempt for entry in done.entries.values()} == {0}
    assert done.seconds < 10 + 2 * 90
    assert len([when for when, _ in web.log if when - web.began > 10]) < 12


def test_a_site_that_is_gone_does_not_hold_up_the_only_other_one(tmp_path: Path) -> None:
    alone = crawl_small(SmallWeb(pages(HOMES[1])), tmp_path / "alone", HOMES[1], patience=0)
    answers = pages(*HOMES[:2])
    for number in range(10, 30):
        answers[f"{HOMES[0]}{number}"] = fault(Fault.TIMEOUT)
    beside = SmallWeb(answers)
    done = crawl_small(beside, tmp_path / "beside", *HOMES[:2], patience=0)
    assert done.counts.pages == 11 + 31
    assert done.counts.queued == 20
    there = beside.host_times(keys.host(HOMES[1]))
    assert there[-1] - there[0] < alone.seconds + 10


def test_many_hosts_that_were_visited_one_by_one_survive_a_long_outage(tmp_path: Path) -> None:
    web = FailingWeb(pages(*HOMES[:8]), gone=lambda seconds: 10 < seconds < 3_610)
    done = crawl_small(web, tmp_path, *HOMES[:8], workers=1)
    assert done.counts.pages == 31 * 8
    assert done.counts.failed == 0


def test_one_address_that_never_answers_is_not_taken_for_an_outage(tmp_path: Path) -> None:
    answers = pages(HOMES[0])
    answers[f"{HOMES[0]}7"] = fault(Fault.TIMEOUT)
    web = SmallWeb(answers)
    done = crawl_small(web, tmp_path, HOMES[0], patience=1e9)
    assert done.state(f"{HOMES[0]}7") == "FAILED"
    assert done.entries[f"{HOMES[0]}7"].attempt == 4
    assert done.counts.pages == 30


def test_a_host_that_asked_to_be_left_alone_is_not_asked_whether_the_network_is_there(tmp_path: Path) -> None:
    answers = pages(*HOMES[:3])
    answers[f"{HOMES[2]}0"] = Answer(status=429, headers=(("retry-after", "3600"),))
    for number in range(5, 30):
        answers[f"{HOMES[0]}{number}"] = fault(Fault.CONNECT)
    web = SmallWeb(answers)
    crawl_small(web, tmp_path, *HOMES[:3], patience=0)
    asked = web.times(f"{HOMES[2]}0")[0]
    assert max(web.host_times(keys.host(HOMES[1]))) < asked + 90


def test_during_an_outage_almost_nothing_is_asked(tmp_path: Path) -> None:
    web, _ = crawl(tmp_path, lambda seconds: 10 < seconds < 3_610)
    during = [when for when, _ in web.log if 15 < when - web.began < 3_600]
    assert len(during) <= 3_600 / 60 + 5


def test_an_outage_from_the_first_robots_txt_on_is_survived(tmp_path: Path) -> None:
    _, done = crawl(tmp_path, lambda seconds: 0.15 < seconds < 300)
    assert done.counts.pages == 20 * 31


def test_dead_hosts_beside_living_ones_are_given_up_as_always(tmp_path: Path) -> None:
    dead = [f"http://d{number}.example/" for number in range(4 * HOSTS)]
    web = SmallWeb({**pages(), **{f"{url}robots.txt": Answer(status=404) for url in dead}})
    web.answers |= {url: fault(Fault.CONNECT) for url in dead}
    done = crawl_small(web, tmp_path, *dead, HOMES[0], patience=1e9)
    assert {done.state(url) for url in dead} == {"FAILED"}
    assert {done.entries[url].attempt for url in dead} == {4}
    assert done.counts.pages == 31


def test_the_question_to_the_witness_is_as_polite_as_any_visit(tmp_path: Path) -> None:
    web, _ = crawl(tmp_path, lambda seconds: 10 < seconds < 70)
    for home in HOMES:
        host = keys.host(home)
        assert web.most[host] == 1
        assert min(gaps(web.host_times(host))) >= 1.0


def test_a_pause_that_a_host_asked_for_outlives_an_outage() -> None:
    host = Host("a.example")
    host.throttle(0.0, 500.0, 503)
    host.forgive()
    assert host.paused == 500.0


def test_a_crawl_of_only_dead_hosts_ends(tmp_path: Path) -> None:
    dead = [f"http://d{number}.example/" for number in range(4 * HOSTS)]
    web = SmallWeb({f"{url}robots.txt": fault(Fault.TIMEOUT) for url in dead})
    done = crawl_small(web, tmp_path, *dead)
    assert done.counts.queued == len(dead)
    assert len(web.log) == len(dead)


@dataclass
class NamedWeb(SmallWeb):
    """Names are looked up. A visit goes where it has its turn, and nowhere where its host had no address then."""

    silent: Callable[[str], bool] = lambda host: False
    """Is the name not answered for now?"""
    frontier: Frontier | None = None

    async def resolve(self, host: str) -> tuple[tuple[str, ...], float]:
        await asyncio.sleep(0.05)
        if not self.silent(host):
            return (f"198.51.100.{len(host)}",), 600.0
        await asyncio.sleep(30.0)
        return (), 10.0

    async def fetch(self, visit: Visit) -> Capture:
        assert self.frontier is not None
        address, host = self.frontier.address(visit), keys.host(visit.url)
        if address != host:
            return await super().fetch(visit)
        words = "no answer" if self.silent(host) else "it had no address a moment ago"
        return Capture(visit, running_clock().wall(), 0.0, failure=Failure(Fault.DNS, words))

    def crawl(self, folder: Path, *seeds: str, stop: float | None = None) -> Crawled:
        def during(clock: VirtualClock, frontier: Frontier) -> None:
            self.frontier = frontier
            if stop is not None:
                asyncio.get_running_loop().call_later(stop, frontier.stop)

        return crawl_small(self, folder, *seeds, workers=64, during=during)


def test_names_that_are_never_answered_are_not_taken_for_an_outage(tmp_path: Path) -> None:
    """The host that could tell has nothing queued any more, and where it is was forgotten."""
    slow = [f"http://slow{number}.example/" for number in range(12)]
    web = NamedWeb(dict.fromkeys([*HOMES[:3], *slow], Answer()), silent=lambda host: host.startswith("slow"))
    done = web.crawl(tmp_path, *HOMES[:3], *slow, stop=1_000.0)
    assert done.counts.pages == 3
    assert done.seconds < 300
    assert [url for url in web.asked() if "slow" in url] == []


def test_a_crawl_that_goes_on_while_no_name_is_answered_goes_on_when_they_are(tmp_path: Path) -> None:
    web = NamedWeb(pages(*HOMES[:6]))
    web.crawl(tmp_path, *HOMES[:6], stop=10.0)
    began: list[float] = []

    def is_silent(host: str) -> bool:
        began.append(running_clock().steady())
        return began[-1] - began[0] < 120.0

    web.silent = is_silent
    done = web.crawl(tmp_path, stop=5_000.0)
    assert done.counts.pages == 6 * 31
    assert {entry.attempt for entry in done.entries.values()} == {0}
