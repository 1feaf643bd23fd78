"""What the shards report becomes one report of the collection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gossamer.collection import status as status_module
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.lock import exclusive
from gossamer.collection.progress import Progress, last_look, note, together
from gossamer.collection.status import status_of
from gossamer.frontier.forms.form_rows import FormSums
from gossamer.frontier.ledger import Ledger
from gossamer.plan import Plan
from gossamer.store.table.table import Table

COUNTED = ("pages", "failed", "excluded", "queued", "hosts", "bytes", "duplicates", "near_duplicates")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[list[Table]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(Table.open(tmp_path / name, FAMILIES, writable=True)) for name in ("first", "second")
        ]


def look(**fields: Any) -> Progress:
    return Progress(**dict.fromkeys(("pages", "failed", "queued", "out", "waiting", "bytes", "seconds"), 0) | fields)


def test_the_counts_of_all_shards_are_added_up(tables: list[Table], tmp_path: Path) -> None:
    for number, table in enumerate(tables):
        ledger = Ledger(table)
        for place, name in enumerate(COUNTED):
            setattr(ledger.counts, name, (place + 1) * 10**number)
        ledger.counts.seconds = (5.12345, 3.0)[number]
        ledger.counts.failures = ({"refused": 1, "timed out": 5}, {"refused": 7, "gone": 0})[number]
        ledger.counts.exclusions = {"out of scope": 2}
        ledger.save()
    status = status_of(tmp_path, Plan(), tables, {"a": ["b"]}, unread=3)
    assert [getattr(status, name) for name in COUNTED] == [11 * (place + 1) for place in range(len(COUNTED))]
    assert status.seconds == 5.123
    assert list(status.failures.items()) == [("refused", 8), ("timed out", 5)]
    assert status.exclusions == {"out of scope": 4}
    assert (status.unread, status.mirrors, status.crawling) == (3, {"a": ["b"]}, None)
    assert status.as_json()["pages"] == 11


def test_a_crawl_that_waits_says_so_only_while_it_runs(tables: list[Table], tmp_path: Path) -> None:
    note(tables[0], look(disk_free=5, disk_wanted=9, network_gone=True, queued=1, left=3.0, basis="counted"))
    with exclusive(tmp_path):
        running = status_of(tmp_path, Plan(), tables, {})
    ended = status_of(tmp_path, Plan(), tables, {})
    assert running.crawling is not None
    assert (running.disk_free, running.disk_wanted, running.network_gone) == (5, 9, True)
    assert (ended.disk_free, ended.disk_wanted, ended.network_gone) == (0, 0, False)
    assert (running.left, running.basis) == (ended.left, ended.basis) == (3.0, "counted")


def test_a_collection_that_was_never_looked_at_has_no_estimate(tables: list[Table], tmp_path: Path) -> None:
    assert last_look(tables[0]) is None
    with exclusive(tmp_path):
        status = status_of(tmp_path, Plan(), tables, {})
    assert (status.left, status.basis, status.disk_free, status.network_gone) == (None, "", 0, False)
    assert status.unread == 0


def test_the_last_look_is_the_one_that_was_noted(tables: list[Table]) -> None:
    note(tables[0], look(pages=1))
    note(tables[0], look(pages=2, left=1.5))
    assert last_look(tables[0]) == look(pages=2, left=1.5)


def test_looks_at_shards_are_added_up() -> None:
    one = look(pages=1, failed=2, queued=3, out=4, waiting=5, bytes=6, seconds=7.0, limit=50, idle_seconds=9.0)
    other = look(pages=10, failed=20, queued=30, out=40, waiting=50, bytes=60, seconds=3.0, limit=50, idle_seconds=4.0)
    seen = together([one, None, other])
    assert seen == look(
        pages=11, failed=22, queued=33, out=44, waiting=55, bytes=66, seconds=7.0, limit=50, idle_seconds=4.0
    )
    assert together([None, None]) is None


def test_the_shard_that_takes_longest_says_how_long_it_takes() -> None:
    quick, long = look(left=5.0, basis="quick"), look(left=50.0, basis="long")
    unknown, idle = look(left=None), look(left=900.0, idle_seconds=900.0, basis="waits")
    for parts in ([quick, long, unknown, idle], [idle, unknown, long, quick]):
        seen = together(parts)
        assert seen is not None
        assert (seen.left, seen.basis) == (50.0, "long")
    soon = together([unknown, look(left=0.5, basis="soon")])
    assert soon is not None
    assert soon.left == 0.5


def test_the_disk_that_lacks_most_is_named_with_what_it_has() -> None:
    seen = together([look(disk_free=8, disk_wanted=10), look(disk_free=3, disk_wanted=20), look(disk_free=0)])
    assert seen is not None
    assert (seen.disk_free, seen.disk_wanted) == (3, 20)


@pytest.mark.parametrize(
    ("parts", "gone"),
    [
        ([(True, 1), (True, 1)], True),
        ([(True, 1), (False, 1)], False),
        ([(True, 1), (False, 0)], True),  # a shard that has nothing to do cannot know
        ([(False, 0), (False, 0)], False),
        ([(False, 1), (False, 0)], False),
    ],
)
def test_the_network_is_gone_if_all_that_need_it_say_so(parts: list[tuple[bool, int]], gone: bool) -> None:
    seen = together([look(network_gone=said, queued=queued) for said, queued in parts])
    assert seen is not None
    assert seen.network_gone is gone


@pytest.mark.parametrize(("sent", "refused", "told"), [(0, 0, False), (2, 0, True), (0, 2, True), (2, 2, True)])
def test_forms_are_told_of_where_one_was_sent_or_refused(
    sent: int, refused: int, told: bool, monkeypatch: pytest.MonkeyPatch, tables: list[Table]
) -> None:
    sums = FormSums(sent=sent, refused=refused)
    monkeypatch.setattr(status_module.form_rows, "stored_sums", lambda table: sums)
    assert (status_module._forms(tables[:1]) is not None) is told
