"""What is kept of a page's visits is enough to tell how often it changes."""

from __future__ import annotations

import math
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.freshness import change_rate
from gossamer.freshness.rate_estimator import FADES, KEPT, History, Prior

NOTHING = Prior(0.0, 0.0)


def history(*visits: tuple[float, bool], fades: float = 1.0) -> History:
    made = History()
    for interval, changed in visits:
        made = made.seen(interval, changed, fades)
    return made


def test_without_a_prior_it_is_the_estimate_by_maximum_likelihood() -> None:
    visits = ((1, True), (3, True), (2, False), (2, False))
    assert history(*visits).rate(NOTHING) == pytest.approx(0.35008, abs=1e-5)
    assert history(*visits).rate(NOTHING) == pytest.approx(change_rate(visits), rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 100), st.booleans()), max_size=KEPT), st.floats(0.001, 10), st.floats(0.1, 5))
def test_the_rate_is_where_visits_and_prior_balance(
    visits: list[tuple[float, bool]], usual: float, strength: float
) -> None:
    prior = Prior.of(usual, strength)
    rate = history(*visits).rate(prior)
    changed = math.fsum(each / math.expm1(min(rate * each, 700)) for each, has_changed in visits if has_changed)
    same = math.fsum(each for each, has_changed in visits if not has_changed)
    assert changed + prior.changes / rate == pytest.approx(same + prior.time, rel=1e-3)


def test_what_is_known_of_others_counts_less_with_every_visit() -> None:
    prior = Prior.of(1.0, 0.5)
    assert History().rate(prior) == pytest.approx(1.0)
    rates = [history(*[(5.0, False)] * count).rate(prior) for count in (1, 5, 20)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == pytest.approx(0.5 / 5.5)


def test_however_many_visits_there_were_it_has_a_bounded_size_and_loses_little() -> None:
    chance, made, visits = random.Random(3), History(), []
    for _ in range(2_000):
        interval = chance.uniform(0.2, 20.0)
        visits.append((interval, chance.random() < -math.expm1(-0.15 * interval)))
        made = made.seen(*visits[-1], 1.0)
    assert len(made.changed) <= KEPT
    assert len(msgspec.msgpack.encode(made)) < 150
    assert made.rate(NOTHING) == pytest.approx(change_rate(visits), rel=0.03)


def test_a_page_that_wakes_up_or_falls_asleep_is_noticed() -> None:
    prior = Prior.of(0.1, 0.5)
    quiet = history(*[(4.0, False)] * 60, fades=FADES)
    woken = quiet
    for _ in range(25):
        woken = woken.seen(4.0, True)
    asleep = woken
    for _ in range(60):
        asleep = asleep.seen(4.0, False)
    assert quiet.rate(prior) < 0.01 < 0.15 < woken.rate(prior)
    assert asleep.rate(prior) < 0.05


def test_two_visits_at_one_moment_tell_nothing() -> None:
    made = history((2.0, True))
    assert made.seen(0.0, True) == made
    assert made.seen(-1.0, False) == made
