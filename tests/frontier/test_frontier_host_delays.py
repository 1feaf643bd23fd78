"""A host that was put away as a row comes back no less polite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import HOSTS, encode
from gossamer.frontier.polite.host_delays import ORIGINS_REMEMBERED, Dates, Host, Hosts, Politeness
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock


@given(uptime=st.floats(0, 1e7), rest=st.floats(0, 1), pause=st.floats(1, 86_000))
def test_a_host_that_comes_back_from_its_row_rests_no_shorter(
    tmp_path_factory: object, uptime: float, rest: float, pause: float
) -> None:
    folder: Path = tmp_path_factory.mktemp("table")  # type: ignore[attr-defined]  # pytest's own factory
    clock = VirtualClock()
    clock.advance(uptime)
    with Table.open(folder, FAMILIES, writable=True) as table:
        hosts = Hosts(table, clock, Dates(clock), Politeness(), careful=False)
        assert hosts.number("a.example") is None
        hosts.meet("a.example", 7)
        host = hosts.get("a.example")
        host.next, host.paused = clock.steady() + rest, clock.steady() + pause
        hosts.release(host)
        assert hosts.number("a.example") == 7
        again = hosts.get("a.example")
        assert again is not host
        assert host.next <= again.next <= host.next + 0.002
        assert again.paused == pytest.approx(host.paused, abs=1e-6)  # or it would be roused to sleep again


def test_a_jump_of_the_wall_clock_within_a_run_changes_no_date(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        hosts = Hosts(table, clock, Dates(clock), Politeness(), careful=False)
        host = hosts.get("a.example")
        host.paused = clock.steady() + 600
        hosts.release(host)
        clock.jump(-86_400)
        assert hosts.get("a.example").paused == pytest.approx(host.paused, abs=0.002)


def test_why_a_host_rests_names_the_origin_that_asks_and_what_is_obeyed() -> None:
    host, polite = Host("a.example"), Politeness()
    host.asks("http://a.example", 5.0)
    host.asks("https://a.example", 30.0)
    assert (polite.gap(host), polite.basis(host)) == (30.0, "Crawl-delay 30 s of https://a.example")
    host.asks("https://a.example", 1000.0)
    assert polite.gap(host) == 300.0
    assert polite.basis(host) == "Crawl-delay 1000 s of https://a.example, obeyed up to 300 s"
    host.asks("https://a.example", 0.0)
    assert (polite.gap(host), polite.basis(host)) == (5.0, "Crawl-delay 5 s of http://a.example")


def test_a_host_with_a_robots_txt_on_every_port_keeps_the_longest_delays_only() -> None:
    host = Host("a.example")
    for port in range(1, 1_000):
        host.asks(f"http://a.example:{port}", float(port))
    assert len(host.delays) == ORIGINS_REMEMBERED
    assert host.crawl_delay == 999.0


def test_a_delay_kept_before_origins_were_told_apart_holds_until_one_is_read_again(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        table.put(HOSTS, b"a.example", encode([0.0, 0.0, 0.0, 30.0, 0, 0, 0, 0.0, "", 3, 0, 1]))
        host = Hosts(table, clock, Dates(clock), Politeness(), careful=False).get("a.example")
    assert host.crawl_delay == 30.0
    host.asks("http://a.example", 2.0)
    assert host.crawl_delay == 2.0


def test_the_breaker_opens_after_five_failures_for_longer_each_time_up_to_a_day() -> None:
    host, pauses = Host("a.example"), []
    for number in range(1, 61):
        host.failed(now := 1e6 * number)
        if number % 5:
            assert host.paused < now
        else:
            pauses.append(host.paused - now)
    assert pauses == [600, 1200, 2400, 4800, 9600, 19200, 38400, 76800, 86400, 86400, 86400, 86400]
    assert host.reason == "60 failures in a row"
    host.answered(0.1)
    for _ in range(5):
        host.failed(1e9)
    assert host.paused == 1e9 + 600, "one good answer, and it begins again"


def test_the_first_answer_is_the_pace_and_later_ones_are_smoothed() -> None:
    host, polite = Host("a.example"), Politeness()
    host.answered(0.4)
    assert polite.gap(host) == pytest.approx(4.0)
    host.answered(1.4)
    assert polite.gap(host) == pytest.approx(10 * (0.7 * 0.4 + 0.3 * 1.4))


def test_a_host_stays_as_long_as_one_of_its_origins_is_in_memory(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        hosts = Hosts(table, clock, Dates(clock), Politeness(), careful=False)
        host = hosts.get("a.example")
        host.origins = 2
        hosts.release(host)
        assert hosts.get("a.example") is host
        hosts.release(host)
        assert hosts.get("a.example") is not host
