"""When the network is gone no site is blamed; when sites are gone the network is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from small_web import Answer, Crawled, SmallWeb, crawl_small, fault, gaps

from gossamer.frontier.hosts import Host
from gossamer.frontier.outage import HOSTS
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing import running_clock
from gossamer.urls import keys

HOMES = [f"http://h{number}.example/" for number in range(20)]


@dataclass
class FailingWeb(SmallWeb):
    """Nothing can be reached while `gone` says so; the time counts from the first request."""

    gone: Callable[[float], bool] = lambda seconds: False
    began: float = 0.0

    async def fetch(self, visit: Visit) -> Capture:
        capture = await super().fetch(visit)
        clock = running_clock()
        self.began = self.began or clock.steady()
        if not self.gone(clock.steady() - self.began):
            return capture
        return Capture(visit, capture.began, capture.seconds, failure=Failure(Fault.CONNECT, "no route"))


def pages() -> dict[str, Answer]:
    web: dict[str, Answer] = {}
    for home in HOMES:
        links = tuple(f"{home}{number}" for number in range(30))
        web |= {home: Answer(links), **{url: Answer() for url in links}}
    return web


def crawl(folder: Path, gone: Callable[[float], bool]) -> tuple[FailingWeb, Crawled]:
    web = FailingWeb(pages(), gone=gone)  # type: ignore[arg-type]  # the harness takes answers as well as functions
    return web, crawl_small(web, folder, *HOMES, workers=64)


def test_an_outage_of_a_minute_costs_no_address_a_try(tmp_path: Path) -> None:
    _, calm = crawl(tmp_path / "calm", lambda seconds: False)
    _, storm = crawl(tmp_path / "storm", lambda seconds: 10 < seconds < 70)
    assert {url: entry.state for url, entry in storm.entries.items()} == {
        url: entry.state for url, entry in calm.entries.items()
    }
    assert {entry.attempt for entry in storm.entries.values()} == {0}
    assert storm.counts.failed == 0
    assert storm.seconds < calm.seconds + 60 + 60


def test_during_an_outage_almost_nothing_is_asked(tmp_path: Path) -> None:
    web, _ = crawl(tmp_path, lambda seconds: 10 < seconds < 3_610)
    during = [when for when, _ in web.log if 15 < when - web.began < 3_600]
    assert len(during) <= 3_600 / 60 + 5


def test_an_outage_from_the_first_robots_txt_on_is_survived(tmp_path: Path) -> None:
    _, done = crawl(tmp_path, lambda seconds: 0.15 < seconds < 300)
    assert done.counts.pages == 20 * 31


def test_dead_hosts_beside_living_ones_are_given_up_as_always(tmp_path: Path) -> None:
    dead = [f"http://d{number}.example/" for number in range(4 * HOSTS)]
    web = SmallWeb({**pages(), **{f"{url}robots.txt": Answer(status=404) for url in dead}})  # type: ignore[dict-item]  # the same
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
