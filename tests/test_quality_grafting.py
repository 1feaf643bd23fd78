"""Pages that are made to learn from: the text of one page in the frame of another, and labels that go with it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer.convert.content.blocks import split
from gossamer.convert.html.outline import SCORED, by_tree

FRAME = "<nav class=top><p>Home<p>News</nav>{}<footer class='end of page'><p>Imprint<p>Terms<p>Help</footer>"
OTHER = "<table><tr><td>Menu<td>{}<p>Comments</table>"
OWN = "<div id=own><p>kept first<p>kept too</div>"
TEXT = "<div class=text><h2>A kept heading</h2><p class=lead>kept words, and<br>kept more <b id=x>in bold</b></div>"


@pytest.fixture
def grafting(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1] / "quality"))
    return importlib.import_module("grafting")


def lesson_of(grafting: Any, page: str) -> Any:
    """Blocks with the word "kept" are content."""
    alignment = importlib.import_module("alignment")
    outline = by_tree(page.encode())
    assert outline is not None
    texts = alignment.block_texts(outline, split(outline))
    targets = np.array([float("kept" in text) for text in texts])
    tokens = np.array([float(len(text.split())) for text in texts])
    labels = alignment.Labels(tokens, tokens * targets, targets, float(tokens @ targets))
    return grafting.Lesson(outline, labels, targets)


def same(one: Any, other: Any) -> bool:
    arrays = [(*each.outline[:SCORED], *vars(each.labels).values(), each.soft) for each in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*arrays, strict=True))


def test_content_in_another_frame_is_as_if_it_had_been_written_there(grafting: Any) -> None:
    frame, other = (lesson_of(grafting, page) for page in (FRAME.format(OWN), OTHER.format(TEXT)))
    made = grafting.grafted(frame, grafting.content_of(frame), other, grafting.content_of(other))
    assert same(made, lesson_of(grafting, FRAME.format(TEXT)))


def test_a_frame_loses_parts_without_content_and_nothing_else(grafting: Any) -> None:
    page, less = (
        lesson_of(grafting, FRAME.format(OWN)),
        lesson_of(grafting, FRAME[: FRAME.index("<footer")].format(OWN)),
    )
    found = [grafting.thinned(page, np.random.default_rng(seed)) for seed in range(12)]
    assert all(same(each, page) or same(each, less) for each in found)
    assert {same(each, less) for each in found} == {True, False}


def test_a_part_is_kept_where_text_around_it_would_flow_together(grafting: Any) -> None:
    page = lesson_of(grafting, "<p>kept words<p>kept<p>kept<p>kept<div>One<div><p>a<p>b<p>c</div>two</div>")
    for seed in range(12):
        assert same(grafting.thinned(page, np.random.default_rng(seed)), page)


def test_a_page_that_is_all_content_has_no_frame(grafting: Any) -> None:
    assert grafting.content_of(lesson_of(grafting, "<p>kept one<p>kept two")) is None
    assert grafting.content_of(lesson_of(grafting, "<p>nothing<p>of it")) is None
