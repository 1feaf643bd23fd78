"""Who is to blame: what a silence, an answer and a refused connection do to a host, its visits and its witness."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import ROBOTS, State
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Capture, Failure, Fault, Kind, Visit

A, B = "http://a.example/", "http://b.example/"


def silence(visit: Visit, fault: Fault = Fault.TIMEOUT) -> Capture:
    return Capture(visit, 0.0, 0.1, failure=Failure(fault, "no route"))


def origin_of(held: Books, url: str) -> Origin:
    return held.frontier._rooms.active.get(url.rstrip("/"))


def test_who_answered_last_is_asked_whether_the_network_is_there(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        blame, outage = held.frontier._rooms.blame, held.frontier._parts.outage
        assert (blame.ask_witness(), blame.probe_time()) == (None, inf)
        witness, other = origin_of(held, A), origin_of(held, B)
        blame.watch_network(witness, Capture(Visit(A), 0.0, 0.1, 200))
        witness.host.next = held.clock.steady() + 3
        held.clock.advance(10)
        blame.watch_network(other, silence(Visit(B)))
        assert outage.suspected
        assert blame.probe_time() == held.clock.steady() - 7
        witness.host.next = held.clock.steady() + 2
        assert blame.ask_witness() is None, "as polite as any other visit"
        held.clock.advance(2)
        due = blame.ask_witness()
        assert due is not None
        assert (due.visit.url, due.origin) == (f"{A}robots.txt", witness)
        assert (blame.probe_time(), blame.ask_witness()) == (inf, None), "the question is out"
        blame.watch_network(witness, Capture(due.visit, 0.0, 0.1, 404))
        assert not outage.suspected
        held.frontier._rooms.schedule.release(witness.host, due.group, visited=True)


def test_who_asked_to_be_left_alone_is_no_witness(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        one = origin_of(held, A)
        one.host.throttled = 1
        held.frontier._rooms.blame.watch_network(one, Capture(Visit(A), 0.0, 0.1, 429))
        assert held.frontier._parts.outage.witness is None
        one.host.throttled = 0
        held.frontier._rooms.blame.watch_network(one, silence(Visit(A), Fault.TLS))
        assert held.frontier._parts.outage.witness is None, "that is neither an answer nor silence"


def test_a_visit_that_failed_because_of_us_was_never_made(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A), Found(B)])
        held.frontier.sift()
        visits = [held.entry(url).visit(url) for url in (A, B)]
        held.answered(B)
        held.answered(A, 0, failure=Failure(Fault.TIMEOUT, "no route"))
        assert held.entry(A).attempt == 1
        one = origin_of(held, A)
        one.host.streak, one.host.trips, one.host.paused, one.host.reason = 5, 1, inf, "5 failures in a row"
        for visit in visits:
            held.frontier._rooms.blame._take_back(visit)
        entry = held.entry(A)
        assert (entry.state, entry.attempt, entry.reason, entry.status) == (State.QUEUED, 0, "", 0)
        assert entry.due == 0.0
        assert (one.host.streak, one.host.trips, one.host.paused, one.host.reason) == (0, 0, 0.0, "")
        assert held.state(B) == "DONE", "it was answered since"
        assert origin_of(held, A).placed, "it has its turn"


def test_a_page_that_was_not_reached_because_of_us_stays_the_page_that_it_was(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        held.answered(A)
        fetched = held.entry(A)
        held.clock.advance(100)
        held.frontier.revisit()
        for attempt in (0, 1):
            visit = held.entry(A).visit(A)
            assert visit.attempt == attempt
            held.answered(A, 0, visit=visit, failure=Failure(Fault.TIMEOUT, "no route"))
            assert held.frontier.ledger.counts.again == 1, "it counts among the pages while it is tried again"
        for attempt in (0, 1):
            held.frontier._rooms.blame._take_back(replace(visit, attempt=attempt))
        entry = held.entry(A)
        assert (entry.state, entry.status, entry.visited) == (State.QUEUED, 200, fetched.visited)
        assert held.frontier.ledger.counts.again == 1, "it counts among the pages"
        assert [what for _, what in entry.history] == ["http 200", "timeout: no route", "timeout: no route"]


def test_a_robots_txt_that_failed_because_of_us_is_asked_for_again(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        held.frontier.add([Found(A)])
        held.frontier.sift()
        visit = Visit(f"{A}robots.txt", Kind.ROBOTS, owner=A.rstrip("/"))
        held.answered(visit.url, 0, visit=visit, failure=Failure(Fault.TIMEOUT, "no route"))
        assert held.table.get(ROBOTS, b"http://a.example") is not None
        held.frontier._rooms.blame._take_back(visit)
        assert held.table.get(ROBOTS, b"http://a.example") is None
        assert origin_of(held, A).placed


def test_a_refused_connection_goes_to_the_next_address_and_rests_for_nothing(tmp_path: Path) -> None:
    with books(tmp_path) as held:
        blame, now = held.frontier._rooms.blame, held.clock.steady()
        one = Origin("http://a.example", Host("a.example", next=now + 9, addresses=("1", "2")))
        visit = Visit(A)
        assert not blame.goes_elsewhere(one, visit, Capture(visit, 0.0, 0.1, 200), "1")
        sent = Capture(visit, 0.0, 0.1, failure=Failure(Fault.TIMEOUT), request=b"GET / HTTP/1.1")
        assert not blame.goes_elsewhere(one, visit, sent, "1")
        assert blame.goes_elsewhere(one, visit, silence(visit, Fault.CONNECT), "1")
        assert (one.host.address, one.host.next, list(one.urgent)) == ("2", now, [visit])
        assert not blame.goes_elsewhere(one, visit, silence(visit, Fault.CONNECT), "2"), "all were tried"
