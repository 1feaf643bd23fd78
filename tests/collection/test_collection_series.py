"""How a crawl went can be read later: by the minute at first, more coarsely as it gets old, over all shards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

import gossamer
from crawler_process import with_room
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.series import DAY, KEY, ROWS_MOST, Point, Sample, Series, memory, point_of, rows, series, spare
from gossamer.errors import Damaged, UsageError
from gossamer.frontier.entries import META
from gossamer.frontier.ledger import Counts
from gossamer.store.table.table import Table
from named_web import named_web

NOW = 1_793_507_760.0
"""A whole minute."""


@contextmanager
def table(path: Path) -> Iterator[Table]:
    with Table.open(path, FAMILIES, writable=True) as made:
        yield made


def minutes(count: int) -> range:
    """The last so many, until now."""
    last = int(NOW // 60)
    return range(last - count + 1, last + 1)


def kept(count: int) -> list[int]:
    """Ages of what is left of so many minutes, when it was thinned minute by minute."""
    last, left = int(NOW // 60), list[int]()
    for minute in minutes(count):
        left.append(minute)
        if minute % 997 == 0:
            gone = set(spare(left, minute))
            left = [each for each in left if each not in gone]
    gone = set(spare(left, last))
    return [last - each for each in left if each not in gone]


def test_it_is_thinned_with_age() -> None:
    ages = kept(100 * DAY)
    assert [age for age in ages if age < 120] == list(range(119, -1, -1))
    assert len([age for age in ages if 120 <= age < 2 * DAY]) in (276, 277)
    assert len([age for age in ages if 2 * DAY <= age < 60 * DAY]) in (58 * 24, 58 * 24 + 1)
    assert len([age for age in ages if age >= 60 * DAY]) in (40, 41)


def test_what_is_thinned_stays_as_it_is_when_it_is_thinned_again() -> None:
    left = [int(NOW // 60) - age for age in kept(3 * DAY)]
    assert spare(left, int(NOW // 60)) == []


def test_however_long_it_lasts_there_are_only_so_many_rows() -> None:
    days = [day * DAY for day in range(2 * ROWS_MOST)]
    gone = spare(days, days[-1])
    assert gone == days[:ROWS_MOST]


def test_a_minute_has_the_sums_of_its_last_commit(tmp_path: Path) -> None:
    with table(tmp_path / "table") as made:
        notes = Series(made)
        notes.note(Counts(queued=3), NOW)
        notes.note(Counts(queued=2, done=4, pages=3, failed=5, excluded=1, bytes=9, hosts=2, duplicates=1), NOW + 59.9)
        notes.note(Counts(pages=4, done=5, near_duplicates=2, seconds=70.0), NOW + 60)
        made.commit()
        (first, one), (second, two) = rows(made)
    assert second == first + 1 == NOW // 60 + 1
    assert (one.pages, one.failed, one.queued, one.excluded, one.bytes, one.known) == (3, 5, 2, 1, 9, 12)
    assert (one.duplicates, one.hosts, two.duplicates, two.seconds) == (1, 2, 2, 70.0)
    assert one.memory > 1 << 20


def test_old_rows_go_as_it_is_written(tmp_path: Path) -> None:
    with table(tmp_path / "table") as made:
        notes = Series(made)
        for minute in range(400):
            notes.note(Counts(pages=minute), NOW + 60 * minute)
        made.commit()
        ages = [399 - (minute - int(NOW // 60)) for minute, _ in rows(made)]
    assert 120 + 27 <= len(ages) <= 140 + 30
    assert ages[-120:] == list(range(119, -1, -1))


def test_a_clock_that_is_wrong_harms_nothing(tmp_path: Path) -> None:
    with table(tmp_path / "table") as made:
        for moment in (NOW, 1e18, -5.0, NOW + 60):
            Series(made).note(Counts(pages=1), moment)
            made.commit()
        assert [sample.pages for sample in series([made], None, 10)] != []


def test_the_sums_of_shards_are_added_where_their_times_meet(tmp_path: Path) -> None:
    with table(tmp_path / "one") as one, table(tmp_path / "two") as two:
        put(one, 0, Point(pages=1, hosts=1, seconds=10.0, memory=5))
        put(one, 1, Point(pages=2, hosts=1, seconds=20.0, memory=6))  # it ends here
        put(two, 1, Point(pages=10, known=50, seconds=15.0, memory=7))
        put(two, 3, Point(pages=20, queued=20, failed=2, known=50, seconds=30.0, memory=8))
        found = series([one, two], None, 10)
        assert [(each.pages, each.memory, each.seconds) for each in found] == [
            (1, 5, 10.0),
            (12, 13, 20.0),
            (22, 8, 30.0),
        ]
        assert found[-1].hosts == 1
        assert found[-1].coverage == 22 / 44, "of what may be fetched, and not of all that is known"
        assert found[0].time == datetime.fromtimestamp(NOW + 60, UTC)
        assert series([one, two], datetime.fromtimestamp(NOW + 200, UTC), 10) == found[-1:]
        assert series([one, two], None, 1) == found[-1:]
        assert series([one, two], None, 2) == found[1:]


def put(made: Table, minute: int, point: Point) -> None:
    import msgspec

    made.put(META, KEY + (int(NOW // 60) + minute).to_bytes(8, "big"), msgspec.msgpack.encode(point))
    made.commit()


def test_as_many_points_as_are_wanted_come_from_the_whole_of_it(tmp_path: Path) -> None:
    with table(tmp_path / "table") as made:
        for minute in range(100):
            put(made, minute, Point(pages=minute))
        pages = [each.pages for each in series([made], None, 10)]
    assert pages == [9, 19, 29, 39, 49, 59, 69, 79, 89, 99]


def test_where_nothing_was_written_there_is_nothing(tmp_path: Path) -> None:
    with table(tmp_path / "table") as made:
        assert series([made], None, 5) == []
        with pytest.raises(UsageError, match="at least one point"):
            series([made], None, 0)


@pytest.mark.parametrize("minute", [5_000_000_000, (1 << 63) - 1])
def test_a_minute_that_no_calendar_has_is_passed_over(tmp_path: Path, minute: int) -> None:
    with table(tmp_path) as one:
        Series(one).note(Counts(pages=3), NOW)
        one.put(META, KEY + minute.to_bytes(8, "big"), msgspec.msgpack.encode(Point(1)))
        assert [each.pages for each in series([one], None, 10)] == [3]


def test_a_row_that_says_nothing_is_damage() -> None:
    with pytest.raises(Damaged):
        point_of(b"\xc1")
    assert memory() > 0


@pytest.mark.parametrize("shards", [1, 2])
def test_a_crawl_writes_it_down_and_the_next_one_goes_on(tmp_path: Path, shards: int) -> None:
    with named_web() as web, gossamer.open(with_room(tmp_path / "web")) as collection:
        web.link("site", "/", [web.url("site", f"/{number}") for number in range(5)])
        for number in range(5):
            web.link("site", f"/{number}", [])
        quick = {"delay": 0, "ip_delay": 0, "patience": 0, "allow_addresses": ("127.0.0.0/8",), "shards": shards}
        collection.crawl(web.url("site"), pages=2, **quick)
        assert collection.series()[-1].pages == 2
        status = collection.crawl(pages=0)
        last = collection.series()[-1]
        names = ("pages", "failed", "queued", "excluded", "bytes", "hosts")
        assert [getattr(last, name) for name in names] == [getattr(status, name) for name in names]
        assert last.known == 7  # with the sitemap that is not there
        assert last.as_json()["coverage"] == 1.0
        assert collection.verify().problems == []


def test_a_sample_without_addresses_covers_nothing() -> None:
    assert Sample(datetime.now(UTC), 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0).coverage == 0.0
