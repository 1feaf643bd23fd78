"""What does each part of the ranking bring? All questions are asked again without it, and the answers are judged again.

    python quality/ablation.py                     the table of docs/search.md
    python quality/ablation.py --collection DIR    over documentation that is crawled already (see doc_packages.py)

The documentation is judged by the mean of 1 / rank of the first right page among ten, the planted web by nDCG@10, the
two public collections by mean average precision: their documents are words alone, so parts that need a title, an
address or links change nothing there, and are not measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import answers
import questions
from doc_packages import CACHE, DocsWeb, crawled
from material import Missing
from question_files import read

import gossamer
from gossamer.collection.ask.searching import searcher
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.folder import Folder
from gossamer.search.bm25f_weights import Weights

ALL = "all of it"
SPREAD = "spread over sites"
WAYS = {
    ALL: Weights(),
    "title": Weights(title=0),
    "headings": Weights(headings=0),
    "address": Weights(address=0),
    "what others call it": Weights(anchors=0),
    "phrases": Weights(phrase=0),
    "telling terms": Weights(expansion=0),
    "answers like it": Weights(cluster=0),
    "links": Weights(rank=0),
}
"""By what is left out. Age is not among them: all pages are of one moment."""
OF_WORDS = (ALL, "phrases", "telling terms", "answers like it")

Scores = Mapping[str, float]
"""By what is left out."""


def on_documentation(collection: gossamer.Collection, web: DocsWeb) -> dict[str, float]:
    """The mean of 1 / rank."""
    asked, same = read(), cache(web.digest)
    folder = Folder(collection.path)
    scores = {}
    with closing(ShardReaders(folder, collection.plan)) as indexes:
        for name, weights in (*WAYS.items(), (SPREAD, Weights())):
            each = searcher(folder, indexes, collection.graph, weights)
            found = {q.name: each.ranking(q.text, questions.SHOWN, spread=name != SPREAD) for q in asked}
            run = {question: [url for url, _ in ranking] for question, ranking in found.items()}
            scores[name] = questions.score(list(questions.ranks(asked, run, same).values())).reciprocal
    return scores


def on_public(name: str) -> dict[str, float]:
    """Mean average precision."""
    found = answers.judged(answers.SETS[name])
    with tempfile.TemporaryDirectory() as place:
        return {
            way: answers.ours(found, Path(place) / str(number), WAYS[way]).average_precision
            for number, way in enumerate(OF_WORDS)
        }


def on_planted() -> dict[str, float]:
    """nDCG of the first ten, over several webs."""
    each = [answers.on_planted_web(seed, tuple(WAYS.values())) for seed in answers.SEEDS]
    return dict(zip(WAYS, (sum(column) / len(each) for column in zip(*each, strict=True)), strict=True))


def table(columns: Mapping[str, Scores]) -> Iterator[str]:
    """First what all parts reach together, then what is lost without each of them."""
    yield f"| | {' | '.join(columns)} |"
    yield "|---|" + "---|" * len(columns)
    yield f"| {ALL} | {' | '.join(f'{scores[ALL]:.4f}' for scores in columns.values())} |"
    for way in (*list(WAYS)[1:], SPREAD):
        yield f"| without: {way} | {' | '.join(_change(scores, way) for scores in columns.values())} |"


def _change(scores: Scores, way: str) -> str:
    return f"{scores[way] - scores[ALL]:+.4f}" if way in scores else ""


def measured(cache: Path, place: Path | None) -> Iterator[tuple[str, Scores]]:
    """What material there is."""
    for name in answers.SETS:
        yield f"{name}, MAP", on_public(name)
    yield "planted web, nDCG@10", on_planted()
    with gossamer.open(place) if place else crawled(cache) as collection:
        yield "documentation, MRR", on_documentation(collection, DocsWeb(cache))


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What does each part of the ranking bring?")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the packages lie (default {CACHE})")
    parser.add_argument("--collection", type=Path, help="one that is crawled already")
    asked = parser.parse_args(arguments)
    columns: dict[str, Scores] = {}
    try:
        columns |= measured(asked.cache, asked.collection)
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    print(*table(columns), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
