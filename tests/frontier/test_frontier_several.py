"""A host with several IP addresses: each is visited in its turn, the next one when nobody takes a connection."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_web import Answer, Crawled, SmallWeb, crawl_small, gaps

from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.taking_back import TakingBack
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.testing import VirtualClock, running_clock

LIVE = "198.51.100.1"


@dataclass
class AddressWeb(SmallWeb):
    """Connections go where the frontier says; addresses that begin with `dead` take none."""

    several: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)
    kept: float = 3_600.0
    connects: list[tuple[float, str]] = field(default_factory=list)
    frontier: Frontier | None = None

    async def resolve(self, host: str) -> tuple[tuple[str, ...], float]:
        self.lookups.append(host)
        return self.several[host], self.kept

    async def fetch(self, visit: Visit) -> Capture:
        assert self.frontier is not None
        address, clock = self.frontier.address(visit), running_clock()
        assert address is not None
        self.connects.append((clock.steady(), address))
        if not address.startswith("dead"):
            return await super().fetch(visit)
        await asyncio.sleep(self.latency)
        return Capture(visit, clock.wall(), self.latency, failure=Failure(Fault.CONNECT, "refused"))

    def at(self, address: str) -> list[float]:
        return [when for when, each in self.connects if each == address]

    def crawl(self, folder: Path, *seeds: str, **rules: object) -> Crawled:
        def note(clock: VirtualClock, frontier: Frontier) -> None:
            self.frontier = frontier

        return crawl_small(self, folder, *seeds, during=note, **rules)  # type: ignore[arg-type]  # rules of any kind


def test_the_second_address_of_many_hosts_is_visited_as_politely_as_a_first(tmp_path: Path) -> None:
    hosts = [f"h{number}.example" for number in range(20)]
    web = AddressWeb({f"http://{host}/": Answer() for host in hosts}, latency=0.01)
    web.several = {host: (f"dead{host}", LIVE) for host in hosts}
    done = web.crawl(tmp_path, *web.answers, workers=50)
    assert done.counts.pages == 20
    assert len(web.at(LIVE)) == 40
    assert min(gaps(web.at(LIVE))) >= 0.5
    assert [len(web.at(f"dead{host}")) for host in hosts] == [1] * 20, "once it has answered, the second one is visited"
    assert [len(done.entries[url].history) for url in web.answers] == [1] * 20
    assert {done.entries[url].attempt for url in web.answers} == {0}


def test_the_second_address_is_tried_at_once_however_long_its_host_rests(tmp_path: Path) -> None:
    web = AddressWeb({"http://a.example/": Answer()}, latency=0.01, several={"a.example": ("dead1", LIVE)})
    done = web.crawl(tmp_path, "http://a.example/", politeness=Politeness(delay=100.0))
    assert done.counts.pages == 1
    assert web.at(LIVE)[0] - web.at("dead1")[0] < 1.0


def test_a_page_loses_a_try_when_no_address_takes_a_connection(tmp_path: Path) -> None:
    robots = Answer(status=404)
    web = AddressWeb({"http://a.example/": Answer(), "http://a.example/robots.txt": robots})
    web.several = {"a.example": ("dead1", "dead2", "dead3")}
    done = web.crawl(tmp_path, "http://a.example/")
    assert [address for _, address in web.connects[:3]] == ["dead1", "dead2", "dead3"]
    assert len(web.connects) == 3, "its robots.txt is closed for five minutes after one try of all three"
    assert done.state("http://a.example/") == "QUEUED"


@pytest.mark.parametrize("at_once", [2, 8])
def test_visits_side_by_side_move_on_together(tmp_path: Path, at_once: int) -> None:
    pages = {f"http://a.example/{number}": Answer() for number in range(30)}
    web = AddressWeb(pages, several={"a.example": ("dead1", "dead2", LIVE)})
    done = web.crawl(tmp_path, *pages, politeness=Politeness(per_host=at_once))
    assert done.counts.pages == 30
    assert sorted(web.asked()) == sorted(pages)
    assert len(web.at("dead1")) <= at_once


def test_an_address_is_looked_up_again_when_it_is_no_longer_believed(tmp_path: Path) -> None:
    pages = {f"http://a.example/{number}": Answer() for number in range(30)}
    web = AddressWeb(pages, several={"a.example": (LIVE,)}, kept=10.0)
    web.crawl(tmp_path, *pages)
    assert len(web.lookups) == pytest.approx(31 * 1.1 / 10, abs=2)
    assert len(web.connects) == 31


def test_no_visit_goes_to_an_address_that_was_looked_up_too_long_ago(tmp_path: Path) -> None:
    """A host that rests for longer than its address is believed is looked up when its turn comes."""
    pages = {f"http://a.example/{number}": Answer() for number in range(5)}
    web = AddressWeb(pages, several={"a.example": (LIVE,)}, kept=10.0)
    looked: list[float] = []
    plain, connect = web.resolve, web.fetch
    ages: list[float] = []

    async def noting(host: str) -> tuple[tuple[str, ...], float]:
        looked.append(running_clock().steady())
        return await plain(host)

    async def fetching(visit: Visit) -> Capture:
        ages.append(running_clock().steady() - looked[-1])
        return await connect(visit)

    web.resolve, web.fetch = noting, fetching  # type: ignore[method-assign]  # the same, with a note
    web.crawl(tmp_path, *pages, politeness=Politeness(delay=100.0))
    assert len(ages) == 6
    assert max(ages) <= 10.0


def test_a_host_that_moves_is_visited_at_its_new_address(tmp_path: Path) -> None:
    pages = {f"http://a.example/{number}": Answer() for number in range(30)}
    web = AddressWeb(pages, several={"a.example": (LIVE,)}, kept=10.0)
    plain = web.resolve

    async def moving(host: str) -> tuple[tuple[str, ...], float]:
        found = await plain(host)
        web.several[host] = ("198.51.100.2",)
        return found

    web.resolve = moving  # type: ignore[method-assign]  # from the second question on
    web.crawl(tmp_path, *pages)
    first, second = web.at(LIVE), web.at("198.51.100.2")
    assert first
    assert second
    assert max(first) < min(second)


def test_the_address_that_answered_stays_when_the_name_is_looked_up_again() -> None:
    host = Host("a.example")
    assert (host.address, host.leave("a.example")) == ("a.example", False)
    host.found(("1.1.1.1", "2.2.2.2"))
    assert host.leave("1.1.1.1")
    assert host.leave("1.1.1.1"), "a second visit there comes back later: the next is being visited"
    host.found(("3.3.3.3", "2.2.2.2", "1.1.1.1"))
    assert host.address == "2.2.2.2"
    host.found(("4.4.4.4",))
    assert (host.address, host.leave("4.4.4.4")) == ("4.4.4.4", False)


def test_every_visit_that_was_out_is_counted_back_once(tmp_path: Path) -> None:
    pages = {f"http://h{number}.example/": Answer() for number in range(20)}
    web = AddressWeb(pages, several={f"h{number}.example": ("dead1", LIVE) for number in range(20)})
    web.crawl(tmp_path, *pages)
    assert web.frontier is not None
    assert web.frontier._rooms.schedule._out == 0


@pytest.mark.parametrize(("kind", "settled"), [(Kind.PAGE, [False]), (Kind.ROBOTS, [])])
def test_a_page_that_waits_for_another_address_leaves_its_place_within_the_limit(
    kind: Kind, settled: list[bool]
) -> None:
    given: list[Any] = []
    quota = SimpleNamespace(settle=lambda *, kept: given.append(kept))
    rooms: Any = SimpleNamespace(
        parts=None,
        in_flight=SimpleNamespace(moving=set()),
        schedule=SimpleNamespace(release=lambda *_, **__: None),
        active=SimpleNamespace(replace=lambda origin: None),
    )
    handing_out: Any = SimpleNamespace(quota=quota)
    longest: Any = None
    out: Any = SimpleNamespace(origin=SimpleNamespace(host=None), group=None)
    TakingBack(rooms, handing_out, longest)._leave(out, Visit("http://a.example/", kind))
    assert given == settled
    assert rooms.in_flight.moving == {"http://a.example/"}
