"""The names that people and other programs rely on."""

from __future__ import annotations

import importlib

import pytest

import gossamer
from gossamer.search.searcher import Answer

PROMISED = {
    "gossamer.urls": ["normalize", "surt", "site"],
    "gossamer.robots": ["parse"],
    "gossamer.convert": ["document", "encoding"],
    "gossamer.dedupe": ["simhash", "shingles", "resemblance"],
}


@pytest.mark.parametrize("name", gossamer.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(gossamer, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = gossamer.nonsense  # type: ignore[attr-defined]  # that is the point


@pytest.mark.parametrize(("module", "names"), PROMISED.items())
def test_promised_functions_can_be_imported_alone(module: str, names: list[str]) -> None:
    loaded = importlib.import_module(module)
    assert all(callable(getattr(loaded, name)) for name in names)
    assert set(names) <= set(loaded.__all__)


def test_an_answer_is_its_hits() -> None:
    hits = [gossamer.Hit("http://a.test/", "A", "", 1.0), gossamer.Hit("http://b.test/", "B", "", 0.5)]
    answer = Answer(hits, total=7)
    assert [hit.url for hit in answer] == ["http://a.test/", "http://b.test/"]
    assert (len(answer), answer.total) == (2, 7)
