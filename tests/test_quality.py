"""The table of `make quality`: its scores are those of the sets, and what is not there is told, not fatal."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

QUALITY = Path(__file__).resolve().parents[1] / "quality"


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a module of the folder."""
    monkeypatch.syspath_prepend(str(QUALITY))

    def load(name: str) -> Any:
        return runpy.run_path(str(QUALITY / f"{name}.py"))

    return load


def test_the_robots_rows_are_printed_with_target_and_others() -> None:
    command = [sys.executable, str(QUALITY / "run.py"), "robots", "sitemaps"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("what ")
    last = done.stdout.splitlines()[-1]
    assert last in ("4 met, 0 missed, 0 not measured", "0 met, 0 missed, 2 not measured")


def test_an_unknown_part_is_told() -> None:
    done = subprocess.run(
        [sys.executable, str(QUALITY / "run.py"), "nonsense"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there are content, documents" in done.stderr


def test_a_part_that_breaks_or_has_no_material_is_a_row_and_stops_no_other(part: Any) -> None:
    run = part("run")

    def broken() -> Any:
        raise RuntimeError("on purpose")

    def missing() -> Any:
        raise run["Missing"]("not beside the project")

    run["PARTS"].update(content=broken, robots=missing)
    broke, absent = run["measured"](["content", "robots"])
    assert broke.cells()[-1] == "failed: RuntimeError('on purpose')"
    assert absent.cells() == ("robots", "-", "", "-", "not beside the project")


def test_targets_are_met_from_the_right_side(part: Any) -> None:
    table = part("table")
    best, worse = (
        table["counted"]("sitemaps: crawler-commons", 15, 15),
        table["counted"]("sitemaps: crawler-commons", 14, 15),
    )
    assert (best.met, worse.met) == (True, False)
    assert worse.cells()[1:4] == ("14/15", ">= 15", "MISSED")
    assert table["counted"]("encodings: chardet-corpus", 194, 203).met
    assert not table["counted"]("encodings: chardet-corpus", 190, 203).met
    slow = table["milliseconds"]("language: ms a text", 0.2)
    assert (slow.met, slow.shown) == (False, "0.20")
    failed = table["failures"]("content: pages left empty", ["a", "b"])
    assert (failed.met, failed.shown, failed.remarks) == (False, "2", ("a", "b"))


def test_words_are_scored_as_often_as_they_stand_there(part: Any) -> None:
    f1 = part("pages")["_f1"]
    case = {"gold_text": "One two two three"}
    assert f1([case], ["one two two three"]) == 1.0
    assert f1([case], ["one two"]) == pytest.approx(2 / 3)
    assert f1([case], ["one two two three four four four four"]) == pytest.approx(2 / 3)
    assert f1([case, case], ["", "one two two three"]) == pytest.approx(0.5)


def test_shingles_of_four_words_are_scored_by_their_mean_precision_and_recall(part: Any) -> None:
    f1 = part("pages")["_f1"]
    whole, empty = {"articleBody": "a b c d e"}, {"articleBody": ""}
    assert f1([whole], ["a b c d e"]) == 1.0
    assert f1([whole], ["a b c d"]) == pytest.approx(2 * 1.0 * 0.5 / 1.5)
    assert f1([empty], [""]) == 1.0
    assert f1([whole, whole], ["a b c d e", ""]) == pytest.approx(0.5)


def test_segments_are_scored_over_all_pages_together(part: Any) -> None:
    f1 = part("pages")["_f1"]
    cases = [{"with": ["good  words", "missing"], "without": ["menu"]}, {"with": ["more"], "without": []}]
    precision, recall = 2 / 3, 2 / 3
    assert f1(cases, ["menu good\nwords", "and more"]) == pytest.approx(2 * precision * recall / (precision + recall))


def test_a_string_is_found_whatever_stands_between_its_words(part: Any) -> None:
    stands_in = part("documents")["_stands_in"]
    assert stands_in("two  words", "here are two\nwords")
    assert stands_in("two words", "here are **two** words")
    assert not stands_in("two words", "here are two other words")
