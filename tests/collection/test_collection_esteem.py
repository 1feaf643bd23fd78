"""Sites that all others are near to, and pages that trust leads to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gossamer
from gossamer.cli import main
from gossamer.collection import Collection, Outside
from gossamer.errors import NotFound
from gossamer.graph import harmonic
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
