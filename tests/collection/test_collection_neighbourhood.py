"""The neighbourhood of a question: the answers, what they link to, and some of the pages that link to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from gossamer.collection.ask import links
from gossamer.collection.ask.links import Neighbour, neighbours
from gossamer.collection.derive.graphs import Graph
from gossamer.graph.arcs import Arcs, arcs
from gossamer.graph.gather import Web
from gossamer.urls import keys, site


class Drawn:
    """A graph of links between addresses, some of which were never read."""

    def __init__(self, links: Sequence[tuple[str, str]], unread: Sequence[str] = ()) -> None:
        urls = {url for link in links for url in link}
        prints = sorted((keys.fingerprint(url), url) for url in urls)
        numbers = {url: number for number, (_, url) in enumerate(prints)}
        sources, targets = (np.array([numbers[link[end]] for link in links], np.uint32) for end in (0, 1))
        self.arcs: Arcs = arcs(sources, targets, len(urls))
        self.web = Web(np.array([print_ for print_, _ in prints], np.uint64), self.arcs)
        self.names = {print_: url for print_, url in prints if url not in unread}

    def standing(self, print_: int) -> int:
        return print_


def around(drawn: Drawn, *roots: str) -> list[Neighbour]:
    return neighbours(cast(Graph, drawn), [keys.fingerprint(root) for root in roots], site)


def page(name: str) -> str:
    return f"http://{name}.test/"


def test_only_links_that_begin_or_end_at_an_answer_count() -> None:
    drawn = Drawn(
        [(page("a"), page("root")), (page("root"), page("b")), (page("c"), page("d")), (page("d"), page("a"))]
    )
    assert {each.url for each in around(drawn, page("root"))} == {page("a"), page("root"), page("b")}


def test_the_best_authorities_come_first_and_then_the_best_hubs_and_then_the_alphabet() -> None:
    root = page("root")
    drawn = Drawn([(page("a"), root), (page("z"), root), (page("b"), root), (page("b"), page("z")), (root, page("y"))])
    found = around(drawn, root, page("y"), page("z"))
    assert found[0].url == root
    assert [(-each.authority, -each.hub, each.url) for each in found] == sorted(
        (-each.authority, -each.hub, each.url) for each in found
    )
    assert found[0].authority > found[1].authority
    assert found[0].hub < max(each.hub for each in found)
    assert sum(each.authority for each in found) == pytest.approx(1)


def test_links_within_a_site_do_not_count_unless_there_are_no_others() -> None:
    root, sister = "http://www.site.test/", "http://site.test/menu"
    assert {each.url for each in around(Drawn([(sister, root)]), root)} == {root, sister}
    assert {each.url for each in around(Drawn([(sister, root), (page("a"), root)]), root)} == {root, page("a")}


def test_pages_that_were_never_read_and_links_of_a_page_to_itself_are_left_out() -> None:
    root = page("root")
    links = [(root, root), (root, page("unread")), (page("unread"), root), (page("a"), root)]
    assert {each.url for each in around(Drawn(links, [page("unread")]), root)} == {root, page("a")}


def test_of_many_pages_that_link_to_an_answer_only_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "LINKING_MOST", 3)
    root = page("root")
    drawn = Drawn([(page(f"p{number}"), root) for number in range(10)])
    assert len(around(drawn, root)) == 3 + 1


def test_what_an_answer_links_to_is_looked_at_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "LINKING_MOST", 3)
    root = page("root")
    drawn = Drawn([(root, page(f"p{number}")) for number in range(10)])
    assert len(around(drawn, root)) == 10 + 1


def test_answers_that_the_graph_does_not_know_have_no_neighbourhood() -> None:
    assert around(Drawn([(page("a"), page("b"))]), page("unknown")) == []
