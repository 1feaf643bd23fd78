"""How long a host is left alone, who may be visited beside it, and whether it is them or us: second by second."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Politeness
from gossamer.frontier.entries import HOSTS, META, host_row
from gossamer.frontier.polite.host_delays import Dates, Host, Hosts, retry_after
from gossamer.frontier.polite.limits import SLOW, Slots
from gossamer.frontier.polite.outage import Outage, Witness, is_silence, is_unconnected
from gossamer.frontier.polite.schedule import Schedule, Waiting
from gossamer.frontier.polite.workbench import Ready
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.waiting_origins import WaitingOrigins
from gossamer.frontier.rules import Rules
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


# ----------------------------------------------------------------------- gaps


def test_the_gap_is_the_longest_that_anything_asks_for_and_the_penalty_comes_on_top() -> None:
    polite = Politeness()
    assert polite.gap(Host("a")) == 1.0
    assert polite.gap(Host("a", pace=0.05)) == 1.0
    assert polite.gap(Host("a", pace=0.5)) == 5.0
    assert polite.gap(Host("a", pace=60.0)) == 30.0
    assert polite.gap(Host("a", pace=0.5, penalty=2.0)) == 7.0
    assert polite.gap(Host("a", pace=0.5, delays={"": 20.0})) == 20.0
    assert polite.gap(Host("a", delays={"": 5_000.0}, penalty=1.0)) == 301.0
    off = Politeness(delay=0.0)
    assert off.gap(Host("a", pace=9.0)) == 0.0
    assert off.gap(Host("a", pace=9.0, delays={"": 3.0})) == 3.0


def test_an_address_has_as_many_visits_at_once_as_a_host_unless_its_delay_is_off() -> None:
    assert Politeness().per_address == 1
    assert Politeness(per_host=4).per_address == 4
    assert Politeness(ip_delay=1.0).per_address == 1
    assert Politeness(ip_delay=0.0, per_host=4).per_address is None


def test_the_basis_names_what_the_gap_comes_from() -> None:
    polite = Politeness()
    assert polite.basis(Host("a", pace=0.05)) == "least delay 1 s"
    assert polite.basis(Host("a", pace=0.5)) == "10 x smoothed fetch time 0.500 s"
    assert polite.basis(Host("a", pace=9.0, delays={"http://a": 40.0})) == "Crawl-delay 40 s of http://a"
    assert polite.basis(Host("a", pace=9.0, delays={"": 29.0})) == "10 x smoothed fetch time 9.000 s"
    assert polite.basis(Host("a", delays={"": 301.0})) == "Crawl-delay 301 s, obeyed up to 300 s"
    assert polite.basis(Host("a", delays={"": 300.0})) == "Crawl-delay 300 s"
    assert polite.basis(Host("a", penalty=1.0)) == "least delay 1 s, and 1.0 s after 429 or 503"
    assert Politeness(delay=0.0).basis(Host("a", pace=9.0)) == "least delay 0 s"


def test_the_longer_gap_of_a_host_and_its_address_is_the_brake() -> None:
    polite = Politeness(delay=0.1, ip_delay=1.0)
    assert polite.brake(Host("a", pace=0.05)) == (1.0, "least delay 1 s for its IP address")
    assert polite.brake(Host("a", pace=0.2)) == (2.0, "10 x smoothed fetch time 0.200 s")
    assert Politeness().brake(Host("a")) == (1.0, "least delay 1 s")


def test_a_host_keeps_the_delays_that_its_origins_ask_for() -> None:
    host = Host("a")
    assert host.crawl_delay == 0.0
    host.asks("http://a", 0.5)
    host.asks("https://a", 3.0)
    assert (host.crawl_delay, host.delays) == (3.0, {"https://a": 3.0, "http://a": 0.5})
    host.asks("https://a", 0.0)
    assert host.delays == {"http://a": 0.5}
    host.delays = {"": 9.0, "http://a": 0.5}
    host.asks("http://a", 0.0)
    assert host.delays == {}


def test_good_answers_wear_off_what_bad_ones_did() -> None:
    host = Host("a", penalty=1.0, streak=3, trips=2, throttled=4, dead=1, reason="5 failures in a row")
    host.answered(2.0)
    assert (host.pace, host.penalty, host.dead) == (2.0, 0.9, 0)
    assert (host.streak, host.trips, host.throttled, host.reason) == (0, 0, 0, "")
    host.answered(4.0)
    assert host.pace == pytest.approx(0.7 * 2.0 + 0.3 * 4.0)
    host.penalty = 0.05
    host.answered(1.0)
    assert host.penalty == pytest.approx(0.045)
    host.answered(1.0)
    assert host.penalty == 0.0


def test_a_host_that_throttles_is_left_alone_for_as_long_as_it_asks_and_then_visited_more_slowly() -> None:
    host = Host("a")
    assert host.throttle(1_000.0, 7.0, 429) == 1_007.0
    assert (host.penalty, host.throttled, host.reason) == (1.0, 1, "asked to wait by a 429")
    assert host.throttle(2_000.0, None, 503) == 2_120.0, "a minute, doubled because it is the second time"
    assert (host.penalty, host.throttled, host.reason) == (2.0, 2, "asked to wait by a 503")
    assert host.throttle(3_000.0, 0.0, 503) == 3_001.0, "a second at least"
    assert host.throttle(3_000.0, 1e9, 503) == 3_000.0 + 86_400.0, "a day at most"
    assert host.throttle(3_000.0, 5.0, 503) == 3_000.0 + 86_400.0, "the longest pause holds"
    for _ in range(20):
        host.throttle(4_000.0, 1.0, 503)
    assert (host.penalty, host.throttled) == (30.0, 12)
    first = Host("a")
    assert first.throttle(0.0, None, 503) == 60.0


def test_what_was_our_fault_is_forgiven_and_what_it_asked_for_is_not() -> None:
    host = Host("a")
    for _ in range(5):
        host.failed(100.0)
    assert (host.paused, host.faults, host.streak, host.trips) == (700.0, 5, 5, 1)
    assert host.reason == "5 failures in a row"
    host.forgive()
    assert (host.paused, host.reason, host.streak, host.trips) == (0.0, "", 0, 0)
    host.throttle(100.0, 50.0, 429)
    host.failed(100.0)
    host.forgive()
    assert (host.paused, host.streak) == (150.0, 0)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("\u0665", None),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("86400", 86_400.0),
        ("999999999999999", 86_400.0),
        ("Thu, 01 Jan 1970 00:20:00 GMT", 200.0),
        ("Thu, 01 Jan 1970 00:10:00 GMT", 0.0),
        ("Thu, 99 Jan 1970 00:10:00 GMT", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, 1_000.0) == seconds


def test_the_next_address_of_a_host_is_tried_until_all_were() -> None:
    host = Host("a", addresses=("1", "2", "3"))
    assert [host.leave(host.address) for _ in range(6)] == [True, True, False, True, True, False]
    host.leave("1")
    assert (host.address, host.dead) == ("2", 1)
    host.found(("2", "1"))
    assert (host.address, host.dead) == ("2", 1)
    host.found(("9", "8"))
    assert (host.address, host.dead) == ("9", 0)


# ------------------------------------------------------------------- on disk


def hosts_of(table: Table, clock: VirtualClock, *, careful: bool = False) -> Hosts:
    return Hosts(table, clock, Dates(clock), Politeness(), careful=careful)


def test_a_host_comes_back_from_its_row_as_it_was(table: Table) -> None:
    clock = VirtualClock()
    hosts = hosts_of(table, clock)
    assert hosts.number("a") is None
    hosts.meet("a", 3)
    assert (hosts.number("a"), host_row(table.get(HOSTS, b"a") or b"").paused) == (3, 0.0)
    host = hosts.get("a")
    assert host is hosts.get("a")
    assert (host.number, host.next <= clock.steady() + 0.002) == (3, True)
    host.pace, host.penalty, host.streak, host.trips, host.throttled = 0.5, 2.0, 3, 1, 2
    host.visits, host.faults, host.delays, host.reason = 9, 4, {"http://a": 3.0}, "asked to wait by a 429"
    host.next, host.paused, host.origins = clock.steady() + 3, clock.steady() + 50, 2
    hosts.release(host)
    assert hosts.get("a") is host, "another origin of it is in memory"
    hosts.release(host)
    clock.advance(1)
    back = hosts_of(table, clock).get("a")
    assert back is not host
    assert (back.pace, back.penalty, back.streak, back.trips, back.throttled) == (0.5, 2.0, 3, 1, 2)
    assert (back.visits, back.faults, back.delays, back.number) == (9, 4, {"http://a": 3.0}, 3)
    assert back.reason == "asked to wait by a 429"
    assert back.next == pytest.approx(clock.steady() + 2, abs=0.01)
    assert back.next >= clock.steady() + 2
    assert back.paused == pytest.approx(clock.steady() + 49)


def test_dates_that_a_jump_of_the_clock_made_absurd_are_brought_back_within_bounds(table: Table) -> None:
    clock = VirtualClock()
    hosts = hosts_of(table, clock)
    host = hosts.get("a")
    host.next, host.paused = clock.steady() + 0.5, clock.steady() + 80_000
    hosts.note(host)
    hosts.save()
    clock.jump(-1e7)
    back = hosts_of(table, clock).get("a")
    assert (back.next, back.paused) == (clock.steady() + 1.0, clock.steady() + 86_400.0)
    clock.jump(3e7)
    back = hosts_of(table, clock).get("a")
    assert (back.next, back.paused) == (clock.steady(), 0.0)


def test_after_a_crash_each_host_rests_for_its_whole_gap_first(table: Table) -> None:
    clock = VirtualClock()
    hosts = hosts_of(table, clock)
    hosts.note(Host("a", pace=0.5))
    hosts.save()
    began = clock.steady()
    careful = hosts_of(table, clock, careful=True)
    clock.advance(2)
    assert careful.get("a").next == began + 5.0
    assert careful.get("new").next == began + 1.0
    assert hosts_of(table, clock).get("new").next == 0.0


# ---------------------------------------------------------------------- slots


def test_visits_that_take_long_make_room_for_as_many_again() -> None:
    clock, host = VirtualClock(), Host("a")
    slots = Slots(clock, 2)
    first = slots.take(host)
    assert slots.free_from() == 0.0
    second = slots.take(host)
    assert slots.free_from() == clock.steady() + SLOW
    clock.advance(SLOW - 1)
    assert slots.free_from() == clock.steady() + 1
    clock.advance(1)
    assert slots.free_from() == 0.0, "both are slow by now"
    third, fourth = slots.take(host), slots.take(host)
    assert slots.free_from() == inf, "twice as many are all"
    clock.advance(SLOW)
    assert slots.free_from() == inf
    slots.give(first, host)
    assert host.lingers
    assert slots.free_from() == 0.0, "three of four"
    slots.give(second, host)
    assert slots.free_from() == 0.0
    slots.give(third, host)
    slots.give(fourth, host)
    quick = slots.take(host)
    clock.advance(SLOW)
    slots.give(quick, host)
    assert not host.lingers, "five seconds are not too long"


def test_hosts_that_are_known_to_be_slow_get_no_more_than_one_half() -> None:
    clock = VirtualClock()
    slots = Slots(clock, 2)
    slow, lingering, quick = Host("s", pace=5.1), Host("l", lingers=True), Host("q", pace=5.0)
    assert all(map(slots.lets, (slow, lingering, quick)))
    ticket = slots.take(slow)
    slots.take(quick)
    assert slots.lets(lingering)
    slots.take(lingering)
    assert [slots.lets(each) for each in (slow, lingering, quick)] == [False, False, True]
    slots.give(ticket, slow)
    assert slots.lets(lingering)


def test_without_a_limit_there_is_always_room() -> None:
    clock, host = VirtualClock(), Host("a", pace=9.0)
    slots = Slots(clock, 0)
    for _ in range(100):
        slots.take(host)
    assert (slots.free_from(), slots.lets(host)) == (0.0, True)


# --------------------------------------------------------------------- outage


def origin(name: str) -> Origin:
    return Origin(f"http://{name}", Host(name))


def visit(name: str, kind: Kind = Kind.PAGE) -> Visit:
    return Visit(f"http://{name}/", kind)


def who(name: str) -> Witness:
    return Witness(name, f"http://{name}")


def test_three_silent_visits_make_us_ask_and_an_answer_ends_it() -> None:
    clock = VirtualClock()
    outage = Outage(clock, 90.0)
    outage.answered(who("a"))
    clock.advance(1)
    for number in range(2):
        assert outage.silent(who("b"), visit(f"b{number}"), spoke=True) == []
        assert not outage.suspected
    outage.silent(who("b"), visit("b2"), spoke=True)
    assert (outage.suspected, outage.confirmed) == (True, False)
    assert (outage.witness, outage.until) == ("http://a", 0.0)
    asked = outage.probe()
    assert asked == Visit("http://a/robots.txt", Kind.ROBOTS, owner="http://a")
    assert outage.asked(asked)
    assert outage.witness is None, "the question is out"
    outage.answered(who("a"))
    assert (outage.suspected, outage.confirmed) == (False, False)
    for number in range(9):
        outage.silent(who("b"), visit(f"b{number}"), spoke=True)
    assert not outage.suspected, "for a minute the answer settles it"
    clock.advance(60)
    outage.silent(who("b"), visit("b9"), spoke=True)
    assert outage.suspected


def test_ten_quiet_seconds_make_us_ask_after_one_visit() -> None:
    clock = VirtualClock()
    outage = Outage(clock, 90.0)
    outage.answered(who("a"))
    clock.advance(9.9)
    outage.silent(who("b"), visit("b"), spoke=True)
    assert not outage.suspected
    outage.answered(who("a"))
    clock.advance(10)
    outage.silent(who("b"), visit("b"), spoke=True)
    assert outage.suspected


def test_a_robots_txt_of_a_host_that_spoke_makes_us_ask_at_once() -> None:
    clock = VirtualClock()
    for spoke, kind, asks in ((True, Kind.ROBOTS, True), (True, Kind.PAGE, False), (False, Kind.ROBOTS, False)):
        outage = Outage(clock, 90.0)
        outage.answered(who("a"))
        outage.silent(who("b"), visit("b", kind), spoke=spoke)
        assert outage.suspected is asks


def test_while_the_witness_is_silent_all_is_taken_back_after_growing_pauses() -> None:
    clock = VirtualClock()
    outage = Outage(clock, 90.0)
    outage.answered(who("a"))
    lost = [visit(f"h{number}") for number in range(3)]
    for number, each in enumerate(lost):
        outage.silent(who(f"h{number}"), each, spoke=True)
    waits = []
    for turn in range(6):
        probe = outage.probe()
        taken = outage.silent(who("a"), probe, spoke=True)
        assert taken == ([*lost, probe] if turn == 0 else [probe])
        assert (outage.suspected, outage.confirmed) == (True, True)
        waits.append(outage.until - clock.steady())
        clock.advance(100)
    assert waits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
    late = visit("late")
    assert outage.silent(who("late"), late, spoke=True) == [late]
    outage.answered(who("b"))
    assert not outage.confirmed


def test_a_few_hosts_have_the_benefit_of_the_doubt_for_as_long_as_a_crawl_waits() -> None:
    clock = VirtualClock()
    outage = Outage(clock, 90.0)
    outage.answered(who("a"))
    clock.advance(10)
    outage.silent(who("a"), visit("a"), spoke=True)
    outage.silent(who("a"), outage.probe(), spoke=True)
    assert outage.confirmed
    clock.advance(89)
    outage.silent(who("a"), outage.probe(), spoke=True)
    assert outage.confirmed
    clock.advance(1)
    assert outage.silent(who("a"), outage.probe(), spoke=True) == []
    assert (outage.suspected, outage.confirmed) == (False, False)
    clock.advance(100)
    for number in range(5):
        outage.silent(who("a"), visit(f"a{number}"), spoke=True)
    assert not outage.suspected, "it was given up"
    for name in "bcd":
        outage.silent(who(name), visit(name), spoke=True)
    assert outage.suspected, "four hosts are not gone at once"


def test_the_witness_is_one_that_was_not_silent_if_there_is_one() -> None:
    outage = Outage(VirtualClock(), 90.0)
    assert outage.witness is None
    outage.answered(None)
    assert outage.witness is None, "somebody who wants to be left alone"
    outage.answered(who("a"))
    outage.answered(who("b"))
    outage.answered(who("b"))
    assert outage.witness == "http://b"
    outage.silent(who("b"), visit("b"), spoke=True)
    assert outage.witness == "http://a"
    outage.silent(who("a"), visit("a"), spoke=True)
    assert outage.witness == "http://b"
    fresh = Outage(VirtualClock(), 90.0)
    fresh.silent(who("x"), visit("x"), spoke=False)
    assert fresh.witness is None
    fresh.silent(who("y"), visit("y"), spoke=True)
    assert fresh.witness == "http://y", "it spoke in an earlier crawl"


def test_silence_is_what_could_be_ours_and_unconnected_is_before_any_request() -> None:
    def capture(fault: Fault | None, request: bytes = b"") -> Capture:
        return Capture(visit("a"), 0.0, 0.1, failure=Failure(fault) if fault else None, request=request)

    assert {fault for fault in Fault if is_silence(capture(fault))} == {
        *(Fault.DNS, Fault.CONNECT, Fault.TIMEOUT, Fault.RESET),
    }
    assert {fault for fault in Fault if is_unconnected(capture(fault))} == {Fault.CONNECT, Fault.TIMEOUT}
    assert not is_unconnected(capture(Fault.TIMEOUT, b"GET / HTTP/1.1"))
    assert not is_silence(capture(None))
    assert not is_unconnected(capture(None))


# ---------------------------------------------------------- ready and schedule


def test_an_address_has_as_many_visits_as_it_may_have_at_once() -> None:
    ready = Ready(delay=0.5, at_once=2)
    for name in "abc":
        ready.put(origin(name), "1", 5.0)
    assert ready.origins == 3
    assert ready.pop(4.9) is None
    first, second = ready.pop(5.0), ready.pop(5.0)
    assert first is not None
    assert second is not None
    assert ready.pop(5.0) is None
    assert (ready.origins, ready.next_time(), ready.free_from("1")) == (1, inf, inf)
    ready.release(first[1], 6.0, visited=False)
    assert ready.free_from("1") == 0.0
    assert ready.next_time() == 5.0
    third = ready.pop(6.0)
    assert third is not None
    assert third[0].name == "http://c"
    assert ready.origins == 0


def test_an_address_without_a_limit_is_never_held_up() -> None:
    ready = Ready(delay=0.0, at_once=None)
    for number in range(9):
        ready.put(origin(f"h{number}"), "1", 0.0)
    ready.hold("1")
    assert len([ready.pop(0.0) for _ in range(9)]) == 9
    assert ready.free_from("1") == 0.0
    assert ready.free_from("2") == 0.0


def test_who_comes_later_but_is_due_sooner_goes_first() -> None:
    ready = Ready(delay=0.5, at_once=1)
    ready.put(origin("late"), "1", 9.0)
    assert ready.next_time() == 9.0
    ready.put(origin("soon"), "1", 3.0)
    assert ready.next_time() == 3.0
    popped = ready.pop(3.0)
    assert popped is not None
    assert popped[0].name == "http://soon"
    assert ready.next_time() == inf
    ready.release(popped[1], 3.0, visited=True)
    assert ready.next_time() == 9.0
    assert ready.pop(8.9) is None


def scheduled(table: Table, clock: VirtualClock, **rules: int) -> tuple[Schedule, WaitingOrigins]:
    numbers = iter(range(1, 10_000))
    waiting_origins = WaitingOrigins(table, lambda: next(numbers))
    asked = Rules(Scope(kind="any"), Politeness(), "Gossamer", **rules)  # type: ignore[arg-type]  # numbers
    return Schedule(asked, clock, Waiting(waiting_origins, Dates(clock)), lambda: None), waiting_origins


def test_an_origin_waits_in_one_place(table: Table) -> None:
    clock = VirtualClock()
    schedule, waiting_origins = scheduled(table, clock)
    now, far, paused, closed = origin("now"), origin("far"), origin("paused"), origin("closed")
    far.away = lambda: 3
    paused.host.paused = clock.steady() + 10
    closed.closed_until = clock.steady() + 20
    for each in (now, far, paused, closed):
        schedule.place(each)
    schedule.place(now)
    assert [each.placed for each in (now, far, paused, closed)] == [True, False, False, False]
    assert waiting_origins.at_work() == ["http://now"]
    assert (waiting_origins.nearest(), waiting_origins.waiting, schedule.waiting) == (3, 3, 4)
    assert schedule.next_waking() == pytest.approx(clock.steady() + 10, abs=0.001)
    assert schedule.near() == []
    clock.advance(10.001)
    assert schedule.near() == ["http://paused"]
    waiting_origins.leave("http://paused")
    popped = schedule.pop(lambda each: None)
    assert popped is not None
    assert popped[0] is now
    assert not now.placed
    assert schedule.farther() == ["http://far"]
    schedule.place(far)
    assert far.placed, "the horizon has moved"


def test_the_disk_knows_where_an_origin_waits_however_often_it_comes_and_goes(table: Table) -> None:
    clock = VirtualClock()
    schedule, waiting_origins = scheduled(table, clock)
    one, away = origin("a"), [0]
    one.away = lambda: away[0]
    for pause, rounds, at_work in ((0, 0, 1), (9, 0, 0), (0, 0, 1), (0, 3, 0), (0, 0, 1), (0, 0, 1)):
        one.placed, one.host.paused, away[0] = False, clock.steady() + pause, rounds
        schedule.place(one)
        assert waiting_origins.at_work() == [one.name] * at_work
        assert waiting_origins.waiting == 1 - at_work


def test_who_must_wait_after_all_is_put_off(table: Table) -> None:
    clock = VirtualClock()
    schedule, _ = scheduled(table, clock)
    one = origin("a")
    schedule.place(one)
    one.host.next = clock.steady() + 5
    heard: list[str] = []
    assert schedule.pop(lambda each: heard.append(each.name)) is None
    assert heard == ["http://a"]
    assert (one.placed, schedule.next_turn()) == (True, clock.steady() + 5)


def test_two_origins_of_a_host_have_their_turns_one_after_another(table: Table) -> None:
    clock, host = VirtualClock(), Host("a")
    schedule, _ = scheduled(table, clock)
    one, other = Origin("http://a", host), Origin("https://a", host)
    for each in (one, other):
        schedule.place(each)
    first = schedule.pop(lambda each: None)
    assert first is not None
    host.out = 1
    assert schedule.pop(lambda each: None) is None
    host.out = 0
    schedule.release(host, first[1], visited=True)
    clock.advance(0.5)
    second = schedule.pop(lambda each: None)
    assert second is not None
    assert {first[0].name, second[0].name} == {"http://a", "https://a"}


def test_out_of_turn_a_host_is_visited_as_politely_as_ever(table: Table) -> None:
    clock = VirtualClock()
    schedule, _ = scheduled(table, clock)
    host = Host("a", next=clock.steady() + 3, paused=clock.steady() + 50)
    assert schedule.free_from(host) == clock.steady() + 3, "a pause for its failures may be ours"
    host.throttled = 1
    assert schedule.free_from(host) == clock.steady() + 50
    group = schedule.aside(host)
    assert group is not None
    host.out = 1
    assert schedule.free_from(host) == inf
    host.out = host.throttled = 0
    assert schedule.free_from(host) == inf, "its address is being visited"
    clock.advance(9)
    schedule.release(host, group, visited=True)
    assert schedule.free_from(host) == clock.steady() + 0.5


def test_the_front_is_thin_when_clearly_fewer_are_here_than_it_asks_for(table: Table) -> None:
    clock = VirtualClock()
    schedule, waiting_origins = scheduled(table, clock, front=16)
    assert not schedule.thin, "nobody waits on disk"
    waiting_origins.wait("http://far", 9)
    assert schedule.thin
    for number in range(13):
        schedule.place(origin(f"h{number}"))
    assert schedule.thin
    schedule.place(origin("h13"))
    assert not schedule.thin
    assert schedule.farther() == ["http://far"], "the front is not full"
    for number in range(14, 16):
        schedule.place(origin(f"h{number}"))
    assert schedule.farther() == []


def test_no_more_than_so_many_are_in_memory_however_long_they_rest(table: Table) -> None:
    clock = VirtualClock()
    schedule, waiting_origins = scheduled(table, clock, front=2)
    waiting_origins.wait("http://near", 0)
    for number in range(39):
        schedule.place(origin(f"h{number}"))
    assert schedule.near() == ["http://near"]
    schedule.place(origin("h39"))
    assert schedule.near() == []


def test_the_count_of_those_that_wait_is_part_of_a_commit(table: Table) -> None:
    clock = VirtualClock()
    _, waiting_origins = scheduled(table, clock)
    waiting_origins.wait("http://a", 1)
    waiting_origins.sleep("http://b", 5.0)
    waiting_origins.work("http://c")
    assert table.get(META, b"waiting") is None
    waiting_origins.save()
    assert table.get(META, b"waiting") == (2).to_bytes(8, "big")
    again = WaitingOrigins(table, lambda: 99)
    assert (again.waiting, again.nearest(), again.at_work(), again.known()) == (2, 1, ["http://c"], True)
    assert again.next_waking == pytest.approx(5.0, abs=0.001)
    assert list(again.roused(4.9)) == []
    assert list(again.roused(5.1)) == ["http://b"]
    again.leave("http://a")
    again.leave("http://a")
    assert (again.waiting, again.nearest(), again.take(5, 9)) == (1, None, [])


def test_nobody_gets_a_turn_while_the_lease_of_the_shard_is_over(table: Table) -> None:
    clock, lease = VirtualClock(), [0.0]
    schedule = Schedule(
        Rules(Scope(kind="any"), Politeness(), "Gossamer"),
        clock,
        Waiting(WaitingOrigins(table, lambda: 1), Dates(clock)),
        lambda: None,
        leased_until=lambda: lease[0],
    )
    here = origin("here")
    schedule.place(here)
    now = lease[0] = clock.steady()
    assert schedule.pop(lambda each: None) is None
    assert schedule.aside(here.host) is None
    assert now < schedule.next_turn() < now + 1.0, "it is looked at again, and not at once"
    lease[0] = now + 4.0
    popped = schedule.pop(lambda each: None)
    assert popped is not None
    assert popped[0] is here


def test_a_host_that_has_changed_is_written_once_with_the_next_commit_or_when_it_leaves(table: Table) -> None:
    clock = VirtualClock()
    hosts = hosts_of(table, clock)
    host = hosts.get("a")
    host.origins = 1
    for visits in (1, 2, 3):
        host.visits = visits
        hosts.note(host)
    assert hosts_of(table, clock).get("a").visits == 0, "not before it is saved"
    hosts.save()
    assert hosts_of(table, clock).get("a").visits == 3
    host.visits = 4
    hosts.note(host)
    hosts.release(host)
    assert hosts_of(table, clock).get("a").visits == 4
    hosts_of(table, clock).meet("a", 7)
    hosts.save()
    assert hosts_of(table, clock).number("a") == 7, "what has left is not written again"
