"""Sites that all others are near to, and pages that trust leads to."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gossamer
from gossamer.cli import main
from gossamer.collection import Collection, Outside
from gossamer.collection.ask import links as ranking
from gossamer.errors import NotFound
from gossamer.graph import harmonic
from gossamer.graph.arcs import arcs
from gossamer.testing import VirtualClock
from gossamer.testing.planted import planted
from gossamer.urls import keys


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    made, clock = planted(topics=4), VirtualClock()
    with gossamer.open(tmp_path_factory.mktemp("esteem") / "web") as collection:
        outside = Outside(clock, made.fetch)
        clock.run(collection.crawl_async(made.seed, scope="any", delay=0, ip_delay=0, outside=outside))
        yield collection


def test_sites_have_the_centrality_of_the_graph_of_sites(web: Collection) -> None:
    across = {(keys.host(one), keys.host(other)) for one, other in web.graph.links()}
    wanted = harmonic((one, other) for one, other in across if one != other)
    found = web.rank_sites()
    assert dict(found) == pytest.approx(wanted)
    assert [value for _, value in found] == sorted(wanted.values(), reverse=True)
    best = [site for site, _ in found[:4]]
    assert {f"t{number}.test" for number in range(4)} == set(best), "farms have more links, from fewer sites"


def test_trust_reaches_what_good_pages_lead_to_and_nothing_else(web: Collection) -> None:
    assert {url for url, _ in web.trust(["http://t0.test/"])} == {"http://t0.test/", "http://t0.test/guide"}
    blogs = [page.url for page in web.pages() if page.url.startswith("http://blog1.test/")]
    reached = dict(web.trust(blogs, 1_000))
    assert set(blogs) <= reached.keys()
    assert not any("farm" in url for url in reached)


def test_trust_in_a_page_that_is_not_there_is_refused(web: Collection) -> None:
    with pytest.raises(NotFound, match=r"http://nowhere\.test/: is not in the graph; give"):
        web.trust(["http://nowhere.test/"])


def test_both_are_printed(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", str(web.path), "--sites", "-n", "2"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [s for s, _ in web.rank_sites()[:2]]
    assert main(["rank", str(web.path), "--trust", "http://t0.test/", "--json"]) == 0
    assert '"http://t0.test/guide"' in capsys.readouterr().out
    assert main(["rank", str(web.path), "--trust", "http://nowhere.test/"]) == 8


# ------------------------------------------------------------------------- made by hand


class Known:
    """A graph of pages by name; those that begin with `?` were not read."""

    def __init__(self, links: list[tuple[str, str]], *further: str) -> None:
        urls = list(dict.fromkeys([*further, *(url for link in links for url in link)]))
        numbers = {url: number for number, url in enumerate(urls)}
        columns = np.array([[numbers[one], numbers[other]] for one, other in links]).reshape(-1, 2)
        self.arcs = arcs(columns[:, 0], columns[:, 1], len(urls))
        self.names = {number: url for url, number in numbers.items() if not url.startswith("?")}
        self.web = SimpleNamespace(nodes=np.arange(len(urls)), arcs=self.arcs, number=dict(enumerate(range(9))).get)
        self._prints = {keys.fingerprint(url): number for url, number in numbers.items()}

    def standing(self, print_: int) -> int:
        return self._prints.get(print_, -1)


def host(url: str) -> str:
    return url.partition("/")[0]


def test_links_between_two_sites_count_once_and_those_within_a_site_do_not() -> None:
    links = [("a/1", "b/"), ("a/2", "b/"), ("a/1", "a/2"), ("b/", "c/"), ("c/", "a/1"), ("?x", "c/"), ("c/", "?y")]
    found = ranking.of_sites(Known(links), host)  # type: ignore[arg-type] # what is asked of a graph
    assert found == [("a", 1.5), ("b", 1.5), ("c", 1.5)]
    found = ranking.of_sites(Known([("a/1", "b/"), ("c/", "a/2"), ("?x", "c/")]), host)  # type: ignore[arg-type] # as above
    assert found == [("b", 1.5), ("a", 1.0), ("c", 0.0)]


def test_trust_is_shared_by_the_pages_that_are_named_and_handed_on() -> None:
    graph: Any = Known([("a/", "b/"), ("c/", "d/"), ("e/", "?x"), ("?x", "b/")])
    found = dict(ranking.trusted(graph, ["a/", "c/"], 9))
    assert found.keys() == {"a/", "b/", "c/", "d/"}
    assert found["a/"] == pytest.approx(found["c/"])
    assert found["a/"] > found["b/"] > 0
    assert dict(ranking.trusted(graph, ["a/"], 9))["a/"] == pytest.approx(2 * found["a/"])
    assert {url for url, _ in ranking.trusted(graph, ["a/", "c/"], 2)} == {"a/", "c/"}
    assert len(ranking.trusted(graph, ["a/", "c/"], 3)) == 3
    assert dict(ranking.trusted(graph, ["e/"], 9)).keys() == {"e/", "b/"}  # through a page that nobody has read
    with pytest.raises(NotFound, match="is not in the graph"):
        ranking.trusted(graph, ["never/"], 9)
