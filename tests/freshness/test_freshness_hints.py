"""What a site says of its pages: read as the standards have it, and never worth more than what visits show."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gossamer.freshness.hints import DAY, HOUR, LATEST, SOONEST, after_quiet, frequency, good_for, hinted, quiet
from gossamer.freshness.rate_estimator import History, Prior
from gossamer.frontier.revisit.priors import OWN

NOON = "Sun, 06 Nov 1994 12:00:00 GMT"


@pytest.mark.parametrize(
    ("fields", "expires", "date", "seconds"),
    [
        ([], None, None, 0),
        (["max-age=3600"], None, None, 3_600),
        (['public, Max-Age="60"'], None, None, 60),
        (["public", "s-maxage=10, max-age=20"], None, None, 20),
        (["s-maxage=10"], None, None, 10),
        (["max-age=60, max-age=90"], None, None, 60),
        (["max-age=60, no-cache"], None, None, 0),
        (["no-store"], "Sun, 06 Nov 1994 13:00:00 GMT", NOON, 0),
        (["max-age=-1"], None, None, 0),
        (["max-age=soon"], None, None, 0),
        (["max-age"], None, None, 0),
        (["max-age=" + "9" * 400], None, None, 0),
        (["max-age=0"], "Sun, 06 Nov 1994 13:00:00 GMT", NOON, 0),
        (["private"], "Sun, 06 Nov 1994 13:00:00 GMT", NOON, 3_600),
        ([], "Sunday, 06-Nov-94 13:00:00 GMT", NOON, 3_600),
        ([], "Sun Nov  6 13:00:00 1994", NOON, 3_600),
        ([], "Sun, 06 Nov 1994 11:00:00 GMT", NOON, 0),
        ([], "0", NOON, 0),
        ([], "-1", NOON, 0),
        ([], "Sun, 06 Nov 1994 13:00:00 GMT", None, 0),
    ],
)
def test_for_how_long_an_answer_is_good(
    fields: list[str], expires: str | None, date: str | None, seconds: float
) -> None:
    assert good_for(fields, expires, date) == seconds


@pytest.mark.parametrize(("word", "seconds"), [(" Daily ", DAY), ("never", LATEST), ("often", None), ("", None)])
def test_how_often_a_sitemap_says_that_a_page_changes(word: str, seconds: float | None) -> None:
    assert frequency(word) == seconds


def test_a_hint_moves_what_is_expected_half_of_the_way_and_less_the_more_is_known() -> None:
    assert hinted(1 / 30, 0.0, 0.0) == 1 / 30
    assert hinted(1 / 100, DAY, 0.0) == pytest.approx(1 / 10)
    assert hinted(1.0, 100 * DAY, 0.0) == pytest.approx(1 / 10)
    rates = [hinted(1 / 30, DAY, seen) for seen in (0, 1, 10, 1_000)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(1 / 30, rel=0.01)
    assert hinted(1.0, 1.0, 0.0) == hinted(1.0, SOONEST, 0.0) == pytest.approx(2.0)
    assert hinted(1.0, 1e12, 0.0) == hinted(1.0, LATEST, 0.0)


@pytest.mark.parametrize("every", [HOUR, LATEST])
def test_a_hint_that_is_wrong_is_soon_outvoted_by_visits(every: float) -> None:
    """A page that changes every four days, and is visited every day."""
    history = History()
    for day in range(60):
        history = history.seen(1.0, changed=day % 4 == 0)
    seen = OWN * (history.weight + history.same / 30)
    told, untold = (history.rate(Prior.of(hinted(1 / 30, said, seen), 0.5)) for said in (every, 0.0))
    assert told == pytest.approx(untold, rel=0.1)


def moment(day: int, hour: float) -> float:
    """October 2018: the first was a Monday."""
    return datetime(2018, 10, day, tzinfo=UTC).timestamp() + hour * HOUR


def test_a_time_in_which_nothing_is_new_is_waited_out() -> None:
    nights = quiet(range(6), ())
    assert after_quiet(moment(3, 2.5), nights) == moment(3, 6)
    assert after_quiet(moment(3, 6), nights) == moment(3, 6)
    weekends = quiet((), (5, 6))
    assert after_quiet(moment(6, 1), weekends) == moment(8, 0)
    assert after_quiet(moment(5, 23.9), weekends) == moment(5, 23.9)
    assert after_quiet(moment(7, 1), weekends | nights) == moment(8, 6)
    assert after_quiet(123.5, 0) == 123.5
    assert after_quiet(-1.5 * HOUR, quiet((22,), ())) == -HOUR


def test_who_has_never_anything_new_says_nothing() -> None:
    assert quiet(range(24), ()) == quiet((), range(7)) == 0
    assert quiet((99, -1), (7, -1)) == 0
    only = after_quiet(moment(1, 0), quiet(range(23), range(6)))
    assert only == moment(7, 23)
