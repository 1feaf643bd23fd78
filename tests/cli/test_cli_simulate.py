"""`gossamer simulate`: a table and a picture of what a budget would keep fresh, and messages that help."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import gossamer
from documentation import ROOT, blocks, page, steps
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.freshness.simulation import Plan, read
from gossamer.freshness.simulation.run import POLICIES
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

TINY = "pages = 300\nbudget = 150\ndays = 6\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(TINY)
    return path


def test_a_table_has_a_row_for_each_policy(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(plan)]) == 0
    about, head, *rows = capsys.readouterr().out.splitlines()
    assert about == (
        "300 pages, 150 visits a day, for age; days 4 to 6, by importance; `learning` is what `gossamer watch` does:"
    )
    assert head.split("  ")[0] == "policy"
    assert tuple(row.split()[0] for row in rows) == POLICIES
    assert "1.00 x" in rows[0]


def test_json_has_the_plan_and_every_day(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(plan), "--json", "--budget", "60", "--goal", "freshness"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["plan"]["pages"], told["plan"]["budget"], told["plan"]["goal"]) == (300, 60, "freshness")
    assert told["assumed"] == []
    assert [each["policy"] for each in told["policies"]] == list(POLICIES)
    for each in told["policies"]:
        assert len(each["fresh_by_day"]) == len(each["age_by_day"]) == 6
        assert 0 < each["freshness"] < 1
        assert each["age"] > 0


def test_the_picture_has_a_line_and_a_name_for_each_policy(plan: Path, tmp_path: Path) -> None:
    assert main(["simulate", str(plan), "--plot", str(tmp_path / "plan.svg")]) == 0
    assert drawn(tmp_path / "plan.svg") == 2 * list(POLICIES)


@pytest.mark.soak
def test_the_figures_in_the_documentation_are_those_of_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nearly: one bit more or less in a logarithm, as of another processor, is another course of visits by chance."""
    monkeypatch.chdir(tmp_path)
    found = [step for block in blocks(page("docs/freshness.md"), "console") for step in steps(block)]
    assert len(found) == 3
    for step in found:
        words, _, file = step.command.partition(" > ")
        assert main(words.split()[1:]) == 0
        said = capsys.readouterr().out
        if file:
            Path(file).write_text(said)
            continue
        head, *rows = [line.split() for line in step.printed.strip().splitlines()]
        again, *told = [line.split() for line in said.strip().splitlines()]
        assert (head, rows[0]) == (again, told[0])
        assert [row[:2] for row in rows] == [row[:2] for row in told]
        for row, other in zip(rows[1:], told[1:], strict=True):
            assert float(row[2].rstrip("%")) == pytest.approx(float(other[2].rstrip("%")), abs=1.0)
            assert float(row[3]) == pytest.approx(float(other[3]), rel=0.25, abs=0.02)
    assert drawn(tmp_path / "freshness.svg") == 2 * list(POLICIES)


def test_the_picture_in_the_documentation_is_one_of_these() -> None:
    assert drawn(ROOT / "docs" / "pictures" / "freshness.svg") == 2 * list(POLICIES)


def drawn(path: Path) -> list[str]:
    """What the lines of a picture are called, where each has its name beside it too."""
    picture = ElementTree.fromstring(path.read_text())
    words = [text.text for text in picture.iter(f"{SVG}text")]
    lines = [path for path in picture.iter(f"{SVG}path") if "line" in path.get("class", "")]
    names = [str(line.findtext(f"{SVG}title")) for line in lines]
    assert set(names) <= set(words)
    assert all(line.get("d", "").count("L") > 3 for line in lines)
    return names


def test_the_example_is_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--example"]) == 0
    assert read(capsys.readouterr().out, "example") == Plan()


def test_a_collection_has_its_own_pages_and_says_what_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=1, pages=12), clock=clock)
    with gossamer.open(tmp_path / "my-web") as collection:
        pages = clock.run(collection.crawl_async(web.seed, outside=Outside(clock, web.fetch))).pages
    assert pages > 1
    assert main(["simulate", str(tmp_path / "my-web")]) == 0
    first, second, about, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("assumed, as it is not known: half of the pages change")
    assert second.startswith("assumed: ")
    assert "--budget" in second
    assert about.startswith(f"{pages} pages, ")
    assert main(["simulate", str(tmp_path / "my-web"), "--budget", "72/day"]) == 0
    assert "72 visits a day" in capsys.readouterr().out
    clock.run(watched(tmp_path / "my-web", Outside(clock, web.fetch)))
    assert main(["simulate", str(tmp_path / "my-web"), "--budget", "3/hour"]) == 0
    first, about, *_ = capsys.readouterr().out.splitlines()
    assert first == (
        f"assumed: a few pages matter much more than the rest; how often they change is known by the visits of {pages}"
    )
    assert "72 visits a day" in about


async def watched(folder: Path, outside: Outside) -> None:
    """For a minute."""
    with gossamer.open(folder) as collection:
        await collection.crawl_async(outside=outside, keep_fresh=True, time=60.0)


@pytest.mark.parametrize(
    ("words", "code", "cure"),
    [
        ([], 2, "`gossamer simulate --example > plan.toml`"),
        (["nothing.toml"], 2, "there is no such plan or collection"),
        (["."], 3, ""),
        (["bad.toml"], 2, "bad.toml: pages = -1: it is 1 or more"),
        (["bytes.toml"], 2, "cannot be read as a plan"),
        (["plan.toml", "--plot", "no/such/place.svg"], 2, "cannot be written"),
        (["plan.toml", "--plot", "./plan.toml"], 2, "is the plan, and a picture would take its place"),
        (["plan.toml", "--budget", "2000m"], 2, "--budget is 2e+09 visits a day; it is at most 1,000,000,000"),
        (["many.toml"], 2, "many.toml: budget = 1e+300: it is more than 0 and at most 1,000,000,000"),
    ],
)
def test_what_is_wrong_is_said_with_its_cure(
    words: list[str],
    code: int,
    cure: str,
    plan: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(plan.parent)
    Path("bad.toml").write_text("pages = -1")
    Path("many.toml").write_text("budget = 1e300")
    Path("bytes.toml").write_bytes(b"\xff\xfe")
    assert main(["simulate", *words]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert cure in said.err
    assert said.err.count("\n") == 1
