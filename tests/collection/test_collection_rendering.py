"""Pages that need a browser are read as one sees them, by the rules that hold for every request."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

import gossamer
from collection.scripted_site import BIRDS, SHELL, Scripted, bird_site, scripted_site
from crawler_process import gossamer_command, run_gossamer, wait_for, with_room
from docs_session import agrees
from documentation import blocks, page, steps
from gossamer.cli import main
from gossamer.collection.crawl import rendering
from gossamer.errors import NotFound, UsageError
from gossamer.fetch.browser.rendering import Patience, Renderer
from gossamer.store.warc.reader import records
from harness.hostile_scripts import WAYS, hostile_pages
from harness.jpegs import jpeg_size
from web.browser import chromium
from web.made_site import client

LOCAL = "127.0.0.1"
SETTINGS = {"allow_addresses": (LOCAL,), "delay": 0.0, "shards": 1, "patience": 0.0, "sitemaps": "never"}


@pytest.fixture(scope="module", autouse=True)
def _needs_chromium() -> None:
    chromium()


@dataclass
class Crawled:
    """A collection, and what its site was asked for."""

    folder: Path
    site: Scripted


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """The site of which nothing can be read without a browser, crawled with `auto` by the session of the docs."""
    folder = tmp_path_factory.mktemp("birds")
    with_room(folder / "app-web")
    with scripted_site(bird_site()) as site:
        session, _ = blocks(page("docs/scripted-pages.md"), "console")
        for step in steps(session):
            command = step.command.replace("http://127.0.0.1:8000", site.origin)
            program, verb, _, *rest = command.replace("'", "").split() if "search" not in command else _search(command)
            assert program == "gossamer"
            done = run_gossamer(verb, str(folder / "app-web"), *rest)
            assert done.returncode == 0, done.stderr
            told = (done.stderr + done.stdout).replace(site.origin, "http://127.0.0.1:8000")
            assert agrees(told.replace(str(folder / "app-web"), "app-web"), step.printed), told
        yield Crawled(folder / "app-web", site)


def _search(command: str) -> list[str]:
    words, _, question = command.partition(" '")
    return [*words.split(), question.rstrip("'\n")]


def test_a_site_of_scripts_is_read_completely(birds: Crawled) -> None:
    with gossamer.open(birds.folder) as web:
        titles = {found.title for found in web.pages()}
    assert titles == {f"Heron {number}" for number in range(BIRDS)}


def test_what_pages_share_is_asked_for_once_and_each_page_once(birds: Crawled) -> None:
    asked = birds.site.paths()
    assert asked.count("/app.js") == 1
    assert all(asked.count(f"/bird/{number}") == asked.count(f"/api/bird/{number}") == 1 for number in range(1, BIRDS))


def test_nothing_is_asked_for_that_robots_forbid_that_has_no_words_or_that_changes_something(birds: Crawled) -> None:
    assert not {"/private/tracking.json", "/bird.png"} & set(birds.site.paths())
    assert {method for method, _ in birds.site.asked} == {"GET"}


def test_all_that_came_is_in_the_archive_and_so_is_what_the_browser_made(birds: Crawled) -> None:
    found: dict[str, list[str]] = {"response": [], "conversion": []}
    for path in birds.folder.glob("shards/*/captures/*.warc.gz"):
        for record in records(path):
            if record.type in found:
                found[record.type].append((record.url or "").removeprefix(birds.site.origin))
            if record.type == "conversion":
                assert b"of the colony" in record.block
                assert record.field("warc-refers-to") == record.field("warc-concurrent-to")
    assert sorted(found["response"]) == sorted(birds.site.paths())
    assert sorted(found["conversion"]) == sorted(["/", *(f"/bird/{number}" for number in range(1, BIRDS))])


def test_all_is_well_with_it(birds: Crawled) -> None:
    with gossamer.open(birds.folder) as web:
        assert web.verify().problems == []


def test_what_was_rendered_is_read_again_from_the_archive(birds: Crawled, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(birds.folder, copy)
    shutil.rmtree(copy / "shards" / "00" / "table")
    assert run_gossamer("verify", str(copy), "--repair").returncode == 0
    with gossamer.open(copy) as web, gossamer.open(birds.folder) as before:
        assert {(each.url, each.text) for each in web.pages()} == {(each.url, each.text) for each in before.pages()}
        assert web.verify().problems == []


def test_a_page_without_scripts_starts_no_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def render(*_: object) -> bytes:
        raise AssertionError("a browser was asked for")

    monkeypatch.setattr(Renderer, "__call__", render)
    data = '<title>One</title><script type="application/ld+json">{}</script><a href="/two">two</a>'
    with (
        scripted_site({"/": data, "/two": "<p>two"}) as site,
        gossamer.open(with_room(tmp_path / "web")) as web,
    ):
        assert web.crawl(site.origin + "/", render="auto", **SETTINGS).pages == 2
        assert web.crawl(site.origin + "/", render="always", **SETTINGS).pages == 2


def test_a_crawl_that_renders_nothing_loads_nothing_of_it(tmp_path: Path) -> None:
    with scripted_site({"/": SHELL}) as site:
        words = [
            "crawl",
            str(with_room(tmp_path / "web")),
            site.origin + "/",
            "--allow-address",
            LOCAL,
            "--shards",
            "1",
        ]
        program = f"import sys; from gossamer.cli import main; main({[*words, '-q']!r}); print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "gossamer.fetch.http" in done.stdout
    assert not {"playwright", "gossamer.fetch.browser", "gossamer.collection.crawl.rendering"} & set(
        done.stdout.split()
    )


def test_who_crawls_it_without_a_browser_is_told_of_one(tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    with scripted_site(bird_site()) as site:
        local = ("--allow-address", LOCAL, "--delay", "0", "--shards", "1")
        done = run_gossamer("crawl", str(folder), f"{site.origin}/", *local)
    assert done.stdout.splitlines()[-1] == (
        f"hint: {site.origin}/ says next to nothing without its scripts; `gossamer crawl {folder} --render auto"
        " --revisit` has a browser run them"
    )


def test_without_what_it_takes_it_is_refused_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, gossamer.open(tmp_path / "web") as web:
        patch.setattr("gossamer.fetch.browser.chromium.find_spec", lambda name: None)
        with pytest.raises(UsageError, match=r"pip install '\.\[browser\]'"):
            web.crawl("http://127.0.0.1:1/", render="auto", **SETTINGS)
        patch.undo()
        patch.setattr(shutil, "which", lambda name: None)
        with pytest.raises(UsageError, match="apt-get install chromium"):
            web.crawl("http://127.0.0.1:1/", render="always", **SETTINGS)
    assert importlib.util.find_spec("playwright")
    assert not (tmp_path / "web" / "plan.toml").exists()


# ------------------------------------------------------------------ pictures

TALL = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="3000"><rect width="40" height="3000"/></svg>'


def test_pictures_of_all_pages_are_kept_shown_exported_and_checked(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder, out = with_room(tmp_path / "web"), tmp_path / "out.warc.gz"
    pages = {"/": "<title>One</title><a href=/two>two</a><img src=/tall.svg>", "/two": "<p>two", "/tall.svg": TALL}
    with scripted_site(pages) as site, gossamer.open(folder) as web:
        first, second = f"{site.origin}/", f"{site.origin}/two"
        web.crawl(first, render="always", screenshots=True, **SETTINGS)
        assert site.paths().count("/tall.svg") == 1
        sizes = [jpeg_size(web.page(url).picture()) for url in (first, second)]
        assert (sizes[0][1] > 3000, sizes[1]) == (True, (1280, 720))
        picture = web.page(first).picture()
        assert web.verify().problems == []
        with out.open("wb") as file:
            web.export("warc", file)
    assert picture in {record.block for record in records(out) if record.type == "conversion"}
    capsysbinary.readouterr()
    assert main(["show", str(folder), first, "--as", "screenshot"]) == 0
    assert capsysbinary.readouterr().out == picture
    with client(folder) as asking:
        page = asking.get("/page", params={"url": first, "view": "screenshot"})
        frame = LexborHTMLParser(page.text).css_first("img.frame")
        sent = asking.get(frame.attributes["src"] or "")
        assert (sent.content, sent.headers["content-type"]) == (picture, "image/jpeg")


def test_pictures_without_a_browser_are_refused_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    with scripted_site({"/": "one"}) as site, gossamer.open(with_room(tmp_path / "web")) as web:
        with pytest.raises(UsageError, match="--render always"):
            web.crawl(site.origin + "/", screenshots=True, **SETTINGS)
        web.crawl(site.origin + "/", **SETTINGS)
        with pytest.raises(NotFound, match="--screenshots"):
            web.page(site.origin + "/").picture()


# ------------------------------------------------------------------ hostile pages

REACHING = """
const aim = 'http://127.0.0.2:PORT/';
for (const to of [aim, 'http://169.254.169.254/latest/', 'http://[::1]:PORT/', '/hop', 'http://localhost:PORT/']) {
  fetch(to).catch(() => {});
  fetch(to, {mode: 'no-cors'}).catch(() => {});
  new Image().src = to;
  navigator.sendBeacon(to, 'x');
  try { new WebSocket(to.replace('http', 'ws')); new EventSource(to); } catch {}
  for (const [name, key] of [['iframe', 'src'], ['script', 'src'], ['link', 'href'], ['object', 'data']]) {
    const each = document.createElement(name);
    if (name === 'link') each.rel = 'stylesheet';
    each[key] = to;
    document.body.append(each);
  }
  const code = `fetch('${to}'); importScripts('${to}')`;
  new Worker(URL.createObjectURL(new Blob([code])));
  window.open(to);
}
if (window.RTCPeerConnection) {
  const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.2:PORT'}]});
  peer.createDataChannel('x');
  peer.createOffer().then(offer => peer.setLocalDescription(offer));
}
setTimeout(() => { location = aim; }, 50);
"""
HOSTILE = {
    "loop": "for (;;) {}",
    "alerts": "for (;;) alert('again')",
    "history": "setInterval(() => { for (let i = 0; i < 500; i++) history.pushState(1, '', '/h' + Math.random()) }, 1)",
    "windows": "for (let i = 0; i < 500; i++) window.open('/w' + i)",
    "memory": "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))",
    "reload": "location.reload()",
}


def test_hostile_pages_end_and_reach_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = Patience(longest=30.0, answers=3.0, settles=1.0, closes=3.0)
    monkeypatch.setattr(rendering, "Renderer", partial(Renderer, patience=quick))
    with scripted_site({"/": "reached"}, address="127.0.0.2") as stranger:
        port = stranger.origin.rpartition(":")[2]
        scripts = HOSTILE | {"reach": REACHING.replace("PORT", port)}
        pages = {f"/{name}": f"<p>{name}</p><script>{code}</script>" for name, code in scripts.items()}
        links = "".join(f"<a href=/{name}>{name}</a>" for name in scripts)
        pages |= {"/": f"{links}<script>document.body.append('read')</script>", "/hop": stranger.origin + "/"}
        with scripted_site(pages) as site, gossamer.open(with_room(tmp_path / "web")) as web:
            web.crawl(site.origin + "/", render="always", depth=1, **SETTINGS)
            read = {each.url.removeprefix(site.origin): each.text for each in web.pages()}
            assert web.verify().problems == []
        assert stranger.asked == []
    assert read["/"].split()[-1].endswith("read")
    assert {name for name in scripts if name in read.get(f"/{name}", "")} == scripts.keys()
    assert all(method == "GET" for method, _ in site.asked)


@pytest.mark.soak
@pytest.mark.parametrize("way", WAYS)
def test_two_hundred_hostile_pages_end_and_reach_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    quick = Patience(longest=30.0, answers=3.0, settles=1.0, closes=3.0)
    monkeypatch.setattr(rendering, "Renderer", partial(Renderer, patience=quick))
    with scripted_site({"/": "reached"}, address="127.0.0.2") as stranger:
        all_pages = hostile_pages(stranger.origin.rpartition(":")[2])
        assert len(all_pages) == 200
        names = [name for name in all_pages if name.endswith(f"-{way}")]
        pages = {f"/{name}": all_pages[name] for name in names}
        pages |= {"/": "".join(f"<a href=/{name}>{name}</a>" for name in names), "/hop": stranger.origin + "/"}
        with scripted_site(pages) as site, gossamer.open(with_room(tmp_path / "web")) as web:
            web.crawl(site.origin + "/", render="always", depth=1, **SETTINGS)
            read = {each.url.removeprefix(site.origin): each.text for each in web.pages()}
            assert web.verify().problems == []
        assert stranger.asked == []
    assert [name for name in names if name not in read.get(f"/{name}", "")] == []
    assert all(method in ("GET", "HEAD") for method, _ in site.asked)


def test_no_browser_outlives_a_crawl_that_is_killed(tmp_path: Path) -> None:
    loop = "<p>loop</p><script>for (;;) {}</script>"
    with scripted_site({"/": loop}) as site:
        words = ("crawl", str(with_room(tmp_path / "web")), site.origin + "/", "--allow-address", LOCAL)
        line = gossamer_command(*words, "--render", "always", "--shards", "1", "-q")
        (tmp_path / "tmp").mkdir()
        crawl = subprocess.Popen(line, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
        try:
            wait_for(lambda: any(tmp_path.glob("tmp/*/pid")))
            wait_for(lambda: bool(browsers(tmp_path)))
        finally:
            crawl.send_signal(signal.SIGKILL)
            crawl.wait()
        wait_for(lambda: not browsers(tmp_path))


def browsers(tmp_path: Path) -> list[str]:
    """Processes of Chromium that were started from a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(tmp_path / "tmp").encode() in (line := path.read_bytes()) and b"--type" not in line:
                found.append(path.parent.name)
    return found
