"""What a site owner may count on, checked by the log of a web on the virtual clock."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, fault, gaps, redirect

from gossamer.frontier import Frontier, Politeness
from gossamer.model import Fault
from gossamer.testing import VirtualClock

FOREVER = 1e9
MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0


def site(host: str, pages: int) -> dict[str, Answer]:
    home = f"http://{host}/"
    links = tuple(f"{home}{number}" for number in range(1, pages))
    return {home: Answer(links), **{url: Answer() for url in links}}


def test_a_host_rests_for_its_delay_between_two_requests(tmp_path: Path) -> None:
    web = SmallWeb(site("a.example", 10), latency=0.01)
    crawl_small(web, tmp_path, "http://a.example/")
    assert len(web.log) == 11
    assert min(gaps(web.host_times("a.example"))) >= 1.0
    assert web.most["a.example"] == 1


def test_ten_times_the_fetch_time_is_the_gap_as_mercator_has_it(tmp_path: Path) -> None:
    """Three hosts with 100 pages that take 0.1 s each: one request per host in 1.1 s, about 110 s in all."""
    hosts = ("a.example", "b.example", "c.example")
    web = SmallWeb({url: page for host in hosts for url, page in site(host, 100).items()})
    polite = Politeness(delay=0.001, ip_delay=0.001)
    done = crawl_small(web, tmp_path, *(f"http://{host}/" for host in hosts), politeness=polite)
    assert done.counts.pages == 300
    assert done.seconds == pytest.approx(101 * 1.1, rel=0.02)


def test_a_host_that_gets_slower_is_left_alone_for_longer_up_to_a_bound(tmp_path: Path) -> None:
    web = SmallWeb(site("a.example", 10), latency=20.0)
    crawl_small(web, tmp_path, "http://a.example/")
    assert max(gaps(web.host_times("a.example"))) == pytest.approx(50.0)


def test_a_thousand_hosts_on_one_address_are_as_polite_as_one(tmp_path: Path) -> None:
    hosts = [f"h{number}.example" for number in range(1_000)]
    web = SmallWeb({f"http://{host}/": Answer() for host in hosts}, latency=0.01)
    web.addresses = dict.fromkeys(hosts, "192.0.2.1")
    crawl_small(web, tmp_path, *web.answers, workers=50)
    assert len(web.log) == 2_000
    assert min(gaps([when for when, _ in web.log])) >= 0.5


def test_hosts_on_different_addresses_do_not_wait_for_each_other(tmp_path: Path) -> None:
    hosts = [f"h{number}.example" for number in range(100)]
    web = SmallWeb({f"http://{host}/": Answer() for host in hosts}, latency=0.01)
    done = crawl_small(web, tmp_path, *web.answers, workers=200)
    assert done.counts.pages == 100
    assert done.seconds < 2.0


def test_http_and_https_of_one_host_share_its_gap(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.example/": Answer(("https://a.example/",)), "https://a.example/": Answer()})
    crawl_small(web, tmp_path, "http://a.example/")
    assert len(web.log) == 4
    assert min(gaps(web.host_times("a.example"))) >= 1.0


@pytest.mark.parametrize(("asked", "obeyed"), [(45, 45.0), (1_000, 300.0)])
def test_crawl_delay_is_obeyed_up_to_its_bound(tmp_path: Path, asked: int, obeyed: float) -> None:
    robots = Answer(body=f"User-agent: *\nCrawl-delay: {asked}\n".encode())
    web = SmallWeb({"http://a.example/robots.txt": robots, **site("a.example", 4)})
    crawl_small(web, tmp_path, "http://a.example/")
    assert min(gaps(web.host_times("a.example"))) == pytest.approx(obeyed + web.latency)


def test_a_crawl_delay_above_the_usual_bound_is_obeyed_where_the_owner_of_the_crawl_says_so(tmp_path: Path) -> None:
    robots = Answer(body=b"User-agent: *\nCrawl-delay: 1000\n")
    web = SmallWeb({"http://a.example/robots.txt": robots, **site("a.example", 4)})
    crawl_small(web, tmp_path, "http://a.example/", politeness=Politeness(crawl_delay_most=900.0))
    assert min(gaps(web.host_times("a.example"))) == pytest.approx(900.0 + web.latency)


def both_schemes(asked: int) -> SmallWeb:
    """https asks for a delay, http has no robots.txt; the pages of each are linked from both."""
    secure = "https://a.example/"
    pages = {f"{scheme}://a.example/{n}": Answer() for scheme in ("http", "https") for n in range(3)}
    robots = Answer(body=f"User-agent: *\nCrawl-delay: {asked}\n".encode())
    return SmallWeb(
        {"http://a.example/": Answer(tuple(pages)), secure: Answer(), f"{secure}robots.txt": robots, **pages}
    )


def test_the_longest_crawl_delay_of_its_origins_holds_for_the_whole_host(tmp_path: Path) -> None:
    web = both_schemes(30)
    crawl_small(web, tmp_path, "https://a.example/", "http://a.example/")
    known = web.times("https://a.example/robots.txt")[0]
    after = [when for when in web.host_times("a.example") if when >= known]
    assert len(after) > 6
    assert min(gaps(after)) == pytest.approx(30.0 + web.latency)


def test_a_restart_remembers_which_origin_asked_for_a_delay(tmp_path: Path) -> None:
    crawl_small(both_schemes(30), tmp_path, "https://a.example/", "http://a.example/")
    new = tuple(f"http://a.example/new{n}" for n in range(4))
    web = SmallWeb({url: Answer() for url in new})
    crawl_small(web, tmp_path, *new)
    assert web.asked() == list(new)
    assert min(gaps(web.host_times("a.example"))) == pytest.approx(30.0 + web.latency)


def test_a_crawl_delay_that_its_origin_no_longer_asks_for_is_over(tmp_path: Path) -> None:
    web = both_schemes(30)
    crawl_small(web, tmp_path, "https://a.example/", "http://a.example/")
    later = SmallWeb({f"{scheme}://a.example/later{n}": Answer() for n in range(4) for scheme in ("http", "https")})
    crawl_small(later, tmp_path, *later.answers, during=lambda clock, _: clock.jump(2 * DAY))
    known = later.times("https://a.example/robots.txt")[0]
    after = [when for when in later.host_times("a.example") if when > known]
    assert len(after) > 4
    assert max(gaps(after)) == pytest.approx(1.0 + web.latency)


def test_a_crawl_delay_from_behind_a_redirect_holds_from_the_first_request_on(tmp_path: Path) -> None:
    web = SmallWeb(
        {
            "http://a.example/robots.txt": redirect("http://b.example/rules"),
            "http://b.example/rules": Answer(body=b"User-agent: *\nCrawl-delay: 30\n"),
            **site("a.example", 3),
        }
    )
    crawl_small(web, tmp_path, "http://a.example/")
    assert min(gaps(web.host_times("a.example"))) >= 30.0


def test_a_delay_of_zero_switches_both_gaps_off(tmp_path: Path) -> None:
    web = SmallWeb(site("a.example", 50))
    off = Politeness(delay=0, ip_delay=0, per_host=8)
    done = crawl_small(web, tmp_path, "http://a.example/", politeness=off, workers=8)
    assert web.most["a.example"] == 8
    assert done.seconds < 1.0


def test_retry_after_is_obeyed_by_the_whole_host(tmp_path: Path) -> None:
    pages = site("a.example", 6)
    busy = Answer(status=503, headers=(("retry-after", "70"),))
    pages["http://a.example/1"] = lambda earlier: Answer() if earlier else busy  # type: ignore[assignment]  # the harness takes both
    web = SmallWeb(pages)
    done = crawl_small(web, tmp_path, "http://a.example/")
    refused = web.times("http://a.example/1")[0]
    assert not [when for when in web.host_times("a.example") if refused < when < refused + 70]
    assert done.counts.pages == 6


def test_after_a_429_the_host_is_visited_more_slowly_for_a_while(tmp_path: Path) -> None:
    pages = site("a.example", 60)
    busy = Answer(status=429, headers=(("retry-after", "1"),))
    pages["http://a.example/1"] = lambda earlier: Answer() if earlier else busy  # type: ignore[assignment]  # the harness takes both
    web = SmallWeb(pages)
    crawl_small(web, tmp_path, "http://a.example/")
    after = gaps(web.host_times("a.example"))[3:]
    assert after[0] > 1.9
    assert after[0] > after[10] > after[40]
    assert after[-2] == pytest.approx(1.1)


def test_a_503_without_a_date_doubles_its_pause_each_time(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.example/": Answer(status=503)})
    done = crawl_small(web, tmp_path, "http://a.example/", patience=FOREVER)
    waits = gaps(web.times("http://a.example/"))
    assert waits[0] >= 60
    assert waits[1] >= 120
    assert done.state("http://a.example/") == "FAILED"
    assert done.reason("http://a.example/") == "http 503"


def test_a_server_error_is_tried_again_by_the_ladder_and_then_given_up(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.example/": Answer(status=500)})
    done = crawl_small(web, tmp_path, "http://a.example/", patience=FOREVER)
    waits = gaps(web.times("http://a.example/"))
    for waited, ladder in zip(waits, (MINUTE, 10 * MINUTE, 2 * HOUR, DAY), strict=True):
        assert ladder <= waited <= 1.26 * ladder
    assert done.state("http://a.example/") == "FAILED"
    assert [what for _, what in done.entries["http://a.example/"].history] == ["http 500"] * 5


def test_what_cannot_change_is_not_tried_again(tmp_path: Path) -> None:
    web = SmallWeb({"http://a.example/": Answer(status=410)})
    done = crawl_small(web, tmp_path, "http://a.example/", patience=FOREVER)
    assert web.asked() == ["http://a.example/"]
    assert done.reason("http://a.example/") == "http 410"


def test_five_failures_in_a_row_open_the_breaker_and_the_rest_stays_queued(tmp_path: Path) -> None:
    pages = {url: fault(Fault.RESET) for url in site("a.example", 20)}
    pages["http://a.example/"] = Answer(tuple(pages)[1:])
    web = SmallWeb(pages)
    done = crawl_small(web, tmp_path, "http://a.example/", patience=0)
    assert len(web.asked()) == 1 + 5
    assert done.counts.queued == 19
    assert done.counts.failed == 0


def test_a_jump_of_the_wall_clock_makes_no_burst(tmp_path: Path) -> None:
    def jump(clock: VirtualClock, _: Frontier) -> None:
        clock.jump(DAY)

    web = SmallWeb(site("a.example", 10))
    crawl_small(web, tmp_path, "http://a.example/", during=jump)
    assert min(gaps(web.host_times("a.example"))) >= 1.0


@pytest.mark.parametrize("status", [500, 503, 429])
def test_an_unreachable_robots_txt_closes_its_site_until_it_can_be_read(tmp_path: Path, status: int) -> None:
    def robots(earlier: int) -> Answer:
        return Answer(status=404) if earlier == 3 else Answer(status=status)

    web = SmallWeb({"http://a.example/robots.txt": robots, "http://a.example/": Answer()})
    done = crawl_small(web, tmp_path, "http://a.example/", patience=FOREVER)
    asked = web.times("http://a.example/robots.txt")
    assert [round(gap / MINUTE) for gap in gaps(asked)] == [5, 10, 20]
    assert web.times("http://a.example/")[0] > asked[-1]
    assert done.state("http://a.example/") == "DONE"


@pytest.mark.parametrize(
    "unread",
    [
        Answer(body=b"\x1f\x8b\x08", decoding="3 codings upon each other, at most 2 are undone"),
        Answer(body=b"\x1f\x8b\x08"),
        Answer(body=b"User-agent: *\nAllow: /", truncated="length"),
    ],
)
def test_a_robots_txt_that_cannot_be_read_closes_its_site_also_behind_a_redirect(
    tmp_path: Path, unread: Answer
) -> None:
    pages = {"http://a.example/": Answer(), "http://b.example/": Answer()}
    robots = {
        "http://a.example/robots.txt": unread,
        "http://b.example/robots.txt": redirect("http://a.example/robots.txt"),
    }
    web = SmallWeb({**pages, **robots})
    done = crawl_small(web, tmp_path, *pages)
    assert web.asked() == []
    assert done.counts.queued == 2


def test_robots_txt_is_asked_for_once_and_again_after_a_day(tmp_path: Path) -> None:
    robots = Answer(body=b"User-agent: *\nCrawl-delay: 300\n")
    web = SmallWeb({"http://a.example/robots.txt": robots, **site("a.example", 400)}, latency=0)
    crawl_small(web, tmp_path, "http://a.example/")
    (day,) = gaps(web.times("http://a.example/robots.txt"))
    assert DAY <= day <= DAY + 600


def test_what_robots_txt_forbids_is_never_asked_for(tmp_path: Path) -> None:
    robots = Answer(body=b"User-agent: Gossamer\nDisallow: /2\n")
    web = SmallWeb({"http://a.example/robots.txt": robots, **site("a.example", 4)})
    done = crawl_small(web, tmp_path, "http://a.example/")
    assert "http://a.example/2" not in web.asked()
    assert done.state("http://a.example/2") == "EXCLUDED"
    assert done.reason("http://a.example/2") == "robots.txt forbids it"


def test_the_rules_behind_a_redirected_robots_txt_hold_for_the_first_host(tmp_path: Path) -> None:
    web = SmallWeb(
        {
            "http://a.example/robots.txt": redirect("http://b.example/rules"),
            "http://b.example/rules": Answer(body=b"User-agent: *\nDisallow: /1\n"),
            **site("a.example", 3),
        }
    )
    done = crawl_small(web, tmp_path, "http://a.example/")
    assert web.asked() == ["http://b.example/rules", "http://a.example/", "http://a.example/2"]
    assert done.state("http://a.example/1") == "EXCLUDED"


def test_after_five_redirects_there_is_no_robots_txt(tmp_path: Path) -> None:
    hops = {f"http://a.example/r{n}": redirect(f"http://a.example/r{n + 1}") for n in range(20)}
    web = SmallWeb({"http://a.example/robots.txt": redirect("http://a.example/r0"), **hops, **site("a.example", 1)})
    done = crawl_small(web, tmp_path, "http://a.example/")
    assert len(web.log) == 1 + 5 + 1
    assert done.state("http://a.example/") == "DONE"


@pytest.mark.parametrize("kind", [Fault.NO_SUCH_HOST, Fault.BLOCKED_ADDRESS])
def test_a_host_that_cannot_be_visited_fails_all_its_pages_with_one_request(tmp_path: Path, kind: Fault) -> None:
    links = tuple(f"http://gone.example/{n}" for n in range(300))
    web = SmallWeb({"http://a.example/": Answer(links), "http://gone.example/robots.txt": fault(kind)})
    done = crawl_small(web, tmp_path, "http://a.example/", patience=0)
    assert len(web.host_times("gone.example")) == 1
    assert kind in done.reason(links[-1])
    assert done.counts.queued == (300 if kind is Fault.NO_SUCH_HOST else 0)
