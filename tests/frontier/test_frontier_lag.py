"""How long the oldest batch waits that another shard does not have."""

from __future__ import annotations

from gossamer.frontier.shards.lag import LOOKS_MOST, Lag


def test_the_oldest_that_is_not_acknowledged_says_how_long() -> None:
    lag = Lag()
    assert lag.at(0.0, (0, 0), (0, 0)) == 0.0
    assert lag.at(1.0, (0, 3), (0, 0)) == 0.0, "it was closed since the last look"
    assert lag.at(2.0, (0, 5), (0, 0)) == 1.0
    assert lag.at(3.0, (0, 9), (0, 3)) == 1.0, "batches 4 and 5 are the oldest now"
    assert lag.at(4.0, (2, 9), (0, 9)) == 0.0
    assert lag.at(9.0, (2, 9), (2, 9)) == 0.0


def test_a_shard_that_is_away_for_long_costs_no_memory() -> None:
    lag = Lag()
    lags = [lag.at(float(now), (now + 1,), (0,)) for now in range(10 * LOOKS_MOST)]
    assert lags == [float(now) for now in range(10 * LOOKS_MOST)]
    assert len(lag._looks) <= LOOKS_MOST
    half = lag.at(10.0 * LOOKS_MOST, (10 * LOOKS_MOST,), (5 * LOOKS_MOST,))
    assert 4.5 * LOOKS_MOST <= half <= 5 * LOOKS_MOST, "looks that were left out make it a little shorter"
