"""The names that people and other programs rely on."""

from __future__ import annotations

import importlib

import pytest

import gossamer
from gossamer.model import Kind, Visit
from gossamer.search.answer import Answer
from gossamer.store.versions import Version

PROMISED = {
    "gossamer.urls": ["normalize", "surt", "site"],
    "gossamer.robots": ["parse"],
    "gossamer.convert": ["document", "encoding"],
    "gossamer.dedupe": ["simhash", "shingles", "resemblance"],
    "gossamer.graph": ["pagerank", "hits", "harmonic"],
    "gossamer.freshness": ["age", "freshness", "change_rate", "next_visit", "allocate"],
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


def test_what_is_printed_of_a_page_is_short() -> None:
    """One that was printed filled the terminal with a megabyte of its text."""
    long = 1_000_000 * "x"
    page = gossamer.Page("https://a.test/", title="A title", text=long, content=long, html=long)
    capture = gossamer.Capture(Visit("https://a.test/"), 0.0, 0.1, 200, wire=long.encode(), body=long.encode())
    version = Version(0.0, 200, Kind.PAGE, "text/html", None, "", 0, "A title", "", 0, 0, "")
    document = gossamer.Document("https://a.test/", None, version, capture, page)
    assert repr(document) == "<Document https://a.test/ 200 'A title'>"
    for each in (page, capture):
        assert len(repr(each)) < 1_000
        assert "https://a.test/" in repr(each)
