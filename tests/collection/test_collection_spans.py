"""From when to when a page said what: a moment at which it changed belongs to what it says from then on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection.ask.history import saying
from gossamer.collection.derive import spans as module
from gossamer.collection.derive.spans import Span, Told, since, spans
from gossamer.collection.documents import moment
from gossamer.model import Kind


def version(began: float, text: str | None = "a", status: int = 200, kind: Kind = Kind.PAGE) -> Any:
    return SimpleNamespace(began=began, text=text, status=status, kind=kind)


def test_a_text_lasts_from_the_first_that_has_it_to_the_first_that_has_not() -> None:
    told = [Told(version(began, text), text) for began, text in ((1, "a"), (2, "a"), (3, None), (4, "b"), (5, "a"))]
    assert [(each.since, each.until, len(each.versions)) for each in spans(told)] == [
        (1, 3, 2),
        (4, 5, 1),
        (5, None, 1),
    ]
    assert spans([]) == []


@pytest.mark.parametrize(
    ("earlier", "at"),
    [
        ([], 9.0),
        ([version(8), version(7)], 7.0),
        ([version(8), version(7, "b"), version(6)], 8.0),
        ([version(8, status=304), version(7)], 7.0),
        ([version(8, "b", kind=Kind.ROBOTS), version(7)], 7.0),
    ],
)
def test_a_text_was_first_seen_where_its_row_of_captures_begins(
    earlier: list[Any], at: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_identity", lambda archive, each: each.text)
    archive: Any = SimpleNamespace(versions=SimpleNamespace(of=lambda url, until: iter([version(9.0), *earlier])))
    assert since(archive, "http://a.test/", version(9.0)) == at
    assert since(archive, "http://a.test/", version(9.0, None)) == 9.0


@pytest.mark.parametrize(
    ("seconds", "status", "says"),
    [(0.9, 200, False), (1, 200, True), (1.999, 200, True), (2, 200, False), (5, 200, True), (5, 404, False)],
)
def test_the_moment_at_which_a_text_ends_is_not_of_it(seconds: float, status: int, says: bool) -> None:
    edition: Any = SimpleNamespace(status=status, fetched=moment(seconds))
    assert bool(saying([edition], [Span(1, 2, ()), Span(5, None, ())])) == says
