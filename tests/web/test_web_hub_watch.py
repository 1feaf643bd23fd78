"""A watch, and beside it a server that hears from a hub: two processes, and what is new is found at once."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crawler_process import gossamer_command, wait_for, with_room
from harness.hub import Site, hub_and_site
from harness.ports import free_port


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    running = subprocess.Popen(gossamer_command(*arguments), stdout=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.wait(60)
        finally:
            running.kill()
            if running.stdout is not None:
                running.stdout.close()


def found(server: str, query: str) -> list[str]:
    with urllib.request.urlopen(f"{server}api/v1/search?q={query}", timeout=60) as answer:
        return [hit["url"] for hit in json.load(answer)["hits"]]


@pytest.fixture
def site() -> Iterator[Site]:
    with hub_and_site() as found:
        found.pages["/"] = "text/html", '<link rel="alternate" href="/feed.xml"><p>All about herons.</p>'
        found.pages["/feed.xml"] = "application/rss+xml", found.feed()
        yield found


def test_what_a_hub_tells_is_visited_at_once_and_what_is_forged_is_not(site: Site, tmp_path: Path) -> None:
    folder, feed = str(with_room(tmp_path / "web")), f"{site.url}feed.xml"
    port = free_port()
    polite = ("--delay", "0.1", "--allow-address", "127.0.0.0/8", "--shards", "2", "--quiet")
    with process("watch", folder, site.url, *polite):
        wait_for(lambda: site.times("/feed.xml") == 1)
        callback = f"http://127.0.0.1:{port}/"
        with process("serve", folder, "--port", str(port), "--callback", callback, "--json") as server:
            assert server.stdout is not None
            assert json.loads(server.stdout.readline()) == {"url": callback}
            wait_for(lambda: feed in site.hub.topics.values())
            (ours,) = site.hub.topics
            right, site.hub.secrets[ours] = site.hub.secrets[ours], "forged"
            assert site.hub.publish(feed, b"forged") == [202]
            site.hub.secrets[ours] = right
            site.pages["/bittern"] = "text/html", "<title>Bittern</title><p>A bittern was seen.</p>"
            site.pages["/feed.xml"] = "application/rss+xml", site.feed("bittern")
            assert site.times("/feed.xml") == 1, "by itself it would be visited tomorrow"
            assert site.hub.publish(feed, site.pages["/feed.xml"][1].encode()) == [202]
            wait_for(lambda: site.times("/bittern") == 1)
            wait_for(lambda: f"{site.url}bittern" in found(callback, "bittern"))
            assert site.times("/feed.xml") == 2, "once for what was true, and never for what was forged"
    assert site.hub.topics == {}, "the server has told the hub that it ends"
