"""Floors of quality, at default settings: what was reached once is not lost again."""

from __future__ import annotations

from pathlib import Path

import answers
import pytest

from harness.seldom import seldom
from reference import reference


@pytest.mark.parametrize(("name", "least"), seldom([("ir-vaswani", 0.285), ("ir-cranfield", 0.315)], 2))
def test_answers_are_better_than_those_of_plain_engines(tmp_path: Path, name: str, least: float) -> None:
    reference(name)
    judged = answers.judged(name)
    ours = answers.ours(judged, tmp_path / "ours").average_precision
    (tmp_path / "plain").mkdir()
    assert ours >= least
    assert ours > answers.by_tantivy(judged, tmp_path / "plain").average_precision
    library = answers.by_bm25s(judged)
    assert library is None or ours > library.average_precision


def test_long_pasted_questions_do_not_fall_apart(tmp_path: Path) -> None:
    reference("ir-cranfield")
    judged = answers.pasted(answers.judged("ir-cranfield"), most=15)
    assert all(len(text.split()) > 60 for text in judged.questions.values())
    (tmp_path / "plain").mkdir()
    ours = answers.ours(judged, tmp_path / "ours").average_precision
    assert ours > 1.05 * answers.by_tantivy(judged, tmp_path / "plain").average_precision


def test_what_others_say_of_pages_finds_authorities_among_farms() -> None:
    with_links, without = answers.on_planted_web()
    assert with_links > 0.45
    assert with_links > 2 * without
