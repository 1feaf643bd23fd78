"""`gossamer plan-cluster`: sums that follow from the figures of a crawl, and messages that help."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.cluster_plan import told
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection.ask.cluster_size import Figures, Machine, machine_of, need
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

FIGURES = Figures(
    pages=1000, cpu=0.007, wire=20e3, archive=6e3, index=2e3, rest=2e3, known=6.0, memory=400e6, delay=1.0
)
BILLION = (1e9, 30.0)


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
    assert found.hosts == math.ceil(385.8 * 1.3)
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
    assert found["needs"]["rate"] == pytest.approx(1e6 / (2 * 86_400))
    (tmp_path / "machine.toml").write_text("cores = 4\nhour = 0.1\n")
    assert main(["plan-cluster", str(folder), "--pages", "1e6", "--machine", str(tmp_path / "machine.toml")]) == 0
    said = capsys.readouterr().out
    assert " of 4 cores, 32.0 GB, 1.0 TB" in said
    assert "\nprice        " in said
    assert f"From {status.pages} pages: " in said


@pytest.mark.parametrize(("delay", "said"), [(0.0, True), (0.5, True), (1.0, False), (5.0, False)])
def test_a_shorter_rest_than_is_usual_is_said(delay: float, said: bool) -> None:
    figures, machine = replace(FIGURES, delay=delay), Machine(hour=1.0)
    lines = told(figures, need(figures, *BILLION, machine, 60.0), *BILLION, machine).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("hosts"))
    assert ("is the delay of this collection; with 1 s, which is usual, 502" in lines[place + 1]) is said
    assert any(line.startswith("price") for line in lines[place:])


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
        ("cores = 'many'", "cores is a number, 0 or more"),
        ("cores = 0", "cores, memory and disk are at least 1"),
        ("hour = -1", "hour is a number, 0 or more"),
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


def test_the_example_is_a_machine_with_all_its_prices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan-cluster", "--example"]) == 0
    table = tomllib.loads(capsys.readouterr().out)
    assert [*table] == [field.name for field in fields(Machine)]
    assert machine_of(table, "example").hour > 0


@pytest.mark.parametrize("words", [["--pages", "1e9"], ["web"], ["web", "--pages", "0"], ["web", "--pages", "nan"]])
def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    try:
        code = main(["plan-cluster", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert "--pages" in capsys.readouterr().err
