"""Are the best answers first? Two collections with judgements, at default settings, beside two plain engines; and a
made web with planted authorities and farms of links, with what links tell and without.

Documents are pages of one shard without links: what is measured is what is made of words. Long questions are asked,
too: all questions that a document answers, pasted one after the other, several hundred words with many repeated.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tantivy
from material import cases
from table import Row

import gossamer
from gossamer.collection import Outside as Crawled
from gossamer.collection.ask.searching import searcher
from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.collection.folder import Folder
from gossamer.index.entry import Entry
from gossamer.index.shard_index import ShardIndex
from gossamer.search.bm25f_weights import Weights
from gossamer.search.evaluation import Measures, measured
from gossamer.search.retrieval import SearchContext
from gossamer.search.searcher import Searcher
from gossamer.testing import VirtualClock
from gossamer.testing.planted import planted

SETS = {"cranfield": "ir-cranfield", "vaswani": "ir-vaswani"}
DEPTH = 1_000
SEEDS = (5, 6, 7)


@dataclass(frozen=True)
class Judged:
    """Documents, questions, and which answer which."""

    documents: dict[str, str]
    questions: dict[str, str]
    judgements: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))


def judged(name: str) -> Judged:
    """One collection."""
    found = Judged(
        {str(row["id"]): row["text"].strip() for row in cases(name, "docs.jsonl")},
        {str(row["id"]): row["text"].strip() for row in cases(name, "queries.jsonl")},
    )
    for row in cases(name, "qrels.jsonl"):
        found.judgements[str(row["query"])][str(row["doc"])] = float(row["grade"])
    return found


def ours(judged: Judged, place: Path, weights: Weights | None = None) -> Measures:
    """What a search of the collection finds."""
    searcher = searcher_over(judged, place, weights)
    return measured({q: _ids(searcher, text) for q, text in judged.questions.items()}, judged.judgements)


def searcher_over(judged: Judged, place: Path, weights: Weights | None = None) -> Searcher:
    """The documents as pages."""
    shard_index = ShardIndex(place)
    for name, text in judged.documents.items():
        shard_index.add(Entry(f"http://d/{name}", body=text, language="en"))
    shard_index.commit(1)
    shard_index.close()
    outside = SearchContext(
        lambda pages: [judged.documents[shown.url[9:]] for _, shown in pages],
        lambda pages: [1.0] * len(pages),
        lambda _: (),
        0.0,
    )
    return Searcher([ShardIndex(place)], outside, weights)


def _ids(searcher: Searcher, text: str) -> list[str]:
    return [url[9:] for url, _ in searcher.ranking(text, DEPTH)]


def by_tantivy(judged: Judged, place: Path) -> Measures:
    """The engine with its own English words and its own query parser."""
    builder = tantivy.SchemaBuilder().add_text_field("id", stored=True, tokenizer_name="raw")
    index = tantivy.Index(builder.add_text_field("body", tokenizer_name="en_stem").build(), path=str(place))
    writer = index.writer(50_000_000, 1)
    for name, text in judged.documents.items():
        writer.add_document(tantivy.Document(id=name, body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    run = {}
    for name, text in judged.questions.items():
        query, _ = index.parse_query_lenient(" ".join(re.findall(r"\w+", text.lower())), ["body"])
        run[name] = [str(searcher.doc(at)["id"][0]) for _, at in searcher.search(query, DEPTH).hits]
    return measured(run, judged.judgements)


def by_bm25s(judged: Judged) -> Measures | None:
    """The library with English stop words and stems, k1 1.2 and b 0.75; None when it is not installed."""
    try:
        import bm25s
        import Stemmer
    except ImportError:
        return None
    how: dict[str, Any] = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    model = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    model.index(bm25s.tokenize(list(judged.documents.values()), **how), show_progress=False)
    asked = bm25s.tokenize(list(judged.questions.values()), **how)
    found, scores = model.retrieve(asked, k=min(DEPTH, len(judged.documents)), show_progress=False)
    names = list(judged.documents)
    run = {
        name: [names[int(at)] for at, score in zip(row, values, strict=True) if score > 0]
        for name, row, values in zip(judged.questions, found, scores, strict=True)
    }
    return measured(run, judged.judgements)


def pasted(judged: Judged, most: int = 40) -> Judged:
    """Questions of several hundred words: for a document all questions that it answers, one after the other."""
    answers: dict[str, list[str]] = defaultdict(list)
    for question, grades in judged.judgements.items():
        for document, grade in grades.items():
            if grade > 0 and question in judged.questions:
                answers[document].append(question)
    longest = sorted(answers, key=lambda document: (-len(answers[document]), document))[:most]
    texts = {document: " ".join(judged.questions[question] for question in answers[document]) for document in longest}
    grades = {
        document: {other: 1.0 for q in answers[document] for other, grade in judged.judgements[q].items() if grade > 0}
        for document in longest
    }
    return Judged(judged.documents, texts, grades)


def rows() -> Iterator[Row]:
    """Mean average precision, beside the others in the same run; and what links bring on a web that is known."""
    made = [on_planted_web(seed) for seed in SEEDS]
    by_links, by_words = (sum(column) / len(made) for column in zip(*made, strict=True))
    yield Row("answers: planted web, nDCG@10", by_links, f"{by_links:.3f}", measured=f"words alone {by_words:.3f}")
    for name, place in SETS.items():
        yield from _set_rows(name, judged(place))


WITH_LINKS_AND_WITHOUT = (Weights(), Weights(anchors=0, rank=0))


def on_planted_web(seed: int = 5, ways: Sequence[Weights] = WITH_LINKS_AND_WITHOUT) -> list[float]:
    """The nDCG of the first ten on a web with authorities and farms, for each way to weigh what speaks for a page."""
    web, clock = planted(seed=seed), VirtualClock()
    with tempfile.TemporaryDirectory() as place, gossamer.open(Path(place) / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Crawled(clock, web.fetch)))
        folder = Folder(collection.path)
        with closing(ShardReaders(folder, collection.plan)) as indexes:
            asked = [searcher(folder, indexes, collection.graph, way) for way in ways]
            runs = [{name: _urls(each, text) for name, text in web.questions.items()} for each in asked]
    return [measured(run, web.judgements).ndcg for run in runs]


def _urls(searcher: Searcher, text: str) -> list[str]:
    return [hit.url for hit in searcher.search(text).hits]


def _set_rows(name: str, found: Judged) -> Iterator[Row]:
    long = pasted(found)
    for label, asked in ((f"answers: {name}, MAP", found), (f"answers: {name}, pasted questions, MAP", long)):
        with tempfile.TemporaryDirectory() as place:
            here, plain = ours(asked, Path(place) / "ours"), by_tantivy(asked, _made(Path(place) / "plain"))
        library = by_bm25s(asked)
        others = f"tantivy {plain.average_precision:.4f}, " + (
            f"bm25s {library.average_precision:.4f}" if library else "bm25s is not installed"
        )
        shown = f"{here.average_precision:.4f} (nDCG@10 {here.ndcg:.3f}, recall@100 {here.recall:.3f})"
        yield Row(label, here.average_precision, shown, measured=others)


def _made(path: Path) -> Path:
    path.mkdir()
    return path
