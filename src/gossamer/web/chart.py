"""Lines over time and bars, as SVG that takes its colours from the style sheet and can be read as text."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, floor, log10

from markupsafe import Markup

from gossamer.printable import span
from gossamer.web.templating import exact, number, relative

WIDTH, HEIGHT = 380, 180
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 22, 24
STEPS = 4
LETTER = 7
"""About how wide a letter is."""
GAP = 6
"""Between a level and what it is called."""
NOW = 90
"""Seconds: what was sampled since is now. A sample is for a minute."""
CLASSES = ("one", "two", "three")
BAR = 22
"""How high a bar is, with what is between two."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A name and a value for each moment."""

    name: str
    values: Sequence[float]


def chart(
    title: str,
    moments: Sequence[float],
    curves: Sequence[Curve],
    written: Callable[[float], str],
    gaps: Collection[int] = (),
) -> Markup:
    """Curves over the same moments, from zero on; `written` says what a value is called. Before the moments with the
    numbers of `gaps` nothing is known for a while, and no line is drawn. Nothing where there is too little to draw."""
    if len(moments) < 2:
        return Markup("")
    top = _round_up(max((max(curve.values, default=0.0) for curve in curves), default=0.0))
    first, last = moments[0], moments[-1]
    levels = [(value, written(value)) for value in (top * step / STEPS for step in range(STEPS + 1))]
    left = max(LEFT, GAP + LETTER * max(len(words) for _, words in levels))

    def across(moment: float) -> float:
        return left + (WIDTH - left - RIGHT) * (moment - first) / max(last - first, 1e-9)

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top

    lines = [_level(left, up(value), words) for value, words in levels]
    for curve, kind in zip(curves, CLASSES, strict=False):
        points = [f"{across(m):.1f},{up(v):.1f}" for m, v in zip(moments, curve.values, strict=True)]
        told = f"{curve.name}: {written(curve.values[-1])} at last"
        lines += [_line(kind, part, told) for part in _parts(points, gaps)]
    if len(curves) > 1:
        lines += _key([curve.name for curve in curves])
    lines += [
        _moment(left, "start", first, _begun(first, last)),
        _moment(WIDTH - RIGHT, "end", last, _called(last)),
    ]
    said = f"{title}, {exact(first)} to {exact(last)}: " + "; ".join(
        f"{curve.name} from {written(curve.values[0])} to {written(curve.values[-1])}" for curve in curves
    )
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, said, Markup("").join(lines)
    )


def _line(kind: str, points: Sequence[str], told: str) -> Markup:
    drawn = Markup('<polyline class="{}" points="{}"><title>{}</title></polyline>')
    return drawn.format(f"{kind} alone" if len({*points}) == 1 else kind, " ".join(points), told)


def _parts(points: Sequence[str], gaps: Collection[int]) -> Iterator[Sequence[str]]:
    """The points between two gaps; one alone is a line to itself, which is seen as a dot."""
    edges = [0, *sorted(each for each in gaps if 0 < each < len(points)), len(points)]
    for begin, end in pairwise(edges):
        yield points[begin:end] if end - begin > 1 else [points[begin], points[begin]]


def bars(title: str, counts: Mapping[str, int]) -> Markup:
    """A bar for each, one below the other, as long as its number is large. All are as wide as the longest."""
    most = max([1, *counts.values()])
    left = min(max((len(name) for name in counts), default=0) * LETTER + 8, WIDTH // 2)
    room = WIDTH - left - max((len(number(count)) for count in counts.values()), default=0) * LETTER - 8
    drawn = [
        _bar(place * BAR, left, room * count / most, name, number(count))
        for place, (name, count) in enumerate(counts.items())
    ]
    said = f"{title}: " + "; ".join(f"{name}: {number(count)}" for name, count in counts.items())
    return Markup('<svg class="chart bars" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, max(len(counts), 1) * BAR, said, Markup("").join(drawn)
    )


def _bar(top: int, left: int, length: float, name: str, count: str) -> Markup:
    line = top + BAR - 8
    return (
        Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(left - 8, line, name)
        + Markup('<rect x="{}" y="{}" width="{:.1f}" height="{}"/>').format(left, top + 3, max(length, 1.0), BAR - 8)
        + Markup('<text x="{:.1f}" y="{}">{}</text>').format(left + max(length, 1.0) + 6, line, count)
    )


def _key(names: Sequence[str]) -> list[Markup]:
    """What the colours mean."""
    places = accumulate((len(name) * LETTER + 28 for name in names[:-1]), initial=LEFT)
    mark = Markup('<line class="{}" x1="{}" x2="{}" y1="8" y2="8"/><text x="{}" y="12">{}</text>')
    each = zip(names, CLASSES, places, strict=False)
    return [mark.format(kind, place, place + 12, place + 16, name) for name, kind, place in each]


def _level(left: float, height: float, words: str) -> Markup:
    axis = Markup('<line class="axis" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>')
    label = Markup('<text x="{}" y="{:.1f}" text-anchor="end">{}</text>')
    return axis.format(left, WIDTH - RIGHT, height, height) + label.format(left - GAP, height + 4, words)


def _moment(place: int, anchor: str, moment: float, called: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}<title>{}</title></text>').format(
        place, HEIGHT - 6, anchor, called, exact(moment)
    )


def _begun(first: float, last: float) -> str:
    """What the first moment is called; where that is what the last is called too, how long before it was."""
    called = _called(first)
    return called if called != _called(last) else f"{span(last - first)} earlier"


def _called(moment: float) -> str:
    return "now" if abs(time.time() - moment) < NOW else relative(moment)


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8, 10 and their tens."""
    if value <= 0:
        return 1.0
    scale = 10.0 ** floor(log10(value))
    return next((step * scale for step in (1, 2, 4, 5, 8, 10) if step * scale >= value), ceil(value))
