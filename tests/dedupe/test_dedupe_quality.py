"""At the usual settings: copies are found, and what is none is not taken for one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.dedupe import print_of, resemblance
from gossamer.dedupe.column_families import FAMILIES
from gossamer.dedupe.lookup import Lookup, Met
from gossamer.dedupe.pairs import pairs
from gossamer.store.table.table import Table
from reference import reference


@contextmanager
def shelf(folder: Path, texts: dict[str, str], *, one_site: bool) -> Iterator[Lookup]:
    met = []
    for name, text in texts.items():
        site = "news.test" if one_site else f"{name}.test"
        met.append(Met(f"https://{site}/{name}", site, print_of(text)))
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        lookup = Lookup(table, folder / "prints")
        for start in range(0, len(met), 100):
            lookup.meet(met[start : start + 100])
            lookup.prepare()
            table.commit()
        yield lookup


@pytest.fixture(scope="module")
def articles() -> tuple[dict[str, str], set[frozenset[str]]]:
    folder = reference("near-dup-articles")
    with gzip.open(folder / "docs.jsonl.gz", "rt") as file:
        texts = {row["id"]: row["text"] for row in map(json.loads, file)}
    return texts, {frozenset(pair) for pair in json.loads((folder / "pairs.json").read_text())}


@pytest.mark.parametrize("one_site", [True, False])
def test_near_copies_of_articles_are_found_and_no_other_pair(
    tmp_path: Path, articles: tuple[dict[str, str], set[frozenset[str]]], one_site: bool
) -> None:
    texts, expected = articles
    with shelf(tmp_path, texts, one_site=one_site) as lookup:
        found = {frozenset(url.rpartition("/")[2] for url in pair[:2]) for pair in pairs([lookup])}
    assert found == expected


def test_the_resemblance_that_is_told_is_that_of_the_texts(
    tmp_path: Path, articles: tuple[dict[str, str], set[frozenset[str]]]
) -> None:
    texts, _ = articles
    with shelf(tmp_path, texts, one_site=False) as lookup:
        for pair in pairs([lookup]):
            one, other = (texts[url.rpartition("/")[2]] for url in pair[:2])
            assert pair.resemblance == pytest.approx(resemblance(one, other, 2), abs=0.05)
