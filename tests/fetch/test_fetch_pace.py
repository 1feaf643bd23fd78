"""An answer that stops coming is given up, one that keeps coming is not, by a clock of our own."""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.fetch.limits import Limits
from gossamer.fetch.pace import Pace
from gossamer.model import Fault

LONG = Limits(total=10_000.0)


def given_up(progress: Iterable[int], limits: Limits = LONG) -> tuple[int, Fault] | None:
    """The second at which a transfer is given up that has come so far at each second."""
    pace = Pace(limits)
    for second, reached in enumerate(progress):
        failure = pace.look(reached, 1000.0 + second)
        if failure:
            return second, failure.fault
    return None


def test_no_first_byte_in_twenty_seconds() -> None:
    assert given_up([0] * 200) == (20, Fault.TIMEOUT)
    assert given_up([0] * 19 + [5, 9000]) is None


def test_silence_of_twenty_seconds() -> None:
    assert given_up([0, 5] + [9000] * 200) == (22, Fault.TIMEOUT)
    assert given_up([5] + [9000] * 19 + [19_000] * 19 + [29_000]) is None


def test_thirty_seconds_below_the_lowest_rate() -> None:
    assert given_up(range(0, 200_000, 499)) == (31, Fault.TOO_SLOW)
    assert given_up(range(0, 200_000, 500)) is None
    assert given_up(range(1, 200)) == (30, Fault.TOO_SLOW)


def test_one_good_second_in_thirty_is_enough() -> None:
    progress, reached = [], 1
    for second in range(300):
        reached += 5000 if second % 25 == 0 else 1
        progress.append(reached)
    assert given_up(progress) is None


def test_waiting_for_the_first_byte_does_not_count_as_slow() -> None:
    late = [0] * 19
    assert given_up([*late, *range(1, 1_000_000, 600)]) is None
    assert given_up([*late, *range(1, 29)]) is None


def test_our_own_bandwidth_limit_is_not_held_against_the_server() -> None:
    slow = range(1, 60_000, 300)
    assert given_up(slow) == (30, Fault.TOO_SLOW)
    assert given_up(slow, Limits(bandwidth=400, total=10_000)) is None
    assert given_up(slow, Limits(bandwidth=1_000_000, total=10_000)) == (30, Fault.TOO_SLOW)


def test_no_connection_in_ten_seconds() -> None:
    pace = Pace(Limits())
    assert next(second for second in range(20) if pace.connecting(1000.0 + second)) == 10


def test_two_minutes_for_the_whole_answer() -> None:
    assert given_up(range(0, 10_000_000, 10_000), Limits()) == (120, Fault.TIMEOUT)


def test_time_in_which_it_waited_for_us_does_not_count() -> None:
    pace = Pace(Limits())
    assert pace.connecting(1000.0) is None
    assert pace.look(0, 1005.0) is None
    assert pace.look(9_000, 1015.0) is None
    pace.rest(500.0)
    assert pace.look(9_000, 1530.0) is None
    assert pace.look(9_000, 1535.0) is not None


def test_under_our_own_limit_half_of_it_is_wanted() -> None:
    limits = Limits(bandwidth=400, total=10_000)
    assert given_up(range(1, 60_000, 200), limits) is None
    assert given_up(range(1, 60_000, 199), limits) == (30, Fault.TOO_SLOW)


def test_a_good_second_after_a_rest_is_a_good_second() -> None:
    pace, reached = Pace(LONG), 1
    for second in range(25):
        reached += 1
        assert pace.look(reached, 1000.0 + second) is None
    pace.rest(500.0)
    assert pace.look(reached + 5_000, 1525.0) is None
    for second in range(1, 30):
        assert pace.look(reached + 5_000 + second, 1525.0 + second) is None
    assert pace.look(reached + 6_000, 1555.0) is None
    for second in range(1, 30):
        assert pace.look(reached + 6_000 + second, 1555.0 + second) is None
    slow = pace.look(reached + 6_030, 1585.0)
    assert slow is not None
    assert slow.fault is Fault.TOO_SLOW


def test_a_rest_before_anything_has_happened_moves_nothing() -> None:
    pace = Pace(Limits())
    pace.rest(500.0)
    assert pace.connecting(1000.0) is None
    assert pace.connecting(1009.9) is None
    pace.rest(100.0)
    assert pace.connecting(1109.9) is None
    assert pace.connecting(1110.0) is not None


def test_the_time_of_a_connection_counts_for_the_whole() -> None:
    pace = Pace(Limits(total=60.0))
    assert pace.connecting(1000.0) is None
    assert pace.look(9_000, 1005.0) is None
    for second in range(1006, 1060):
        assert pace.look(9_000 * (second - 1000), float(second)) is None
    late = pace.look(10**6, 1060.0)
    assert late is not None
    assert late.detail == "not finished within 60 s"
