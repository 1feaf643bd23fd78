"""What does PageRank cost on a large graph? A made one, beside power iteration with SciPy and beside NetworKit.

    python bench/ranks.py --nodes 10_000_000 --arcs 100_000_000

Targets are chosen by a power law, sources evenly among four fifths of the nodes; the others are dead ends. Nodes have
no order that would help, as in a real graph, where their order is that of fingerprints. Each way is a process of its
own and goes on until the sum of all changes is below 1e-8. CPU is that of ranking alone; the peak of memory is that of
the whole process, with its graph. Target at 100 million arcs: 60 s of CPU and 2 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.arcs import Arcs, Floats
from gossamer.graph.pagerank import DAMPING, ranked

TOLERANCE = 1e-8
STRETCH = 5_000_000


def made(nodes: int, arcs: int) -> Arcs:
    """A graph, made in stretches so that its making takes no more memory than itself."""
    rng = np.random.default_rng(7)
    indegrees, degrees = np.zeros(nodes, np.uint32), np.zeros(nodes, np.uint32)
    sources = np.empty(arcs, np.uint32)
    shuffled = rng.permutation(nodes).astype(np.uint32)
    for first in range(0, arcs, STRETCH):
        count = min(STRETCH, arcs - first)
        targets = shuffled[(nodes ** rng.random(count)).astype(np.uint32) - 1]
        np.add.at(indegrees, targets, np.uint32(1))
        some = rng.integers(0, nodes * 4 // 5, count, np.uint32)
        np.add.at(degrees, some, np.uint32(1))
        sources[first : first + count] = some
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(indegrees, out=starts[1:])
    return Arcs(starts, sources, degrees)


def ours(graph: Arcs) -> Callable[[], Floats]:
    """Gauss-Seidel."""
    return lambda: ranked(graph, tolerance=TOLERANCE).values


def by_scipy(graph: Arcs) -> Callable[[], Floats]:
    """Power iteration, as it is written in a few lines."""
    from scipy.sparse import csr_matrix

    shares = 1.0 / np.maximum(graph.degrees, 1)
    data = shares[graph.sources]
    matrix = csr_matrix((data, graph.sources.astype(np.int32), graph.starts), (graph.nodes, graph.nodes))
    dead = np.flatnonzero(graph.degrees == 0)

    def run() -> Floats:
        values, change = np.full(graph.nodes, 1 / graph.nodes), 1.0
        while change > TOLERANCE:
            fresh = DAMPING * (matrix @ values + values[dead].sum() / graph.nodes) + (1 - DAMPING) / graph.nodes
            change, values = float(np.abs(fresh - values).sum()), fresh
        return values

    return run


def by_networkit(graph: Arcs) -> Callable[[], Floats]:
    """The library, on one thread, with its own rule for dead ends."""
    import networkit

    networkit.setNumberOfThreads(1)
    targets = np.repeat(np.arange(graph.nodes, dtype=np.uint64), np.diff(graph.starts))
    web = networkit.GraphFromCoo((graph.sources.astype(np.uint64), targets), n=graph.nodes, directed=True)
    del targets
    ranks = networkit.centrality.PageRank(
        web, DAMPING, TOLERANCE, distributeSinks=networkit.centrality.SinkHandling.DistributeSinks
    )
    ranks.norm = networkit.centrality.Norm.L1_NORM

    def run() -> Floats:
        ranks.run()
        return np.array(ranks.scores())

    return run


WAYS = {"gossamer": ours, "scipy": by_scipy, "networkit": by_networkit}


def one(name: str, nodes: int, arcs: int, out: Path) -> None:
    """One way, and what it cost."""
    run = WAYS[name](made(nodes, arcs))
    began = time.process_time()
    values = run()
    cpu = time.process_time() - began
    np.save(out, values)
    print(json.dumps({"cpu": cpu, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--arcs", type=int, default=2_000_000)
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one, options.nodes, options.arcs, options.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(options.nodes, options.arcs, Path(folder))


def compare(nodes: int, arcs: int, folder: Path) -> None:
    first: NDArray[np.float64] | None = None
    cost = 0.0
    for name in WAYS:
        if name != "gossamer" and find_spec(name) is None:
            print(f"{name:<10} not installed; `pip install 'gossamer[bench]'` puts it beside")
            continue
        out = folder / f"{name}.npy"
        sizes = ("--nodes", str(nodes), "--arcs", str(arcs))
        command = [sys.executable, __file__, "--one", name, "--out", str(out), *sizes]
        told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        values = np.load(out)
        first, cost = (values, told["cpu"]) if first is None else (first, cost)
        print(
            f"{name:<10} {told['cpu']:7.2f} s of CPU, {told['memory']:.2f} GB, {told['cpu'] / cost:5.2f} times ours,"
            f" {np.abs(values / values.sum() - first).sum():.0e} away from ours",
            flush=True,
        )


if __name__ == "__main__":
    main()
