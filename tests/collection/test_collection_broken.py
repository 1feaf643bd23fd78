"""Links that lead nowhere: each with its reason, the pages it stands on, and what they call it."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli import reports
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.ask.broken import Fault as Broke
from gossamer.collection.crawl import link_check
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.plan import Plan
from gossamer.testing import VirtualClock
from gossamer.urls import keys

HERE, THERE = "http://a.example", "http://b.example"
HOME, GONE, MOVED, BUSY, COPY = (f"{HERE}/{name}" for name in ("", "gone", "moved", "busy", "copy"))
WORDS = " ".join(f"word{number} is said here about harbours and ships" for number in range(30))


def html(title: str, *links: tuple[str, str]) -> str:
    return f"<title>{title}</title><p>{WORDS}" + "".join(f'<p><a href="{url}">{name}</a>' for url, name in links)


PAGES: dict[str, str | int] = {
    HOME: html("Home", ("/gone", "the old page"), ("/moved", "elsewhere"), ("/copy", "again"), ("/other", "other")),
    COPY: html("Home", ("/gone", "the old page"), ("/moved", "elsewhere"), ("/copy", "again"), ("/other", "other")),
    f"{HERE}/other": "<title>Other</title><p>Quite another page."
    f'<a href="/gone">=gone</a> <a href="/busy">busy</a> <a href="{THERE}/fine">fine</a> <a href="{THERE}/dead">dead'
    f'</a> <a rel="nofollow" href="{THERE}/refuses">refuses</a> <a href="{THERE}/private">private</a>'
    f'<a href="{THERE}/moved">moved</a> <a href="http://nowhere.example/">nowhere</a>',
    MOVED: f"-> {GONE}",
    BUSY: 503,
    f"{THERE}/robots.txt": "User-agent: *\nDisallow: /private\n",
    f"{THERE}/fine": html("Fine"),
    f"{THERE}/refuses": html("Refuses HEAD"),
    f"{THERE}/moved": f"-> {THERE}/dead",
}
FAILURES = {
    "nowhere.example": Failure(Fault.NO_SUCH_HOST),
    "unnamed.example": Failure(Fault.DNS, "the servers of its domain are silent"),
    "off.example": Failure(Fault.CONNECT, "connection refused"),
    "inner.example": Failure(Fault.BLOCKED_ADDRESS, "10.0.0.1, private; --allow-address 10.0.0.1 opens it"),
}


class World:
    """The pages, on a virtual clock, with a log of what was asked."""

    def __init__(self) -> None:
        self.clock, self.pages, self.log = VirtualClock(), dict(PAGES), list[tuple[str, str]]()

    async def fetch(self, visit: Visit) -> Capture:
        self.log.append((visit.method, visit.url))
        await asyncio.sleep(0.01)
        now = self.clock.wall()
        if (failure := FAILURES.get(keys.host(visit.url))) is not None:
            return Capture(visit, now, 0.0, failure=failure)
        said, fields = self.pages.get(visit.url, 404), [("content-type", "text/html")]
        status, body = (said, b"") if isinstance(said, int) else (200, said.encode())
        if isinstance(said, str) and said.startswith("-> "):
            status, body = 301, b""
            fields.append(("location", said[3:]))
        if visit.method == "HEAD":
            status, body = (405 if "refuses" in visit.url else status), b""
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        head = f"HTTP/1.1 {status} OK\r\n{lines}\r\n".encode()
        return Capture(visit, now, 0.01, status, tuple(fields), b"GET /", head, body, body)

    @property
    def outside(self) -> Outside:
        return Outside(self.clock, self.fetch)

    def crawl(self, web: Collection, *seeds: str, **settings: Any) -> None:
        self.clock.advance(86_400)  # the pause of a busy host is over
        self.clock.run(web.crawl_async(*seeds, outside=self.outside, **settings))

    def external(self, web: Collection, **asked: Any) -> link_check.External:
        return self.clock.run(web.external_async(outside=self.outside, **asked))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def web(tmp_path: Path, world: World) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as web:
        world.crawl(web, HOME)
        yield web


def named(web: Collection, **asked: Any) -> dict[str, list[tuple[str, ...]]]:
    return {each.url: [tuple(filter(None, source)) for source in each.sources] for each in web.broken(**asked)}


GONE_LINKS = [
    (HOME, "elsewhere", MOVED),
    (HOME, "the old page"),
    (COPY, "elsewhere", MOVED),
    (COPY, "the old page"),
    (f"{HERE}/other", "=gone"),
]


def test_what_failed_is_named_with_the_pages_that_link_to_it(web: Collection) -> None:
    found = {each.url: each for each in web.broken()}
    assert named(web) == {BUSY: [(f"{HERE}/other", "busy")], GONE: GONE_LINKS}  # a copy is a page like any other
    assert (found[GONE].reason, found[GONE].status, found[GONE].again) == ("http 404", 404, None)
    assert found[BUSY].reason == "http 503"
    assert found[BUSY].again is not None
    assert set(found) == {each.url for each in web.addresses(state="failed")} | {BUSY}


def test_what_waits_at_a_dead_host_of_the_scope_is_broken_too(tmp_path: Path, world: World) -> None:
    hosts = ("unnamed", "off", "nowhere")
    links = [(f"http://{host}.example/{page}", f"{host} {page}") for host in hosts for page in "12"]
    world.pages[HOME] = html("Home", *links, ("/gone", "gone"))
    with gossamer.open(tmp_path / "web") as web:
        world.crawl(web, HOME, scope="any")
        assert named(web) == {url: [(HOME, name)] for url, name in links} | {GONE: [(HOME, "gone")]}
        found = {each.url: each for each in web.broken()}
    off = found["http://off.example/2"]
    assert (off.reason, off.status, off.external) == ("connect: connection refused", 0, False)
    assert off.again is not None
    assert found["http://unnamed.example/1"].reason == "dns: the servers of its domain are silent"


def test_it_is_the_same_where_nothing_was_built(tmp_path: Path, world: World, web: Collection) -> None:
    with gossamer.open(tmp_path / "bare") as bare:
        world.crawl(bare, HOME, build=False)
        assert named(bare) == named(web)


def test_a_link_that_was_taken_out_is_not_named(web: Collection, world: World) -> None:
    world.pages[HOME] = world.pages[COPY] = html("Home", ("/copy", "again"), ("/other", "other"))
    world.crawl(web, revisit=True)
    assert named(web)[GONE] == [(f"{HERE}/other", "=gone")]


def test_a_page_that_is_gone_later_is_broken_and_its_links_are_not(web: Collection, world: World) -> None:
    del world.pages[f"{HERE}/other"]
    world.crawl(web, revisit=True)
    found = named(web)
    assert found[f"{HERE}/other"] == [(HOME, "other"), (COPY, "other")]
    assert (f"{HERE}/other", "=gone") not in found[GONE]


def test_a_site_means_links_on_its_pages(web: Collection) -> None:
    assert named(web, site="a.example") == named(web)
    assert named(web, site="b.example") == {}


def test_addresses_outside_the_scope_are_asked_once_by_head(web: Collection, world: World) -> None:
    before = len(world.log)
    external = world.external(web)
    asked = world.log[before:]
    pages = [(method, url) for method, url in asked if not url.endswith("/robots.txt")]
    assert ("HEAD", f"{THERE}/fine") in pages
    assert ("GET", f"{THERE}/fine") not in pages
    assert [method for method, url in pages if "refuses" in url] == ["HEAD", "GET"]
    assert len(set(pages)) == len(pages)  # each once
    assert not any("private" in url for _, url in asked)
    assert not any(url.startswith(HERE) for _, url in asked)
    found = named(web, external=external)
    place = f"{HERE}/other"
    assert {url: links for url, links in found.items() if not url.startswith(HERE)} == {
        f"{THERE}/dead": [(place, "dead")],
        f"{THERE}/moved": [(place, "moved")],
        "http://nowhere.example/": [(place, "nowhere")],
    }
    assert external.faults[f"{THERE}/moved"].reason == f"redirects to {THERE}/dead: http 404"
    assert "no-such-host" in external.faults["http://nowhere.example/"].reason
    assert (external.asked, external.of, external.unasked) == (5, 6, {"robots.txt forbids it": 1})
    assert web.status().queued == 1  # nothing of it is kept
    assert web.verify().problems == []


@pytest.fixture
def dead_ends(tmp_path: Path, world: World) -> Iterator[Collection]:
    """A page with links to hosts that are dead, and to one whose robots.txt is."""
    links = ("http://off.example/1", "http://off.example/2", "http://unnamed.example/", f"{THERE}/off")
    shut = ("http://busy.example/", "http://led.example/")
    world.pages = {
        HOME: html("Home", *((url, "there") for url in (*links, *shut))),
        f"{THERE}/off": "-> http://off.example/3",
        "http://busy.example/robots.txt": 503,
        "http://led.example/robots.txt": "-> http://nowhere.example/robots.txt",
    }
    with gossamer.open(tmp_path / "dead-ends") as web:
        world.crawl(web, HOME)
        yield web


def test_an_address_of_a_dead_host_is_broken_and_one_whose_robots_txt_is_shut_is_not(
    dead_ends: Collection, world: World
) -> None:
    external = world.external(dead_ends)
    refused, silent = "connect: connection refused", "dns: the servers of its domain are silent"
    assert {url: fault.reason for url, fault in external.faults.items()} == {
        "http://off.example/1": refused,
        "http://off.example/2": refused,
        "http://unnamed.example/": silent,
        f"{THERE}/off": f"redirects to http://off.example/3: {refused}",
    }
    assert (external.asked, external.of, external.unasked) == (4, 6, {link_check.UNREADABLE: 2})
    assert named(dead_ends, external=external) == {url: [(HOME, "there")] for url in external.faults}
    assert reports._unasked(external, "web") == (
        "2 of 6 addresses outside the scope could not be asked: robots.txt of their hosts could not be read (2)"
    )


def test_a_private_address_is_counted_and_not_broken(tmp_path: Path, world: World) -> None:
    links = ("http://inner.example/", f"{THERE}/moved", f"{THERE}/fine")
    moved = {f"{THERE}/moved": "-> http://inner.example/there", f"{THERE}/fine": html("Fine")}
    world.pages = {HOME: html("Home", *((url, "there") for url in links)), **moved}
    with gossamer.open(tmp_path / "private") as web:
        world.crawl(web, HOME)
        external = world.external(web)
        assert list(web.broken(external=external)) == []
    assert (external.asked, external.of, external.unasked) == (1, 3, {link_check.PRIVATE: 2})
    assert reports._unasked(external, "web").endswith(
        "; `gossamer set web allow_addresses=...` opens those that you name"
    )


def test_many_names_that_nobody_knows_make_us_doubt_our_own_server() -> None:
    refused = "dns: DNS server refused query"
    faults = {f"http://h{number}.example/": Broke(refused) for number in range(reports.ALIKE)}
    said = reports._all_alike(link_check.External(faults, 10, 10))
    assert said.startswith(f"10 hosts failed with {refused!r}: the name server of this machine may be the cause")
    del faults["http://h0.example/"]
    assert reports._all_alike(link_check.External(faults, 9, 9)) == ""
    one = {f"http://h.example/{number}": Broke(refused) for number in range(50)}
    assert reports._all_alike(link_check.External(one, 50, 50)) == ""
    assert reports._all_alike(link_check.External({}, 0, 0)) == ""
    none = {f"http://h{n}.example/": Broke(f"no-such-host: h{n}.example does not exist") for n in range(reports.ALIKE)}
    said = reports._all_alike(link_check.External(none, 10, 12))
    assert said == "not one of 10 hosts exists: the network of this machine may be the cause, not they"
    assert reports._all_alike(link_check.External(none, 11, 12)) == ""


def test_a_host_that_wants_a_pause_keeps_the_rest_of_its_addresses(tmp_path: Path, world: World) -> None:
    links = [f"http://slow.example/{number}" for number in range(3)]
    world.pages = {HOME: html("Home", *((url, "there") for url in links))} | dict.fromkeys(links, 503)
    with gossamer.open(tmp_path / "pause") as web:
        world.crawl(web, HOME)
        external = world.external(web)
    assert [fault.reason for fault in external.faults.values()] == ["http 503"]
    assert (external.asked, external.of, external.unasked) == (1, 3, {link_check.LEFT_ALONE: 2})


def test_a_host_is_asked_no_faster_than_in_a_crawl(web: Collection, world: World) -> None:
    began = world.clock.steady()
    world.external(web)
    assert world.clock.steady() - began >= 5 * web.plan.delay  # robots.txt and five addresses of one host


def test_one_that_is_stopped_says_what_it_knows(web: Collection, world: World) -> None:
    async def stopped() -> link_check.External:
        stop = asyncio.Event()

        def report(now: link_check.External) -> None:
            if now.asked:
                stop.set()

        return await web.external_async(outside=world.outside, stop=stop, report=report)

    found = world.clock.run(stopped())
    assert found.asked < found.of == 6
    assert found.unasked[link_check.TOO_EARLY] > 0


def test_only_so_many_are_asked_at_once(web: Collection, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_check, "ASKED_MOST", 2)
    found = world.external(web)
    assert (found.asked, found.of, found.unasked) == (2, 6, {link_check.TOO_MANY: 4})


def test_nothing_that_is_meant_for_the_seeds_goes_elsewhere() -> None:
    """A setting of tomorrow is left out unless somebody has thought about it."""
    plan = link_check.plan_for(Plan(seeds=(HOME,), contact="me@example.org", include=("x",)), [f"{THERE}/"])
    assert (plan.seeds, plan.contact, plan.include, plan.scope) == ((f"{THERE}/",), "me@example.org", (), "page")


def test_the_command_says_it_in_three_forms(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*options: str, code: int = 0) -> str:
        assert main(["broken", str(web.path), *options]) == code
        return capsys.readouterr().out

    text = run()
    assert f'{GONE}  http 404\n  {HOME}  "elsewhere"  by way of {MOVED}\n  {HOME}  "the old page"' in text
    assert re.search(r"^\S+/busy  http 503 so far; to be tried again from [-0-9: ]+ on$", text, re.MULTILINE)
    assert (
        "1 broken address, 5 links on 3 pages\n"
        "1 address has failed so far and may be broken, 1 link on 1 page: a later crawl asks again\n"
    ) in text
    objects = [json.loads(line) for line in run("--json").splitlines()]
    assert [each["url"] for each in objects] == [BUSY, GONE]
    rows = list(csv.DictReader(io.StringIO(run("--csv"))))
    assert {(row["url"], row["page"]) for row in rows} == {
        (each["url"], link["url"]) for each in objects for link in each["links"]
    }
    assert "'=gone" in {row["anchor"] for row in rows}  # no spreadsheet takes it for a formula
    run("--exit-code", code=1)
    assert run("--exit-code", "--site", "b.example") == "nothing is broken\n"
    run("--csv", "--json", code=2)
    run("--site", "a.example:81", code=2)  # a site is a host on all its ports


def test_an_address_may_be_given_without_its_scheme(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert web.page("a.example/other").url == f"{HERE}/other"
    assert web.why("a.example/gone") == web.why(GONE)
    assert web.links("a.example/other").url == f"{HERE}/other"
    assert len(web.history("a.example/other")) == 1
    assert main(["why", str(web.path), "a.example/nowhere"]) == 8
    assert main(["show", str(web.path), "a b/"]) == 2
    capsys.readouterr()
    assert main(["links", str(web.path), "a.example/other"]) == 0
    out = capsys.readouterr().out.partition("out: ")[2].splitlines()
    urls = [line.split()[1] for line in out[1:]]
    assert urls == sorted(set(urls))


@pytest.mark.parametrize(
    ("whole", "said"), [(True, "nothing is broken\n"), (False, "nothing that could be asked is broken\n")]
)
def test_what_could_not_be_asked_is_not_said_to_be_well(
    whole: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reports._print(Namespace(csv=False, json=False), [], whole=whole) == 0
    assert capsys.readouterr().out == said
