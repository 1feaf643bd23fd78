"""Small collections that are made for the views, and a browser without windows that asks for them."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

import gossamer
from docs_web import START, DocsWeb
from gossamer import plan as plans
from gossamer.collection import Outside, cluster_view
from gossamer.collection.cluster_view import ClusterView, Event, NodeView, ShardView
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock
from gossamer.web.app import make, routes
from gossamer.web.safety import Access, local_names

SITE = "https://example.org"
PICTURED = f"{SITE}/guide/cascade"
PICTURE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8yb"
    "qmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAw"
    "AEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAEE/8"
    "QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AsArMAAAAAAAAAAAAAAAAAAAAAA//2Q=="
)
"""A JPEG of one colour."""


def heron(folder: Path, picture: bytes = PICTURE) -> Path:
    """The site of the documentation, crawled on two days. Of one page there is a picture."""
    clock = VirtualClock(START)
    web = DocsWeb(clock)
    collection = gossamer.open(folder)

    async def fetch(visit: Visit) -> Capture:
        came = await web.fetch(visit)
        return replace(came, rendered=came.body, screenshot=picture) if visit.url == PICTURED else came

    outside = Outside(clock, fetch)
    clock.run(collection.crawl_async(f"{SITE}/", outside=outside, shards=1))
    web.pass_a_day()
    clock.run(collection.crawl_async(outside=outside, revisit=True))
    collection.close()
    return folder


def on_cluster(folder: Path, store: Path, now: float) -> Path:
    """As if its crawl had gone on on a cluster: one node is there, one is being taken away, one shard moves."""
    plan = plans.load(folder / "plan.toml").changed(engine="ray", store=str(store))
    (folder / "plan.toml").write_text(plans.dump(plan))
    nodes = (NodeView("left", 8, (0, 2)), NodeView("<right>", 4, (), drained=True, silent=3.0))
    shards = (
        ShardView(0, "left", 3, kept=now - 40.0, bytes=5_000_000, seconds=0.25, unsent=7, lag=2.5),
        ShardView(1, "", 2),
        ShardView(2, "left", 1, kept=now - 20.0, bytes=1_000, seconds=0.125),
    )
    events = (Event(now - 5.0, 1, "was on node <right>, which is gone"),)
    cluster_view.write(folder, ClusterView(now, nodes, shards, moves=1, takeovers=2, restarts=3, events=events))
    return folder


@contextmanager
def client(path: Path) -> Iterator[TestClient]:
    """Asks the server of a collection, without a socket."""
    with TestClient(make(path, Access(local_names()))[0], base_url="http://localhost") as asking:
        yield asking


def views_left_out(asking: TestClient, seen: Iterable[str]) -> set[str]:
    """The routes that answer with HTML and are not among the addresses that were looked at. A new one is."""
    paths = [route.path for route in routes() if isinstance(route, Route) and route.path not in ENDLESS]
    assert all(isinstance(route, Route | Mount) for route in routes()), "of another kind nobody knows what it shows"
    answers = {path: asking.get(_asked(path)) for path in paths}
    shown = {
        path for path, answer in answers.items() if answer.is_success and "text/html" in answer.headers["content-type"]
    }
    known = {urlsplit(each).path for each in seen}
    return {path for path in shown if not any(re.fullmatch(re.sub("{[a-z]+}", "[a-z]+", path), each) for each in known)}


ENDLESS = ("/crawl/events",)


def _is_view(answer: Response) -> bool:
    return answer.is_success and "text/html" in answer.headers["content-type"]


def _asked(path: str) -> str:
    return f"{path.replace('{action}', 'stop')}?q=index&url={SITE}/&name=example.org"


def elements(html: str) -> Counter[tuple[str, ...]]:
    """How often each element is there, with the names of its attributes, as an HTML5 parser sees it."""
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    return Counter((node.tag or "", *sorted(node.attributes)) for node in tree.root.traverse(include_text=False))


def words(html: str) -> str:
    """What a person reads in the main part of a view."""
    found = LexborHTMLParser(html).css_first("main")
    assert found is not None
    return re.sub(" +([.,:;])", r"\1", " ".join(found.text(separator=" ").split()))
