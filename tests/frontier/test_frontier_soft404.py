"""Errors that look like pages are recognised by asking for a name that cannot exist."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small, gaps, redirect

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import PROBES
from gossamer.frontier.worth.new_text import sketch
from gossamer.frontier.worth.soft404 import AGAIN, LETTERS, PAGES, PLACES, SAME_PAGE, SAME_TARGET, Soft404
from gossamer.frontier.worth.soft404 import Answer as Said
from gossamer.frontier.worth.url_patterns import template
from gossamer.model import Capture, Kind, Page, Visit
from gossamer.store.table.table import Table
from gossamer.urls.scope import Scope

MENU = "Home\nProducts and services\nAbout us\nContact\nTerms of use\nAll rights reserved"


def said(url: str, text: str) -> Said:
    return Said(sketch(url, "", text))


class Host:
    """A host that answers to nonsense in a way of its own, with an honest memory of what was asked."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.soft = Soft404(table)
        self.probes: list[str] = []
        self.found: dict[str, str] = {}

    def page(self, url: str, text: str, *, alike: bool = False) -> str | None:
        """Take a page in; gives the made-up address that is to be asked for."""
        if reason := self.soft.judge(template(url), url, said(url, text)):
            self.found[url] = reason
        return self.soft.question(template(url), url, alike=alike)

    def answer(self, probe: str, status: int, answer: Said) -> None:
        self.soft.asks(probe)
        self.probes.append(probe)
        self.found |= dict(self.soft.learn(probe, status, answer))


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        yield Host(table)


def prose(seed: object, words: int = 40) -> str:
    draw = random.Random(str(seed))
    return " ".join("".join(draw.choices("abcdefghij", k=5)) for _ in range(words))


def article(number: int) -> str:
    return f"http://a.example/news/{prose(number, 1)}-story-{number}.html"


def test_a_host_is_asked_when_it_has_shown_some_pages_and_not_before(host: Host) -> None:
    asked = [host.page(article(number), prose(number)) for number in range(PAGES)]
    assert asked[:-1] == [None] * (PAGES - 1)
    assert asked[-1] is not None
    assert asked[-1].startswith("http://a.example/news/")
    assert len(asked[-1]) == len("http://a.example/news/") + LETTERS + len(".html")


def test_pages_that_look_alike_make_us_ask_sooner(host: Host) -> None:
    asked = [host.page(article(number), "Not here.", alike=number > 0) for number in range(5)]
    assert asked[3] is not None


def test_an_honest_host_is_asked_about_a_few_directories_only(host: Host) -> None:
    asked = 0
    for number in range(500):
        probe = host.page(
            f"http://a.example/{prose(number % 50, 1)}/{prose(number, 2).replace(' ', '-')}-x", prose(number)
        )
        if probe:
            asked += 1
            host.answer(probe, 404, said(probe, "Not found"))
    assert asked == 2
    assert host.found == {}


@pytest.mark.parametrize(
    "error",
    [
        "Not found\nWe could not find that.",
        "Not found\nThere is no {url} here.",
        "Not found\nThere is no page {name} here.",
        "Not found\nRequest {number} failed at 12:{number}:07.",
        "Not found\nMaybe you want the {random}\nWe could not find what you asked for, sorry for that.",
    ],
)
def test_a_page_that_stands_for_an_error_is_told_from_short_pages(host: Host, error: str) -> None:
    draw = random.Random(1)

    def text(url: str) -> str:
        name = url.rpartition("/")[2]
        filled = error.format(url=url, name=name, number=draw.randrange(10**6), random=prose(draw.random(), 1))
        return f"{MENU}\n{filled}"

    real, dead = [], []
    for number in range(60):
        url = article(number)
        broken = number % 4 == 3 and number > PAGES
        (dead if broken else real).append(url)
        probe = host.page(url, text(url) if broken else f"{MENU}\nStory\n{prose(number, 4)}")
        if probe:
            host.answer(probe, 200, said(probe, text(probe)))
    assert set(host.found) == set(dead)
    assert set(host.found.values()) == {SAME_PAGE}
    assert len(host.probes) == 2


def test_what_was_fetched_before_the_verdict_is_marked_too(host: Host) -> None:
    for number in range(PAGES):
        probe = host.page(article(number), f"{MENU}\nThere is no {article(number)}." if number % 2 else prose(number))
    assert probe is not None
    host.answer(probe, 200, said(probe, f"{MENU}\nThere is no {probe}."))
    assert set(host.found) == {article(number) for number in range(1, PAGES, 2)}


def test_a_redirect_to_where_nonsense_is_sent_is_an_error_and_others_are_not(host: Host) -> None:
    for number in range(PAGES):
        probe = host.page(article(number), prose(number))
    assert probe is not None
    host.answer(probe, 302, Said(None, "http://a.example/"))
    kind = template(article(1))
    assert host.soft.judge(kind, article(1), Said(None, "http://a.example/")) == SAME_TARGET
    assert host.soft.judge(kind, article(1), Said(None, "http://a.example/elsewhere")) == ""
    assert host.soft.judge(kind, article(1), said(article(1), prose(1))) == ""


def test_a_redirect_that_takes_the_name_along_tells_nothing(host: Host) -> None:
    for number in range(PAGES):
        probe = host.page(article(number), prose(number))
    assert probe is not None
    target = probe.replace("http:", "https:")
    host.answer(probe, 301, Said(None, target))
    assert host.soft.judge(template(article(1)), article(1), Said(None, target)) == ""


def test_a_server_that_says_something_else_each_time_is_not_blamed(host: Host) -> None:
    for number in range(60):
        probe = host.page(article(number), prose(number))
        if probe:
            host.answer(probe, 200, said(probe, prose(probe)))
    assert host.found == {}


def test_silence_and_too_many_requests_are_no_answer(host: Host) -> None:
    for number in range(40):
        probe = host.page(article(number), "Not here." if number == 30 else prose(number))
        if probe:
            host.answer(probe, *[(0, Said(None)), (429, Said(None)), (200, said(probe, "Not here."))][len(host.probes)])
    assert list(host.found) == [article(30)]


def test_home_pages_are_never_errors_and_never_asked_about(host: Host) -> None:
    for _ in range(50):
        assert host.page("http://a.example/", "Not here.", alike=True) is None
    assert host.found == {}


def test_rows_are_bounded_and_survive_a_restart(tmp_path: Path) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        host = Host(table)
        for number in range(2 * PLACES):
            host.page(f"http://a.example/{prose(number, 1)}/{prose(number, 2).replace(' ', '/')}/x", "Not here.")
        for number in range(PAGES):
            probe = host.page(article(number).replace("a.", "b."), "Not here.")
        assert probe is not None
        host.answer(probe, 200, said(probe, "Not here."))
        host.soft.save()
        table.commit()
        assert sum(1 for _ in table.scan(PROBES)) <= PLACES + 4
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        url = "http://b.example/news/one-more.html"
        assert Soft404(table).judge(template(url), url, said(url, "Not here.")) == SAME_PAGE


@pytest.fixture
def disguised(host: Host) -> Host:
    """Errors look like pages there, and two answers have shown what they say."""
    for number in range(PAGES):
        probe = host.page(article(number), f"{MENU}\nNot here.")
    assert probe is not None
    host.answer(probe, 200, said(probe, f"{MENU}\nNot here."))
    probe = host.page(article(PAGES), prose(PAGES))
    assert probe is not None
    host.answer(probe, 200, said(probe, f"{MENU}\nNot here."))
    assert set(host.found) == {article(number) for number in range(PAGES)}
    return host


def again(host: Host, number: int) -> str | None:
    return host.soft.question_again(template(article(number)), article(number))


def learnt(host: Host, probe: str, status: int, text: str) -> dict[str, str]:
    host.soft.asks(probe)
    return dict(host.soft.learn(probe, status, said(probe, text)))


def judged(host: Host, text: str) -> str:
    return host.soft.judge(template(article(1)), article(1), said(article(1), text))


def test_a_host_is_asked_anew_when_its_errors_come_again_and_not_at_each(disguised: Host) -> None:
    probe = again(disguised, 1)
    assert probe is not None
    assert learnt(disguised, probe, 200, f"{MENU}\nNot here.") == {}
    assert [again(disguised, number) for number in range(AGAIN - 1)] == [None] * (AGAIN - 1)
    assert again(disguised, 1) is not None
    assert judged(disguised, f"{MENU}\nNot here.") == SAME_PAGE


def test_errors_that_always_differ_are_not_asked_for_without_end(disguised: Host) -> None:
    waiting, visits = [*range(100)], 0
    while waiting and visits < 1_000:
        visits += 1
        if probe := again(disguised, waiting.pop()):
            looked_at = learnt(disguised, probe, 200, prose(PAGES + visits))
            waiting += [int(url.rpartition("-")[2].partition(".")[0]) for url in looked_at]
    assert visits < 250


def test_a_host_that_has_become_honest_has_its_errors_looked_at_again(disguised: Host) -> None:
    probe = again(disguised, 1)
    assert probe is not None
    disguised.soft.asks(probe)
    assert again(disguised, 2) is None, "a question is out"
    assert learnt(disguised, probe, 404, "Not found") == {article(1): "", article(2): ""}
    assert judged(disguised, f"{MENU}\nNot here.") == ""
    assert again(disguised, 1) is None


def test_another_error_page_takes_the_place_of_the_one_before(disguised: Host) -> None:
    probe = again(disguised, 1)
    assert probe is not None
    assert learnt(disguised, probe, 200, "Nothing to see at this address") == {article(1): ""}
    assert judged(disguised, f"{MENU}\nNot here.") == ""
    assert judged(disguised, "Nothing to see at this address") == SAME_PAGE
    assert again(disguised, 2) is not None, "one answer does not show how much they vary"


@pytest.mark.parametrize("status", [0, 429, 503])
def test_no_answer_leaves_the_verdict_as_it_is(disguised: Host, status: int) -> None:
    probe = again(disguised, 1)
    assert probe is not None
    assert learnt(disguised, probe, status, "") == {}
    assert judged(disguised, f"{MENU}\nNot here.") == SAME_PAGE


@pytest.fixture
def honest(host: Host) -> Host:
    """Its pages all differ, and what is not there is a 404."""
    for number in range(PAGES):
        probe = host.page(article(number), prose(number))
    assert probe is not None
    host.answer(probe, 404, said(probe, "Not found"))
    return host


def came(host: Host, number: int, text: str) -> str | None:
    url = article(number)
    return host.soft.question_alike(template(url), url, sketch(url, "", text))


def test_pages_that_say_the_same_when_they_come_again_make_us_ask_an_honest_host_anew(honest: Host) -> None:
    assert [came(honest, number, prose(number)) for number in range(PAGES)] == [None] * PAGES
    assert came(honest, 1, "Not here.") is None
    assert came(honest, 1, "Not here.") is None, "it is the same page"
    probe = came(honest, 2, "Not here.")
    assert probe is not None
    assert learnt(honest, probe, 200, "Not here.") == {article(1): SAME_PAGE, article(2): SAME_PAGE}
    assert judged(honest, "Not here.") == SAME_PAGE
    assert judged(honest, prose(1)) == ""


def test_a_host_that_is_still_honest_is_not_asked_about_each_page_that_says_what_others_say(honest: Host) -> None:
    probe = came(honest, 0, "A notice") or came(honest, 1, "A notice")
    assert probe is not None
    assert learnt(honest, probe, 404, "Not found") == {}
    asked = [came(honest, number, "A notice") for number in range(2, 5 * AGAIN)]
    assert sum(each is not None for each in asked) == 4


def test_a_page_that_has_come_again_since_and_says_something_else_is_no_error(honest: Host) -> None:
    assert came(honest, 1, "Not here.") is None
    probe = came(honest, 2, "Not here.")
    assert probe is not None
    honest.soft.asks(probe)
    assert came(honest, 1, prose(1)) is None
    assert dict(honest.soft.learn(probe, 200, said(probe, "Not here."))) == {article(2): SAME_PAGE}


def test_no_more_pages_are_compared_than_there_is_room_for(honest: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.frontier.worth.soft404.CAME_MOST", 3)
    assert [came(honest, number, prose(number)) for number in range(9)] == [None] * 9
    assert came(honest, 9, prose(0)) is None
    assert came(honest, 10, prose(8)) is not None


# ------------------------------------------------------------------ whole crawls


HOME = "http://a.example/"
STORIES = [f"{HOME}news/story-{prose(number, 1)}.html" for number in range(30)]
GONE = [f"{HOME}news/gone-{prose(number, 1)}.html" for number in range(6)]


class SoftWeb(SmallWeb):
    """Every page says something of its own, and whatever is not there is redirected home."""

    async def fetch(self, visit: Visit) -> Capture:
        if visit.kind is not Kind.ROBOTS:
            self.answers.setdefault(visit.url, redirect(HOME))
        return await super().fetch(visit)

    async def read(self, capture: Capture) -> Page:
        page = await super().read(capture)
        return replace(page, text=prose(capture.visit.url)) if capture.status == 200 else page


def crawl_soft(folder: Path, robots: bytes = b"", **rules: object) -> tuple[SoftWeb, set[str]]:
    """The web after the crawl, and the addresses that were found to be errors."""
    web = SoftWeb({HOME: Answer((*STORIES, *GONE)), **{url: Answer() for url in STORIES}})
    if robots:
        web.answers[f"{HOME}robots.txt"] = Answer(body=robots)
    done = crawl_small(web, folder, HOME, **rules)
    return web, {url for url, entry in done.entries.items() if entry.reason == SAME_TARGET}


def probes(web: SmallWeb) -> list[str]:
    return [visit.url for visit in web.visits if visit.kind is Kind.PROBE]


def test_a_crawl_marks_dead_links_and_only_those(tmp_path: Path) -> None:
    web, marked = crawl_soft(tmp_path)
    assert marked == set(GONE)
    assert len(probes(web)) == 1


def test_a_probe_waits_as_long_as_any_visit(tmp_path: Path) -> None:
    web, _ = crawl_soft(tmp_path)
    assert min(gaps(web.host_times("a.example"))) >= 1.0


def test_nothing_is_made_up_where_robots_txt_forbids_it(tmp_path: Path) -> None:
    rules = b"User-agent: *\nAllow: /news/story-\nAllow: /news/gone-\nDisallow: /news/"
    web, marked = crawl_soft(tmp_path, rules)
    assert (probes(web), marked) == ([], set())


def test_nothing_is_made_up_when_only_the_seeds_are_wanted(tmp_path: Path) -> None:
    web, _ = crawl_soft(tmp_path, scope=Scope(kind="page", seeds=frozenset({HOME, *STORIES})))
    assert set(STORIES) <= set(web.asked())
    assert probes(web) == []


def test_a_page_limit_does_not_count_what_was_made_up(tmp_path: Path) -> None:
    web, _ = crawl_soft(tmp_path, pages=20)
    assert len(probes(web)) == 1
    assert len(set(web.asked()) & {HOME, *STORIES}) == 20
