"""Harmonic centrality: exactly on small graphs, by counters on large ones."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gossamer.graph import harmonic
from gossamer.graph.arcs import Arcs, arcs
from gossamer.graph.centrality import by_counters, exactly


def made(seed: int, nodes: int, links: int) -> Arcs:
    random = Random(seed)
    pairs = np.array([(random.randrange(nodes), int(nodes * random.random() ** 2)) for _ in range(links)])
    return arcs(pairs[:, 0], pairs[:, 1], nodes)


def test_a_path_as_in_the_notes_of_its_authors() -> None:
    assert harmonic([("A", "B"), ("B", "C")]) == {"A": 0, "B": 1, "C": 1.5}


def test_who_leads_to_itself_gains_nothing() -> None:
    assert harmonic([("A", "A"), ("A", "B"), ("A", "B")]) == {"A": 0, "B": 1}


def test_an_arc_to_a_node_never_hurts_it() -> None:
    random = Random(3)
    links = [(random.randrange(30), random.randrange(30)) for _ in range(60)]
    before = harmonic(links)
    for _ in range(30):
        extra = (random.choice(list(before)), random.choice(list(before)))
        assert harmonic([*links, extra])[extra[1]] >= before[extra[1]]


def test_counters_come_near_to_the_truth() -> None:
    graph = made(5, 1_500, 6_000)
    truth, counted = exactly(graph), by_counters(graph)
    assert np.abs(counted - truth).mean() < 0.2 * truth.mean()
    assert np.corrcoef(truth, counted)[0, 1] > 0.999


def test_counters_know_who_is_led_to_by_nobody() -> None:
    graph = arcs(np.arange(3_000), np.full(3_000, 3_000), 3_001)
    counted = by_counters(graph)
    assert counted[:3_000] == pytest.approx(0)
    assert counted[3_000] == pytest.approx(3_000, rel=0.2)
