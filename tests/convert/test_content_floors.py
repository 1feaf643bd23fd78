"""Main content on labelled pages: floors that must not fall. The weights have seen these pages, so they lie high."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from gossamer.convert import document
from reference import reference

FLOORS = {"article-extraction-benchmark": 0.963, "wcxb-dev": 0.93, "cleanportaleval": 0.96, "l3s-gn1": 0.975}
"""Mean F1 of words, a little below what was measured."""
BY_KIND = {
    "article": 0.972,
    "collection": 0.86,
    "documentation": 0.93,
    "forum": 0.85,
    "listing": 0.89,
    "product": 0.71,
    "service": 0.935,
}
"""The same for the types of pages of wcxb-dev."""
EVERY = 5
"""One page in so many is read."""


def cases(folder: Path) -> list[tuple[str, str]]:
    """Id and text of the main content of all pages."""
    truth = folder / "ground-truth.json"
    if truth.exists():
        return [(name, row["articleBody"]) for name, row in json.loads(truth.read_text("utf-8")).items()]
    packed = folder / "cases.jsonl.gz"
    data = gzip.decompress(packed.read_bytes()) if packed.exists() else (folder / "cases.jsonl").read_bytes()
    rows = [json.loads(line) for line in data.split(b"\n") if line.strip()]
    return [(row["id"], gold(row)) for row in rows]


def gold(row: dict[str, str]) -> str:
    parts = ("main_content", "gold_text", "headline", "fulltext", "supplemental")
    return "\n".join(row.get(part) or "" for part in parts)


def f1(expected: str, found: str) -> float:
    wanted, got = (Counter(re.findall(r"\w+", text.lower())) for text in (expected, found))
    total = wanted.total() + got.total()
    return 2 * (wanted & got).total() / total if total else 1.0


@pytest.mark.parametrize("name", FLOORS)
def test_main_content_does_not_get_worse(name: str) -> None:
    folder = reference(name)
    chosen = cases(folder)[::EVERY]
    scores = []
    for number, text in chosen:
        page = gzip.decompress((folder / "html" / f"{number}.html.gz").read_bytes())
        scores.append(f1(text, document(page, "text/html", "http://site.example/").content))
    assert sum(scores) / len(scores) >= FLOORS[name]


def test_no_type_of_page_gets_worse() -> None:
    folder = reference("wcxb-dev")
    rows = [json.loads(line) for line in gzip.decompress((folder / "cases.jsonl.gz").read_bytes()).splitlines()]
    scores: dict[str, list[float]] = {}
    for row in rows[1::EVERY]:
        page = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        found = document(page, "text/html", "http://site.example/").content
        scores.setdefault(row["page_type"], []).append(f1(row["main_content"], found))
    means = {kind: sum(each) / len(each) for kind, each in scores.items()}
    assert {kind: mean for kind, mean in means.items() if mean < BY_KIND[kind]} == {}


def test_segments_that_must_be_there_are_and_others_are_not() -> None:
    folder = reference("trafilatura-eval")
    right = wrong = wanted = 0
    for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()[::EVERY]:
        row = json.loads(line)
        page = gzip.decompress((folder / "html" / f"{row['id']}.html.gz").read_bytes())
        found = " ".join(document(page, "text/html", "http://site.example/").content.split())
        right += sum(" ".join(part.split()) in found for part in row["with"])
        wrong += sum(" ".join(part.split()) in found for part in row["without"])
        wanted += len(row["with"])
    assert 2 * right / (right + wrong + wanted) >= 0.95


def test_no_page_with_an_article_is_empty() -> None:
    for source in sorted(reference("readability-pages").glob("*/source.html.gz")):
        page = document(gzip.decompress(source.read_bytes()), "text/html", "http://site.example/")
        assert page.content.strip(), source.parent.name
