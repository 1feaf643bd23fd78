"""Every address in exactly one state, with a reason; the harness audits the books after each crawl."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, redirect

from gossamer.frontier import Frontier
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import BACKLOG, HOSTS, SITES, STANDING, TEMPLATES
from gossamer.frontier.queue import active_origins
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Kind
from gossamer.store.table.row_cache import UNKNOWN
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.scope import Scope

HOME = "http://a.example/"


def test_an_address_is_visited_once_however_often_it_is_linked(tmp_path: Path) -> None:
    links = (HOME, f"{HOME}1", f"{HOME}1", f"{HOME}2")
    web = SmallWeb({HOME: Answer(links), f"{HOME}1": Answer(links), f"{HOME}2": Answer(links)})
    done = crawl_small(web, tmp_path, HOME)
    assert sorted(web.asked()) == [HOME, f"{HOME}1", f"{HOME}2"]
    assert done.counts.pages == 3


def test_pages_come_in_the_order_they_were_found(tmp_path: Path) -> None:
    links = tuple(f"{HOME}{number}" for number in range(500))
    web = SmallWeb({HOME: Answer(links), **{url: Answer() for url in links}})
    crawl_small(web, tmp_path, HOME)
    assert web.asked() == [HOME, *links]


def test_what_is_out_of_scope_is_excluded_and_says_why(tmp_path: Path) -> None:
    web = SmallWeb({HOME: Answer(("http://b.example/",))})
    done = crawl_small(web, tmp_path, HOME, scope=Scope(kind="host", seeds=frozenset({HOME})))
    assert done.state("http://b.example/") == "EXCLUDED"
    assert done.reason("http://b.example/") == "outside the hosts of the seeds"
    assert done.counts.excluded == 1


def test_the_page_limit_is_kept_exactly(tmp_path: Path) -> None:
    links = tuple(f"{HOME}{number}" for number in range(100))
    web = SmallWeb({HOME: Answer(links), **{url: Answer() for url in links[50:]}})
    done = crawl_small(web, tmp_path, HOME, pages=20, workers=16)
    assert done.counts.pages == 20
    assert done.counts.queued == 31


def test_a_redirect_is_a_visit_of_its_own_and_the_chain_is_kept(tmp_path: Path) -> None:
    web = SmallWeb({HOME: redirect("/x"), f"{HOME}x": redirect("/y", 302), f"{HOME}y": Answer()})
    done = crawl_small(web, tmp_path, HOME)
    assert done.entries[HOME].target == f"{HOME}x"
    assert done.entries[f"{HOME}y"].referrer == f"{HOME}x"
    assert done.entries[f"{HOME}y"].hops == 2
    assert done.entries[f"{HOME}y"].depth == 0
    assert done.counts.pages == 1


@pytest.mark.parametrize(
    "answers",
    [
        {HOME: redirect(HOME)},
        {HOME: redirect("/b"), f"{HOME}b": redirect(HOME)},
        {HOME: redirect("http://b.example/"), "http://b.example/": redirect(HOME)},
    ],
)
def test_a_circle_of_redirects_ends_and_is_told(tmp_path: Path, answers: dict[str, Answer]) -> None:
    web = SmallWeb(dict(answers))
    done = crawl_small(web, tmp_path, HOME)
    assert len(web.asked()) == len(answers)
    assert done.counts.failed == 1
    assert "itself" in str(done.entries) or "in a circle" in str(done.entries)


def test_an_endless_chain_of_redirects_ends_after_ten(tmp_path: Path) -> None:
    web = SmallWeb({f"{HOME}{n}": redirect(f"{HOME}{n + 1}") for n in range(100)})
    done = crawl_small(web, tmp_path, f"{HOME}0")
    assert len(web.asked()) == 11
    assert done.reason(f"{HOME}11") == "more than 10 redirects in a row"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "javascript:alert(1)", "ftp://a.example/", "http://"])
def test_a_redirect_to_what_is_not_the_web_fails(tmp_path: Path, location: str) -> None:
    done = crawl_small(SmallWeb({HOME: redirect(location)}), tmp_path, HOME)
    assert done.state(HOME) == "FAILED"
    assert done.reason(HOME).startswith("redirect to what is not a web address")


def test_where_a_seed_redirects_to_counts_as_a_seed(tmp_path: Path) -> None:
    www = "https://www.a.example/"
    web = SmallWeb({HOME: redirect(www), www: Answer((f"{www}1",)), f"{www}1": Answer()})
    done = crawl_small(web, tmp_path, HOME, scope=Scope(kind="host", seeds=frozenset({HOME})))
    assert done.counts.pages == 2


def test_only_a_seed_widens_the_scope(tmp_path: Path) -> None:
    web = SmallWeb({HOME: Answer((f"{HOME}1",)), f"{HOME}1": redirect("http://b.example/")})
    done = crawl_small(web, tmp_path, HOME, scope=Scope(kind="host", seeds=frozenset({HOME})))
    assert done.state("http://b.example/") == "EXCLUDED"


def test_nofollow_links_are_not_followed_unless_another_link_leads_there(tmp_path: Path) -> None:
    web = SmallWeb(
        {
            HOME: Answer((f"{HOME}1", f"{HOME}2", f"{HOME}free"), rel="nofollow"),
            f"{HOME}free": Answer((f"{HOME}2",)),
            f"{HOME}2": Answer(),
        }
    )
    done = crawl_small(web, tmp_path, HOME, f"{HOME}free")
    assert done.reason(f"{HOME}1") == "only nofollow links lead to it"
    assert done.state(f"{HOME}2") == "DONE"


def test_links_of_a_nofollow_page_are_not_followed(tmp_path: Path) -> None:
    web = SmallWeb({HOME: Answer((f"{HOME}1",), nofollow=True), f"{HOME}1": Answer()})
    done = crawl_small(web, tmp_path, HOME)
    assert web.asked() == [HOME]
    assert done.state(f"{HOME}1") == "EXCLUDED"


def test_a_shorter_way_lets_in_what_was_too_deep(tmp_path: Path) -> None:
    far, deep = "http://b.example/", f"{HOME}deep"
    web = SmallWeb({HOME: Answer((f"{HOME}1",)), f"{HOME}1": Answer((deep,)), far: Answer((deep,)), deep: Answer()})

    def late(clock: VirtualClock, frontier: Frontier) -> None:
        import asyncio

        asyncio.get_running_loop().call_later(10, lambda: frontier.add([Found(far)]))

    scope = Scope(kind="any", max_depth=1)
    web.answers["http://b.example/robots.txt"] = Answer(body=b"User-agent: *\nCrawl-delay: 30")
    done = crawl_small(web, tmp_path, HOME, far, scope=scope, during=late)
    assert done.state(deep) == "DONE"
    assert done.entries[deep].depth == 1


def test_head_comes_first_where_a_download_may_be_saved(tmp_path: Path) -> None:
    film, page = f"{HOME}film.mp4", f"{HOME}page.mp4"
    web = SmallWeb(
        {
            HOME: Answer((film, page)),
            film: Answer(headers=(("content-type", "video/mp4"),)),
            page: Answer(headers=(("content-type", "text/html; charset=utf-8"),)),
        }
    )
    done = crawl_small(
        web,
        tmp_path,
        HOME,
        head_first=lambda url: url.endswith(".mp4"),
        wanted=lambda media_type: media_type == "text/html",
    )
    assert [(v.method, v.url) for v in web.visits if v.kind is Kind.PAGE] == [
        ("GET", HOME),
        ("HEAD", film),
        ("HEAD", page),
        ("GET", page),
    ]
    assert done.reason(film) == "media type video/mp4 is not wanted"


def test_sitemaps_are_visited_where_robots_txt_names_them(tmp_path: Path) -> None:
    robots = Answer(body=b"Sitemap: http://a.example/map1\nSitemap: http://a.example/map2\n")
    web = SmallWeb(
        {
            f"{HOME}robots.txt": robots,
            HOME: Answer(("http://b.example/",)),
            f"{HOME}map1": Answer((f"{HOME}hidden",)),
            f"{HOME}hidden": Answer(),
            "http://b.example/": Answer(),
        }
    )
    done = crawl_small(web, tmp_path, HOME, sitemaps=True)
    assert {f"{HOME}map1", f"{HOME}map2"} <= set(web.asked())
    assert not [url for url in web.asked() if url.endswith("sitemap.xml")]
    assert done.state(f"{HOME}hidden") == "DONE"
    assert done.counts.pages == 3


def test_a_shorter_way_to_what_is_queued_counts_for_its_links_too(tmp_path: Path) -> None:
    slow, end = "http://b.example/slow", "http://b.example/end"
    web = SmallWeb(
        {
            HOME: Answer((f"{HOME}1",)),
            f"{HOME}1": Answer((slow,)),
            "http://c.example/": Answer((slow,)),
            "http://b.example/robots.txt": lambda earlier: Answer(status=404) if earlier else Answer(status=503),
            "http://c.example/robots.txt": Answer(body=b"User-agent: *\nCrawl-delay: 60"),
            slow: Answer((end,)),
            end: Answer(),
        }
    )
    done = crawl_small(web, tmp_path, HOME, "http://c.example/", scope=Scope(kind="any", max_depth=2), patience=1e9)
    assert done.entries[slow].depth == 1
    assert done.state(end) == "DONE"


def test_a_sitemap_on_a_host_that_the_crawl_leaves_alone_is_left_alone(tmp_path: Path) -> None:
    robots = Answer(body=b"Sitemap: http://b.example/map\nSitemap: /own\n")
    web = SmallWeb({f"{HOME}robots.txt": robots, HOME: Answer()})
    crawl_small(web, tmp_path, HOME, sitemaps=True, scope=Scope(kind="host", seeds=frozenset({HOME})))
    assert web.host_times("b.example") == []
    assert f"{HOME}own" in web.asked()


def test_a_sitemap_that_nobody_names_is_looked_for_on_the_hosts_of_the_seeds_only(tmp_path: Path) -> None:
    www = "http://www.a.example/"
    web = SmallWeb({HOME: redirect(www), www: Answer(("http://b.example/",)), "http://b.example/": Answer()})
    crawl_small(web, tmp_path, HOME, sitemaps=True)
    assert [url for url in web.asked() if url.endswith("sitemap.xml")] == [f"{HOME}sitemap.xml", f"{www}sitemap.xml"]


def test_a_sitemap_that_is_not_there_is_no_failure(tmp_path: Path) -> None:
    done = crawl_small(SmallWeb({HOME: Answer()}), tmp_path, HOME, sitemaps=True)
    assert (done.counts.failed, done.counts.excluded, done.counts.pages) == (0, 0, 1)
    assert done.reason(f"{HOME}sitemap.xml") == "there is no sitemap"


def test_a_host_that_has_nothing_to_do_is_only_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[dict[str, Origin]] = []

    class Watched(dict[str, Origin]):
        def __init__(self) -> None:
            super().__init__()
            kept.append(self)

    monkeypatch.setattr(active_origins, "Origins", Watched)
    homes = [f"http://h{number}.example/" for number in range(300)]
    web = SmallWeb({home: Answer((f"{home}1",)) for home in homes}, latency=0.01)
    done = crawl_small(web, tmp_path, *homes, workers=8)
    assert done.counts.hosts == 300
    assert kept == [{}]


def test_what_is_known_of_the_hosts_of_a_batch_is_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = 300
    homes = tuple(f"http://www.site{number}.example/" for number in range(hosts))
    web = SmallWeb({HOME: Answer(links=homes), **{url: Answer() for url in homes}})
    alone: Counter[str] = Counter()
    get = Table.get

    def counted(table: Table, family: str, key: bytes) -> bytes | None:
        alone[family] += key not in table._changes[family] and table._recent[family].get(key) is UNKNOWN
        return get(table, family, key)

    monkeypatch.setattr(Table, "get", counted)
    done = crawl_small(web, tmp_path, HOME, pages=1)
    assert done.counts.hosts == hosts + 1
    assert max(alone[family] for family in (HOSTS, BACKLOG, STANDING, SITES, TEMPLATES)) < hosts // 10
