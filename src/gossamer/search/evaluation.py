"""How good is a ranking? Mean average precision, nDCG and recall against judgements, and the file formats of TREC.

A grade above 0 is relevant; the gain of nDCG is the grade, its discount log2(rank + 1). Averages are over the
questions that have a relevant document; one without an answer counts as 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import TypeAlias

from gossamer.errors import UsageError

Judgements: TypeAlias = Mapping[str, Mapping[str, float]]
"""For each question the grades of its documents."""
Run: TypeAlias = Mapping[str, Sequence[str]]
"""For each question the documents that were found, the best first."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Averages over all judged questions."""

    questions: int
    average_precision: float
    ndcg: float
    """Of the first ten."""
    recall: float
    """Among the first hundred."""


def measured(run: Run, judgements: Judgements) -> Measures:
    """How good a run is."""
    judged = {question: grades for question, grades in judgements.items() if any(g > 0 for g in grades.values())}
    if not judged:
        raise UsageError("no question has a relevant document; a judgement is a line: question 0 document grade")
    found = {question: list(dict.fromkeys(run.get(question, ()))) for question in judged}
    return Measures(
        len(judged),
        _mean(average_precision(found[question], grades) for question, grades in judged.items()),
        _mean(ndcg(found[question], grades, 10) for question, grades in judged.items()),
        _mean(recall(found[question], grades, 100) for question, grades in judged.items()),
    )


def average_precision(documents: Sequence[str], grades: Mapping[str, float]) -> float:
    """The mean of the precisions at each relevant document; those that were not found count as 0."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    ranks = [rank for rank, document in enumerate(documents, 1) if document in relevant]
    return sum(number / rank for number, rank in enumerate(ranks, 1)) / len(relevant)


def ndcg(documents: Sequence[str], grades: Mapping[str, float], depth: int) -> float:
    """The gain of the first `depth` against that of the best order."""
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return _gain([max(0.0, grades.get(document, 0.0)) for document in documents[:depth]]) / _gain(best[:depth])


def recall(documents: Sequence[str], grades: Mapping[str, float], depth: int) -> float:
    """Which share of the relevant ones is among the first `depth`."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(documents[:depth])) / len(relevant)


def read_judgements(lines: Iterable[str]) -> Judgements:
    """The qrels form of TREC: question, a number that means nothing, document, grade."""
    judgements: dict[str, dict[str, float]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        if parts := line.split():
            try:
                question, _, document, grade = parts
                judgements[question][document] = float(grade)
            except ValueError:
                raise UsageError(f"line {number} of the judgements is not: question 0 document grade") from None
    return judgements


def read_questions(lines: Iterable[str]) -> dict[str, str]:
    """A question a line: its name, a space or tab, its words."""
    questions: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            name, _, words = line.strip().replace("\t", " ", 1).partition(" ")
            if not words.strip():
                raise UsageError(f"line {number} of the questions is not: name words")
            questions[name] = words.strip()
    return questions


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _mean(values: Iterable[float]) -> float:
    gathered = list(values)
    return sum(gathered) / len(gathered)
