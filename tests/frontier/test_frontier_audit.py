"""What `verify` says of the books: every number that is wrong by one, and nothing when all is well."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from books import books
from msgspec.structs import replace
from small_web import Answer, SmallWeb, crawl_small, redirect

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier import Frontier
from gossamer.frontier.audit import audit
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import BACKLOG, HOSTS, LATER, QUEUE, STANDING, TURNS, State
from gossamer.frontier.ledger import Ledger
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock

A, B, C = (f"http://{name}.example/" for name in "abc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page that is done, one that failed, one that waits for a retry, one that is queued, and a sitemap."""
    with books(tmp_path) as held:
        held.frontier.add([Found(A), Found(f"{A}no"), Found(f"{A}later"), Found(B)])
        held.frontier.sift()
        held.answered(A, page={"copy_of": C})
        held.answered(f"{A}no", 404)
        held.answered(f"{A}later", 500)
    return tmp_path


def problems(folder: Path, damage: Callable[[Table], None]) -> list[str]:
    with Table.open(folder, FAMILIES, writable=True) as table:
        assert list(audit(table)) == []
        damage(table)
        return list(audit(table))


@pytest.mark.parametrize(
    "name", ["queued", "done", "failed", "excluded", "pages", "again", "hosts", "duplicates", "near_duplicates"]
)
def test_a_counter_that_is_off_by_one_is_found(folder: Path, name: str) -> None:
    def damage(table: Table) -> None:
        ledger = Ledger(table)
        setattr(ledger.counts, name, getattr(ledger.counts, name) + 1)
        ledger.save()

    found = problems(folder, damage)
    assert len(found) == 1
    assert found[0].startswith(f"the counter of {name} says ")


def test_a_remark_on_a_page_that_is_counted_and_not_there_is_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        ledger = Ledger(table)
        ledger.counts.remarks = {"empty": 1}
        ledger.save()

    assert problems(folder, damage) == ["the counters of remarks on pages say {'empty': 1}, but it is {}"]


def test_a_retry_that_is_counted_and_not_there_is_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        ledger = Ledger(table)
        ledger.counts.retries = {"connect": 2}
        ledger.save()

    assert problems(folder, damage) == [
        "the counters of what is tried again say {'connect': 2}, but it is {'http 500': 1}"
    ]


def test_retries_that_were_never_counted_are_counted_once(folder: Path) -> None:
    with Table.open(folder, FAMILIES, writable=True) as table:
        ledger = Ledger(table)
        ledger.counts.retries = None
        url, entry = next(row for row in ledger.all() if row[1].state is State.QUEUED and not row[1].attempt)
        ledger.put(url, replace(entry, reason="connect: refused", attempt=1), entry)
        ledger.count_all()
        assert ledger.counts.retries == {"connect": 1, "http 500": 1}


def test_remarks_that_were_never_counted_are_counted_once(folder: Path) -> None:
    with Table.open(folder, FAMILIES, writable=True) as table:
        ledger = Ledger(table)
        entry = ledger.get(A)
        assert entry is not None
        ledger.counts.remarks = None
        ledger.put(A, replace(entry, reason="cut: too long"), entry)
        ledger.save()
        assert list(audit(table)) == []
        ledger.count_all()
        assert ledger.counts.remarks == {"cut": 1}


def test_the_backlog_of_a_host_that_is_off_by_one_is_found(folder: Path) -> None:
    found = problems(folder, lambda table: table.put(BACKLOG, b"b.example", (2).to_bytes(8, "big")))
    assert found == [
        "b.example: 2 are counted as queued, but 1 are",
        "2 addresses are queued, but the hosts count 3",
    ]


def test_a_backlog_of_a_host_that_has_no_addresses_is_found(folder: Path) -> None:
    found = problems(folder, lambda table: table.put(BACKLOG, b"x.example", (1).to_bytes(8, "big")))
    assert found == ["2 addresses are queued, but the hosts count 3"]


def test_a_host_that_nobody_counted_is_found(folder: Path) -> None:
    found = problems(folder, lambda table: table.put(HOSTS, b"x.example", table.get(HOSTS, b"a.example") or b""))
    assert found == ["the counter of hosts says 2, but there are 3"]


def test_an_address_that_stands_in_no_queue_is_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        (key, _), *_ = table.scan(LATER)
        table.delete(LATER, key)

    assert problems(folder, damage) == ["2 addresses are queued, but 1 in a queue"]


def test_what_stands_in_a_queue_and_is_not_queued_is_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        key, _ = next(table.scan(QUEUE))
        table.put(QUEUE, key[:-1] + b"\xff", A.encode())

    assert problems(folder, damage) == [f"{A}: in a queue but not queued"]


def test_an_old_place_in_a_queue_is_found_and_an_old_retry_is_none(folder: Path) -> None:
    def damage(table: Table) -> None:
        key, url = next(table.scan(QUEUE))
        table.put(QUEUE, key[:-1] + b"\xff", url)
        key, url = next(table.scan(LATER))
        table.put(LATER, key[:-1] + b"\xff", url)

    assert problems(folder, damage) == [f"{B}: in a queue but not queued"]


def test_a_queue_without_a_turn_and_a_turn_without_a_queue_are_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        key = table.get(STANDING, b"http://b.example") or b""
        table.delete(STANDING, b"http://b.example")
        table.put(STANDING, b"http://x.example", key)

    assert problems(folder, damage) == [
        "http://b.example: has a queue but no turn",
        "http://x.example: has a turn but no queue",
        "the turns of the origins are not where they should be",
    ]


def test_a_turn_that_is_not_where_its_origin_says_is_found(folder: Path) -> None:
    def damage(table: Table) -> None:
        (key, name), *_ = table.scan(TURNS)
        table.delete(TURNS, key)
        table.put(TURNS, key[:-1] + b"\xff", name)

    assert problems(folder, damage) == ["the turns of the origins are not where they should be"]


def test_a_turn_without_a_queue_is_no_damage_where_a_robots_txt_has_led_to_it(folder: Path) -> None:
    def damage(table: Table) -> None:
        key = b"\2http://x.example"
        table.put(STANDING, b"http://x.example", key)
        table.put(TURNS, key, b"http://x.example")

    assert problems(folder, damage) == []


def test_a_crawl_that_is_stopped_while_a_robots_txt_leads_elsewhere_leaves_sound_books(tmp_path: Path) -> None:
    """The other host is on the same address and has to wait, and nothing of its own is queued."""
    there = "http://b.example/robots.txt"
    web = SmallWeb({"http://a.example/robots.txt": redirect(there), A: Answer(), there: Answer(body=b"")})
    web.addresses = {"a.example": "192.0.2.1", "b.example": "192.0.2.1"}

    def during(clock: VirtualClock, frontier: Frontier) -> None:
        asyncio.get_running_loop().call_later(0.2, frontier.stop)

    crawl_small(web, tmp_path, A, during=during)
    assert web.times(there) == []
    done = crawl_small(web, tmp_path)
    assert len(web.times(there)) == 1
    assert done.state(A) == "DONE"
