"""Measures of a ranking, by hand."""

from __future__ import annotations

from math import log2

import pytest

from gossamer.errors import UsageError
from gossamer.search.evaluation import average_precision, measured, ndcg, read_judgements, recall


def test_average_precision_as_in_the_textbook() -> None:
    grades = dict.fromkeys("abcdef", 1.0)
    found = ["a", "x", "b", "c", "d", "e", "y", "z", "w", "f"]
    assert average_precision(found, grades) == pytest.approx((1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 6 + 6 / 10) / 6)


def test_what_was_not_found_counts_as_nothing() -> None:
    assert average_precision(["a"], {"a": 1, "b": 1}) == 0.5
    assert recall(["a"], {"a": 1, "b": 1, "c": 0}, 100) == 0.5


def test_gain_is_the_grade_discounted_by_the_rank() -> None:
    assert ndcg(["b", "a"], {"a": 3, "b": 1}, 10) == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    assert ndcg(["a", "b"], {"a": 3, "b": 1}, 10) == 1


def test_questions_without_an_answer_count_and_those_without_a_judgement_do_not() -> None:
    measures = measured({"1": ["a", "a"], "3": ["x"]}, {"1": {"a": 1}, "2": {"b": 1}, "3": {"y": 0}})
    assert measures.questions == 2
    assert (measures.average_precision, measures.ndcg, measures.recall) == (0.5, 0.5, 0.5)


def test_judgements_are_read_as_trec_writes_them() -> None:
    assert read_judgements(["1 0 doc-a 2\n", "\n", "1\t0\tdoc-b\t0"]) == {"1": {"doc-a": 2.0, "doc-b": 0.0}}


@pytest.mark.parametrize("line", ["1 0 doc", "1 0 doc good"])
def test_a_line_that_is_no_judgement_is_named(line: str) -> None:
    with pytest.raises(UsageError, match="line 2"):
        read_judgements(["1 0 a 1", line])


def test_judgements_without_a_relevant_document_are_refused() -> None:
    with pytest.raises(UsageError, match="no question has a relevant document"):
        measured({}, {"1": {"a": 0}})
