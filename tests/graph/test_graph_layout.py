"""Circles in a picture: apart from each other, near what they are linked with, the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gossamer.graph.layout import Places, layout


def made(nodes: int, seed: int = 1) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    draw = np.random.default_rng(seed)
    radii = np.sort(np.sqrt(draw.pareto(1.2, nodes) * 5 + 1) + 2)[::-1]
    pairs = draw.integers(0, nodes, (2 * nodes, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs, draw.integers(1, 50, len(pairs)).astype(float), radii


def gaps(places: Places, radii: NDArray[np.float64]) -> NDArray[np.float64]:
    far = np.linalg.norm(places[:, None] - places[None], axis=2) - np.add.outer(radii, radii)
    np.fill_diagonal(far, np.inf)
    return far


@pytest.mark.parametrize("nodes", [1, 2, 3, 7, 40, 300, 1_200])
def test_no_circle_lies_on_another(nodes: int) -> None:
    pairs, weights, radii = made(nodes)
    places = layout(pairs, weights, radii)
    assert places.shape == (nodes, 2)
    assert np.isfinite(places).all()
    assert gaps(places, radii).min() > -0.5


def test_the_same_graph_gives_the_same_picture() -> None:
    assert (layout(*made(60)) == layout(*made(60))).all()


@pytest.mark.parametrize("nodes", [2, 6, 40, 300])
def test_nodes_without_links_lie_close_together(nodes: int) -> None:
    radii = np.full(nodes, 4.0)
    places = layout(np.zeros((0, 2), np.int64), np.zeros(0), radii)
    assert gaps(places, radii).min() > 0
    assert gaps(places, radii).min(axis=1).max() < 1.5 * 4.0, "each has a neighbour nearby"


def test_what_is_linked_is_nearer_than_what_is_not() -> None:
    """Two clubs of ten, each linked within itself."""
    pairs = np.array([(a, b) for club in (0, 10) for a in range(club, club + 10) for b in range(a + 1, club + 10)])
    order = np.arange(20).reshape(2, 10).T.ravel()  # they take turns by size
    numbers = np.argsort(order)
    places = layout(numbers[pairs], np.ones(len(pairs)), np.full(20, 3.0))
    club = numbers[:10], numbers[10:]
    within = max(np.linalg.norm(places[each] - places[each].mean(axis=0), axis=1).mean() for each in club)
    assert np.linalg.norm(places[club[0]].mean(axis=0) - places[club[1]].mean(axis=0)) > 1.5 * within


def test_the_many_small_ones_stand_beside_what_they_link_to() -> None:
    nodes, core = 600, 250
    pairs = np.array([(number, 0 if number % 2 else 1) for number in range(2, nodes)])
    radii = np.concatenate(([20.0, 20.0], np.full(nodes - 2, 2.0)))
    places = layout(pairs, np.ones(len(pairs)), radii)
    to_first = np.linalg.norm(places[core:] - places[0], axis=1)
    to_second = np.linalg.norm(places[core:] - places[1], axis=1)
    odd = np.arange(core, nodes) % 2 == 1
    assert (to_first[odd] < to_second[odd]).mean() > 0.9
    assert (to_second[~odd] < to_first[~odd]).mean() > 0.9


def test_no_links_at_all() -> None:
    radii = np.full(30, 4.0)
    places = layout(np.zeros((0, 2), np.int64), np.zeros(0), radii)
    assert gaps(places, radii).min() > -0.5


def test_a_picture_of_nothing_is_empty_and_warns_of_nothing() -> None:
    assert layout(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0)).shape == (0, 2)
