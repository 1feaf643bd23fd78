"""A point in time as people write it: a day is its beginning or its end, and everything else is a moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from gossamer.collection.ask import times
from gossamer.collection.ask.times import in_utc, moment
from gossamer.errors import UsageError

DAY = date(2026, 1, 31)
WEEK = date.fromisocalendar(2026, 5, 6)


@pytest.mark.parametrize(
    ("text", "day"), [("2026-01-31", DAY), ("20260131", DAY), ("2026-W05-6", WEEK), ("2026W056", WEEK)]
)
def test_a_day_begins_and_ends_where_we_are(text: str, day: date) -> None:
    assert moment(text) == datetime.combine(day, time.min).astimezone()
    assert moment(text, end=True) == datetime.combine(day, time.max).astimezone()


def test_days_are_named_from_today(monkeypatch: pytest.MonkeyPatch) -> None:
    today = date.today()
    for text, ago in (("today", 0), (" Yesterday ", 1)):
        found = moment(text)
        assert found.date() in (today - timedelta(days=ago), date.today() - timedelta(days=ago))
        assert found.time() == time.min


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-31T12:30:00+00:00", datetime(2026, 1, 31, 12, 30, tzinfo=UTC)),
        ("2026-01-31 12:30Z", datetime(2026, 1, 31, 12, 30, tzinfo=UTC)),
        ("20260131T000000Z", datetime(2026, 1, 31, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("end", [False, True])
def test_a_moment_is_itself(text: str, at: datetime, end: bool) -> None:
    assert moment(text, end=end) == at


def test_how_long_ago_it_is_counts_back_from_now_and_not_before_1970(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times.clock, "time", lambda: 10_000.0)
    assert moment("2h").timestamp() == 2_800
    assert moment("1h30m").timestamp() == 4_600
    assert moment("7d").timestamp() == 0


@pytest.mark.parametrize("text", ["", "soon", "2026-02-30", "9999-12-31", "2026-01-31T25:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a time"):
        moment(text)


def test_a_time_of_a_program_without_a_zone_is_one_of_utc() -> None:
    plain = datetime(2026, 1, 31, 12)
    assert in_utc(plain) == in_utc(plain.replace(tzinfo=UTC)) == datetime(2026, 1, 31, 12, tzinfo=UTC)
    with pytest.raises(UsageError, match="as a datetime"):
        in_utc(DAY)  # type: ignore[arg-type]  # what a program may get wrong
