"""Crawls on a cluster in the middle of which something happens, without Ray: everybody gets a turn again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import gossamer
from cluster_here import ClusterHere
from gossamer.engine.ray import station
from gossamer.urls import keys, site
from named_web import NamedWeb, Reply, named_web

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, when it is loaded
NAMES, PATHS, DELAY, JITTER, LEASE = ("one", "two", "seven"), 8, 0.05, 0.03, 2.0
PATIENCE = 120.0
"""Seconds after which a crawl is stopped that would take five."""


class Eventful(dict[tuple[str, str], Reply]):
    """Replies; when one of them is asked for the first time, something happens before it comes."""

    def __init__(
        self, replies: dict[tuple[str, str], Reply], awaited: tuple[str, str], happens: Callable[[], None]
    ) -> None:
        super().__init__(replies)
        self._awaited, self._happens = awaited, happens

    def get(self, key: tuple[str, str], default: Reply | None = None) -> Reply | None:  # type: ignore[override]  # as it is called
        if key == self._awaited:
            self._awaited = ("", "")
            self._happens()
        return super().get(key, default)


@contextmanager
def crawled(
    tmp_path: Path, cluster: ClusterHere, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]
) -> Iterator[tuple[gossamer.Collection, NamedWeb]]:
    """A crawl of three hosts of one address, one on each shard; in the middle of it something happens."""
    cluster.install(monkeypatch)
    with named_web() as web:
        for name, other in pairwise((*NAMES, NAMES[0])):
            paths = [f"/{number}" for number in range(PATHS)]
            web.link(name, "/", [web.url(name, path) for path in paths] + [web.url(other)])
            for path in paths:
                web.link(name, path, [])
        assert [keys.shard(site(web.url(name)), 3) for name in NAMES] == [0, 1, 2]
        web.replies = Eventful(web.replies, ("one.localhost", "/1"), happens)
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
                lease=LEASE,
                checkpoint_seconds=1.0,
                disk_pause=0,
                disk_pause_share=0.0,
                time=PATIENCE,
            )
            yield collection, web


def test_a_shard_that_moves_while_it_visits_an_address_leaves_it_to_those_that_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards 0 and 2 are on one station, and so on one table of addresses; 0 goes to the node that joins."""
    cluster = ClusterHere(2)

    def join() -> None:
        cluster.join()
        cluster.moved.wait(PATIENCE)

    with crawled(tmp_path, cluster, monkeypatch, join) as (collection, web):
        assert len([*collection.pages()]) == len(NAMES) * (PATHS + 1)
        standing = collection.status().cluster
        assert standing is not None
        assert (standing.moves, standing.takeovers) == (1, 0)
        assert min(web.gaps()) >= DELAY - JITTER


def test_a_crawl_whose_supervisor_was_asleep_for_so_long_that_its_stations_have_ended_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(station, "ABANDONED", 0.4)
    cluster = ClusterHere(2)

    def fall_asleep() -> None:
        cluster.sleeps = 2 * LEASE

    with crawled(tmp_path, cluster, monkeypatch, fall_asleep) as (collection, _):
        assert len([*collection.pages()]) == len(NAMES) * (PATHS + 1)
        standing = collection.status().cluster
    assert standing is not None
    assert standing.takeovers
    assert "has ended all that was there, because nobody asked it for too long" in caplog.text
