"""`gossamer plan-cluster`: sums that follow from the figures of a crawl, and messages that help."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawl_figures import BILLION, FIGURES
from gossamer.cli.cluster_plan import told
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection import Outside
from gossamer.collection.ask.cluster_size import Machine, machine_of, need
from gossamer.collection.ask.crawl_time import Duration, Spread, duration
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

MONTH = Duration(30.0, "")


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
