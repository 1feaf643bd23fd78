"""A site behind nginx changes under a watch from the command line: `changes` and the feeds tell what was done to it."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from test_web_hub_watch import process

from crawler_process import run_gossamer, wait_for, with_room
from harness import debian
from harness.hub import Site, hub_and_site
from harness.ports import free_port

PAGES = 20


class Files:
    """What nginx serves."""

    def __init__(self, folder: Path, hub: str) -> None:
        self.folder, self.hub = folder, hub
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        (folder / "pages").mkdir()
        self.home(*range(PAGES))
        for number in range(PAGES):
            self.write(f"{number}.html", f"<title>Page {number}</title><p>What is said of heron {number} stays.</p>")
        self.feed("0.html")
        self.configure("")

    def write(self, name: str, text: str) -> None:
        (self.folder / "pages" / name).write_text(text)

    def home(self, *names: object) -> None:
        links = "".join(f'<a href="{name}.html">{name}</a> ' for name in names)
        self.write("index.html", f'<title>Home</title><link rel="alternate" href="feed.xml"><p>Herons.</p>{links}')

    def feed(self, *names: str) -> None:
        links = f'<atom:link rel="hub" href="{self.hub}"/><atom:link rel="self" href="{self.url}feed.xml"/>'
        items = "".join(f"<item><title>{name}</title><link>{self.url}{name}</link></item>" for name in names)
        space = 'xmlns:atom="http://www.w3.org/2005/Atom"'
        self.write("feed.xml", f"<rss {space}><channel><title>News</title><ttl>1</ttl>{links}{items}</channel></rss>")

    def configure(self, rules: str) -> None:
        here = self.folder
        places = " ".join(f"{name}_temp_path {here}/{name};" for name in ("proxy", "fastcgi", "uwsgi", "scgi"))
        (here / "nginx.conf").write_text(
            f"""daemon off; user root; pid {here}/pid; error_log {here}/errors; worker_processes 1;
events {{ worker_connections 64; }}
http {{ access_log off; types {{ text/html html; application/rss+xml xml; }} client_body_temp_path {here}/body; {places}
server {{ listen 127.0.0.1:{self.port}; root {here}/pages; index index.html; {rules} }} }}"""
        )


@contextmanager
def nginx(files: Files) -> Iterator[subprocess.Popen[bytes]]:
    command = [debian.program("nginx"), "-p", str(files.folder), "-c", str(files.folder / "nginx.conf")]
    running = subprocess.Popen(command)
    try:
        yield running
    finally:
        running.terminate()
        running.wait()


@pytest.fixture
def hub() -> Iterator[Site]:
    with hub_and_site() as found:
        yield found


@pytest.mark.soak
def test_what_is_done_to_a_site_is_told(hub: Site, tmp_path: Path) -> None:
    files = Files(tmp_path, hub.hub.url)
    folder, port = str(with_room(tmp_path / "web")), free_port()
    server = f"http://127.0.0.1:{port}/"
    polite = ("--delay", "0.1", "--allow-address", "127.0.0.0/8", "--budget", "100000/day", "--quiet")

    def told(since: str = "2000-01-01") -> dict[str, str]:
        lines = run_gossamer("changes", folder, "--since", since, "--json", "-n", "0").stdout.splitlines()
        return {each["url"].removeprefix(files.url): each["kind"] for each in map(json.loads, lines)}

    def followed(query: str) -> str:
        with urllib.request.urlopen(f"{server}feed?q={query}", timeout=60) as answer:
            return str(answer.read().decode())

    with (
        nginx(files) as web,
        process("watch", folder, files.url, *polite),
        process("serve", folder, "--port", str(port), "--callback", server, "--json"),
    ):
        wait_for(lambda: len(told()) >= PAGES + 2)
        wait_for(lambda: f"{files.url}feed.xml" in hub.hub.topics.values())
        before = datetime.now(UTC).isoformat()
        files.write("new.html", "<title>New</title><p>A bittern was seen.</p>")
        files.home(*range(PAGES), "new")
        (tmp_path / "pages" / "2.html").unlink()
        (tmp_path / "pages" / "3.html").rename(tmp_path / "pages" / "moved.html")
        files.configure("location = /3.html { return 301 /moved.html; }")
        web.send_signal(1)
        wait_for(lambda: {("new.html", "new"), ("2.html", "gone"), ("3.html", "moved")} <= told(before).items())
        assert f"{files.url}new.html" in followed("bittern")
        files.write("entry.html", "<title>Entry</title><p>A spoonbill stands in the feed.</p>")
        files.feed("entry.html", "0.html")
        wait_for(lambda: f"{files.url}entry.html" in followed("spoonbill"))
        files.write("ping.html", "<title>Ping</title><p>A kingfisher is told by the hub.</p>")
        files.feed("ping.html", "entry.html", "0.html")
        assert hub.hub.publish(f"{files.url}feed.xml", b"anything") == [202]
        wait_for(lambda: f"{files.url}ping.html" in followed("kingfisher"))
        with urllib.request.urlopen(f"{server}crawl", timeout=60) as page:
            assert "Up to date" in page.read().decode()
    kinds = told(before)
    assert {name for name, kind in kinds.items() if kind == "new"} == {
        "new.html",
        "moved.html",
        "entry.html",
        "ping.html",
    }
    assert {name for name, kind in kinds.items() if kind == "changed"} == {"feed.xml"}
    assert {name for name, kind in kinds.items() if kind in ("gone", "moved")} == {"2.html", "3.html"}
