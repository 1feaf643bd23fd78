"""Where does each node of a graph stand in a picture? Near what it is linked with, apart from all others.

The largest nodes are placed by forces (Fruchterman and Reingold, 1991): all push each other away, links pull. Each of
the many others stands beside those it is linked with. At the end circles that overlap are moved apart. The same graph
always gives the same picture.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Places: TypeAlias = NDArray[np.float64]
"""Two columns, a row for each node."""

CORE = 250
"""Nodes that are placed by forces."""
ROUNDS = 100
TURN = np.pi * (3.0 - np.sqrt(5.0))
"""The golden angle: points on a spiral that stay apart from each other."""
APART = 12
"""Rounds in which circles are moved apart."""
PACKED = 1.5
"""How far nodes without any link lie from the middle, in radii of a circle as large as all of theirs."""
GAP = 0.15
"""Of its radius, which a circle keeps free around it."""


def layout(pairs: NDArray[np.int64], weights: NDArray[np.float64], radii: NDArray[np.float64]) -> Places:
    """Places for nodes that are numbered by size, the largest first; `pairs` are links, each with a weight."""
    nodes = len(radii)
    if not nodes:
        return np.zeros((0, 2))
    area = np.sqrt(np.square(radii).sum())
    if not len(pairs):  # nothing pulls: forces would only drive them apart, and a few would look lost
        return _apart(_spiral(nodes) * area * PACKED, radii)
    core = min(nodes, CORE)
    within = (pairs < core).all(axis=1)
    spread = area * (3 + 5 / np.sqrt(nodes))  # a few may have more room
    places = _spiral(nodes) * spread
    places[:core] = _forced(places[:core], pairs[within], weights[within], spread)
    _attach(places, pairs, weights, radii, core)
    return _apart(places, radii)


def _spiral(nodes: int) -> Places:
    """As the seeds of a sunflower, within a circle of radius 1."""
    numbers = np.arange(nodes)
    far = np.sqrt((numbers + 0.5) / nodes)
    return np.stack((far * np.cos(numbers * TURN), far * np.sin(numbers * TURN)), axis=1)


def _forced(places: Places, pairs: NDArray[np.int64], weights: NDArray[np.float64], spread: float) -> Places:
    nodes = len(places)
    if nodes < 2:
        return np.zeros_like(places)
    ideal = spread / np.sqrt(nodes)
    pull = np.log1p(weights)
    for number in range(ROUNDS):
        between = places[:, None, :] - places[None, :, :]
        far = np.sqrt(np.square(between).sum(axis=2)) + 1e-9
        force = (between * (ideal * ideal / np.square(far))[:, :, None]).sum(axis=1)
        along = places[pairs[:, 0]] - places[pairs[:, 1]]
        drawn = along * (np.linalg.norm(along, axis=1) / ideal * pull)[:, None]
        np.add.at(force, pairs[:, 0], -drawn)
        np.add.at(force, pairs[:, 1], drawn)
        force -= places * (ideal / spread)  # else parts without a link between them drift away
        size = np.linalg.norm(force, axis=1) + 1e-9
        most = spread / 8 * (1 - number / ROUNDS)
        places = places + force / size[:, None] * np.minimum(size, most)[:, None]
    return places


def _attach(
    places: Places, pairs: NDArray[np.int64], weights: NDArray[np.float64], radii: NDArray[np.float64], core: int
) -> None:
    """Beside those of the core that they are linked with; those with no such link stay out on the spiral."""
    nodes = len(places)
    both = np.concatenate((pairs, pairs[:, ::-1]))
    mass = np.concatenate((weights, weights))
    leaves = (both[:, 0] >= core) & (both[:, 1] < core)
    total = np.bincount(both[leaves, 0], mass[leaves], nodes)
    for axis in range(2):
        drawn = np.bincount(both[leaves, 0], mass[leaves] * places[both[leaves, 1], axis], nodes)
        near = (total > 0) & (np.arange(nodes) >= core)
        places[near, axis] = drawn[near] / total[near] + (_spiral(nodes)[near, axis] * radii[:core].mean() * 6)


def _apart(places: Places, radii: NDArray[np.float64]) -> Places:
    x, y = (np.array(places[:, axis], np.float32) for axis in range(2))
    wanted = np.add.outer(radii, radii).astype(np.float32) * np.float32(1 + GAP)
    np.fill_diagonal(wanted, 0)
    for _ in range(APART if len(radii) <= CORE * 4 else APART // 3):
        across, up = np.subtract.outer(x, x), np.subtract.outer(y, y)
        far = np.hypot(across, up) + np.float32(1e-6)
        push = np.maximum(wanted - far, 0) / far / 2
        if not push.any():
            break
        x, y = x + (across * push).sum(axis=1), y + (up * push).sum(axis=1)
    return np.stack((x, y), axis=1).astype(np.float64)
