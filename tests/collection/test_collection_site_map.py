"""The map of the sites: the largest are drawn, and where nobody knows of links their order is all there is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gossamer.collection.ask import site_map as module
from gossamer.collection.ask.site_map import SiteLink, site_map
from gossamer.search.composition import SiteSums

SUMS = [SiteSums(f"{name}.test", pages, "en", "text/html") for name, pages in (("a", 49), ("b", 4), ("c", 1), ("d", 1))]


def test_sites_have_a_rank_from_none_to_one_and_a_size_by_their_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SITES_MOST", 3)
    found = site_map(SUMS, None, str)
    assert [each.name for each in found.sites] == ["a.test", "b.test", "c.test"]
    assert [each.rank for each in found.sites] == [0.0, 0.5, 1.0]
    assert [each.radius for each in found.sites] == [9.0, 4.0, 3.0]
    assert found.left_out == 1
    assert found.links == ()


def test_one_site_alone_and_none_at_all_are_maps_too() -> None:
    assert [each.rank for each in site_map(SUMS[:1], None, str).sites] == [0.0]
    assert site_map([], None, str).sites == ()


def test_links_between_sites_that_are_drawn_are_the_most_first_and_worth_is_that_of_their_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = SimpleNamespace(
        names=["a.test", "elsewhere.test", "b.test"],
        pairs=np.array([[0, 2], [2, 0], [0, 1]]),
        counts=np.array([3, 5, 9]),
        owners=np.array([0, 0, 2, -1, 1]),  # of each page; one was never read
    )
    monkeypatch.setattr(module, "between_sites", lambda graph, site: found)
    graph: Any = SimpleNamespace(values=np.array([8.0, 4.0, 5.0, 99.0, 77.0]))
    drawn = site_map(SUMS[:2], graph, str)
    assert drawn.links == (SiteLink(1, 0, 5), SiteLink(0, 1, 3))
    assert [each.rank for each in drawn.sites] == [1.0, 0.0], "6 and 5 on average"
    monkeypatch.setattr(module, "LINKS_MOST", 1)
    assert site_map(SUMS[:2], graph, str).links == (SiteLink(1, 0, 5),)
