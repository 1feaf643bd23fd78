"""The fit of the weights: it finds those that are best, and no fold is judged by weights that have seen it."""

from __future__ import annotations

import numpy as np
import pytest
import train_ranking
from train_ranking import FITTED, FOLDS, Case, average_precision, fitted, ndcg, present, reciprocal, validated

SCORES = np.array([3.0, 5.0, 1.0, 4.0])


@pytest.mark.parametrize(
    ("measure", "right", "expected"),
    [
        (reciprocal, 1.0, 1 / 2),
        (average_precision, 3.0, (1 / 2 + 2 / 4) / 3),
        (ndcg, 2.0, (1 / np.log2(3) + 1 / np.log2(5)) / 2),
    ],
)
def test_an_order_is_measured(measure: train_ranking.Measure, right: float, expected: float) -> None:
    grades = np.array([0.0, 0.0, 1.0, 1.0])
    assert measure(SCORES, grades, right) == pytest.approx(expected)
    assert measure(SCORES, np.zeros(4), right) == 0


def test_what_is_not_shown_has_no_rank() -> None:
    scores, grades = np.arange(11.0), np.zeros(11)
    grades[0] = 1
    assert reciprocal(scores, grades, 1) == 0
    assert reciprocal(scores[:10], grades[:10], 1) == pytest.approx(1 / 10)


def cases(sign: str, folds: range, sense: float = 1.0) -> list[Case]:
    """Questions whose right answer, the third, is told from the others by one sign."""
    signs = np.zeros((4, len(FITTED)))
    signs[2, FITTED.index(sign)] = sense
    base, grades = np.array([0.5, 0.4, 0.1, 0.3]), np.array([0.0, 0.0, 1.0, 0.0])
    return [Case("made", fold, base, signs, grades, 1.0, reciprocal) for fold in folds]


def test_a_sign_that_tells_gets_a_weight_and_the_others_stay_as_they_were() -> None:
    start = np.zeros(len(FITTED))
    weights = fitted(cases("headings", range(FOLDS)), start)
    assert weights[FITTED.index("headings")] == 0.4
    assert weights.sum() == weights[FITTED.index("headings")]
    assert not start.any()


def test_weights_that_nothing_is_better_than_stay() -> None:
    assert fitted(cases("rank", range(FOLDS), 100.0), present()).tolist() == present().tolist()


def test_a_fold_is_judged_by_what_the_others_tell() -> None:
    odd = cases("title", range(1)) + [case for case in cases("address", range(FOLDS)) if case.fold]
    unseen, now = validated(odd, np.zeros(len(FITTED)))
    assert now == [1 / 4] * FOLDS
    assert unseen == [1 / 4, *[1.0] * (FOLDS - 1)]
