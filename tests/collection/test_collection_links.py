"""Who points to a page and what it points to, from the page, from the graph, or from both."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from made_shard import A, B, C

from gossamer.collection.ask import links
from gossamer.collection.ask.links import Links, linked
from gossamer.errors import NotFound
from gossamer.model import Link
from gossamer.urls import keys

PAGE: Any = SimpleNamespace(links=(Link(B, "b"),))


def graph(*known: str, linking: tuple[int, ...] = (), anchors: str | None = None) -> Any:
    """A graph in which every page stands for itself; 7 and 8 are pages that were read."""
    numbers = {keys.fingerprint(url): number for number, url in enumerate(known)}
    return SimpleNamespace(
        standing=lambda print_: print_,
        web=SimpleNamespace(number=numbers.get),
        names={7: B, 8: C},
        linking=lambda url: iter(linking),
        anchors=SimpleNamespace(get=lambda print_: anchors),
        values=[1.5, 2.5],
    )


def test_without_a_graph_a_page_tells_what_it_points_to() -> None:
    assert linked(A, PAGE, None) == Links(A, PAGE.links, (), (), None)
    with pytest.raises(NotFound, match="there is no graph of links"):
        linked(A, None, None)


def test_the_graph_tells_who_links_to_a_page_and_what_it_is_called() -> None:
    found = linked(B, PAGE, graph(A, B, linking=(7, 99, 8), anchors="the b\n\nbee"))
    assert found == Links(B, PAGE.links, (B, C), ("the b", "bee"), 2.5)
    assert linked(A, None, graph(A)) == Links(A, (), (), (), 1.5)
    assert found.as_json() == {
        "url": B,
        "out": [{"url": B, "anchor": "b", "rel": "", "state": None, "status": None}],
        "in": [B, C],
        "anchors": ["the b", "bee"],
        "rank": 2.5,
        "forms": [],
        "needs": [],
    }


def test_a_page_that_the_graph_does_not_know_yet_has_no_rank() -> None:
    assert linked(A, PAGE, graph()) == Links(A, PAGE.links, (), (), None)
    with pytest.raises(NotFound, match="no page of it links there"):
        linked(A, None, graph())


def test_of_very_many_pages_only_some_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "SHOWN_MOST", 2)
    assert linked(A, PAGE, graph(A, linking=(99, 7, 8, 7))).incoming == (B, C)
