"""Ten hosts whose first IP address is dead and whose second is the same, over real sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from gossamer.fetch import Found, Resolver, Threads
from named_web import Reply, named_web

DEAD, LIVE = "127.0.0.9", "127.0.0.1"


class Names(Resolver):
    """Looks up what the test says."""

    def __init__(self, clock: gossamer.model.Clock, *_: object) -> None:
        super().__init__(clock, Threads(lambda host: Found((DEAD, LIVE))))


def test_requests_that_fall_back_to_one_address_keep_its_delay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.collection.crawl.network.Resolver", Names)
    with named_web() as web, gossamer.open(tmp_path / "web") as collection:
        urls = [f"http://h{number}.test:{web.port}/" for number in range(10)]
        web.replies = {(f"h{number}.test", "/"): Reply("<p>A page.") for number in range(10)}
        settings = {"scope": "any", "allow_addresses": ("127.0.0.0/8",), "delay": 0.05, "ip_delay": 0.05, "shards": 1}
        collection.crawl(*urls, **settings)
        assert collection.status().pages == 10
        assert len(web.log) == 30, "robots.txt, a sitemap that is not there, and the page"
        assert min(web.gaps()) >= 0.04, "one at a time, and the address rests between two"
