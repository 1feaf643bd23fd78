"""The made web: the same every time, wholly reachable, and telling the truth about itself."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from urllib.parse import urlsplit

import pytest
from made_webs import EVERYTHING, TimedWeb
from naive_robot import Robot, links_of

from gossamer.errors import NotFound, UsageError
from gossamer.model import Fault, Visit
from gossamer.testing import Errors, MadeWeb, Reach, Redirects, RobotsFiles, Sitemaps, WebSpec


def test_a_web_is_plain_unless_asked() -> None:
    web = TimedWeb(WebSpec(hosts=3, pages=10))
    answers = web.ask(*web.pages(), *(f"{web.home(host)}robots.txt" for host in range(3)))
    assert [answer.status for answer in answers] == [200] * 30 + [404] * 3
    assert web.reachable() == set(web.pages())


def test_the_same_seed_makes_the_same_web_and_another_seed_another() -> None:
    one, same, other = (TimedWeb(replace(EVERYTHING, seed=seed)) for seed in (5, 5, 6))
    assert one.reachable() == same.reachable() != other.reachable()
    urls = sorted(one.reachable())
    assert [(a.head, a.body) for a in one.ask(*urls)] == [(a.head, a.body) for a in same.ask(*urls)]


def test_the_order_of_questions_changes_nothing() -> None:
    one, other = (TimedWeb(WebSpec(hosts=2, pages=30)) for _ in range(2))
    urls = list(one.pages())
    forward, backward = one.ask(*urls), other.ask(*reversed(urls))
    assert [a.body for a in forward] == [a.body for a in reversed(backward)]


def test_another_process_makes_the_same_web() -> None:
    program = """
import asyncio, hashlib
from gossamer.model import Visit
from gossamer.testing import MadeWeb, WebSpec
web = MadeWeb(WebSpec(seed=3, hosts=2, pages=5))
for url in web.pages():
    print(hashlib.sha256(asyncio.run(web.fetch(Visit(url))).body).hexdigest())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    web = TimedWeb(WebSpec(seed=3, hosts=2, pages=5))
    assert ran.stdout.split() == [sha256(a.body).hexdigest() for a in web.ask(*web.pages())]


@pytest.mark.parametrize("sitemaps", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_the_truth_is_what_an_honest_robot_finds(seed: int, sitemaps: bool) -> None:
    web = TimedWeb(replace(EVERYTHING, seed=seed))
    robot = Robot(web, sitemaps=sitemaps)
    assert web.clock.run(robot.crawl()) == web.reachable(Reach(sitemaps=sitemaps))
    assert web.log.disallowed() == []


@pytest.mark.parametrize(
    "shape",
    [
        WebSpec(pages=1),
        WebSpec(pages=40, links=1),
        WebSpec(hosts=30, pages=1),
        WebSpec(hosts=80, pages=30, zipf=1.2),
        WebSpec(hosts=3, pages=60, crosslinks=0, links=3),
    ],
)
def test_every_plain_page_is_reached_whatever_the_shape(shape: WebSpec) -> None:
    web = TimedWeb(shape)
    assert web.clock.run(Robot(web).crawl()) == web.reachable() == set(web.pages())


def test_hosts_shrink_by_zipfs_law() -> None:
    web = MadeWeb(WebSpec(hosts=10, pages=100, zipf=1.0))
    hosts = [urlsplit(url).hostname for url in web.pages()]
    assert [hosts.count(web.host(number)) for number in range(10)] == [
        100,
        50,
        33,
        25,
        20,
        17,
        14,
        12,
        11,
        10,
    ]


def test_a_crawl_can_be_kept_to_some_hosts_and_some_depth() -> None:
    web = MadeWeb(WebSpec(hosts=4, pages=30, crosslinks=1))
    inside = web.reachable(Reach(start=(2,), hosts=(2,)))
    assert inside == {url for url in web.pages() if url.startswith(web.home(2))}
    assert web.reachable(Reach(depth=0)) == {web.seed}
    assert web.reachable(Reach(depth=1)) == {web.seed, *(link.url for link in web.links(web.seed))}


def test_depth_counts_links_and_not_redirects() -> None:
    web = MadeWeb(WebSpec(pages=60, redirects=Redirects(chains=1.0, hops=4)))
    near = web.reachable(Reach(depth=1))
    landing = next(url for url in near if "/landing/" in url)
    linked = {link.url for link in web.links(landing)}
    assert linked <= web.reachable(Reach(depth=2))
    assert not any("/landing/" in url for url in web.reachable(Reach(depth=1, hops=3)))


def test_links_are_those_that_are_served() -> None:
    web = TimedWeb(replace(EVERYTHING, errors=Errors(), robots=RobotsFiles()))
    for url in sorted(web.reachable()):
        assert list(web.links(url)) == links_of(web.ask(url)[0])


def test_links_of_what_is_no_page_are_refused() -> None:
    web = MadeWeb(WebSpec(errors=Errors(broken=1.0)))
    for url in ("http://elsewhere.example/", f"{web.seed}nothing-of-kind-3.html", f"{web.seed}robots.txt"):
        with pytest.raises(NotFound, match="is not a page of this web"):
            web.links(url)


def test_a_path_that_only_looks_right_is_missing() -> None:
    web = TimedWeb(WebSpec(pages=10))
    known = list(web.pages())[3]
    false = [
        known.replace("-3.html", "-4.html"),
        known.replace("-3.html", "-03.html"),
        known + "?",
        known + "/",
    ]
    false += [web.seed + path for path in ("copy/a-b-c-1.html", "sitemap.xml", "echo/", "policy.txt", "?x=1")]
    assert [answer.status for answer in web.ask(*false)] == [404] * len(false)


def test_an_unknown_host_does_not_resolve() -> None:
    web = TimedWeb(WebSpec(hosts=2))
    assert [web.resolve(name) for name in ("h1.example", "h2.example", "h01.example")] == [
        "127.0.1.2",
        None,
        None,
    ]
    (answer,) = web.ask("http://h2.example/")
    assert answer.failure
    assert (answer.failure.fault, answer.status, answer.body) == (Fault.NO_SUCH_HOST, 0, b"")
    assert web.log.entries == ()


def test_hosts_can_share_addresses() -> None:
    web = TimedWeb(WebSpec(hosts=5, pages=1, hosts_per_address=2))
    assert [web.resolve(web.host(number)) for number in range(5)] == [
        *["127.0.1.1"] * 2,
        *["127.0.1.2"] * 2,
        "127.0.1.3",
    ]
    web.ask(*web.pages())
    assert len(web.log.of("127.0.1.2")) == 2


def test_addresses_go_beyond_one_octet() -> None:
    web = MadeWeb(WebSpec(hosts=100_000, names="ip", port=8080))
    names = [web.host(number) for number in (0, 249, 250, 63_999, 99_999)]
    assert names == ["127.0.1.1", "127.0.1.250", "127.0.2.1", "127.1.0.250", "127.1.144.250"]
    assert [web.resolve(name) for name in names] == names
    assert web.home(250) == "http://127.0.2.1:8080/"


def test_a_hundred_thousand_hosts_cost_nothing_until_asked_for() -> None:
    tracemalloc.start()
    try:
        web = TimedWeb(replace(EVERYTHING, hosts=100_000, pages=1_000))
        answers = web.ask(*islice(web.pages(), 50), web.home(99_999))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {answer.status for answer in answers} == {200}
    assert peak < 20_000_000


def test_the_head_and_the_request_are_real_bytes() -> None:
    web = TimedWeb(WebSpec())
    (capture,) = web.ask(Visit(web.seed, etag='W/"x"', modified="Thu, 01 Jan 1970 00:00:00 GMT"))
    assert capture.request.startswith(b"GET / HTTP/1.1\r\nHost: h0.example\r\n")
    assert b'If-None-Match: W/"x"\r\n' in capture.request
    lines = capture.head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 200 OK"
    assert lines[1:-2] == [f"{name}: {value}" for name, value in capture.headers]
    assert (capture.address, capture.began) == ("127.0.1.1", web.log.entries[0].wall)
    assert capture.header("content-length") == str(len(capture.wire)) == str(len(capture.body))


def test_head_gives_the_head_alone_and_other_methods_are_refused() -> None:
    web = TimedWeb(WebSpec())
    get, head, post = web.ask(web.seed, Visit(web.seed, method="HEAD"), Visit(web.seed, method="POST"))
    assert (head.head, head.wire) == (get.head, b"")
    assert (post.status, post.header("allow")) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: WebSpec(hosts=0),
        lambda: WebSpec(words=(50, 10)),
        lambda: WebSpec(names="ip", hosts_per_address=2),
        lambda: WebSpec(names="both"),
        lambda: Errors(busy=1.1),
        lambda: Redirects(hops=0),
        lambda: Sitemaps(hosts=-0.1),
    ],
)
def test_a_web_that_cannot_be_made_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(UsageError):
        wrong()
