"""Crawls whose shards move between stations while they visit one address, without Ray: everybody gets a turn again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import gossamer
from cluster_here import ClusterHere
from gossamer.urls import keys, site
from named_web import NamedWeb, Reply, named_web

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, when it is loaded
NAMES, PATHS, DELAY, JITTER = ("one", "two", "seven"), 8, 0.05, 0.03
PATIENCE = 120.0
"""Seconds after which a crawl is stopped that would take five."""


class Slow(dict[tuple[str, str], Reply]):
    """Replies; while somebody waits for one of them, a node joins."""

    def __init__(self, replies: dict[tuple[str, str], Reply], awaited: tuple[str, str], cluster: ClusterHere) -> None:
        super().__init__(replies)
        self._awaited, self._cluster = awaited, cluster

    def get(self, key: tuple[str, str], default: Reply | None = None) -> Reply | None:  # type: ignore[override]  # as it is called
        if key == self._awaited:
            self._awaited = ("", "")
            self._cluster.join()
            self._cluster.moved.wait(PATIENCE)
        return super().get(key, default)


def linked(web: NamedWeb) -> None:
    for name, other in pairwise((*NAMES, NAMES[0])):
        paths = [f"/{number}" for number in range(PATHS)]
        web.link(name, "/", [web.url(name, path) for path in paths] + [web.url(other)])
        for path in paths:
            web.link(name, path, [])


def test_a_shard_that_moves_while_it_visits_an_address_leaves_it_to_those_that_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards 0 and 2 are on one station, and so on one table of addresses; 0 goes to the node that joins."""
    cluster = ClusterHere(2)
    cluster.install(monkeypatch)
    with named_web() as web:
        linked(web)
        assert [keys.shard(site(web.url(name)), 3) for name in NAMES] == [0, 1, 2]
        web.replies = Slow(web.replies, ("one.localhost", "/1"), cluster)
        with gossamer.open(tmp_path / "web") as collection:
            collection.crawl(
                web.url("one"),
                engine="ray",
                store=str(tmp_path / "store"),
                node_disk=str(tmp_path / "nodes"),
                shards=len(NAMES),
                delay=DELAY,
                patience=0.0,
                scope="any",
                allow_addresses=("127.0.0.0/8",),
                lease=2.0,
                checkpoint_seconds=1.0,
                disk_pause=0,
                disk_pause_share=0.0,
                time=PATIENCE,
            )
            assert len([*collection.pages()]) == len(NAMES) * (PATHS + 1)
            standing = collection.status().cluster
        assert standing is not None
        assert (standing.moves, standing.takeovers) == (1, 0)
        assert min(web.gaps()) >= DELAY - JITTER
