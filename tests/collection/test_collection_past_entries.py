"""Which entries of a page are wrong, and which does it lack? As the rule says, and without comparing all with all."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest

from gossamer.collection.derive.past import compared
from gossamer.collection.derive.spans import Span, Told, spans
from gossamer.index.entry import Shown, TextSpan, milliseconds
from gossamer.model import Kind
from gossamer.store.versions import TextPlace, Version, place_of


def told(moment: float, identity: object) -> Told:
    return Told(Version(moment, 200, Kind.PAGE, "text/html", None, "", 0, "", "f", 0, 0, "r"), identity)


def entry(since: int, until: int | None, wording: int) -> TextSpan:
    place = TextPlace("t", 0, 0, 0, 0, "r", 0, wording)
    shown = Shown("http://a.example/", "", "a.example", None, 0.0, msgspec.msgpack.encode(place))
    return TextSpan(since * 1_000, None if until is None else until * 1_000, shown)


def by_the_rule(line: Sequence[Told], known: Sequence[TextSpan]) -> tuple[list[TextSpan], list[Span]]:
    """An entry is right if it has a version with its text in its time, and none with another."""

    def within(version: Version, each: TextSpan) -> bool:
        moment = milliseconds(version.began)
        return each.since <= moment and (each.until is None or moment < each.until)

    def is_right(each: TextSpan) -> bool:
        met = {identity for version, identity in line if within(version, each)}
        return met == {place_of(each.shown.text).identity}

    right = [each for each in known if is_right(each)]
    lacking = [
        span
        for span in spans(line)
        if span.until is not None and not all(any(within(version, each) for each in right) for version in span.versions)
    ]
    replaced = [each for each in right if any(within(version, each) for span in lacking for version in span.versions)]
    return [each for each in known if each not in right or each in replaced], lacking


@pytest.mark.parametrize("seed", range(300))
def test_entries_are_wrong_or_lacking_by_the_rule(seed: int) -> None:
    draw = random.Random(seed)
    line = [told(moment, draw.choice([None, 1, 1, 2, 3])) for moment in sorted(draw.sample(range(30), 12))]
    known = [
        entry(draw.randrange(30), draw.choice([None, *range(0, 34, 3)]), draw.choice([1, 1, 2, 3]))
        for _ in range(draw.randrange(8))
    ]
    known += [
        entry(int(span.since), None if span.until is None else int(span.until), span.versions[0].size or 1)
        for span in spans(line)[:: draw.choice([1, 2, 3])]
    ]
    assert compared(line, known) == by_the_rule(line, known)


class Counted:
    """What a version says, that counts how often it is looked at."""

    looks = 0

    def __init__(self, wording: int) -> None:
        self._wording = wording

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return self._wording == (other._wording if isinstance(other, Counted) else other)

    def __hash__(self) -> int:
        Counted.looks += 1
        return hash(self._wording)


def test_a_page_with_thousands_of_versions_is_looked_at_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 2_000
    asked = 0

    def counted(moment: float) -> int:
        nonlocal asked
        asked += 1
        return milliseconds(moment)

    monkeypatch.setattr("gossamer.collection.derive.past.milliseconds", counted)
    line = [told(moment, Counted(1 + moment // 2)) for moment in range(many)]
    known = [entry(moment, moment + 2, 1 + moment // 2) for moment in range(0, many, 2)]
    Counted.looks = 0
    wrong, lacking = compared(line, known)
    assert (wrong, lacking) == ([], [])
    assert asked <= 3 * many
    assert Counted.looks <= 5 * many
