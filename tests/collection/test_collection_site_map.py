"""The map of the sites: the largest are drawn, and where nobody knows of links their order is all there is."""

from __future__ import annotations

import pytest

from gossamer.collection.ask import site_map as module
from gossamer.collection.ask.site_map import site_map
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
