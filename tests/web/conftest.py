"""Two small collections for all tests of the web room, each served once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Client, collected
from api_server import serving as serving_api
from made_site import heron, on_cluster

import gossamer
from gossamer.testing import Copies, Errors, MadeWeb, RobotsFiles, WebSpec
from harness.served import Served, serving

SMALL = WebSpec(
    seed=3,
    hosts=3,
    pages=12,
    names="ip",
    errors=Errors(missing=0.1),
    robots=RobotsFiles(rules=1.0),
    copies=Copies(exact=0.2),
)


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawled from a made web. Nobody may change it."""
    folder = tmp_path_factory.mktemp("web") / "my-web"
    with MadeWeb(SMALL).serve() as web, gossamer.open(folder) as made:
        made.crawl(web.seed, scope="any", delay=0, ip_delay=0, allow_addresses=("127.0.0.0/8",), shards=2)
    return folder


@pytest.fixture(scope="session")
def served(collection: Path) -> Iterator[Served]:
    with serving(collection) as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A site that was crawled on two days, and that a cluster goes on with."""
    place = tmp_path_factory.mktemp("site")
    with serving(on_cluster(heron(place / "heron"), place / "store", time.time())) as running:
        yield running


@pytest.fixture(scope="session")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with a past: pages were new, changed and gone on the second day. Nobody may change it."""
    return collected(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def client(dated: Path) -> Iterator[Client]:
    """Whoever asks a server over the one with a past."""
    with serving_api(dated) as found:
        yield found
