"""Where a crawl has a topic, an address is one round farther away for each half that is missing of its promise."""

from __future__ import annotations

import pytest

from gossamer.frontier.entries import Entry, State
from gossamer.frontier.queue.rank import TOPIC_LAST, topic_rounds


@pytest.mark.parametrize(
    ("promised", "rounds"),
    [(1_000_000, 0), (500_001, 0), (500_000, 1), (250_000, 2), (125_000, 3), (1, 19), (0, TOPIC_LAST)],
)
def test_each_half_that_is_missing_is_a_round(promised: int, rounds: int) -> None:
    assert topic_rounds(Entry(State.QUEUED, 1, 0.0, cash=promised)) == rounds


def test_a_seed_waits_for_no_promise() -> None:
    assert topic_rounds(Entry(State.QUEUED, 0, 0.0, cash=1)) == topic_rounds(Entry(State.QUEUED, 0, 0.0)) == 0
