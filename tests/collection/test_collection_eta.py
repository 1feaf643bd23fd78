"""The time left is an estimate that says what it is counted from."""

from __future__ import annotations

import asyncio
import io
import time
from dataclasses import replace
from pathlib import Path

import pytest

import gossamer
from gossamer.cli import answers
from gossamer.cli.progress import ProgressLine
from gossamer.collection import Outside, Progress, Status
from gossamer.collection.crawl.gauge import UNKNOWN, Eta, Rate, eta, limited, resting
from gossamer.collection.progress import together
from gossamer.frontier.queue.backlog import Stretch
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.plan import Plan
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from gossamer.urls.scope import NOT_INCLUDED, Scope


def test_the_slower_of_the_two_is_the_basis() -> None:
    host = Stretch("example.org", 7_100, 1.0)
    assert eta(7_200, 4.8, host) == Eta(7_100.0, "example.org alone has 7,100 queued at 1 s each")
    assert eta(72_000, 4.5, host) == Eta(16_000.0, "72,000 queued at 4.5 pages/s")


def test_a_pause_is_part_of_the_basis() -> None:
    seconds, basis = eta(3, 10.0, Stretch("example.org", 3, 2.5, 3_600.0))
    assert seconds == 3_607.5
    assert basis == "example.org alone has 3 queued at 2.5 s each after a pause of 60 min"


def test_a_page_limit_makes_it_shorter() -> None:
    assert eta(10, 0.0, Stretch("example.org", 7_100, 1.0)).seconds == 10.0


def test_a_crawl_that_only_waits_for_retries_says_until_when(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        await asyncio.sleep(0.1)
        gone = "gone" in visit.url
        failure = Failure(Fault.NO_SUCH_HOST, "does not exist") if gone else None
        body = b'<a href="http://gone.example/">gone</a>' if visit.kind is Kind.PAGE and not gone else b""
        headers = (("content-type", "text/html"),)
        return Capture(visit, clock.wall(), 0.1, 0 if gone else 200, headers, body=body, wire=body, failure=failure)

    with gossamer.open(tmp_path) as collection:
        crawl = collection.crawl_async("http://a.example/", outside=Outside(clock, fetch), scope="any", delay=0)
        status = clock.run(crawl)
        queued = collection.why("http://gone.example/")
    assert (status.pages, status.queued) == (1, 1)
    assert queued.next_time is not None
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(queued.next_time))
    assert status.left == pytest.approx(queued.next_time - clock.wall(), abs=5)
    assert status.basis == f"until the first of 1 queued may be tried again, {until}"
    later = "all that is queued failed before, and is to be tried again later"
    assert status.retries == {"no-such-host": 1}
    assert [(each.host, each.queued, each.reason) for each in status.waiting] == [("gone.example", 1, later)]
    told = answers.status(replace(status, next_time=queued.next_time))
    assert "tried again because:\n          1  no-such-host\n" in told
    assert f"\n          1  gone.example: {later}" in told
    assert "time left" not in told  # nobody knows when all is done
    assert answers.crawled("web", status, False, Plan()).endswith("1 address waits; `gossamer crawl web` goes on")
    assert answers.crawled("web", status, False, Plan(), verb="watch").endswith("; `gossamer watch web` goes on")
    limited = answers.crawled("web", status, False, Plan(pages=status.pages))
    assert "the limit of 1 page is reached, and `gossamer crawl web --pages 2` goes on" in limited
    assert "limit" not in answers.crawled("web", status, False, Plan(pages=status.pages + 1))


def test_a_host_that_must_bring_most_of_what_a_limit_lets_in_takes_its_time_whatever_came_first() -> None:
    host = Stretch("example.org", 10_000, 1.0)
    assert eta(5_000, 50.0, host, queued=10_200).seconds == 4_800.0  # 200 are elsewhere
    assert eta(200, 50.0, host, queued=10_200).seconds == 4.0  # all of it may come from there
    assert eta(10_001, 0.5, host, queued=10_001).seconds == 20_002.0
    early = eta(10_001, 0.5, host, queued=10_001, is_early=True)  # one answer in two seconds
    assert early == Eta(10_000.0, "example.org alone has 10,000 queued at 1 s each")
    assert eta(30_000, 50.0, host, queued=30_000, is_early=True).seconds == 10_000.0
    assert eta(30_000, 0.5, host, queued=30_000, is_early=True).seconds == 60_000.0


def test_a_shard_of_few_pages_hurries_no_other_one() -> None:
    """The first pages of many hosts come at once; it said 1.7 min."""
    slow = Progress(10, 0, 10_000, 1, 0, 0, 9.0, limit=5_010, left=5_000.0, basis="example.org alone", rate=10.0)
    quick = Progress(0, 0, 200, 1, 0, 0, 9.0, limit=5_010, left=5.0, basis="200 queued at 40 pages/s", rate=40.0)
    seen = together([slow, quick])
    assert seen is not None
    assert seen.left == pytest.approx(4_800, rel=0.01)
    assert seen.basis == "5,000 of 5,010 pages to come at 1 pages/s"


def test_pages_that_may_still_come_are_those_of_all_shards_together() -> None:
    shards = [
        Progress(40, 0, 500, 1, 0, 0, 9.0, limit=100, left=60.0, basis="60 queued at 1 pages/s", rate=1.0),
        Progress(50, 0, 500, 1, 0, 0, 9.0, limit=100, left=12.5, basis="50 queued at 4 pages/s", rate=4.0),
    ]
    seen = together(shards)
    assert seen is not None
    assert (seen.left, seen.basis) == (2.0, "10 of 100 pages to come at 5 pages/s")
    unlimited = together([replace(each, limit=0) for each in shards])
    assert unlimited is not None
    assert unlimited.left == 60.0  # nobody does the work of another shard
    assert unlimited.basis == "the slowest part has 60 queued at 1 pages/s"
    alone = together([replace(shards[0], limit=0)])
    assert alone is not None
    assert alone.basis == "60 queued at 1 pages/s"


def test_no_limit_of_pages_ends_what_pages_need() -> None:
    shard = Progress(50, 0, 500, 1, 0, 0, 9.0, limit=100, left=30.0, basis="30 queued at 1 pages/s", rate=1.0)
    seen = together([replace(shard, besides=30), replace(shard, besides=0)])
    assert seen is not None
    assert (seen.left, seen.basis) == (15.0, "0 of 100 pages and 30 besides to come at 2 pages/s")


def test_a_shard_that_has_not_reported_yet_has_pages_too() -> None:
    one = Progress(50, 0, 500, 1, 0, 0, 9.0, limit=150, left=100.0, basis="100 queued at 1 pages/s", rate=1.0)
    alone = together([one, None])
    assert alone is not None
    assert (alone.pages, alone.left) == (50, None)  # it said 100 s, and 50 s with the next report


def test_a_crawl_that_has_just_gone_on_counts_with_the_gaps_of_its_hosts() -> None:
    shard = Progress(50, 0, 500, 1, 0, 0, 0.5, limit=150, left=100.0, basis="example.org alone has 100 queued")
    seen = together([shard, shard])
    assert seen is not None
    assert (seen.left, seen.basis) == (25.0, "50 of 150 pages to come at 2 pages/s")


def test_what_the_slowest_shard_waits_for_is_a_sentence() -> None:
    """It said that the shard has an IP address, which has addresses queued."""
    for basis, words in (
        ("127.0.0.2 alone has 456 queued", "127.0.0.2 alone has 456 queued"),
        ("1,456 queued at 2 pages/s", "the slowest part has 1,456 queued at 2 pages/s"),
    ):
        seen = together([Progress(50, 0, 500, 1, 0, 0, 0.5, left=100.0, basis=basis)] * 2)
        assert seen is not None
        assert seen.basis == words


def test_the_time_left_ends_with_the_bytes() -> None:
    shard = Progress(10, 0, 500, 1, 0, 4_000, 9.0, limit_bytes=10_000, left=500.0, basis="500 queued", rate=1.0)
    seen = together([shard, shard])
    assert seen is not None
    assert (seen.left, seen.basis) == (2.5, "20% of 10,000 bytes to come at 2 pages/s")
    for octets in (5_000, 6_000):
        over = together([replace(shard, bytes=octets)] * 2)
        assert over is not None
        assert (over.left, over.basis) == (None, "")  # it said 0 s


def test_who_gets_the_seeds_alone_is_told_that_the_links_lead_out_of_the_scope() -> None:
    status = Status(
        pages=1, failed=0, excluded=6, queued=0, hosts=1, bytes=9, duplicates=0, near_duplicates=0, seconds=1.0
    )
    status = replace(status, exclusions={"robots.txt forbids it": 1, "outside the hosts of the seeds": 5})
    plan = Plan(seeds=("http://a.example/",))
    told = "\n5 addresses are outside the hosts of the seeds; `gossamer crawl web --scope domain` lets more in\n"
    assert told in answers.crawled("web", status, False, plan)
    for others, asked in (
        (replace(status, pages=2), plan),
        (replace(status, queued=1), plan),
        (replace(status, exclusions={"robots.txt forbids it": 1}), plan),
        (status, Plan(seeds=plan.seeds, scope="page")),
        (status, Plan(seeds=plan.seeds, scope="any")),
    ):
        assert "outside" not in answers.crawled("web", others, False, asked)


def test_who_gets_the_seeds_alone_is_told_that_pages_on_the_way_must_match_a_pattern_too() -> None:
    status = Status(
        pages=1, failed=0, excluded=4, queued=0, hosts=1, bytes=9, duplicates=0, near_duplicates=0, seconds=1.0
    )
    status = replace(status, exclusions={NOT_INCLUDED: 4})
    plan = Plan(seeds=("http://a.example/",), include=("/howto/",))
    told = "\n4 addresses match no include pattern; pages on the way to what you want must match one too\n"
    assert told in answers.crawled("web", status, False, plan)
    assert "include" not in answers.crawled("web", replace(status, pages=2), False, plan)
    scope = Scope("any", include=plan.include)
    assert scope.check("http://a.example/x", 1) == NOT_INCLUDED


def test_the_last_words_say_what_to_do_next() -> None:
    status = Status(
        pages=3, failed=0, excluded=0, queued=0, hosts=1, bytes=9, duplicates=0, near_duplicates=0, seconds=1.0
    )
    assert answers.crawled("my web", status, False, Plan()).endswith("\nnext: gossamer search 'my web' 'words'")
    assert answers.crawled("web", status, False, Plan(build=False)).endswith("\nnext: gossamer build web")
    idle = answers.crawled("web", status, False, Plan(), idle=True)
    told = (
        "\nnothing was left to do; `gossamer crawl web --revisit` asks again for all pages, "
        "`gossamer crawl web URL` adds a seed"
    )
    assert idle.endswith(f"{told}, `gossamer crawl web --scope domain` follows links further")
    assert answers.crawled("web", status, False, Plan(scope="any"), idle=True).endswith(told)
    for others in (
        answers.crawled("web", status, True, Plan()),
        answers.crawled("web", replace(status, queued=1), False, Plan()),
    ):
        assert "next" not in others


def test_where_all_that_is_queued_waits_the_last_words_say_until_when() -> None:
    soon = time.time() + 7_200
    status = Status(
        pages=3, failed=0, excluded=0, queued=2, hosts=1, bytes=9, duplicates=0, near_duplicates=0, seconds=1.0
    )
    goes_on = "2 addresses wait; `gossamer crawl web` goes on"
    assert answers.crawled("web", replace(status, next_time=soon - 7_300), False, Plan()).endswith(goes_on)
    waits = replace(status, next_time=soon)
    for told in (answers.crawled("web", waits, False, Plan()), answers.at_rest(waits)):
        assert f"until {answers.when(soon)} all of it is at hosts that failed or want a pause, and `gossamer" in told


def test_shards_wait_together_until_the_first_of_them_may_go_on() -> None:
    waits = Progress(1, 0, 1, 0, 0, 0, 9.0, idle_seconds=60.0, next_time=1_060.0)
    for parts, moment in (
        ([waits, replace(waits, next_time=1_030.0)], 1_030.0),
        ([waits, replace(waits, queued=0, next_time=0.0)], 1_060.0),
        ([waits, replace(waits, next_time=0.0)], 0.0),
    ):
        seen = together(parts)
        assert seen is not None
        assert seen.next_time == moment


def test_a_shard_that_only_waits_does_not_speak_for_the_others() -> None:
    waits = Progress(1, 0, 1, 0, 0, 0, 9.0, idle_seconds=7_200.0, left=7_200.0, basis="1 queued")
    works = Progress(1, 0, 5, 1, 0, 0, 9.0, left=50.0, basis="5 queued at 0.1 pages/s")
    seen = together([waits, works])
    assert seen is not None
    assert (seen.left, seen.basis) == (50.0, "the slowest part has 5 queued at 0.1 pages/s")


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert eta(0, 5.0, None) == eta(10, 0.0, None) == UNKNOWN
    assert answers.estimate(*UNKNOWN) == ""


def test_the_rate_is_that_of_the_last_minute() -> None:
    rate = Rate()
    assert rate.at(5.0, 100) == 0.0
    for second in range(200):
        rate.note(float(second), 1_000 if second < 100 else 1_000 + 3 * (second - 100))
    assert rate.at(200.0, 1_300) == pytest.approx(3.0, abs=0.05)


def test_the_rate_is_counted_from_the_oldest_note_of_that_minute() -> None:
    rate = Rate()
    rate.note(0.0, 0)
    assert rate.at(0.0, 50) == 0.0
    assert rate.at(10.0, 50) == 5.0
    rate.note(60.0, 60)
    assert rate.at(60.0, 60) == 1.0  # what was noted a minute ago counts still
    rate.note(60.5, 61)
    assert rate.at(61.0, 61) == 1.0
    assert rate.at(70.0, 10) == 0.0  # pages that were taken out make it no less than nothing


def test_a_host_that_takes_exactly_as_long_as_all_together_is_not_the_basis() -> None:
    assert eta(10, 1.0, Stretch("example.org", 10, 1.0)).basis == "10 queued at 1 pages/s"
    assert eta(1, 1.0, None) == Eta(1.0, "1 queued at 1 pages/s")
    assert eta(-1, 1.0, None) == UNKNOWN
    assert eta(26, 2.0, None, queued=30) == Eta(13.0, "26 left to the limit at 2 pages/s")


@pytest.mark.parametrize(
    ("rate", "words"),
    [(0.25, "0.25"), (0.123, "0.12"), (0.96, "0.96"), (1.0, "1"), (1.25, "1.2"), (2.0, "2"), (1_234.5, "1,234.5")],
)
def test_a_rate_is_told_as_people_write_it(rate: float, words: str) -> None:
    assert eta(10, rate, None).basis == f"10 queued at {words} pages/s"


def test_what_takes_longer_than_a_crawl_may_is_said_to() -> None:
    long = Eta(600.0, "600 queued at 1 pages/s")
    assert limited(long, 60.0, 20.0) == Eta(600.0, "600 queued at 1 pages/s; each crawl ends after 60 s")
    assert limited(long, 0.0, 20.0) == limited(long, 620.0, 20.0) == long
    assert limited(UNKNOWN, 60.0, 20.0) == UNKNOWN


def test_a_rest_says_until_when_nothing_may_be_tried() -> None:
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(1_000_000.0))
    wanted = Eta(30.0, f"until the first of 1,200 queued may be tried again, {until}")
    assert resting(1_200, 30.0, 1_000_000.0) == wanted
    assert resting(1, 30.0, 1_000_000.0).seconds == 30.0
    assert resting(0, 30.0, 1_000_000.0) == UNKNOWN


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(12.4, "12 s"), (700.0, "12 min"), (7_200.0, "2.0 h"), (864_000.0, "10 days")],
)
def test_it_is_told_in_words(seconds: float, words: str) -> None:
    now = Progress(1, 0, 5, 1, 0, 0, 9.0, left=seconds, basis="5 queued at 0.1 pages/s")
    line = ProgressLine("web", io.StringIO())
    line(now)
    assert line.text(now).endswith(f"about {words} left  (5 queued at 0.1 pages/s)")


def test_the_estimate_of_a_crawl_of_one_host_is_right_all_the_way(tmp_path: Path) -> None:
    clock, looks = VirtualClock(), list[Progress]()
    web = MadeWeb(WebSpec(seed=2, hosts=1, pages=200, links=30, latency=(0.05, 0.05)), clock=clock)
    with gossamer.open(tmp_path) as collection:
        crawl = collection.crawl_async(web.seed, outside=Outside(clock, web.fetch), report=looks.append)
        status = clock.run(crawl)
    assert (status.left, status.basis) == (None, "")
    known = [look for look in looks if look.seconds > 45 and look.pages + look.queued == 200 and look.left]
    assert len(known) > 100
    for look in known:
        assert look.left == pytest.approx(looks[-1].seconds - look.seconds, rel=0.1, abs=5)


def test_a_stopped_crawl_says_what_is_left_when_it_is_asked(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=2, hosts=1, pages=300, latency=(0.5, 0.5)), clock=clock)
    with gossamer.open(tmp_path) as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, web.fetch), pages=20))
        clock.run(collection.crawl_async(outside=Outside(clock, web.fetch), pages=50))
        status = collection.status()
        assert status.left is None  # all that was asked for is there
        assert collection.why("h0.example").queued == status.queued > 0  # type: ignore[union-attr]  # a host's answer
