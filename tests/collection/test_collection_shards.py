"""Several processes crawl one collection: what comes out is what one process would have brought."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, descendants, gossamer_command, run_gossamer, shard_of, wait_for
from gossamer.collection import Collection, Outside, Status
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.errors import NotFound, UsageError
from gossamer.frontier.ledger import Ledger
from gossamer.store.table.table import Table
from gossamer.testing import (
    Copies,
    Errors,
    MadeWeb,
    Marks,
    Redirects,
    RobotsFiles,
    Sitemaps,
    VirtualClock,
    WebSpec,
)
from gossamer.urls import keys, site
from named_web import Reply, named_web

SPEC = WebSpec(
    seed=7,
    hosts=8,
    pages=15,
    names="ip",
    gzip=True,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.2, hops=2, across=0.6, loops=0.05),
    robots=RobotsFiles(rules=0.5, moved=0.5),
    copies=Copies(exact=0.2),
    sitemaps=Sitemaps(hosts=0.5, orphans=3),
    marks=Marks(nofollow_pages=0.1, nofollow_links=0.2),
)
FAST = {
    "scope": "any",
    "delay": 0.01,
    "ip_delay": 0.01,
    "patience": 0,
    "allow_addresses": ("127.0.0.0/8",),
    "disk_pause": 0,
    "disk_pause_share": 0,
}


JITTER = 0.05
"""Seconds by which a loaded machine may tell a moment too late; without any gate there would be no gap at all."""


@dataclass(frozen=True)
class Crawled:
    """A crawl of the whole web that is over."""

    collection: Collection
    status: Status
    shards: int


@pytest.fixture(scope="module")
def web() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as served:
        yield served


@pytest.fixture(scope="module")
def alone(web: MadeWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    yield from crawled(web, tmp_path_factory.mktemp("one") / "web", 1)


@pytest.fixture(scope="module", params=[2, 3])
def shared(web: MadeWeb, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Crawled]:
    yield from crawled(web, tmp_path_factory.mktemp("many") / "web", request.param)


def crawled(web: MadeWeb, folder: Path, shards: int) -> Iterator[Crawled]:
    with gossamer.open(folder) as collection:
        yield Crawled(collection, collection.crawl(web.seed, shards=shards, **FAST), shards)


# ------------------------------------------------------------------- what comes out


def test_all_pages_are_there_and_each_once(web: MadeWeb, shared: Crawled) -> None:
    urls = [page.url for page in shared.collection.pages()]
    assert set(urls) == web.reachable()
    assert len(urls) == len(set(urls)) == shared.status.pages


def test_pages_are_those_that_one_process_brings(alone: Crawled, shared: Crawled) -> None:
    assert contents(shared.collection) == contents(alone.collection)


def test_every_address_stands_where_one_process_leaves_it(alone: Crawled, shared: Crawled) -> None:
    assert states(shared) == states(alone)


def test_the_sums_are_those_of_one_process(alone: Crawled, shared: Crawled) -> None:
    assert sums(shared.status) == sums(alone.status)
    assert shared.status.duplicates > 0
    assert shared.status.queued == 0


def test_copies_are_marked_once_for_each_body_wherever_they_lie(shared: Crawled) -> None:
    pages = list(shared.collection.pages())
    copies = {page.url: page.version.copy_of for page in pages if page.version.copy_of}
    assert len(copies) == shared.status.duplicates == len(pages) - len({page.version.digest for page in pages})
    digests = {page.url: page.version.digest for page in pages}
    assert all(digests[url] == digests[first] for url, first in copies.items())


def test_a_site_lies_in_the_shard_that_its_key_says(shared: Crawled) -> None:
    met = set()
    for index, rows in enumerate(ledgers(shared)):
        assert rows, "every shard of this web has something to do"
        for url in rows:
            assert keys.shard(site(url), shared.shards) == index
            assert url not in met
            met.add(url)


def test_nothing_is_asked_for_twice(tmp_path: Path) -> None:
    web = MadeWeb(SPEC)
    with web.serve() as served, gossamer.open(tmp_path / "web") as collection:
        collection.crawl(served.seed, shards=2, **FAST)
    again = {url: times for url, times in web.log.counts().items() if times > 1}
    assert again == {}
    assert web.log.disallowed() == []


# ------------------------------------------------------------------ what can be asked


def test_every_page_and_host_can_be_asked_for(web: MadeWeb, shared: Crawled) -> None:
    for number in range(SPEC.hosts):
        home = web.home(number)
        assert shared.collection.page(home).text
        assert shared.collection.why(home).state == "done"
        assert shared.collection.why(web.host(number)).host == web.host(number)
    with pytest.raises(NotFound, match="never met"):
        shared.collection.why("http://127.0.9.9/")


def test_everything_is_found_whole(shared: Crawled) -> None:
    checked = shared.collection.verify()
    assert checked.problems == []
    assert checked.rows > shared.status.pages


def test_jsonl_comes_in_the_order_of_the_row_keys(shared: Crawled) -> None:
    urls = [json.loads(line)["url"] for line in exported(shared.collection, "jsonl").splitlines()]
    assert urls == sorted(urls, key=keys.row)
    assert len(urls) == shared.status.pages


def test_the_warc_export_is_valid(shared: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "all.warc.gz"
    path.write_bytes(exported(shared.collection, "warc"))
    result = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "-v", str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_the_index_is_sorted_and_names_each_file_once(shared: Crawled) -> None:
    lines = exported(shared.collection, "cdxj").decode().splitlines()
    assert lines == sorted(lines)
    files = list(shared.collection.path.glob("shards/*/captures/*.warc.gz"))
    assert len({path.name for path in files}) == len(files) >= shared.shards
    assert {json.loads(line.split(" ", 2)[2])["filename"] for line in lines} == {path.name for path in files}


# ------------------------------------------------------------------------- bounds


@pytest.mark.parametrize("pages", [1, 7, 40])
def test_a_page_limit_is_exact_over_all_shards(web: MadeWeb, tmp_path: Path, pages: int) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.crawl(web.seed, shards=2, pages=pages, **FAST).pages == pages
        assert collection.crawl(pages=pages + 5).pages == pages + 5


def test_another_number_of_shards_is_refused_and_changes_nothing(web: MadeWeb, tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        collection.crawl(web.seed, shards=2, pages=5, **FAST)
        before = (tmp_path / "web" / "plan.toml").read_text(), sorted((tmp_path / "web" / "shards").iterdir())
        with pytest.raises(UsageError, match="made with 2 shards, and that is fixed"):
            collection.crawl(shards=3, pages=9)
        assert collection.status().pages == 5
    assert before == (
        (tmp_path / "web" / "plan.toml").read_text(),
        sorted((tmp_path / "web" / "shards").iterdir()),
    )
    command = [sys.executable, "-m", "gossamer", "crawl", str(tmp_path / "web"), "--shards", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "made with 2 shards" in result.stderr


async def _never(_: object) -> Any:
    raise AssertionError("nothing is fetched")


@pytest.mark.parametrize("outside", [Outside(VirtualClock()), Outside(gossamer.model.SystemClock(), _never)])
def test_a_clock_or_fetch_of_ones_own_needs_one_shard(tmp_path: Path, outside: Outside) -> None:
    collection = gossamer.open(tmp_path / "web")
    crawl = collection.crawl_async("http://h0.example/", outside=outside, shards=2)
    with pytest.raises(UsageError, match="collection of one shard"):
        crawl.send(None)
    assert not (tmp_path / "web").exists()


# ---------------------------------------------------------------------- one address


def test_many_names_of_one_address_are_asked_one_at_a_time(tmp_path: Path) -> None:
    names = [f"site{number}" for number in range(40)]
    with named_web() as web, gossamer.open(tmp_path / "web") as collection:
        for name in names:
            web.link(name, "/", [web.url(name, "/a"), web.url(name, "/b"), *map(web.url, names)])
            web.link(name, "/a", [])
            web.link(name, "/b", [])
        settings = {**FAST, "delay": 0.02, "ip_delay": 0.1, "suffixes": ("localhost",)}
        status = collection.crawl(web.url("site0"), shards=2, **settings)
    assert status.pages == 3 * len(names)
    assert len({row.host for row in web.log}) == len(names)
    assert min(web.gaps()) >= 0.1 - JITTER


def test_a_robots_file_on_a_site_of_another_shard_holds(tmp_path: Path) -> None:
    names = [f"site{number}" for number in range(12)]
    with named_web() as web, gossamer.open(tmp_path / "web") as collection:
        for name in names:
            web.link(name, "/", [*map(web.url, names), web.url(name, "/private"), web.url(name, "/open")])
            web.link(name, "/private", [])
            web.link(name, "/open", [])
        for name, there in pairwise(names):
            web.put(name, "/robots.txt", Reply(location=web.url(there, f"/of/{name}")))
            web.put(there, f"/of/{name}", Reply("User-agent: *\nDisallow: /private\n", media_type="text/plain"))
        shards = {keys.shard(f"{name}.localhost", 2) for name in names}
        status = collection.crawl(web.url("site0"), shards=2, **FAST, suffixes=("localhost",))
        assert collection.why(web.url("site3", "/private")).reason == "robots.txt forbids it"
    assert shards == {0, 1}
    assert {row.host for row in web.log if row.path == "/private"} == {f"{names[-1]}.localhost"}
    assert status.pages == 2 * len(names) + 1
    assert status.excluded == len(names) - 1


def test_hosts_of_all_shards_share_one_request_for_a_robots_file(tmp_path: Path) -> None:
    names = [f"site{number}" for number in range(30)]
    with named_web() as web, gossamer.open(tmp_path / "web") as collection:
        for name in names:
            web.link(name, "/", [*map(web.url, names), web.url(name, "/private")])
            web.link(name, "/private", [])
            web.put(name, "/robots.txt", Reply(location=web.url("platform", "/robots.txt")))
        web.put("platform", "/robots.txt", Reply("User-agent: *\nDisallow: /private\n", media_type="text/plain"))
        status = collection.crawl(web.url("site0"), shards=2, **FAST, suffixes=("localhost",))
    assert {keys.shard(f"{name}.localhost", 2) for name in names} == {0, 1}
    assert [row.path for row in web.log if row.host == "platform.localhost"] == ["/robots.txt"]
    assert not [row for row in web.log if row.path == "/private"]
    assert (status.pages, status.excluded) == (len(names), len(names))


# ---------------------------------------------------------------------------- ends


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_interrupt_of_all_processes_ends_them_and_the_next_crawl_goes_on(
    web: MadeWeb, tmp_path: Path, number: signal.Signals
) -> None:
    """As a terminal, systemd and `timeout` send it: none but the command acts on it, and no shard dies of it."""
    folder, slow = tmp_path / "web", ("--delay", "0.2", "--shards", "2")
    command = gossamer_command(*crawl_arguments(folder, web.seed, *slow))
    crawler = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    # the process that all are forked from, the server of the shards, and two shards
    wait_for(lambda: (folder / "gate").exists() and len(descendants(crawler.pid)) == 4)
    processes = descendants(crawler.pid)
    os.killpg(crawler.pid, number)
    said = crawler.communicate(timeout=120)[1]
    assert (crawler.returncode, "started again" in said) == (130, False), said
    assert not any(Path(f"/proc/{process}").exists() for process in processes)
    with gossamer.open(folder) as collection:
        assert collection.crawl(delay=0.01, ip_delay=0.01).pages == len(web.reachable())
        assert collection.verify().problems == []


def test_a_page_that_kills_its_reader_is_kept_unread_and_all_others_are_read(web: MadeWeb, tmp_path: Path) -> None:
    deadly = web.home(3)
    (tmp_path / "sitecustomize.py").write_text(DEADLY_READER)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = gossamer_command(*crawl_arguments(tmp_path / "web", web.seed, "--delay", "0.01", "--shards", "2"))
    environment = {**os.environ, "PYTHONPATH": paths, "DEADLY": deadly}
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("was killed by SIGKILL; it is started again") == 3
    with gossamer.open(tmp_path / "web") as collection:
        answer = collection.why(deadly)
        assert (answer.state, answer.reason) == (
            "done",
            "not read, which is a mistake of ours: the process died each time it read this page",
        )
        assert {page.url for page in collection.pages()} == web.reachable()


DEADLY_READER = """
import os, signal
from gossamer import convert
begin = convert.begin

def deadly(capture, *told, **named):
    if capture.visit.url == os.environ["DEADLY"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return begin(capture, *told, **named)

convert.begin = deadly
"""


def test_a_shard_that_dies_while_all_is_asked_again_asks_for_nothing_twice(tmp_path: Path) -> None:
    web = MadeWeb(SPEC)
    with web.serve() as served:
        arguments = crawl_arguments(tmp_path / "web", served.seed, "--delay", "0.02", "--shards", "2")
        assert run_gossamer(*arguments).returncode == 0
        before = web.log.counts(whole=True)
        crawler = subprocess.Popen(gossamer_command(*arguments, "--revisit"), stdout=subprocess.DEVNULL)
        wait_for(lambda: web.log.counts(whole=True).total() > before.total() + 60)
        shards = [process for process in descendants(crawler.pid) if shard_of(process) is not None]
        os.kill(shards[0], signal.SIGKILL)
        assert crawler.wait(60) == 0
    asked = web.log.counts() - before
    twice = [url for url, times in asked.items() if times > 1]
    assert len(twice) <= SPEC.hosts, "only what was in flight"


# ------------------------------------------------------------------------ questions


def contents(collection: Collection) -> dict[str, Any]:
    """What the pages say; what of it is content depends on what was read before."""
    return {
        page.url: (page.version.status, page.version.digest, page.title, page.text, [link[:4] for link in page.links])
        for page in collection.pages()
    }


def ledgers(crawl: Crawled) -> Iterator[dict[str, Any]]:
    crawl.collection.close()
    for index in range(crawl.shards):
        with Table.open(Folder(crawl.collection.path).table(index), FAMILIES, writable=False) as table:
            yield dict(Ledger(table).all())


def states(crawl: Crawled) -> dict[str, Any]:
    """Every address with what became of it; the order of the requests may differ."""
    kept = ("state", "kind", "reason", "status", "target")
    return {url: tuple(getattr(entry, name) for name in kept) for rows in ledgers(crawl) for url, entry in rows.items()}


def sums(status: Status) -> dict[str, Any]:
    told = status.as_json()
    chance = ("seconds", "left", "basis", "bytes")  # how many made-up addresses are asked for depends on the order
    return {name: told[name] for name in told if name not in chance}


def exported(collection: Collection, form: str) -> bytes:
    out = io.BytesIO()
    collection.export(form, out)
    return out.getvalue()
