"""No trap captures a crawl: real pages come first, without a rule for any site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trap_site import HOME, TrapSite

import gossamer
from gossamer.cli import answers
from gossamer.collection import Outside
from gossamer.errors import NotFound
from gossamer.frontier.why import AddressAnswer, HostAnswer
from gossamer.model import Capture, Kind, Visit
from gossamer.plan import Plan
from gossamer.testing import Errors, MadeWeb, Redirects, Traps, VirtualClock, WebSpec
from harness.seldom import seldom

pytestmark = pytest.mark.usefixtures("seldom_looked_at")
KINDS = ("calendar", "echo", "sessions", "facets", "keys")


def crawl(folder: Path, fetch: Callable[[Visit], object], seed: str, **settings: object) -> gossamer.Status:
    clock = VirtualClock()
    with gossamer.open(folder / "web") as collection:
        outside = Outside(clock, fetch)  # type: ignore[arg-type]  # both webs have the signature of a fetcher
        return clock.run(collection.crawl_async(seed, outside=outside, build=False, **settings))


def crawl_made(folder: Path, spec: WebSpec, pages: int) -> list[str]:
    """The addresses that were asked for, in their order."""
    web = MadeWeb(spec, clock=VirtualClock())
    crawl(folder, web.fetch, web.seed, pages=pages)
    return [entry.url for entry in web.log.entries]


def real(spec: WebSpec, asked: list[str]) -> int:
    return len(set(MadeWeb(spec).pages()) & set(asked))


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 10))])
def test_all_traps_together_leave_490_of_500_pages_within_1000_fetches(tmp_path: Path, seed: int) -> None:
    spec = WebSpec(seed=seed, pages=500, traps=Traps(**dict.fromkeys(KINDS, 1.0)))
    asked = crawl_made(tmp_path, spec, 900)
    assert real(spec, asked[:1_000]) >= 490


@pytest.mark.parametrize("kind", KINDS)
def test_one_trap_alone_costs_little(tmp_path: Path, kind: str) -> None:
    spec = WebSpec(seed=4, pages=200, traps=Traps(**{kind: 1.0}))
    asked = crawl_made(tmp_path, spec, 300)
    assert real(spec, asked[:280]) >= 198


def test_a_site_without_traps_loses_nothing_and_costs_two_fetches_more(tmp_path: Path) -> None:
    spec = WebSpec(seed=5, pages=300)
    asked = crawl_made(tmp_path, spec, 0)
    assert real(spec, asked) == 300
    assert len(asked) == 300 + len(("robots.txt", "sitemap.xml")) + 2
    assert len(set(asked)) == len(asked)


SHOPS: dict[str, tuple[dict[str, Any], int, int]] = {
    "plain": ({}, 400, 1_300),
    "real pages by query": ({"path": "/item?name={}-{}"}, 400, 1_300),
    "sessions everywhere": ({"sessions": True}, 800, 1_900),
    "traps that invent": ({"inventive": True}, 500, 2_200),
}
"""A kind of shop, and the requests until its real pages are shown where there are 200 of them, and 500."""


@pytest.mark.parametrize("kind", seldom(list(SHOPS), 2))
@pytest.mark.parametrize("real", [200, pytest.param(500, marks=pytest.mark.soak)])
def test_a_shop_full_of_traps_shows_its_real_pages(tmp_path: Path, kind: str, real: int) -> None:
    shop, few, many = SHOPS[kind]
    site, requests = TrapSite(real, **shop), few if real == 200 else many
    crawl(tmp_path, site.fetch, HOME, pages=requests, depth=1_000)
    assert site.within(requests) >= 0.98 * real


def test_nothing_is_dropped_and_the_crawl_goes_on_into_a_trap(tmp_path: Path) -> None:
    spec = WebSpec(seed=6, pages=30, traps=Traps(facets=1.0))
    web = MadeWeb(spec, clock=VirtualClock())
    status = crawl(tmp_path, web.fetch, web.seed, pages=200)
    assert status.pages == 200
    assert (status.excluded, status.failed) == (0, 0)
    assert status.queued > 500
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.verify().problems == []


@pytest.mark.parametrize("way", ["text", "echo", "home", "page"])
def test_dead_links_that_look_alive_are_recognised_and_nothing_else(tmp_path: Path, way: str) -> None:
    errors = Errors(missing=0.2, soft=1.0, soft_way=way)
    web = MadeWeb(WebSpec(seed=7, pages=80, errors=errors, redirects=Redirects(chains=0.1)), clock=VirtualClock())
    crawl(tmp_path, web.fetch, web.seed)
    asked = {entry.url for entry in web.log.entries}
    with gossamer.open(tmp_path / "web") as collection:
        found = {url for url in asked if was_found(collection, url)}
        marked = {url for url in found if collection.why(url).reason.startswith("soft 404: ")}
        exported = {page.url for page in collection.pages()}
    assert marked == {url for url in found if web.is_soft_404(url)}
    assert len(marked) > 10
    assert 0 < len(asked - found) < 12
    assert exported <= found


@pytest.mark.parametrize("status", [200, 503])
def test_a_dead_link_that_looks_alive_is_not_found_after_it_was_asked_for_again(tmp_path: Path, status: int) -> None:
    """Whether it says the same, or does not answer and waits."""
    errors, clock = Errors(missing=0.2, soft=1.0, soft_way="text"), VirtualClock()
    web = MadeWeb(WebSpec(seed=7, pages=40, errors=errors), clock=clock)

    async def fetch(visit: Visit) -> Capture:
        found = await web.fetch(visit)
        spoiled = again and web.is_soft_404(visit.url) and status != 200
        head = f"HTTP/1.1 {status} x\r\n\r\n".encode()
        return replace(found, status=status, headers=(), head=head, wire=b"", body=b"") if spoiled else found

    again = False
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, fetch)))
        soft = collection.status().remarks["soft 404"]
        assert soft > 5
        last_words = answers.crawled("web", collection.status(), stopped=False, plan=Plan())
        assert (
            f"\n{soft} of the pages are errors in the form of a page (soft 404), which no search finds; " in last_words
        )
        assert "`gossamer list web --reason 'soft 404'` names them" in last_words
        again = True
        clock.run(
            collection.crawl_async(revisit=True, time=5 if status == 503 else 3_600, outside=Outside(clock, fetch))
        )
        assert collection.search('"could not find what you asked for"').total == 0
        assert collection.verify().problems == []
        if status != 503:
            assert collection.status().remarks["soft 404"] == soft


@pytest.mark.parametrize("validators", [False, True])
def test_what_looked_like_an_error_is_found_when_its_server_has_become_honest(
    tmp_path: Path, *, validators: bool
) -> None:
    """The first crawl met a server that gave each address the page of another; it says what it said, with a 304 too."""
    errors, clock = Errors(missing=0.2, soft=1.0, soft_way="text"), VirtualClock()
    web = MadeWeb(WebSpec(seed=7, pages=40, errors=errors), clock=clock)

    async def fetch(visit: Visit) -> Capture:
        found = await web.fetch(visit)
        if not web.is_soft_404(visit.url):
            return found
        if again and visit.kind is Kind.PROBE:
            return replace(found, status=404, head=b"HTTP/1.1 404 x\r\n\r\n")
        if visit.etag:
            return replace(found, status=304, head=b"HTTP/1.1 304 x\r\n\r\n", wire=b"", body=b"")
        return replace(found, headers=(*found.headers, ("ETag", '"1"'))) if validators else found

    again = False
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, fetch)))
        soft = collection.status().remarks["soft 404"]
        assert soft > 5
        again = True
        clock.run(collection.crawl_async(revisit=True, outside=Outside(clock, fetch)))
        assert "soft 404" not in collection.status().remarks
        assert collection.search('"could not find what you asked for"').total > 0
        assert collection.verify().problems == []


def test_pages_that_a_server_has_lost_since_and_calls_found_are_gone(tmp_path: Path) -> None:
    """The first crawl met an honest server."""
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=7, pages=60, errors=Errors(missing=0.2)), clock=clock)
    words = b"<title>Oops</title><p>We are sorry, what you wanted is not here any more. Try the search instead."

    async def fetch(visit: Visit) -> Capture:
        found = await web.fetch(visit)
        if visit.url not in lost and not (lost and visit.kind is Kind.PROBE):
            return found
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return replace(found, status=200, headers=(("content-type", "text/html"),), head=head, wire=words, body=words)

    lost: set[str] = set()
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, fetch)))
        assert "soft 404" not in collection.status().remarks
        pages = [page.url for page in collection.pages() if page.url.count("/") > 3]
        lost.update(pages[::4])
        clock.run(collection.crawl_async(revisit=True, outside=Outside(clock, fetch)))
        found = {each.url for each in collection.addresses() if each.reason.startswith("soft 404: ")}
        assert found == {url for url in lost if not url.endswith("/")}
        assert collection.search('"what you wanted is not here"').total == len(lost - found)


def was_found(collection: gossamer.Collection, url: str) -> bool:
    """Or made up; robots.txt is neither."""
    try:
        return bool(collection.why(url))
    except NotFound:
        return False


def test_why_tells_of_kinds_keys_and_disguised_errors(tmp_path: Path) -> None:
    traps = Traps(facets=1.0, keys=1.0)
    errors = Errors(missing=0.1, soft=1.0, soft_way="text")
    web = MadeWeb(WebSpec(seed=8, pages=120, traps=traps, errors=errors), clock=VirtualClock())
    crawl(tmp_path, web.fetch, web.seed, pages=240)
    with gossamer.open(tmp_path / "web") as collection:
        host = collection.why("h0.example")
        late = [entry.url for entry in web.log.entries if "/catalogue?" in entry.url][-1]
        answers = [collection.why(link.url) for link in web.links(late) if "/catalogue?" in link.url]
    assert isinstance(host, HostAnswer)
    assert host.dropped == {"h0.example/shelf": ["ref", "time", "visit"]}
    assert "h0.example/missing/*.html" in host.disguised
    queued = [answer for answer in answers if isinstance(answer, AddressAnswer) and answer.state == "queued"]
    assert queued
    for answer in queued:
        assert answer.kind is not None
        assert answer.kind.name.startswith("h0.example/catalogue?")
        assert answer.distance > 0
