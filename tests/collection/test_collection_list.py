"""Whatever `status` counts can be listed, and the list is as long as the count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import convert
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.ask.addresses import STATES
from gossamer.errors import UsageError
from gossamer.model import Capture
from gossamer.testing import (
    Copies,
    Errors,
    MadeWeb,
    Marks,
    Redirects,
    RobotsFiles,
    Sitemaps,
    Traps,
    VirtualClock,
    WebSpec,
)
from gossamer.urls import keys

SPEC = WebSpec(
    seed=11,
    hosts=4,
    pages=25,
    errors=Errors(missing=0.1, broken=0.1, busy=0.1, dropped=0.1, cut=0.05, transient=0.5, soft=0.5),
    redirects=Redirects(chains=0.1, loops=0.05),
    robots=RobotsFiles(rules=0.7),
    traps=Traps(calendar=0.5, echo=1.0),
    copies=Copies(exact=0.1, near=0.1),
    sitemaps=Sitemaps(hosts=0.5),
    marks=Marks(nofollow_links=0.2),
)
NOWHERE = "http://nowhere.invalid/"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """A crawl in which everything happens that may happen to an address, and which is cut short."""
    clock, begin = VirtualClock(), convert.begin
    made = MadeWeb(SPEC, clock=clock)

    def mistaken(capture: Capture, *told: Any, **named: Any) -> Any:
        if capture.visit.url == made.home(1):
            raise ZeroDivisionError("a bug")
        return begin(capture, *told, **named)

    with pytest.MonkeyPatch.context() as patch, gossamer.open(tmp_path_factory.mktemp("list") / "web") as collection:
        patch.setattr(convert, "begin", mistaken)
        outside = Outside(clock, made.fetch)
        seeds = (made.seed, made.home(1), NOWHERE)
        settings = {"scope": "domain", "depth": 4, "exclude": ("/copy/",), "pages": 150}
        clock.run(collection.crawl_async(*seeds, outside=outside, **settings))
        yield collection


def listed(web: Collection, **asked: str) -> list[str]:
    return [each.url for each in web.addresses(**asked)]


def test_what_status_counts_is_what_is_listed(web: Collection) -> None:
    status = web.status()
    counts = {
        "page": status.pages,
        "queued": status.queued,
        "failed": status.failed,
        "excluded": status.excluded,
        "duplicate": status.duplicates,
        "near-copy": status.near_duplicates,
        "unread": status.unread,
    }
    assert {state: len(listed(web, state=state)) for state in counts} == counts
    assert all(counts[name] for name in ("page", "queued", "failed", "excluded", "unread")), counts
    for state, reasons in (("failed", status.failures), ("excluded", status.exclusions)):
        assert len(reasons) > 1
        assert {reason: len(listed(web, state=state, reason=reason)) for reason in reasons} == reasons


def test_every_address_is_listed_once_in_one_of_four_states(web: Collection) -> None:
    every = listed(web)
    assert len(set(every)) == len(every)
    assert every == sorted(every, key=keys.row)
    states = Counter(each.state for each in web.addresses())
    assert states == {state: len(listed(web, state=state)) for state in ("queued", "done", "failed", "excluded")}
    assert {"redirect", "page"} < set(STATES)
    assert listed(web, state="redirect") == [each.url for each in web.addresses(state="done") if each.target]


def test_a_line_says_what_why_says(web: Collection) -> None:
    for each in list(web.addresses(state="failed"))[:5]:
        answer = web.why(each.url)
        assert (each.state, each.reason, each.status) == ("failed", answer.reason, answer.status)
        assert each.referrer == answer.referrer  # type: ignore[union-attr]  # it is asked about an address
    waits = list(web.addresses(state="queued", reason="no-such-host"))
    assert [(each.url, each.attempts > 0, each.next_time is not None) for each in waits] == [(NOWHERE, True, True)]


def test_a_site_means_its_host_and_those_below_it(web: Collection) -> None:
    every = listed(web)
    hosts = {keys.host(url) for url in every}
    for host in hosts:
        assert listed(web, site=host) == [url for url in every if keys.host(url) == host]
    assert listed(web, site="example") == [url for url in every if keys.host(url).endswith(".example")]
    assert listed(web, site=NOWHERE) == [NOWHERE]
    assert listed(web, site="xample") == []


def test_words_that_are_no_reason_mean_all_that_begin_so(web: Collection) -> None:
    begin = [each for each in web.addresses() if each.reason.startswith("http ")]
    assert listed(web, reason="HTTP ") == [each.url for each in begin]
    assert len({each.reason for each in begin}) > 1


def test_shards_are_listed_as_one(tmp_path: Path) -> None:
    made = MadeWeb(WebSpec(seed=3, hosts=4, pages=10, names="ip", errors=Errors(missing=0.2)))
    with made.serve() as served, gossamer.open(tmp_path / "web") as web:
        asked = {"scope": "any", "delay": 0, "ip_delay": 0, "allow_addresses": ("127.0.0.0/8",), "disk_pause": 0}
        status = web.crawl(served.seed, shards=3, disk_pause_share=0, **asked)
        every = listed(web)
        assert every == sorted(every, key=keys.row)
        assert len(listed(web, state="page")) == status.pages
        assert len(listed(web, state="failed", reason="http 404")) == status.failed > 0


def test_nonsense_is_refused_in_one_line(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    for nonsense in ({"state": "lost"}, {"site": "http://"}, {"site": "a b"}, {"site": ""}, {"reason": " "}):
        with pytest.raises(UsageError):
            list(web.addresses(**nonsense))
    assert main(["list", str(web.path), "--state", "lost"]) == 2
    assert "choose one of queued, done" in capsys.readouterr().err
    for command in (["list"], ["broken"], ["retry"], ["changes"], ["export", "jsonl"]):
        words = [command[0], str(web.path), *command[1:], "--site", "nowhere.example"]
        assert main(words) == 8
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("gossamer: nowhere.example: no such host in the collection; `gossamer list ")


def test_hosts_are_those_that_status_counts_with_sums_that_add_up(
    web: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = web.status(), list(web.hosts())
    assert len(found) == status.hosts > 2
    assert sum(each.pages for each in found) == status.pages
    assert sum(each.queued for each in found) == status.queued > 0
    assert sum(each.failed for each in found) == status.failed
    assert [each.host for each in found] == sorted(each.host for each in found)
    some = found[1]
    assert [each.host for each in web.hosts(site=some.host)] == [some.host]
    assert main(["list", str(web.path), "--hosts"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in said] == [each.host for each in found]
    assert said[1].split()[:2] == [str(some.pages), "pages"]


def test_hosts_are_not_chosen_by_the_state_of_an_address(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(web.path), "--hosts", "--state", "failed"]) == UsageError.exit_code
    assert "leave --state and --reason out" in capsys.readouterr().err
