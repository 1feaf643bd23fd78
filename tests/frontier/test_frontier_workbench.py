"""Groups of origins by address: the earliest due first, and none kept longer than it matters."""

from __future__ import annotations

from math import inf
from pathlib import Path

from small_web import Answer, SmallWeb, crawl_small

from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.polite.workbench import SWEEP_FROM, Ready
from gossamer.frontier.queue.back_queues import Origin


def origin(name: str) -> Origin:
    return Origin(f"http://{name}", Host(name))


def test_the_earliest_due_comes_first_whatever_its_address() -> None:
    ready = Ready(delay=0.5, at_once=1)
    for name, address, when in (("a", "1", 30.0), ("b", "2", 10.0), ("c", "1", 20.0)):
        ready.put(origin(name), address, when)
    order = []
    for now in (10.0, 20.0, 30.0):
        popped = ready.pop(now)
        assert popped is not None
        order.append(popped[0].name)
        ready.release(popped[1], now, visited=True)
    assert order == ["http://b", "http://c", "http://a"]
    assert ready.next_time() == inf


def test_an_address_rests_after_a_visit_and_not_after_a_mere_look() -> None:
    ready = Ready(delay=0.5, at_once=1)
    ready.put(origin("a"), "1", 0.0)
    ready.put(origin("b"), "1", 0.0)
    _, group = ready.pop(0.0) or (None, None)
    assert group is not None
    assert ready.pop(0.0) is None
    ready.release(group, 0.0, visited=True)
    assert ready.next_time() == 0.5


def test_addresses_that_serve_nothing_are_forgotten() -> None:
    ready = Ready(delay=0.5, at_once=1)
    for number in range(20 * SWEEP_FROM):
        now = float(number)
        ready.put(origin(f"h{number}"), str(number), now)
        popped = ready.pop(now)
        assert popped is not None
        ready.release(popped[1], now, visited=True)
    assert len(ready._groups) <= 2 * SWEEP_FROM


def test_a_visit_out_of_turn_waits_for_the_address_and_holds_it() -> None:
    ready = Ready(delay=0.5, at_once=1)
    assert ready.free_from("1") == 0.0
    ready.put(origin("a"), "1", 0.0)
    group = ready.hold("1")
    assert ready.pop(10.0) is None
    assert ready.free_from("1") == inf
    ready.release(group, 10.0, visited=True)
    assert ready.free_from("1") == ready.next_time() == 10.5


def test_an_address_that_is_held_does_not_hide_others_that_are_due() -> None:
    ready = Ready(delay=0.5, at_once=1)
    ready.put(origin("a"), "1", 0.0)
    ready.put(origin("b"), "2", 5.0)
    ready.hold("1")
    popped = ready.pop(10.0)
    assert popped is not None
    assert popped[0].name == "http://b"


def test_every_origin_of_a_host_that_waits_in_line_gets_its_turn(tmp_path: Path) -> None:
    urls = [f"http://a.example:{port}/" for port in range(8_000, 8_005)]
    web = SmallWeb({url: Answer() for url in urls}, latency=0.5)
    done = crawl_small(web, tmp_path, *urls, workers=10)
    assert [done.state(url) for url in urls] == ["DONE"] * 5
