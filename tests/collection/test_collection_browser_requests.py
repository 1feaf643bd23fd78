"""What a rendered page asks for is asked for as politely as a page, and not at all where that is forbidden."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from frontier.small_web import Answer, SmallWeb, gaps, redirect
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.browser_requests import Asking, Remembered
from gossamer.frontier import Frontier, Politeness
from gossamer.frontier.rules import Rules
from gossamer.model import Capture, Kind, Page, Visit
from gossamer.store.table.table import Table
from gossamer.testing import run, running_clock
from gossamer.urls import Patterns
from gossamer.urls.scope import Scope
from gossamer.urls.signing_out import signs_out

URL = "http://a.test/page"
PAGE = Capture(Visit(URL), 0.0, 0.0, status=200, address="8.8.8.8")
SCRIPT = (("content-type", "text/javascript"),)


def asking(
    web: SmallWeb, folder: Path, work: Callable[[Asking], Awaitable[None]], **more: Any
) -> list[tuple[Capture, Page]]:
    """Run errands on the virtual clock. What was kept of them."""
    kept: list[tuple[Capture, Page]] = []

    async def job() -> None:
        rules = Rules(Scope(kind="any"), Politeness(delay=2.0), "Gossamer")
        with Table.open(folder, FAMILIES, writable=True) as table:
            frontier = Frontier(table, rules, running_clock(), seen=folder / "seen")
            locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
            await work(
                Asking(web.fetch, frontier.errands, lambda *each: kept.append(each), Remembered(), locks, **more)
            )
            frontier.close()

    run(job())
    return kept


def test_requests_to_a_host_keep_its_gap_however_many_pages_ask(tmp_path: Path) -> None:
    web = SmallWeb({f"http://cdn.test/{number}": Answer() for number in range(6)}, latency=0.01)

    async def work(ask: Asking) -> None:
        await asyncio.gather(*(ask(PAGE, f"http://cdn.test/{number}", "GET") for number in range(6)))

    kept = asking(web, tmp_path, work)
    times = web.host_times("cdn.test")
    assert len(times) == 7  # with robots.txt
    assert min(gaps(times)) >= 2.0
    assert {capture.visit.kind for capture, _ in kept} == {Kind.RESOURCE}
    assert all(capture.visit.referrer == URL for capture, _ in kept)


def test_robots_and_crawl_delay_of_other_hosts_hold(tmp_path: Path) -> None:
    rules = b"User-agent: *\nDisallow: /secret\nCrawl-delay: 7\n"
    web = SmallWeb(
        {
            "http://cdn.test/robots.txt": Answer(body=rules),
            "http://cdn.test/open": Answer(),
            "http://cdn.test/too": Answer(),
            "http://closed.test/robots.txt": Answer(status=500),
            "http://closed.test/x": Answer(),
        }
    )
    got: dict[str, bool] = {}

    async def work(ask: Asking) -> None:
        for url in ("http://cdn.test/open", "http://cdn.test/secret", "http://cdn.test/too", "http://closed.test/x"):
            got[url] = await ask(PAGE, url, "GET") is not None

    asking(web, tmp_path, work)
    assert [url for url, came in got.items() if came] == ["http://cdn.test/open", "http://cdn.test/too"]
    assert "http://cdn.test/secret" not in web.asked()
    assert "http://closed.test/x" not in web.asked()
    assert gaps(web.times("http://cdn.test/open", "http://cdn.test/too")) >= [7.0]


def test_a_host_that_asks_to_be_left_alone_is(tmp_path: Path) -> None:
    web = SmallWeb(
        {"http://cdn.test/a": Answer(status=429, headers=(("retry-after", "600"),)), "http://cdn.test/b": Answer()}
    )

    async def work(ask: Asking) -> None:
        await ask(PAGE, "http://cdn.test/a", "GET")
        assert await ask(PAGE, "http://cdn.test/b", "GET") is None

    asking(web, tmp_path, work)
    assert "http://cdn.test/b" not in web.asked()


def test_a_redirect_is_followed_by_the_rules_of_where_it_leads(tmp_path: Path) -> None:
    web = SmallWeb(
        {
            "http://a.test/x": redirect("http://b.test/x"),
            "http://a.test/y": redirect("http://b.test/secret"),
            "http://a.test/loop": redirect("http://a.test/loop2"),
            "http://a.test/loop2": redirect("http://a.test/loop"),
            "http://b.test/robots.txt": Answer(body=b"User-agent: *\nDisallow: /secret\n"),
            "http://b.test/x": Answer(body=b"here"),
            "http://b.test/secret": Answer(),
        }
    )

    async def work(ask: Asking) -> None:
        found = await ask(PAGE, "http://a.test/x", "GET")
        assert found is not None
        assert found.body == b"here"
        assert await ask(PAGE, "http://a.test/y", "GET") is None
        assert await ask(PAGE, "http://a.test/loop", "GET") is None
        assert await ask(PAGE, "http://", "GET") is None

    asking(web, tmp_path, work)
    assert "http://b.test/secret" not in web.asked()


def test_what_pages_share_is_remembered_as_far_as_there_is_room(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.test/app.js": Answer(headers=SCRIPT), "http://a.test/data": Answer()})

    async def work(ask: Asking) -> None:
        for _ in range(3):
            await ask(PAGE, "http://a.test/app.js", "GET")
            await ask(PAGE, "http://a.test/data", "GET")

    asking(web, tmp_path, work)
    assert web.asked().count("http://a.test/app.js") == 1
    assert web.asked().count("http://a.test/data") == 3
    remembered = Remembered(most=10)
    for name in ("one", "two", "three"):
        remembered.add(PAGE, name, _script(b"12345"))
    assert [remembered.get(PAGE, name) is not None for name in ("one", "two", "three")] == [False, True, True]


def test_what_one_host_was_given_is_not_handed_to_pages_of_another(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.test/app.js": Answer(headers=SCRIPT)})
    other = replace(PAGE, visit=Visit("http://b.test/"))

    async def work(ask: Asking) -> None:
        for page in (PAGE, other, PAGE, other):
            await ask(page, "http://a.test/app.js", "GET")

    asking(web, tmp_path, work)
    assert web.asked().count("http://a.test/app.js") == 2


def test_what_would_log_the_crawl_out_is_not_asked_for(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.test/x": redirect("http://a.test/logout")})

    async def work(ask: Asking) -> None:
        for path in ("logout", "session/end", "x"):
            assert await ask(PAGE, f"http://a.test/{path}", "GET") is None

    asking(web, tmp_path, work, signs_out=signs_out)
    assert [url for url in web.asked() if not url.endswith("robots.txt")] == ["http://a.test/x"]


def test_a_public_page_does_not_get_at_private_addresses_that_were_opened_for_others(tmp_path: Path) -> None:
    web = SmallWeb(
        {"http://intranet.test/x": Answer(), "http://cdn.test/x": Answer()},
        addresses={"intranet.test": "10.1.2.3", "cdn.test": "9.9.9.9"},
    )
    inside = replace(PAGE, address="10.1.2.4")

    async def work(ask: Asking) -> None:
        assert await ask(PAGE, "http://intranet.test/x", "GET") is None
        assert web.log == []
        assert await ask(PAGE, "http://cdn.test/x", "GET") is not None
        assert await ask(inside, "http://intranet.test/x", "GET") is not None

    asking(web, tmp_path, work, addresses=web.resolve)


def test_what_the_plan_excludes_is_not_asked_for(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.test/logout": Answer(), "http://a.test/x": redirect("http://a.test/logout")})

    async def work(ask: Asking) -> None:
        assert await ask(PAGE, "http://a.test/logout", "GET") is None
        assert await ask(PAGE, "http://a.test/x", "GET") is None

    asking(web, tmp_path, work, excluded=Patterns(("logout",)))
    assert web.asked() == ["http://a.test/x"]


def _script(body: bytes) -> Capture:
    return Capture(Visit(URL), 0.0, 0.0, status=200, headers=SCRIPT, body=body)
