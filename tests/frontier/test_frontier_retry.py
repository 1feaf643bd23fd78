"""One table of what follows a failure, held to the one in docs/politeness.md; and what is due when."""

from __future__ import annotations

import random
from math import inf
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, gaps

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.answer.outcome import Act, judge
from gossamer.frontier.entries import LATER
from gossamer.frontier.polite.robots_cache import lifetime
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.retry import robots_wait, rule, wait
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.store.table.table import Table

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
LADDER = (MINUTE, 10 * MINUTE, 2 * HOUR, DAY)
BUSY = (MINUTE, MINUTE, 10 * MINUTE, 2 * HOUR, DAY, DAY)


@pytest.mark.parametrize(
    ("fault", "waits", "blames"),
    [
        (Fault.NO_SUCH_HOST, (2 * HOUR, DAY), True),
        (Fault.DNS, LADDER, True),
        (Fault.BLOCKED_ADDRESS, (), False),
        (Fault.CONNECT, LADDER, True),
        (Fault.TLS, (2 * HOUR, DAY), True),
        (Fault.TIMEOUT, LADDER, True),
        (Fault.TOO_SLOW, LADDER, True),
        (Fault.RESET, LADDER, True),
        (Fault.INCOMPLETE, (MINUTE,), False),
        (Fault.PROTOCOL, (2 * HOUR,), False),
        (Fault.HEADERS_TOO_LARGE, (), False),
    ],
)
def test_each_fault_has_its_waits(fault: Fault, waits: tuple[float, ...], blames: bool) -> None:
    assert rule(fault, 200) == (waits, blames)


def test_every_fault_is_in_the_table() -> None:
    assert all(rule(fault, 0) for fault in Fault)


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 408, 410, 418, 425, 429, 451, 499])
@pytest.mark.parametrize("more", [0, 100])
def test_each_status_has_its_waits(status: int, more: int) -> None:
    code = status + more if status >= 400 else status
    waits: dict[int, tuple[float, ...]] = {429: BUSY, 503: BUSY}
    waits |= dict.fromkeys((408, 425, 500, 502, 504, 520, 521, 522, 523, 524), LADDER)
    blamed = {408, 500, 502, 504, 520, 521, 522, 523, 524}
    for each in (code, code + 1, code + 2, code + 3):
        assert rule(None, each) == (waits.get(each, ()), each in blamed), each


def test_a_wait_is_up_to_a_quarter_longer_and_ends_with_the_ladder() -> None:
    drawn = random.Random(7)
    for attempt, least in enumerate(LADDER):
        waits = [wait(LADDER, attempt, drawn) for _ in range(200)]
        assert all(each is not None and least <= each <= 1.25 * least for each in waits)
        assert len(set(waits)) > 100
    assert wait(LADDER, len(LADDER), drawn) is None
    assert wait((), 0, drawn) is None


def test_an_unreachable_robots_txt_is_asked_for_more_and_more_rarely_and_never_given_up() -> None:
    minutes = [robots_wait(tries) / MINUTE for tries in range(12)]
    assert minutes == [5, 10, 20, 40, 80, 160, 320, 720, 720, 720, 720, 720]


def test_ten_tries_of_a_robots_txt_come_at_these_intervals(tmp_path: Path) -> None:
    robots = lambda earlier: Answer(status=404) if earlier == 10 else Answer(status=500)  # noqa: E731  # short
    web = SmallWeb({"http://a.example/robots.txt": robots, "http://a.example/": Answer()})
    crawl_small(web, tmp_path, "http://a.example/", patience=1e9)
    asked = [round(gap / MINUTE) for gap in gaps(web.times("http://a.example/robots.txt"))]
    assert asked[:4] == [5, 10, 20, 40]
    assert asked[-3:] == [720, 720, 720]
    assert len(asked) == 10


def test_a_good_answer_of_robots_txt_forgets_the_bad_ones_before_it(tmp_path: Path) -> None:
    def robots(earlier: int) -> Answer:
        return Answer(body=b"User-agent: *\nCrawl-delay: 300\n") if earlier == 2 else Answer(status=500)

    pages = {f"http://a.example/{number}": Answer() for number in range(400)}
    web = SmallWeb({"http://a.example/robots.txt": robots, **pages}, latency=0)
    crawl_small(web, tmp_path, *pages, patience=HOUR)
    asked = [gap / MINUTE for gap in gaps(web.times("http://a.example/robots.txt"))]
    assert [round(gap) for gap in asked[:2]] == [5, 10]
    assert round(asked[2]) == 24 * 60
    assert [round(gap) for gap in asked[3:6]] == [5, 10, 20]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, DAY),
        ("", DAY),
        ("no-cache", DAY),
        ("max-age=7200", 7_200.0),
        ("public, max-age=7200, must-revalidate", 7_200.0),
        ('max-age = "7200"', 7_200.0),
        ("max-age=0", 300.0),
        ("max-age=299", 300.0),
        ("max-age=999999", DAY),
        ("max-age=-1", DAY),
    ],
)
def test_rules_hold_as_long_as_their_server_says_within_bounds(header: str | None, seconds: float) -> None:
    assert lifetime(header) == seconds


def test_robots_txt_is_asked_for_again_when_its_server_said_so(tmp_path: Path) -> None:
    robots = Answer(body=b"User-agent: *\nCrawl-delay: 60\n", headers=(("cache-control", "max-age=600"),))
    pages = {f"http://a.example/{number}": Answer() for number in range(30)}
    web = SmallWeb({"http://a.example/robots.txt": robots, **pages}, latency=0)
    crawl_small(web, tmp_path, *pages)
    assert {round(gap) for gap in gaps(web.times("http://a.example/robots.txt"))} == {600}


def test_only_what_is_due_is_tried_again(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        retries = Agenda(table, LATER)
        for number, when in enumerate((300.0, 100.0, 200.0)):
            retries.append(f"http://a.example/{number}", when, number)
        assert list(retries.due(99.0)) == []
        assert list(retries.due(150.0)) == [("http://a.example/1", 1)]
        assert retries.next_time == 200.0
        assert list(retries.due(150.0)) == []
        assert list(retries.due(300.0)) == [("http://a.example/2", 2), ("http://a.example/0", 0)]


def test_what_is_dated_too_late_is_taken_out_a_batch_at_a_time(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        retries = Agenda(table, LATER)
        for number, when in enumerate((300.0, 100.0, 200.0)):
            retries.append(f"http://a.example/{number}", when, number)
        assert retries.beyond(150.0, most=1) == [("http://a.example/2", 2)]
        assert retries.beyond(150.0) == [("http://a.example/0", 0)]
        assert retries.beyond(150.0) == []
        assert retries.next_time == 100.0
        assert retries.beyond(100.0) == [("http://a.example/1", 1)]
        assert retries.next_time == inf


def cut(attempt: int, status: int = 200, fault: Fault = Fault.INCOMPLETE) -> Capture:
    visit = Visit("http://a.example/", attempt=attempt)
    return Capture(visit, 0.0, 0.1, status, body=b"half a", failure=Failure(fault, "as told"))


def test_a_body_that_is_cut_every_time_is_kept_as_it_is() -> None:
    def act(capture: Capture) -> Act:
        return judge(capture, lambda _: True).act

    assert act(cut(0)) is Act.FAIL
    assert act(cut(1)) is Act.KEEP
    assert act(cut(1, status=0)) is Act.FAIL
    assert act(cut(1, status=404)) is Act.FAIL
    assert act(cut(1, fault=Fault.RESET)) is Act.FAIL
    nothing = judge(cut(1, status=0), lambda _: True)
    assert (nothing.reason, nothing.rule.waits) == ("incomplete: as told", (MINUTE,))


@pytest.mark.parametrize(
    ("status", "act"), [(200, Act.GET), (400, Act.GET), (403, Act.GET), (405, Act.GET), (501, Act.GET), (404, Act.FAIL)]
)
def test_a_server_that_refuses_head_is_asked_with_get(status: int, act: Act) -> None:
    capture = Capture(Visit("http://a.example/", method="HEAD"), 0.0, 0.1, status)
    assert judge(capture, lambda _: True).act is act


def test_validators_are_those_of_the_last_answer_that_had_a_body(tmp_path: Path) -> None:
    """A 200 without an ETag takes the old one away; a 304 without one leaves it."""
    url = "http://a.example/"
    steps = [
        Answer(headers=(("etag", '"1"'), ("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT"))),
        Answer(status=304, body=b""),
        Answer(headers=(("last-modified", "Tue, 02 Jan 2024 00:00:00 GMT"),)),
        Answer(),
    ]
    web = SmallWeb({url: lambda earlier: steps[earlier]})
    met = []
    for step in range(len(steps)):
        again = (lambda clock, frontier: frontier.revisit()) if step else None
        entry = crawl_small(web, tmp_path, url, during=again).entries[url]
        met.append((entry.etag, (entry.modified or "")[:3]))
    assert met == [('"1"', "Mon"), ('"1"', "Mon"), (None, "Tue"), (None, "")]
