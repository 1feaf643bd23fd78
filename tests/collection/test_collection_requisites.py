"""A crawl that keeps pages whole: what they need comes along, from other hosts too, politely and within bounds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gossamer
from crawler_process import run_gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.requisites import guarded
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Kind, Visit
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import records
from gossamer.testing import VirtualClock
from harness.dressed_site import Served, dressed, png, serving

LOCAL = "127.0.0.1"
SETTINGS: dict[str, Any] = {
    "allow_addresses": (LOCAL,),
    "delay": 0.0,
    "ip_delay": 0.0,
    "shards": 1,
    "patience": 0.0,
    "sitemaps": "never",
    "build": False,
}


@dataclass
class Crawled:
    folder: Path
    site: Served
    other: Served


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("whole") / "web"
    with dressed() as (site, other):
        with gossamer.open(folder) as web:
            web.crawl(f"{site.origin}/", archive=True, **SETTINGS)
        yield Crawled(folder, site, other)


def crawled(folder: Path, site: Served, **more: Any) -> gossamer.Collection:
    web = gossamer.open(folder)
    web.crawl(f"{site.origin}/", **SETTINGS | {"requisites": True} | more)
    return web


def test_all_that_pages_need_is_here_and_was_asked_for_once(whole: Crawled) -> None:
    asked = Counter(whole.site.asked)
    assert asked == dict.fromkeys((*whole.site.pages, "/robots.txt"), 1)
    assert Counter(whole.other.asked) == dict.fromkeys((*whole.other.pages, "/robots.txt"), 1)


def test_it_is_counted_for_itself_and_is_no_page(whole: Crawled) -> None:
    with gossamer.open(whole.folder) as web:
        status = web.status()
        assert {page.url.removeprefix(whole.site.origin) for page in web.pages()} == {
            "/",
            "/second.html",
            "/frame.html",
        }
        assert web.verify().problems == []
    assert (status.pages, status.failed, status.excluded) == (3, 0, 0)
    assert (status.requisites_kept, status.requisites, status.requisites_queued) == (30, 30, 0)
    assert "requisites  30 of 30 kept" in run_gossamer("status", str(whole.folder)).stdout


def test_the_same_bytes_are_kept_once(whole: Crawled) -> None:
    (file,) = (whole.folder / "shards/00/captures").glob("*.warc.gz")
    kinds = {each.url: each.type for each in records(file) if each.type in ("response", "revisit")}
    pair = [kinds[f"{whole.site.origin}/base/pictures/{name}.png"] for name in ("plain", "same")]
    assert sorted(pair) == ["response", "revisit"]
    with gossamer.open(whole.folder) as web:
        answer = web.answer(f"{whole.site.origin}/base/pictures/same.png")
    assert answer.capture.body == whole.site.pages["/base/pictures/plain.png"]


def test_why_says_who_has_asked_for_it(whole: Crawled) -> None:
    answer = run_gossamer("why", str(whole.folder), f"{whole.site.origin}/base/pictures/deep.png").stdout
    assert f"needed by  {whole.site.origin}/base/css/parts/deeper.css" in answer


def test_links_shows_what_a_page_needs_with_its_place(whole: Crawled) -> None:
    with gossamer.open(whole.folder) as web:
        found = web.links(f"{whole.site.origin}/").as_json()["needs"]
    told = {each["url"].removeprefix(whole.site.origin): (each["place"], each["status"]) for each in found}
    assert told["/base/css/main.css"] == ("stylesheet", 200)
    assert told["/base/pictures/twice.png"] == ("srcset", 200)
    assert told["/base/pictures/poster.png"] == ("poster", 200)


def test_links_says_who_needs_what_is_no_page(whole: Crawled) -> None:
    """It said that nothing of it was in the collection and no page linked there, of a picture that it had."""
    for path in ("/base/pictures/deep.png", "/base/css/main.css"):
        with gossamer.open(whole.folder) as web:
            found = web.links(whole.site.origin + path)
            assert found.needed_by == web.why(whole.site.origin + path).referrer
        assert f"needed by: {found.needed_by}\n" in run_gossamer("links", str(whole.folder), found.url).stdout


def test_the_index_for_replay_has_it_and_the_pages_have_not(whole: Crawled) -> None:
    index = run_gossamer("export", str(whole.folder), "cdxj").stdout
    assert index.count('"url": "') == len({*whole.site.pages, *whole.other.pages}) + 2, "and both robots.txt"
    assert run_gossamer("export", str(whole.folder), "jsonl").stdout.count("\n") == 3


def test_without_the_option_nothing_of_it_is_asked_for(tmp_path: Path) -> None:
    with dressed() as (site, other), crawled(tmp_path / "web", site, requisites=False, head="never") as web:
        assert (web.status().pages, web.status().requisites) == (4, 0)
        assert not other.asked
        assert not [path for path in site.asked if path.endswith((".css", ".js", "plain.png"))]


def test_a_limit_of_pages_leaves_whole_what_there_is(tmp_path: Path) -> None:
    with dressed() as (site, _), crawled(tmp_path / "web", site, pages=1) as web:
        status = web.status()
    assert status.pages == 1
    assert status.requisites_kept == status.requisites == 27


def test_what_failed_of_it_is_listed_as_status_counts_it_and_tried_again(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {"/": "<img src=/gone.png><a href=/lost>another page</a>"}
    with serving(pages) as site, crawled(tmp_path / "web", site) as web:
        status = web.status()
        assert [each.url for each in web.addresses(state="failed")] == [f"{site.origin}/lost"]
        assert [each.url for each in web.addresses(state="missing")] == [f"{site.origin}/gone.png"]
        assert (status.failed, status.requisites_missing) == (1, {"http 404": 1})
        assert web.retry() == 2


def test_what_waits_is_held_by_no_limit_of_pages(tmp_path: Path) -> None:
    """`status` had no time left for it, and `why` named the limit, which a crawl without a higher one goes past."""
    pages: dict[str, str | bytes] = {"/": "<img src=/slow.png><a href=/other>another page</a>", "/other": "<p>Other."}
    with serving(pages) as site, crawled(tmp_path / "web", site, pages=1, patience=0.0) as web:
        (picture,) = (each.url for each in web.addresses() if each.kind == "resource")
        with Table.open(web.path / "shards" / "00" / "table", FAMILIES, writable=True) as table:
            ledger = Ledger(table)
            entry = ledger.get(picture)
            assert entry is not None
            ledger.put(picture, replace(entry, state=State.QUEUED, reason=""), entry)
            ledger.save()
            table.commit()
        web.close()
        assert web.why(picture).reason == "no crawl runs; `gossamer crawl DIR` goes on"
        assert "the limit of 1 page is reached" in web.why(f"{site.origin}/other").reason


def test_what_cannot_be_reached_does_not_keep_a_crawl_that_has_its_pages_from_ending(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {"/": f"<img src=http://{LOCAL}:1/x.png><a href=/other>another page</a>"}
    with serving(pages) as site, crawled(tmp_path / "web", site, pages=1) as web:
        status = web.status()
    assert (status.pages, status.requisites_kept, status.requisites) == (1, 0, 1)


def test_robots_txt_holds_and_may_be_passed_over_on_the_own_site(tmp_path: Path) -> None:
    with dressed() as (site, other):
        site.pages = {**site.pages, "/robots.txt": "User-agent: *\nDisallow: /base/css/"}
        other.pages = {**other.pages, "/robots.txt": "User-agent: *\nDisallow: /"}
        with crawled(tmp_path / "obeyed", site, pages=1) as web:
            assert web.status().requisites_kept == web.status().requisites - 3
            assert web.why(f"{site.origin}/base/css/main.css").reason == "robots.txt forbids it"
            assert web.status().requisites_missing == {"robots.txt forbids it": 3}
            assert len(list(web.addresses(reason="robots.txt forbids it"))) == 3
            assert len(list(web.addresses(state="missing"))) == 3
            assert len(list(web.addresses(state="excluded"))) == web.status().excluded
            assert web.verify().problems == []
        words = "\nrequisites missing because:\n          3  robots.txt forbids it\n"
        assert run_gossamer("status", str(tmp_path / "obeyed")).stdout.endswith(words)
        assert not any(path.startswith("/base/css/") for path in site.asked)
        with crawled(tmp_path / "own", site, pages=1, requisites_robots="own") as web:
            assert web.why(f"{site.origin}/base/css/main.css").status == 200
        assert other.asked == ["/robots.txt"] * 2, "the other host is not ours"


def test_chains_and_circles_of_imports_end(tmp_path: Path) -> None:
    class Endless(dict[str, str | bytes]):
        def get(self, path: str, default: Any = None) -> Any:
            if path == "/robots.txt":
                return None
            if path == "/":
                return "<title>Endless</title><link rel=stylesheet href=/0.css><link rel=stylesheet href=/self.css>"
            if path == "/self.css":
                return "@import 'self.css'; @import url(/0.css);"
            return f"@import '/{int(path[1:-4]) + 1}.css';"

    with serving(Endless()) as site, crawled(tmp_path / "web", site) as web:
        assert web.status().requisites == 6
        assert sorted(site.asked) == sorted(
            ["/", "/robots.txt", "/self.css", *(f"/{number}.css" for number in range(5))]
        )


def test_a_host_is_asked_for_so_much(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {"/": "".join(f"<img src={number}.png>" for number in range(50))}
    with serving(pages) as site, crawled(tmp_path / "web", site, requisites_per_host=10) as web:
        assert len(site.asked) == 12, "the page and its robots.txt are not among them"
        assert web.why(f"{site.origin}/49.png").reason == "more than 10 requisites of its host"


def test_private_addresses_stay_closed(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {
        "/": "<style>a { background: url(http://10.1.2.3/x.png) }</style><img src=http://169.254.169.254/latest>"
    }
    with serving(pages) as site, crawled(tmp_path / "web", site) as web:
        for url in ("http://10.1.2.3/x.png", "http://169.254.169.254/latest"):
            answer = web.why(url)
            assert (answer.state, answer.status) == ("failed", 0)
            assert answer.reason.startswith("blocked-address")
        assert web.status().requisites_kept == 0


def test_what_is_shown_as_a_picture_and_is_a_page_is_a_page(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {
        "/": "<title>A</title><img src=/hidden><a href=/hidden>a page</a><a href=/picture?1><img src=/picture?1></a>",
        "/hidden": "<title>Not hidden</title><p>Words that somebody would like to hide from the index.",
        "/picture?1": png((1, 2, 3)),
    }
    with serving(pages) as site, crawled(tmp_path / "web", site) as web:
        assert {page.title for page in web.pages()} == {"A", "Not hidden"}
        assert web.why(f"{site.origin}/hidden").status == 200
        assert web.status().requisites_kept == 1
        kept = web.answer(f"{site.origin}/picture?1")
        assert (kept.capture.body, kept.version.kind) == (pages["/picture?1"], Kind.RESOURCE)


def test_a_seed_that_is_a_picture_is_kept_whole(tmp_path: Path) -> None:
    picture = png((9, 8, 7))
    with serving({"/a.png": picture}) as site:
        web = gossamer.open(tmp_path / "web")
        web.crawl(f"{site.origin}/a.png", **SETTINGS)
        with web:
            assert web.answer(f"{site.origin}/a.png").capture.body == picture


ADDRESSES = {"public.test": ("93.184.215.14",), "far.test": ("1.1.1.1",), "inside.test": ("1.1.1.1", "10.0.0.1")}
ADDRESSES |= {"other-inside.test": ("192.168.0.1",)}


@pytest.mark.parametrize(
    ("needed", "referrer", "kind", "comes"),
    [
        ("https://far.test/a.png", "https://public.test/", Kind.RESOURCE, True),
        ("https://public.test/a.png", "https://public.test/", Kind.RESOURCE, True),
        ("https://inside.test/a.png", "https://public.test/", Kind.RESOURCE, False),
        ("https://inside.test/a.png", "https://inside.test/", Kind.RESOURCE, True),
        ("https://inside.test/a.png", "https://other-inside.test/", Kind.RESOURCE, True),
        ("https://public.test/a.png", "https://inside.test/", Kind.RESOURCE, True),
        ("https://inside.test/a.png", None, Kind.RESOURCE, True),
        ("https://inside.test/", "https://public.test/", Kind.PAGE, True),
    ],
)
def test_a_page_of_the_web_reaches_nothing_private_by_what_it_needs(
    needed: str, referrer: str | None, kind: Kind, comes: bool
) -> None:
    async def fetch(visit: Visit) -> Capture:
        return Capture(visit, 0.0, 0.1, 200)

    async def addresses(host: str) -> tuple[tuple[str, ...], None]:
        return ADDRESSES[host], None

    visit = Visit(needed, kind, referrer=referrer)
    capture = asyncio.run(guarded(fetch, addresses, VirtualClock())(visit))
    assert bool(capture.status) is comes
    if not comes:
        assert str(capture.failure).endswith("inside.test is private, and https://public.test/ is not")
        assert capture.seconds == 0.0, "no host took that long"
