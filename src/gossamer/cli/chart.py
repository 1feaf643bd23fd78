"""Pictures of lines, as SVG: of the ranks of pages, for one. Legible on light and on dark ground, readable as text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import accumulate
from math import ceil, floor, log10

import numpy as np

from gossamer.collection.derive.graphs import Graph

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 44, 48
KEY = 104
"""How wide the key is, beside lines that are too many to be named above them."""
FEW = 2
COLOURS = (
    ("#0969da", "#58a6ff"),
    ("#bc4c00", "#f0883e"),
    ("#1a7f37", "#3fb950"),
    ("#8250df", "#bc8cff"),
    ("#57606a", "#8b949e"),
    ("#cf222e", "#ff7b72"),
    ("#9a6700", "#d29922"),
)
"""On light and on dark ground; more lines than there are colours begin again with the first."""


def _style() -> str:
    light, dark = (
        " ".join(
            f".line{number} {{ stroke: {pair[ground]} }} .key{number} {{ fill: {pair[ground]} }}"
            for number, pair in enumerate(COLOURS)
        )
        for ground in (0, 1)
    )
    return f"""
  .ground {{ fill: #ffffff }} text {{ font: 12px sans-serif; fill: #24292f }}
  .title {{ font-weight: bold; font-size: 13px }} .grid {{ stroke: #d0d7de }} .axis {{ stroke: #57606a }}
  .line {{ fill: none; stroke-width: 2; stroke-linejoin: round }}
  {light}
  @media (prefers-color-scheme: dark) {{
    .ground {{ fill: #0d1117 }} text {{ fill: #e6edf3 }} .grid {{ stroke: #30363d }} .axis {{ stroke: #8b949e }}
    {dark}
  }}
"""


POINTS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A name and the points it goes through."""

    name: str
    across: list[float]
    up: list[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over the same two axes."""

    title: str
    across: str
    """What is along the lower axis, like the next along the other."""
    unit: str
    lines: list[Line]
    least: float = 0.0
    """Where the upper axis begins."""

    @property
    def width(self) -> int:
        """With its key, if that is beside it."""
        return WIDTH + KEY * (len(self.lines) > FEW)


def draw(*panels: Panel) -> str:
    """The panels side by side."""
    *places, width = accumulate((panel.width for panel in panels), initial=0)
    drawn = "\n".join(
        f'<g transform="translate({place} 0)">\n{_panel(panel)}\n</g>'
        for place, panel in zip(places, panels, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
        f' role="img">\n<title>{escape("; ".join(panel.title for panel in panels))}</title>\n'
        f'<style>{_style()}</style>\n<rect class="ground" width="{width}" height="{HEIGHT}"/>\n{drawn}\n</svg>\n'
    )


def ticks(most: float) -> list[float]:
    """From zero, in steps of 1, 2 or 5 times a power of ten, to at least `most`."""
    rough = (most or 1.0) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= rough)
    return [step * number for number in range(ceil((most or 1.0) / step) + 1)]


def _panel(panel: Panel) -> str:
    steps_across = ticks(max(x for line in panel.lines for x in line.across))
    steps_up = [panel.least + step for step in ticks(max(y for line in panel.lines for y in line.up) - panel.least)]
    right, low = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(value: float) -> float:
        return round(LEFT + value / steps_across[-1] * (right - LEFT), 1)

    def y(value: float) -> float:
        return round(low - (value - steps_up[0]) / (steps_up[-1] - steps_up[0]) * (low - TOP), 1)

    parts = [
        f'<text class="title" x="{LEFT}" y="18">{escape(panel.title)}</text>',
        f'<text text-anchor="middle" x="{(LEFT + right) / 2}" y="{HEIGHT - 10}">{escape(panel.across)}</text>',
        f'<text text-anchor="middle" transform="translate(14 {(TOP + low) / 2}) rotate(-90)">{panel.unit}</text>',
    ]
    for step in steps_up:
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y(step)}" y2="{y(step)}"/>')
        parts.append(f'<text text-anchor="end" x="{LEFT - 6}" y="{y(step) + 4}">{step:,g}</text>')
    for step in steps_across:
        parts.append(f'<line class="axis" x1="{x(step)}" x2="{x(step)}" y1="{low}" y2="{low + 4}"/>')
        parts.append(f'<text text-anchor="middle" x="{x(step)}" y="{low + 18}">{step:,g}</text>')
    parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{low}H{right}"/>')
    for number, line in enumerate(panel.lines):
        path = "L".join(f"{x(a)} {y(b)}" for a, b in zip(line.across, line.up, strict=True))
        colour = number % len(COLOURS)
        parts.append(f'<path class="line line{colour}" d="M{path}"><title>{escape(line.name)}</title></path>')
        across, up = (LEFT + 8, TOP - 10 + 14 * number) if len(panel.lines) <= FEW else (right + 12, TOP + 18 * number)
        parts.append(f'<text class="key{colour}" x="{across}" y="{up}">{escape(line.name)}</text>')
    return "\n".join(parts)


def of_ranks(graph: Graph) -> str:
    """How rank is shared out, and how many of its digits stood still after each sweep."""
    values = np.sort(np.asarray(graph.values))[::-1]
    reached = np.concatenate(([0.0], np.cumsum(values))) / max(float(values.sum()), 1e-300)
    places = np.unique(np.linspace(0, len(values), POINTS + 1).astype(int))
    share = Line("all pages", (100 * places / max(len(values), 1)).tolist(), (100 * reached[places]).tolist())
    digits = [max(0.0, -log10(max(change, 1e-300))) for change in graph.changes]
    settled = Line("all pages together", [float(sweep) for sweep in range(1, len(digits) + 1)], digits)
    return draw(
        Panel("how rank is shared out", "per cent of the pages, the best first", "per cent of all rank", [share]),
        Panel("how it was found", "sweeps", "digits that stand still", [settled]),
    )
