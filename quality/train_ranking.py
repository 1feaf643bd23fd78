"""How much should each sign of a good answer count? Weights of a search, fitted on questions whose answers are known.

    python quality/train_ranking.py                     what the fit reaches on sites that it has not seen
    python quality/train_ranking.py --collection DIR    over documentation that is crawled already (see doc_packages.py)

A score is a sum, so each sign of the first 200 answers is looked up once, and a fit only adds them up. It goes from
weight to weight and takes the value that is best together with the others, until none changes. There are five folds:
the sites of the documentation, the questions of the public collections and the planted webs are dealt out to them, and
each fold is judged by weights that were fitted on the other four. Age is not among them: all pages are of one moment.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import answers
import numpy as np
import tantivy
from doc_packages import CACHE, SITES, DocsWeb, crawled
from material import Missing
from numpy.typing import NDArray
from question_files import read

import gossamer
from gossamer.collection import Outside
from gossamer.collection.ask.searching import searcher
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.folder import Folder
from gossamer.search.bm25f_weights import Weights
from gossamer.search.candidates import RANK_HALF, Candidates, Matches
from gossamer.search.query_builder import SHOULD, Asking
from gossamer.search.question import Question
from gossamer.search.searcher import Searcher
from gossamer.search.windows import WINDOW, Window
from gossamer.testing import VirtualClock
from gossamer.testing.planted import planted

FITTED = ("title", "headings", "address", "anchors", "phrase", "expansion", "rank")
VALUES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""None is 0: the headings of documentation mostly repeat the title, and those of other pages do not."""
FOLDS = 5
ROUNDS_MOST = 5
GAIN_LEAST = 1e-4
"""What another value of a weight must bring on the questions that it is fitted on."""
SHOWN = 10
_NONE = Weights(title=0, headings=0, address=0, anchors=0, phrase=0, rank=0, fresh=0, expansion=0, cluster=0)
_ONES = replace(_NONE, title=1, headings=1, address=1, phrase=1, expansion=1)

Measure: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64], float], float]
"""Scores of answers, their grades, and what the grades of all right pages come to; how good their order is."""


@dataclass(frozen=True)
class Case:
    """A question, the signs of its first answers, and which of them are right."""

    source: str
    fold: int
    base: NDArray[np.float64]
    """What counts whatever the weights are, windows included."""
    signs: NDArray[np.float64]
    """A row for each answer, a column for each weight."""
    grades: NDArray[np.float64]
    right: float
    measure: Measure

    def score(self, weights: NDArray[np.float64]) -> float:
        """How good the order is by these weights."""
        return self.measure(self.base + self.signs @ weights, self.grades, self.right)


# ---------------------------------------------------------------------- measures


def reciprocal(scores: NDArray[np.float64], grades: NDArray[np.float64], right: float) -> float:
    """1 / rank of the first right page, if it is shown."""
    if not grades.any():
        return 0.0
    rank = 1 + int((scores > scores[grades > 0].max()).sum())
    return 1 / rank if rank <= SHOWN else 0.0


def average_precision(scores: NDArray[np.float64], grades: NDArray[np.float64], right: float) -> float:
    """The mean of the precisions at each right page; those that are not among the answers count as 0."""
    found = grades[np.argsort(-scores, kind="stable")] > 0
    precisions = found.cumsum() / np.arange(1, len(found) + 1)
    return float(precisions[found].sum() / right) if right else 0.0


def ndcg(scores: NDArray[np.float64], grades: NDArray[np.float64], right: float) -> float:
    """The gain of the answers that are shown against that of the best order, which is `right`."""
    first = grades[np.argsort(-scores, kind="stable")][:SHOWN]
    return _gain(first) / right if right else 0.0


def _gain(grades: NDArray[np.float64]) -> float:
    return float((grades / np.log2(np.arange(2, len(grades) + 2))).sum())


# ------------------------------------------------------------------------- signs


@dataclass(frozen=True)
class Signs:
    """Looks up the signs of answers."""

    searcher: Searcher

    def of(self, text: str) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The addresses of the first answers, what counts for each in any case, and its signs at a weight of 1."""
        asked = self.searcher._retrieval.asked(self.searcher._parsed(text)[0], WINDOW)
        found, question = asked.found, asked.question
        urls = [self.searcher._shards.shown(*address).url for address in found.addresses]
        words = replace(question.words, near=False)
        whole = replace(question, words=replace(words, all_of=()))
        pairs, common = replace(whole, words=replace(words, common={})), replace(whole, words=replace(words, pairs=()))
        further = self._further(question, found)
        columns = {
            **{name: self._column(found, self._in_field(whole, name)) for name in ("title", "headings", "address")},
            "anchors": self._anchors(found, asked.anchors),
            "phrase": self._column(found, lambda asking, pages: asking.finer(pairs, pages)) if words.pairs else 0.0,
            "expansion": self._column(found, lambda asking, pages: asking.more(question, further, pages))
            if further
            else 0.0,
            "rank": self._ranks(found),
        }
        base = self._column(found, lambda asking, pages: asking.among(whole, pages), _NONE)
        if words.common:
            base = base + self._column(found, lambda asking, pages: asking.finer(common, pages))
        signs = np.stack([np.broadcast_to(columns[name], len(urls)) for name in FITTED], axis=1)
        return urls, base - 1e6 * found.window, signs

    def _column(
        self, found: Candidates, query: Callable[[Asking, Sequence[int]], Any], weights: Weights = _ONES
    ) -> NDArray[np.float64]:
        other = Searcher(self.searcher.indexes, self.searcher._context, weights)
        return other._shards.raised(
            replace(found, words=np.zeros(len(found.words))), range(len(found.words)), query
        ).words

    def _in_field(self, question: Question, name: str) -> Callable[[Asking, Sequence[int]], Any]:
        def query(asking: Asking, pages: Sequence[int]) -> Any:
            parts = [(SHOULD, part.query) for part in asking.parts(question.words.counts, (name,))]
            return tantivy.Query.boolean_query([*asking._chosen(pages), *parts])

        return query

    def _further(self, question: Question, found: Candidates) -> dict[str, float]:
        """At a weight of 1."""
        matches = Matches(found.addresses, found.words)
        further = self.searcher._retrieval.further(Window(question, matches, found))
        return {term: weight / self.searcher.weights.expansion for term, weight in further.items()}

    def _anchors(self, found: Candidates, anchors: Mapping[int, float]) -> NDArray[np.float64]:
        worth = [anchors.get(page, 0.0) / self.searcher.weights.anchors for page in found.pages.tolist()]
        return np.array(worth)

    def _ranks(self, found: Candidates) -> NDArray[np.float64]:
        ranks = np.array(self.searcher._context.ranks(found.pages.tolist()))
        return ranks / (RANK_HALF + ranks)


# --------------------------------------------------------------------- questions


def of_documentation(collection: gossamer.Collection, web: DocsWeb) -> Iterator[Case]:
    """All questions about documentation; a fold has whole sites."""
    same, folder = cache(web.digest), Folder(collection.path)
    folds = {site.package: number % FOLDS for number, site in enumerate(SITES)}
    with closing(ShardReaders(folder, collection.plan)) as indexes:
        signs = Signs(searcher(folder, indexes, collection.graph, Weights()))
        for question in read():
            urls, base, columns = signs.of(question.text)
            right = {same(url) for url in question.answers}
            grades = np.array([float(same(url) in right) for url in urls])
            yield Case("documentation, MRR", folds[question.site], base, columns, grades, 1.0, reciprocal)


def of_public(name: str) -> Iterator[Case]:
    """All questions of a public collection."""
    judged = answers.judged(answers.SETS[name])
    with tempfile.TemporaryDirectory() as place:
        signs = Signs(answers.searcher_over(judged, Path(place) / "index"))
        for number, (question, text) in enumerate(sorted(judged.questions.items())):
            relevant = {document for document, grade in judged.judgements[question].items() if grade > 0}
            if relevant:
                urls, base, columns = signs.of(text)
                grades = np.array([float(url[9:] in relevant) for url in urls])
                yield Case(f"{name}, MAP", number % FOLDS, base, columns, grades, len(relevant), average_precision)


def of_planted(fold: int) -> Iterator[Case]:
    """All questions of a made web; it is one fold, by its seed."""
    web, clock = planted(seed=fold + min(answers.SEEDS)), VirtualClock()
    with tempfile.TemporaryDirectory() as place, gossamer.open(Path(place) / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        folder = Folder(collection.path)
        with closing(ShardReaders(folder, collection.plan)) as indexes:
            signs = Signs(searcher(folder, indexes, collection.graph, Weights()))
            for question, text in web.questions.items():
                grades = web.judgements[question]
                best = np.array(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:SHOWN])
                urls, base, columns = signs.of(text)
                given = np.array([max(0.0, grades.get(url, 0.0)) for url in urls])
                yield Case("planted web, nDCG@10", fold, base, columns, given, _gain(best), ndcg)


# --------------------------------------------------------------------------- fit


def scores(cases: Sequence[Case], weights: NDArray[np.float64]) -> dict[str, float]:
    """The mean of each source."""
    found: dict[str, list[float]] = {}
    for case in cases:
        found.setdefault(case.source, []).append(case.score(weights))
    return {source: sum(values) / len(values) for source, values in found.items()}


def worth(cases: Sequence[Case], weights: NDArray[np.float64]) -> float:
    """All sources count the same, however many questions they have."""
    each = scores(cases, weights)
    return sum(each.values()) / len(each)


def fitted(cases: Sequence[Case], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights that are best for some questions, beginning with those that there are."""
    weights, best = start.copy(), worth(cases, start)
    for _ in range(ROUNDS_MOST):
        before = best
        for place in range(len(weights)):
            for value in VALUES:
                tried = weights.copy()
                tried[place] = value
                if (reached := worth(cases, tried)) > best + GAIN_LEAST:
                    weights, best = tried, reached
        if best == before:
            break
    return weights


def validated(cases: Sequence[Case], start: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """What each question reaches by weights that were fitted without its fold, and by those that there are."""
    by_fold = [fitted([case for case in cases if case.fold != fold], start) for fold in range(FOLDS)]
    return [case.score(by_fold[case.fold]) for case in cases], [case.score(start) for case in cases]


def present() -> NDArray[np.float64]:
    """The weights that there are."""
    return np.array([Weights().of(name) for name in FITTED])


def lines(cases: Sequence[Case]) -> Iterator[str]:
    """By source what is reached now, on folds that were not seen, and by a fit on all; then the weights of that."""
    start = present()
    unseen, now = validated(cases, start)
    best = fitted(cases, start)
    yield f"{'':24} asked      now   unseen          fitted on all"
    for source in dict.fromkeys(case.source for case in cases):
        places = [place for place, case in enumerate(cases) if case.source == source]
        gains = np.array([unseen[place] - now[place] for place in places])
        error = gains.std() / max(1, len(places) - 1) ** 0.5
        on_all = scores([cases[place] for place in places], best)[source]
        mean_now, mean_unseen = (float(np.mean([each[place] for place in places])) for each in (now, unseen))
        change = f"{gains.mean():+.4f} ± {error:.4f}"
        yield f"{source:24} {len(places):5}   {mean_now:.4f}   {mean_unseen:.4f} ({change})   {on_all:.4f}"
    yield "weights  " + ", ".join(
        f"{name} {value:g} (now {old:g})" for name, value, old in zip(FITTED, best, start, strict=True)
    )


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="How much should each sign of a good answer count?")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the packages lie (default {CACHE})")
    parser.add_argument("--collection", type=Path, help="one that is crawled already")
    asked = parser.parse_args(arguments)
    try:
        with gossamer.open(asked.collection) if asked.collection else crawled(asked.cache) as collection:
            cases = list(of_documentation(collection, DocsWeb(asked.cache)))
        for name in answers.SETS:
            cases += of_public(name)
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    for fold in range(FOLDS):
        cases += of_planted(fold)
    print(*lines(cases), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
