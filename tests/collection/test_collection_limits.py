"""A crawl ends at its limits, says which one holds it, and goes on when that one is raised."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.errors import NothingFetched
from gossamer.setting_text import octets, octets_a_day, parsed, seconds
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from gossamer.urls import keys
from tiny_server import page, tiny_server

QUICK = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0")
LINKS = [f"/{number}" for number in range(40)]


class Crawls:
    """Crawls of a made web on the virtual clock."""

    def __init__(self, folder: Path, spec: WebSpec) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(spec, clock=self.clock)
        self.folder = folder

    def __call__(self, *seeds: str, **settings: Any) -> gossamer.Status:
        with gossamer.open(self.folder) as collection:
            outside = Outside(self.clock, self.web.fetch)
            return self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings))

    def pages(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        with gossamer.open(self.folder) as collection:
            for each in collection.pages():
                counts[keys.host(each.url)] = counts.get(keys.host(each.url), 0) + 1
        return counts


@pytest.fixture
def crawls(tmp_path: Path) -> Crawls:
    return Crawls(tmp_path / "web", WebSpec(seed=4, hosts=3, pages=20))


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"pages": 5}, "the limit of 5 pages is reached, and `gossamer crawl DIR --pages 10` goes on (0: no limit)"),
        ({"bytes": 10_000}, "the limit of 10.0 kB is reached, and `gossamer crawl DIR --bytes "),
        ({"time": 10.0}, "the time of 10 s is over, and `gossamer crawl DIR` goes on for as long again"),
    ],
)
def test_a_crawl_at_rest_names_the_limit_that_ended_it(crawls: Crawls, limit: dict[str, Any], words: str) -> None:
    """`why` said that an address waits for its turn."""
    status = crawls(crawls.web.seed, scope="any", shards=1, **limit)
    assert status.held_by.startswith(words)
    with gossamer.open(crawls.folder) as web:
        queued = next(web.addresses(state="queued")).url
        address, host = web.why(queued), web.why(keys.host(queued))
    assert address.reason == f"no crawl runs; {status.held_by}"
    assert (host.state, host.reason) == ("waiting", address.reason) or host.state == "resting"
    assert crawls(**dict.fromkeys(limit, 0)).held_by == ""


def test_a_crawl_that_was_stopped_names_the_command_that_goes_on(crawls: Crawls) -> None:
    crawls(crawls.web.seed, scope="any", pages=5)
    with gossamer.open(crawls.folder) as web:
        web.change(pages=0)
        assert web.status().held_by == ""
        queued = next(web.addresses(state="queued")).url
        assert web.why(queued).reason == "no crawl runs; `gossamer crawl DIR` goes on"


def test_a_crawl_ends_when_its_time_is_over_and_the_next_one_has_as_long_again(crawls: Crawls) -> None:
    began = crawls.clock.steady()
    first = crawls(crawls.web.seed, scope="any", delay=5.0, time=60.0)
    assert 55 < crawls.clock.steady() - began < 80
    assert first.queued
    again = crawls()
    assert again.pages > first.pages
    assert crawls(time=0.0).queued == 0


def test_a_crawl_ends_when_so_many_bytes_have_come(crawls: Crawls) -> None:
    whole = 6_000
    first = crawls(crawls.web.seed, scope="any", bytes=whole, workers=1)
    assert whole <= first.bytes < whole + 10_000
    assert first.queued
    assert crawls().bytes == first.bytes
    assert crawls(bytes=0).queued == 0


def test_no_host_has_more_pages_than_it_may_and_more_when_that_is_raised(crawls: Crawls) -> None:
    first = crawls(crawls.web.seed, scope="any", pages_per_host=4, per_host=3)
    assert max(crawls.pages().values()) == 4
    assert first.exclusions["more than 4 pages of its host"] > 0
    crawls(revisit=True)
    assert sum(crawls.pages().values()) == first.pages
    crawls(pages_per_host=7)
    assert max(crawls.pages().values()) == 7
    crawls(pages_per_host=0)
    assert set(crawls.pages().values()) == {20}


@pytest.mark.parametrize("shards", ["1", "2"])
def test_the_last_words_name_the_limit_that_holds_and_how_to_raise_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shards: str
) -> None:
    folder = str(tmp_path / "web")
    with tiny_server({"/": page(*LINKS), **{link: page() for link in LINKS}}) as tiny:
        assert main(["crawl", folder, f"{tiny.origin}/", "--pages", "5", "--shards", shards, *QUICK]) == 0
        for _ in range(2):
            said = capsys.readouterr().out
            assert f"the limit of 5 pages is reached, and `gossamer crawl {folder} --pages 10` goes on" in said
            assert main(["crawl", folder]) == 0
        capsys.readouterr()
        assert main(["crawl", folder, "--pages", "0", "--bytes", "1k"]) == 0
        said = capsys.readouterr().out
        assert "the limit of 1.0 kB is reached" in said
        more = re.search(r"--bytes (\S+)` goes on", said)
        with gossamer.open(folder) as web:
            assert more is not None
            assert web.status().bytes < octets(more[1])
        assert main(["crawl", folder, "--bytes", "0", "--time", "0.001"]) == 0
        assert "the time of 0 s is over" in capsys.readouterr().out
        assert main(["crawl", folder, "--time", "0", "--pages-per-host", "20"]) == 0
        assert f"`gossamer crawl {folder} --pages-per-host 40` lets more in" in capsys.readouterr().out
        assert main(["crawl", folder, "--pages-per-host", "0"]) == 0
        assert "done: 41 pages" in capsys.readouterr().out


def test_a_time_that_is_over_before_the_first_page_is_named_and_no_fault_of_the_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was exit code 5, and `waits for its turn`."""
    folder = str(tmp_path / "web")
    with tiny_server({"/": page()}) as tiny:
        assert main(["crawl", folder, f"{tiny.origin}/", "--shards", "1", "--time", "0.001", *QUICK]) == 0
        said = capsys.readouterr().out
        goes_on = f"`gossamer crawl {folder}` goes on for as long again, `gossamer crawl {folder} --time 0` to the end"
        assert f"nothing was fetched yet: the time of 0 s is over, and {goes_on}" in said
        assert main(["crawl", folder, "--time", "0"]) == 0
        assert "done: 1 page" in capsys.readouterr().out


def test_a_seed_that_failed_is_named_also_when_the_time_is_over(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=4, hosts=1, pages=1), clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        crawl = collection.crawl_async(
            "http://nowhere.test/", time=5.0, patience=60.0, outside=Outside(clock, web.fetch)
        )
        with pytest.raises(NothingFetched):
            clock.run(crawl)


@pytest.mark.parametrize(
    ("text", "value"),
    [("90", 90), ("30m", 1800), ("2h", 7200), ("1.5 h", 5400), ("1D", 86400), ("1h30m", 5400), ("1d 2H 5s", 93605)],
)
def test_times_are_written_as_people_do(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("90", 90), ("500k", 500_000), ("10G", 10**10), ("2GiB", 2 << 30), ("1.5MB", 1_500_000)]
)
def test_sizes_are_written_as_people_do(text: str, value: int) -> None:
    assert octets(text) == value


@pytest.mark.parametrize("text", ["", "h", "-1h", "2x", "2 hours ago", "30m1h", "1h1h", "1h30", "1e9", "1_000"])
def test_what_is_no_amount_is_refused_with_an_example(text: str) -> None:
    for read in (seconds, octets):
        with pytest.raises(argparse.ArgumentTypeError, match="like"):
            read(text)


@pytest.mark.parametrize(
    ("text", "value"), [("100M", 10**8), ("100M/day", 10**8), ("2GiB / Days", 2 << 30), ("5k/hour", 120_000), ("0", 0)]
)
def test_bytes_may_be_those_of_a_day_or_an_hour(text: str, value: int) -> None:
    assert octets_a_day(text) == value
    assert parsed("budget_bytes", text) == value


@pytest.mark.parametrize("text", ["100M/week", "100M/", "/day", "M/day"])
def test_bytes_of_another_time_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="100M/day or 5M/hour"):
        octets_a_day(text)
