"""Copies that were planted on a made web are found by a crawl, and nothing that only looks like one is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec


class Found(NamedTuple):
    """What a crawl made of the copies."""

    exact: float
    """Which share of the exact copies was found."""
    near: float
    """Which share of the near ones."""
    precision: float
    merged: list[str]
    """Forms and quotations that were taken for copies."""


def planted(edited: float, seed: int) -> WebSpec:
    copies = Copies(exact=0.3, near=0.6, edited=edited, forms=0.5, quoted=0.4)
    return WebSpec(seed=seed, hosts=3, pages=20, words=(80, 400), copies=copies)


def measured(web: MadeWeb, stands: dict[str, str]) -> Found:
    """`stands` names the page that stands for each copy."""
    pairs = [list(web.copies()), list(web.near_copies())]
    together = [sum(stands.get(one, one) == stands.get(other, other) for one, other in kind) for kind in pairs]
    right = sum(web.original(copy) == web.original(first) for copy, first in stands.items())
    merged = [url for copy, first in stands.items() for url in (copy, first) if "/form/" in url or "/quote/" in url]
    exact, near = (found / len(kind) for found, kind in zip(together, pairs, strict=True))
    return Found(exact, near, right / max(len(stands), 1), merged)


@pytest.mark.parametrize("edited", [0.01, 0.03, 0.1])
def test_planted_copies_are_found_and_templates_and_quotations_are_not(tmp_path: Path, edited: float) -> None:
    clock = VirtualClock()
    web = MadeWeb(planted(edited, seed=31), clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        outside = Outside(clock, web.fetch)
        clock.run(collection.crawl_async(web.seed, scope="any", delay=0, ip_delay=0, outside=outside))
        pages = list(collection.pages())
        groups = collection.duplicates().groups
        assert collection.verify().problems == []
    assert {page.url for page in pages} == web.reachable()
    marked = {page.url: page.version.copy_of or page.version.near_copy_of or "" for page in pages}
    live = measured(web, {url: marked.get(first) or first for url, first in marked.items() if first})
    found = measured(web, {copy.url: group.url for group in groups for copy in group.copies})
    assert live == found
    assert not any(marked[group.url] for group in groups)
    assert {url for url, first in marked.items() if first} == {copy.url for group in groups for copy in group.copies}
    assert found.merged == []
    assert found.precision == found.exact == 1.0
    assert found.near >= 0.95 or edited > 0.03
