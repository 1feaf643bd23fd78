"""Do people find what they ask for? Questions about real documentation, and where the first page that answers stands.

    python quality/questions.py                 the table: us beside bm25s, by site and by kind of question
    python quality/questions.py --each          besides, one line for each question with both ranks
    python quality/questions.py --write DIR     the questions and judgements as files for `gossamer evaluate`

`--cache DIR` says where the packages lie (see doc_packages.py), `--collection DIR` names one that is crawled already.
Both engines have the same pages: bm25s has title and main text, we have also what the crawl knows. The first ten
answers count, as one page of results shows them.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import sqrt
from pathlib import Path

from doc_packages import CACHE, DocsWeb, crawled
from material import Missing
from question_files import NAMED, Question, read, write
from table import Row

import gossamer

SHOWN = 10


@dataclass(frozen=True)
class Score:
    """Averages over questions."""

    questions: int
    first: float
    """How often the first answer is right."""
    among_five: float
    reciprocal: float
    """The mean of 1 / rank."""

    def __str__(self) -> str:
        return f"{self.first:.3f} {self.among_five:.3f} {self.reciprocal:.3f}"


Ranks = Mapping[str, int | None]
"""For each question the rank of the first page that answers it, from 1; None if it is not among those shown."""


def score(ranks: Sequence[int | None]) -> Score:
    """The averages."""
    count = len(ranks)
    found = [rank for rank in ranks if rank is not None]
    first, among_five = (sum(rank <= depth for rank in found) / count for depth in (1, 5))
    return Score(count, first, among_five, sum(1 / rank for rank in found) / count)


def ranks(questions: Sequence[Question], run: Mapping[str, Sequence[str]], same: Callable[[str], str]) -> Ranks:
    """Where the first right page stands. `same` is one word for all addresses that serve the same bytes."""
    return {each.name: _rank({same(url) for url in each.answers}, map(same, run[each.name])) for each in questions}


def _rank(right: set[str], found: Iterator[str]) -> int | None:
    return next((rank for rank, page in enumerate(found, 1) if page in right), None)


# ------------------------------------------------------------------ engines


def ours(collection: gossamer.Collection, questions: Sequence[Question]) -> dict[str, list[str]]:
    """What a search shows."""
    return {each.name: [hit.url for hit in collection.search(each.text, SHOWN)] for each in questions}


def by_bm25s(collection: gossamer.Collection, questions: Sequence[Question]) -> dict[str, list[str]] | None:
    """English stop words and stems, k1 1.2 and b 0.75, over title and main text; None when it is not installed."""
    try:
        import bm25s
        import Stemmer
    except ImportError:
        return None
    stemmer, addresses, texts = Stemmer.Stemmer("english"), [], []
    for page in collection.pages():
        addresses.append(page.url)
        texts.append(f"{page.title}\n{page.content or page.text}")
    model = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    model.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    asked = [each.text for each in questions]
    terms = bm25s.tokenize(asked, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
    return {
        each.name: _best(addresses, model.get_scores(words).tolist() if words else [])
        for each, words in zip(questions, terms, strict=True)
    }


def _best(addresses: Sequence[str], scores: Sequence[float]) -> list[str]:
    """The best, equals in the order of their addresses, so that each run gives the same."""
    found = sorted((-value, place) for place, value in enumerate(scores) if value > 0)
    return [addresses[place] for _, place in found[:SHOWN]]


# -------------------------------------------------------------------- table


@dataclass(frozen=True)
class Measured:
    """The ranks of both engines."""

    questions: Sequence[Question]
    ours: Ranks
    others: Ranks | None
    absent: Sequence[str] = ()
    """Judged addresses that are not in the collection."""

    def scores(self, questions: Sequence[Question]) -> tuple[Score, Score | None]:
        """Of some of the questions."""
        mine = score([self.ours[each.name] for each in questions])
        return mine, score([self.others[each.name] for each in questions]) if self.others is not None else None

    def groups(self) -> dict[str, list[Question]]:
        """All, then by site, then by kind."""
        groups: dict[str, list[Question]] = defaultdict(list)
        for key in (lambda _: "all", lambda each: each.site, lambda each: f"kind: {each.kind}"):
            for each in self.questions:
                groups[key(each)].append(each)
        return groups

    def lead(self) -> tuple[float, float]:
        """By how much our mean of 1 / rank is above that of the other, and the standard error of that."""
        assert self.others is not None
        leads = [_inverse(self.ours[q.name]) - _inverse(self.others[q.name]) for q in self.questions]
        mean = sum(leads) / len(leads)
        return mean, sqrt(sum((each - mean) ** 2 for each in leads) / len(leads) / (len(leads) - 1))


def _inverse(rank: int | None) -> float:
    return 1 / rank if rank else 0.0


def measured(collection: gossamer.Collection, web: DocsWeb) -> Measured:
    """All questions, asked of both."""
    questions, same = read(), cache(web.digest)
    here = {same(address.url) for address in collection.addresses(state="page")}
    absent = sorted({url for each in questions for url in each.grades if same(url) not in here})
    library = by_bm25s(collection, questions)
    mine = ranks(questions, ours(collection, questions), same)
    return Measured(questions, mine, ranks(questions, library, same) if library is not None else None, absent)


def lines(found: Measured) -> Iterator[str]:
    """One line for each group."""
    yield f"{'':24}  asked  ours: s@1   s@5   MRR   bm25s: s@1   s@5   MRR"
    for name, questions in found.groups().items():
        mine, other = found.scores(questions)
        yield f"{name:24}  {mine.questions:5}       {mine}        {other or '-'}"


def each_line(found: Measured) -> Iterator[str]:
    """One line for each question: both ranks."""
    for each in found.questions:
        theirs = found.others[each.name] if found.others else None
        yield f"{each.name:14} {found.ours[each.name] or '-':>3} {theirs or '-':>3}  {each.text}"


def rows() -> Iterator[Row]:
    """The lead over bm25s, and how often one of the first five is right: of all, and where things are named."""
    with crawled(CACHE) as collection:
        found = measured(collection, DocsWeb(CACHE))
    absent = tuple(f"not in the collection: {url}" for url in found.absent)
    if found.others is not None:
        mine, other = found.scores(found.questions)
        lead, error = found.lead()
        shown = f"{lead:+.3f} ± {error:.3f} ({mine.reciprocal:.3f})"
        measured_here = f"bm25s {other.reciprocal:.3f}" if other else ""
        yield Row("questions: MRR above bm25s", lead, shown, measured=measured_here, remarks=tuple(lines(found)))
    yield _row(found, "questions: success at 5", found.questions, absent)
    yield _row(found, "questions: success at 5, named", [each for each in found.questions if each.kind in NAMED])


def _row(found: Measured, name: str, questions: Sequence[Question], remarks: tuple[str, ...] = ()) -> Row:
    mine, other = found.scores(questions)
    theirs = f"bm25s {other.among_five:.3f} (s@1 {other.first:.3f})" if other else "bm25s is not installed"
    shown = f"{mine.among_five:.3f} (s@1 {mine.first:.3f})"
    return Row(name, mine.among_five, shown, measured=theirs, remarks=remarks)


def main(arguments: list[str]) -> int:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description="Do people find what they ask for?")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the packages lie (default {CACHE})")
    parser.add_argument("--collection", type=Path, help="one that is crawled already")
    parser.add_argument("--each", action="store_true", help="both ranks of each question")
    parser.add_argument("--write", type=Path, metavar="DIR", help="only write the files for `gossamer evaluate`")
    asked = parser.parse_args(arguments)
    if asked.write:
        write(read(), asked.write)
        return 0
    try:
        with gossamer.open(asked.collection) if asked.collection else crawled(asked.cache) as collection:
            found = measured(collection, DocsWeb(asked.cache))
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    print(*chain(lines(found), ["", *each_line(found)] if asked.each else ()), sep="\n")
    print(*(f"not in the collection: {url}" for url in found.absent), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
