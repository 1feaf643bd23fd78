"""PageRank and HITS against the textbooks, against a linear solver, and against themselves done in another way."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from gossamer.graph import hits, pagerank
from gossamer.graph.arcs import Arcs, Floats, arcs
from gossamer.graph.pagerank import ranked, sweep
from reference import reference


def made(seed: int, nodes: int = 300, links: int = 1_500) -> Arcs:
    """A graph with dead ends, parallel arcs, loops and nodes that nothing leads to."""
    random = Random(seed)
    sources = np.array([random.randrange(nodes * 3 // 4) for _ in range(links)])
    targets = np.array([int(nodes * random.random() ** 2) for _ in range(links)])
    return arcs(sources, targets, nodes)


def solved(graph: Arcs, damping: float, start: Floats) -> Floats:
    """The ranks as the solution of linear equations, with the dead ends written out."""
    matrix = np.zeros((graph.nodes, graph.nodes))
    targets = np.repeat(np.arange(graph.nodes), np.diff(graph.starts))
    np.add.at(matrix, (targets, graph.sources), 1.0 / graph.degrees[graph.sources])
    matrix[:, graph.degrees == 0] = start[:, None]
    return np.asarray(np.linalg.solve(np.eye(graph.nodes) - damping * matrix, (1 - damping) * start))


def test_three_pages_in_a_row_as_in_the_textbook() -> None:
    ranks = pagerank([(1, 2), (2, 1), (2, 3), (3, 2)], damping=0.5)
    assert ranks == pytest.approx({1: 5 / 18, 2: 4 / 9, 3: 5 / 18}, abs=1e-9)


@pytest.mark.parametrize(
    ("teleport", "expected"),
    [(0.15, (0.38779, 0.21481, 0.39740)), (0.5, (0.35897, 0.25641, 0.38462)), (1e-9, (0.4, 0.2, 0.4))],
)
def test_a_triangle_with_a_short_cut_as_in_the_textbook(teleport: float, expected: tuple[float, ...]) -> None:
    ranks = pagerank([("A", "B"), ("A", "C"), ("B", "C"), ("C", "A")], damping=1 - teleport)
    assert tuple(ranks[name] for name in "ABC") == pytest.approx(expected, abs=1e-5)


def test_a_dead_end_gives_its_rank_to_all() -> None:
    assert pagerank([(1, 2)]) == pytest.approx({1: 0.350877, 2: 0.649123}, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("compiled", [True, False])
def test_ranks_are_the_solution_of_the_equations(seed: int, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        module = sys.modules[ranked.__module__]  # the package has a function of that name
        monkeypatch.setattr(module, "compiled", None)
        monkeypatch.setattr(module, "STRETCH", 100)
    graph = made(seed)
    start = np.random.default_rng(seed).random(graph.nodes)
    start /= start.sum()
    found = ranked(graph, start=start, tolerance=1e-13)
    assert np.abs(found.values - solved(graph, 0.85, start)).max() < 1e-10
    assert found.values.sum() == pytest.approx(1)


def test_ranks_do_not_depend_on_the_order_of_links() -> None:
    random = Random(7)
    links = [(random.randrange(40), random.randrange(40)) for _ in range(200)]
    shuffled = random.sample(links, len(links))
    assert pagerank(links) == pytest.approx(pagerank(shuffled), abs=1e-8)


def test_ranks_of_a_graph_that_hardly_changed_need_few_sweeps() -> None:
    graph, rng = made(1, 3_000, 20_000), np.random.default_rng(1)
    old = ranked(graph, tolerance=1e-8)
    targets = np.repeat(np.arange(graph.nodes), np.diff(graph.starts))
    targets[rng.choice(len(targets), 5, replace=False)] = 17
    changed = arcs(graph.sources, targets, graph.nodes)
    again, anew = ranked(changed, before=old.values, tolerance=1e-8), ranked(changed, tolerance=1e-8)
    assert np.abs(again.values - anew.values).max() < 1e-7
    assert len(again.changes) < len(anew.changes)


def test_a_farm_that_no_good_page_leads_to_is_not_trusted() -> None:
    web = [("good", "news"), ("news", "shop"), ("shop", "good")]
    farm = [(f"farm{n}", "target") for n in range(50)] + [("target", f"farm{n}") for n in range(50)]
    trust = pagerank(web + farm, personalization={"good": 1})
    assert trust["target"] == pytest.approx(0, abs=1e-9)
    assert pagerank(web + farm)["target"] > trust["shop"] > 0


@pytest.mark.parametrize("damping", [-0.1, 1.0, 2.0])
def test_a_damping_that_never_ends_is_refused(damping: float) -> None:
    with pytest.raises(ValueError, match="damping is"):
        pagerank([(1, 2)], damping=damping)


def test_weights_must_point_somewhere() -> None:
    with pytest.raises(ValueError, match="must not be below 0"):
        pagerank([(1, 2)], personalization={1: 0.0})


def test_arrays_of_different_graphs_are_refused() -> None:
    if sys.modules[ranked.__module__].compiled is None:
        pytest.skip("there was no C compiler")
    graph, other = made(1), made(2, 10, 10)
    values = np.zeros(graph.nodes)
    with pytest.raises(ValueError, match="do not belong to one graph"):
        sweep(Arcs(other.starts, graph.sources, graph.degrees), values, 0.85, values, values)


def both_ways(case: dict[str, Any]) -> list[tuple[str, str]]:
    links = [(str(source), str(target)) for source, target in case["edges"]]
    return links if case["directed"] else links + [(target, source) for source, target in links]


def test_all_values_of_the_reference_graphs() -> None:
    cases = json.loads((reference("link-graphs") / "pagerank_cases.json").read_text())["cases"]
    ranks = [case for case in cases if case["kind"] == "pagerank"]
    assert len(ranks) >= 7
    for case in ranks:
        wished = {"personalization": case.get("personalization"), "dangling": case.get("dangling_weights")}
        found = pagerank(both_ways(case), damping=case["damping"], **wished)
        assert found == pytest.approx(case["expected"], abs=1e-4), case["id"]


def test_hubs_and_authorities_of_the_reference_graph() -> None:
    cases = json.loads((reference("link-graphs") / "pagerank_cases.json").read_text())["cases"]
    for case in (case for case in cases if case["kind"] == "hits"):
        hubs, authorities = hits(both_ways(case))
        assert hubs == pytest.approx(case["expected_hubs"], abs=1e-4)
        assert authorities == pytest.approx(case["expected_authorities"], abs=1e-4)


def test_hubs_and_authorities_as_in_the_textbook() -> None:
    hubs, authorities = hits([(1, 2), (1, 3), (2, 3), (3, 1)])
    assert np.array([authorities[n] for n in (1, 2, 3)]) / np.linalg.norm(list(authorities.values())) == pytest.approx(
        (0, 0.5257, 0.8507), abs=1e-4
    )
    assert np.array([hubs[n] for n in (1, 2, 3)]) / np.linalg.norm(list(hubs.values())) == pytest.approx(
        (0.8507, 0.5257, 0), abs=1e-4
    )


def test_a_graph_without_links_has_no_ranks() -> None:
    assert pagerank([]) == {}
    assert hits([]) == ({}, {})


def test_a_real_web_of_six_thousand_pages_settles() -> None:
    lines = (reference("link-graphs") / "hollins.tsv").read_text().splitlines()
    ranks = pagerank(tuple(line.split("\t")) for line in lines if line and not line.startswith("#"))
    assert len(ranks) > 6_000
    assert sum(ranks.values()) == pytest.approx(1)
