"""The benchmarks run: in a small form, so that they are there when they are needed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.warm import WARM

BENCH = Path(__file__).resolve().parents[1] / "bench"


def run(name: str, *arguments: str) -> str:
    done = WARM.run((str(BENCH / name), *arguments), timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_cost_of_a_page_is_told_by_stage() -> None:
    said = run("run.py", "--pages", "2")
    assert re.findall(r"gossamer +\d+\.\d\d CPU s per 1,000 pages \(\d+ pages, shards: (\d)\)", said) == ["2", "1"]
    stages = dict(re.findall(r"^  (\S.*?) +(\d+) us a page$", said, re.MULTILINE))
    assert stages.keys() == {
        "convert", "fetch, event loop", "store", "frontier", "index, prints", "near copies", "exact copies"
    }  # fmt: skip
    assert int(stages["convert"]) > 0


def test_others_are_put_beside_us_on_the_same_web(tmp_path: Path) -> None:
    said = run("peers.py", "--pages", "2", "--picture", f"{tmp_path}/picture")
    pages = dict(re.findall(r"^\| (\S.*?) \| .* \| (\d+) \| \d+\.\d\d \|$", said, re.MULTILINE))
    assert pages.keys() >= {"Gossamer", "Gossamer --no-build"}
    assert set(pages.values()) == {"16"}, "all have fetched the whole web"
    bars = ElementTree.parse(tmp_path / "picture").findall(".//*[@class='ours']")
    assert len(bars) == 2


def test_copies_are_planted_and_counted_by_kind() -> None:
    said = run("planted.py", "--pages", "6")
    assert re.search(r"\| the same bytes \| \d+ \| \d+ \| 1\.000 \| 0 \|", said)
    assert re.search(r"\| a template, other content \| \d+ \| - \| - \| 0 \|", said)


def test_the_frontier_is_filled_killed_and_started_again(tmp_path: Path) -> None:
    sizes = ("--urls", "4000", "--hosts", "200", "--every", "600")
    said = run("frontier.py", *sizes, "--kill", "--points", f"{tmp_path}/points", "--picture", f"{tmp_path}/picture")
    assert re.search(r"restart after SIGKILL: \d+\.\d\d s until https://www\.site\d+\.com/\S* was due", said)
    assert re.search(r"the last fifth costs \d\.\d\d times as much", said)
    points = json.loads((tmp_path / "points").read_text())
    assert points[-1]["urls"] >= 4_000
    assert all(point["microseconds"] > 0 for point in points)
    lines = ElementTree.parse(tmp_path / "picture").findall(".//*[@class='line line0']")
    assert [len(re.findall(r"[ML]", line.attrib["d"])) for line in lines] == [len(points)] * 2


def test_the_prices_of_an_address_and_of_a_visit_are_told_apart() -> None:
    said = run("frontier.py", "--prices", "1600", "--rounds", "1")
    told = dict(re.findall(r"^(\S.*?) +(\d+\.\d) us$", said, re.MULTILINE))
    assert list(told) == ["out of scope", "excluded", "queued", "visit", "learned", "due when", "dated"]
    assert all(float(price) > 0 for price in told.values())


def test_a_frontier_that_was_cut_off_is_filled_on(tmp_path: Path) -> None:
    kept = ("--hosts", "200", "--every", "600", "--keep", f"{tmp_path}/table", "--points", f"{tmp_path}/points")
    run("frontier.py", "--urls", "1500", "--kill", *kept)
    first = json.loads((tmp_path / "points").read_text())
    run("frontier.py", "--urls", "3500", *kept)
    points = json.loads((tmp_path / "points").read_text())
    assert points[: len(first)] == first
    assert points[-1]["urls"] >= 3_500
    assert points[-1]["visits"] > first[-1]["visits"]
    assert all(point["microseconds"] > 0 for point in points)


def test_the_share_of_allowed_requests_is_told() -> None:
    said = run("politeness.py", "--hosts", "20", "--seconds", "2", "--workers", "20")
    assert re.fullmatch(r"politeness +\d+\.\d% of the \d+ requests that 20 hosts allow in 2 s \(.*\)\n", said)


def test_copies_are_found_by_kind_and_nothing_is_taken_for_one() -> None:
    said = run("copies.py", "--pages", "60")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in said.splitlines() if line.startswith("|")]
    for kind, _, _, recall, _, mistakes, *_ in rows[2:]:
        assert mistakes == "0", kind
        if kind.startswith(("the same", "1 %", "3 %")):
            assert float(recall) >= 0.95, kind
    assert sum(row[0].startswith("template") for row in rows) == 3


def test_the_cost_of_copies_is_told() -> None:
    said = run("duplicates.py", "--sizes", "400", "800").splitlines()
    assert [re.split(r" +\| +", line.strip("| "))[0] for line in said[2:]] == ["400", "800"]
    assert [line.split("|")[-2].strip() for line in said[2:]] == ["0", "0"]


def test_the_cost_of_the_archive_is_told() -> None:
    said = run("archive.py", "--rows", "600")
    writing, size, read = said.splitlines()
    assert re.fullmatch(r"writing      \d+\.\d{3} ms of CPU for a page of 50\.0 KB, digest and rows included", writing)
    assert 1.0 < float(size.split()[1]) < 1.2
    assert re.fullmatch(r"random read  \d+\.\d\d ms \(99 of 100 in \d+\.\d\d\) at 600 rows", read)


def test_the_cost_of_indexing_is_told_beside_the_engine_alone() -> None:
    ours, engine = run("index.py", "--pages", "200").splitlines()
    assert re.match(r"gossamer +[\d,]+ pages for each second of CPU, \d+ us a page of 1[45],\d{3} characters", ours)
    assert engine.startswith("tantivy ")


@pytest.mark.soak
def test_answers_are_timed_for_many_clients() -> None:
    kinds = ["usual", "misspelled", "offset 10,000"]
    chosen = [option for kind in kinds for option in ("--kind", kind)]
    said = run("search.py", "--pages", "120", "--questions", "8", "--shards", "2", "--profile", *chosen)
    for kind in kinds:
        assert re.search(rf"^{kind} +(\d+\.\d +){{6}}median", said, re.MULTILINE)
    assert said.count(" ms texts and snippets\n") == len(kinds)
    assert re.search(r"^cold +\d+\.\d\d s of CPU", said, re.MULTILINE)


@pytest.mark.soak
def test_pages_of_hosts_are_timed_by_each_order() -> None:
    said = run("hosts.py", "--hosts", "300")
    assert len(re.findall(r"^by \w+(?:, with 777 in it)? +(?:\d+ +){5}\d+\.\d\d s$", said, re.MULTILINE)) == 10
    assert re.search(r"^the dashboard +\d+ +\d+ +\d+$", said, re.MULTILINE)


def test_serving_is_timed_alone_and_beside_a_crawl() -> None:
    sizes = ("--pages", "60", "--questions", "8", "--rest", "0.01", "--idle", "0.5", "--crawl", "150", "--phase", "0.1")
    said = run("serve.py", *sizes, "--pairs", "1")
    asked = re.findall(r"^(\d \w+) +median +\d+\.\d ms, 99 of 100 in +\d+\.\d ms", said, re.MULTILINE)
    assert asked == ["1 client", "8 clients", "8 people"]
    assert re.search(r"^idle +\d+\.\d\d% of a core", said, re.MULTILINE)
    assert re.search(r"^beside +a page takes [+-]\d+\.\d% CPU of the crawl where it is watched", said, re.MULTILINE)
    assert re.search(r"^ +the server has \d+\.\d% of a core, \d+\.\d% of what the crawl has", said, re.MULTILINE)


def test_ranks_are_the_same_by_every_way() -> None:
    first, *others = run("ranks.py", "--nodes", "2000", "--arcs", "20000").splitlines()
    assert re.match(r"gossamer +\d+\.\d\d s of CPU", first)
    for line in others:
        assert "not installed" in line or float(line.split()[-4]) < 1e-6, line


@pytest.mark.soak
def test_the_cost_of_checkpoints_is_told() -> None:
    said = run("checkpoints.py", "--pages", "2", "--every", "0.5")
    assert re.findall(r"CPU s per 1,000 pages, +\d+\.\d s \((\d+) pages\)", said) == ["16", "16"]
    assert re.search(r"\d+ checkpoints, \d+\.\d MB travelled", said)


def test_the_past_is_weighed_round_by_round() -> None:
    said = run("past.py", "--pages", "60", "--rounds", "3", "--changed", "0.2", "--questions", "5")
    rounds = re.findall(r"^round \d +60 +([\d,]+) +[\d,]+ +([\d,]+)$", said, re.MULTILINE)
    assert rounds[0] == ("60", "0")
    assert [int(kilobytes) > 0 for _, kilobytes in rounds] == [False, True, True]
    assert len(re.findall(r"^  (?:now|at|over)[a-z ,]+ \d+\.\d\d +\d+\.\d\d$", said, re.MULTILINE)) == 4


def test_a_watch_is_put_beside_other_policies_on_the_same_web(tmp_path: Path) -> None:
    said = run("freshness.py", "--pages", "60", "--days", "6", "--lastmod", "random", "--plot", f"{tmp_path}/picture")
    rows = dict(re.findall(r"^(\w+) +(?:yes|no) +(\d+\.\d)%", said, re.MULTILINE))
    assert list(rows)[:3] == ["best", "watch", "learning"]
    assert float(rows["watch"]) > 10
    lines = ElementTree.parse(tmp_path / "picture").findall(".//*[@class='line line1']")
    assert len(lines) == 2


def test_a_year_of_a_watch_leaves_what_changes(tmp_path: Path) -> None:
    said = run("year.py", "--pages", "5", "--visits", "20", "--days", "2", "--picture", f"{tmp_path}/picture")
    assert re.search(r"^ +0 +0 +0 .* MB .* MB .* MB$", said, re.MULTILINE)
    assert re.search(r"\d\.\d\d ms of CPU a visit", said)
    assert len(ElementTree.parse(tmp_path / "picture").findall(".//*[@class='line line0']")) == 2
