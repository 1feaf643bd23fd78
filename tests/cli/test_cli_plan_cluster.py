"""`gossamer plan-cluster`: sums that follow from the figures of a crawl, and messages that help."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.cluster_plan import told
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection import Outside
from gossamer.collection.ask.cluster_size import Figures, Machine, machine_of, need
from gossamer.collection.ask.crawl_time import Duration, Spread, duration, politely
from gossamer.errors import UsageError
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from gossamer.urls import keys

FIGURES = Figures(
    pages=1000,
    cpu=0.007,
    wire=20e3,
    archive=6e3,
    index=2e3,
    rest=2e3,
    known=6.0,
    memory=400e6,
    delay=1.0,
    answer=0.1,
    turn=1.1,
    usual_turn=3.3,
)
BILLION = (1e9, 30.0)
MONTH = Duration(30.0, "")


def test_a_billion_pages_in_a_month_by_hand() -> None:
    """386 pages a second, at 7 ms of CPU each; 10 TB are kept."""
    found = need(FIGURES, *BILLION, Machine(cores=8, memory=32e9, disk=10e12), 60.0)
    assert found.rate == pytest.approx(385.8, abs=0.1)
    assert found.cores == pytest.approx(3.858, abs=0.001)
    assert (found.machines, found.because) == (2, "disk")
    assert found.shards == 4
    assert found.memory == 4 * 400e6
    assert found.disk == pytest.approx(12.5e12)
    assert found.network == pytest.approx(7.716e6, rel=1e-3)
    assert found.hosts == math.ceil(385.8 * 1.1)
    assert found.travels == pytest.approx(13e12)
    assert found.requests == pytest.approx(4 * 43_200 * 5 + 13e12 / 32e6)
    assert found.price == 0


@pytest.mark.parametrize(
    ("machine", "because"),
    [
        (Machine(cores=1, memory=1e12, disk=1e15), "cores"),
        (Machine(cores=64, memory=1e9, disk=1e15), "memory"),
        (Machine(cores=64, memory=1e12, disk=1e12), "disk"),
    ],
)
def test_what_there_is_least_of_decides(machine: Machine, because: str) -> None:
    found = need(FIGURES, *BILLION, machine, 60.0)
    assert found.because == because
    assert found.machines > 1
    assert found.machines * machine.cores >= found.cores
    assert found.machines * machine.disk >= found.disk
    assert found.shards >= found.machines


def test_prices_are_added_up() -> None:
    machine = Machine(cores=8, memory=32e9, disk=100e12, hour=0.5, store_month=0.02, puts=0.005, traffic=0.01)
    found = need(FIGURES, *BILLION, machine, 60.0)
    hours, stored, asked, came = 720 * 0.5, 10_000 * 0.02 / 2, found.requests / 1000 * 0.005, 20_000 * 0.01
    assert found.price == pytest.approx(hours + stored + asked + came)


def test_a_small_crawl_gives_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=3, pages=12), clock=clock)
    folder = tmp_path / "web"
    with gossamer.open(folder) as made:
        status = clock.run(made.crawl_async(web.seed, scope="any", shards=1, outside=Outside(clock, web.fetch)))
    assert main(["plan-cluster", str(folder), "--pages", "1,000,000", "--days", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    figures = found["figures"]
    assert figures["pages"] == status.pages
    assert figures["wire"] == pytest.approx(status.bytes / status.pages)
    whole = sum(each.stat().st_size for each in (folder / "shards").rglob("*") if each.is_file())
    assert (figures["archive"] + figures["index"] + figures["rest"]) * status.pages == pytest.approx(whole)
    assert 0 < figures["cpu"] < 10
    assert figures["turn"] >= figures["delay"] + figures["answer"]
    assert found["needs"]["rate"] == pytest.approx(1e6 / (2 * 86_400))
    (tmp_path / "machine.toml").write_text("cores = 4\nhour = 0.1\n")
    assert main(["plan-cluster", str(folder), "--pages", "1e6", "--machine", str(tmp_path / "machine.toml")]) == 0
    said = capsys.readouterr().out
    assert " of 4 cores, 32.0 GB, 1.0 TB" in said
    assert "\nprice        " in said
    assert f"From {status.pages} pages: " in said


@pytest.mark.parametrize(
    ("delay", "answer", "said"),
    [(0.0, 0.1, True), (0.5, 0.1, True), (1.0, 0.1, False), (5.0, 0.1, False), (1.0, 0.01, True)],
)
def test_servers_that_bear_more_than_those_of_the_web_are_said(delay: float, answer: float, said: bool) -> None:
    figures, machine = replace(FIGURES, delay=delay, answer=answer), Machine(hour=1.0)
    lines = told(figures, need(figures, *BILLION, machine, 60.0), MONTH, 1e9, machine).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("hosts"))
    usual = "on the web, with a delay of 1 s and answers within 0.3 s: 1,274"
    assert (usual in lines[place + 1]) is said
    assert any(line.startswith("price") for line in lines[place:])


def test_a_small_need_is_said_in_plain_words() -> None:
    machine = Machine()
    said = told(FIGURES, need(FIGURES, 1e5, 1.0, machine, 60.0), Duration(1.0, ""), 1e5, machine)
    assert "a second, for 1 day\n" in said
    assert "\ncores        less than 1, busy" in said
    assert "takes" not in said
    assert "assumed" not in said


def test_days_that_nobody_asked_for_are_said_to_be_assumed() -> None:
    machine = Machine()
    for days in (None, 30.0):
        lasts = duration(FIGURES, 1e6, machine, days=days)
        said = told(FIGURES, need(FIGURES, 1e6, lasts.days, machine, 60.0), lasts, 1e6, machine)
        assert "a second, for 30 days\n" in said
        assert ("the days are assumed: --days says how many, and --hosts N" in said) is (days is None)


def test_the_largest_host_says_what_politeness_allows() -> None:
    """5 M pages on 2,000 hosts are 2,500 on each, and all of them rest at the same time."""
    even = politely(5e6, Spread(2_000), 1.1)
    assert (even.largest, even.days) == (2_500, pytest.approx(2_500 * 1.1 / 86_400))
    assert even.rate == pytest.approx(2_000 / 1.1)
    assert politely(5e6, Spread(2_000, 400_000), 1.1).days == pytest.approx(400_000 * 1.1 / 86_400)
    assert politely(5e6, Spread(1), 1.1).days == pytest.approx(5e6 * 1.1 / 86_400)


@pytest.mark.parametrize(
    ("machines", "hosts", "held_by"), [(1, 2_000, "machines"), (3, 2_000, "politeness"), (1, 200, "politeness")]
)
def test_what_takes_longer_holds_it(machines: int, hosts: int, held_by: str) -> None:
    """A machine of 8 cores does 800 pages a second at 7 ms each, 2,000 hosts 1,818, 200 of them 182."""
    found = duration(FIGURES, 5e6, Machine(), machines=machines, spread=Spread(hosts))
    assert found.polite is not None
    assert found.machine_days == pytest.approx(5e6 / (machines * 800) / 86_400)
    assert found.held_by == held_by
    assert found.days == max(found.machine_days, found.polite.days)
    assert need(FIGURES, 5e6, found.days, Machine(), 60.0).machines <= machines
    assert need(FIGURES, 5e6, found.days, Machine(), 60.0).shards <= 8 * machines


def test_one_machine_is_meant_where_only_the_hosts_are_named() -> None:
    assert duration(FIGURES, 5e6, Machine(), spread=Spread(2_000)).machines == 1
    assert duration(FIGURES, 5e6, Machine(disk=30e9), spread=Spread(2_000)).machines == 3, "so many disks hold it"
    assert duration(FIGURES, 5e6, Machine(memory=1e9)).machines is None
    starved = duration(FIGURES, 5e6, Machine(memory=1.2e9), machines=1)
    assert starved.days == pytest.approx(5e6 / 200 / 86_400), "two shards have memory"


def test_days_that_politeness_does_not_allow_are_not_promised() -> None:
    longer = duration(FIGURES, 1e9, Machine(), days=10.0, spread=Spread(1_000))
    assert (longer.held_by, longer.days) == ("politeness", pytest.approx(1e6 * 1.1 / 86_400))
    assert duration(FIGURES, 1e9, Machine(), days=2.0, spread=Spread(100_000_000)).days == 2.0
    assert duration(FIGURES, 1e9, Machine()).days == 30.0


def test_the_answer_says_days_and_what_holds_them() -> None:
    def said(**more: Any) -> str:
        lasts = duration(FIGURES, 5e6, Machine(), **more)
        return told(FIGURES, need(FIGURES, 5e6, lasts.days, Machine(), 60.0), lasts, 5e6, Machine())

    both = said(spread=Spread(2_000))
    assert both.startswith("takes        1.7 h at least: machines hold it\n")
    assert (
        "\npoliteness   46 min alone: 2,000 hosts, the largest with 2,500 pages, each asked every 1.1 s; 1,820 " in both
    )
    assert "\nCPU          one machine: 1.7 h alone, 800 pages a second\n" in both
    assert "\n             3 would be as fast as politeness allows\n" in both
    assert said(spread=Spread(2_000, 500_000)).startswith("takes        6.37 days at least: politeness holds it\n")
    assert said(machines=2).startswith(
        "takes        52 min at least: machines hold it\nCPU          2 machines: 52 min"
    )


def test_politeness_can_be_counted_before_anything_was_crawled(capsys: pytest.CaptureFixture[str]) -> None:
    """Hosts that answer within 0.3 s rest ten times as long."""
    words = ["plan-cluster", "--pages", "5M", "--hosts", "2000", "--delay", "1"]
    assert main(words) == 0
    assert "politeness   2.3 h alone: 2,000 hosts, the largest with 2,500 pages, each asked every 3.3 s" in (
        capsys.readouterr().out
    )
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"]["polite"]["days"] == pytest.approx(2_500 * 3.3 / 86_400)


@pytest.mark.parametrize(("delay", "latency", "zipf"), [(2.0, 0.0, 0.0), (1.0, 0.3, 0.0), (1.0, 0.05, 1.0)])
def test_a_polite_crawl_takes_as_long_as_was_said(tmp_path: Path, delay: float, latency: float, zipf: float) -> None:
    """The sum, beside a crawl whose hours pass on a virtual clock. A host is also asked for robots.txt and sitemaps."""
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=5, hosts=4, pages=40, latency=(latency, latency), zipf=zipf), clock=clock)
    outside = Outside(clock, web.fetch)
    with gossamer.open(tmp_path / "web") as made:
        began = clock.steady()
        clock.run(made.crawl_async(web.seed, scope="any", shards=1, delay=delay, build=False, outside=outside))
        took, pages = clock.steady() - began, Counter(keys.host(page.url) for page in made.listed())
        spread = Spread(len(pages), max(pages.values()))
        _, _, said = made.plan_cluster(pages.total(), spread=spread)
    assert said.polite is not None
    assert said.held_by == "politeness"
    assert 0.8 * took <= said.days * 86_400 <= took


@pytest.mark.parametrize(("text", "pages"), [("5M", 5e6), ("1.5k", 1_500), ("2G", 2e9), ("1,000", 1_000), ("1e9", 1e9)])
def test_pages_may_be_written_with_a_letter(text: str, pages: float) -> None:
    assert parser().parse_args(["plan-cluster", "web", "--pages", text]).pages == pages


def test_cpu_is_counted_on_from_run_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=2, pages=8), clock=clock)
    spent = []
    for _ in range(2):
        with gossamer.open(tmp_path / "web") as made:
            outside = Outside(clock, web.fetch)
            clock.run(made.crawl_async(web.seed, scope="any", shards=1, revisit=True, outside=outside))
            spent.append(made.series()[-1].cpu)
    assert 0 < spent[0] < spent[1]
    assert main(["plan-cluster", str(tmp_path / "web"), "--pages", "10"]) == 0
    assert "Fewer than 500 pages tell mostly what an empty collection takes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cores = 'many'", "cores is a number from 0 to 1e+18"),
        ("cores = 0", "cores, memory and disk are at least 1"),
        ("hour = -1", "hour is a number from 0 to 1e+18"),
        ("kores = 8", "kores is not known; known are cores, memory, disk, hour"),
        ("cores 8", "`gossamer plan-cluster --example > FILE`"),
    ],
)
def test_a_machine_that_is_none_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (tmp_path / "machine.toml").write_text(text)
    assert main(["plan-cluster", "web", "--pages", "10", "--machine", str(tmp_path / "machine.toml")]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("text", ["1e308", "9" * 400, "1e19", "nan", "0"])
@pytest.mark.parametrize("option", ["--pages", "--days", "--hosts", "--machines"])
def test_more_than_there_is_on_earth_is_no_number(capsys: pytest.CaptureFixture[str], option: str, text: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["plan-cluster", "web", "--pages", "5", option, text])
    said = capsys.readouterr().err
    assert "is no number above 0" in said
    assert len(said) < 1_000


def test_sums_without_an_end_are_told(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=1, pages=2), clock=clock)
    with gossamer.open(tmp_path / "web") as made:
        clock.run(made.crawl_async(web.seed, shards=1, build=False, outside=Outside(clock, web.fetch)))
        for pages, days in ((1e308, 3.0), (1e18, 1e-320), (float("nan"), 1.0), (5, float("inf"))):
            with pytest.raises(UsageError, match="pages and days"):
                made.plan_cluster(pages, days)


def test_the_example_is_a_machine_with_all_its_prices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan-cluster", "--example"]) == 0
    table = tomllib.loads(capsys.readouterr().out)
    assert [*table] == [field.name for field in fields(Machine)]
    assert machine_of(table, "example").hour > 0


@pytest.mark.parametrize(
    "words",
    [
        ["--pages", "1e9"],
        ["web"],
        ["web", "--pages", "0"],
        ["web", "--pages", "nan"],
        ["web", "--pages", "M"],
    ],
)
def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    try:
        code = main(["plan-cluster", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert "--pages" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hosts", "6M"], "--hosts 6,000,000: there are 1 to 5,000,000 of them"),
        (["--hosts", "2k", "--largest-host", "1k"], "of 5,000,000 pages on 2,000 hosts the largest has at least 2,500"),
        (["--hosts", "2k", "--largest-host", "6M"], "and at most all"),
        (["--largest-host", "1k"], "say --hosts"),
        (["--hosts", "1.5"], "'1.5' is no whole number"),
        (["--hosts", "2k", "--delay", "-1"], "delay is -1.0; it must be at least 0"),
    ],
)
def test_hosts_that_cannot_be_are_said(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    try:
        code = main(["plan-cluster", "--pages", "5M", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert said in capsys.readouterr().err


def test_days_and_machines_are_not_both_given() -> None:
    with pytest.raises(UsageError, match="give one of them"):
        duration(FIGURES, 5e6, Machine(), days=3.0, machines=3)
