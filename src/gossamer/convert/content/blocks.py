"""Blocks: what stands between two ends of lines is one, whatever flows in it. They are what is kept or left out.

A block belongs to its `top`, the innermost element that begins a line. Around it are its containers: the ancestors
that hold more blocks than the one before, so that wrappers of a single thing do not count. A container is a range of
blocks, since everything is in document order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.outline import NUMBER, TAGS, Outline

Ints = NDArray[np.int32]

_BREAKING = """
    address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option
    p pre search section select summary table tbody td tfoot th thead tr ul
"""
BREAKS = np.zeros(len(TAGS), np.bool_)
"""By the number of a tag: it begins a line and ends one; see `convert.text`."""
BREAKS[[NUMBER[name] for name in _BREAKING.split()]] = True
HEADINGS = np.isin(np.arange(len(TAGS)), [NUMBER[f"h{level}"] for level in range(1, 7)])
"""The same for headings."""
LINKS = np.arange(len(TAGS)) == NUMBER["a"]


class Blocks(NamedTuple):
    """The blocks of an outline: m runs are B blocks."""

    numbers: Ints
    """[m] the block of a run."""
    firsts: Ints
    """[B] its first run."""
    tops: Ints
    """[B] the innermost element around it that begins a line."""


class Ranges(NamedTuple):
    """For each of n elements the blocks that stand in it."""

    firsts: Ints
    """[n] the first of them."""
    counts: Ints
    """[n] how many."""
    ups: Ints
    """[n] the nearest ancestor with more of them; the body where there is none."""


def split(outline: Outline) -> Blocks:
    """The blocks of a page."""
    breaks = BREAKS[outline.tags]
    opened = np.cumsum(breaks, dtype=np.int32)[outline.befores - 1]
    tops = _tops(outline, breaks)[outline.owners]
    begins = np.ones(len(tops), np.bool_)
    begins[1:] = (tops[1:] != tops[:-1]) | (opened[1:] != opened[:-1])
    firsts = np.flatnonzero(begins).astype(np.int32)
    return Blocks(np.cumsum(begins, dtype=np.int32) - 1, firsts, tops[firsts])


def ranges(outline: Outline, blocks: Blocks) -> Ranges:
    """Which blocks stand in which element."""
    size = len(outline.tags)
    runs = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(outline.owners, minlength=size), out=runs[1:])
    run_counts = runs[outline.ends] - runs[:-1]
    first_runs = np.searchsorted(outline.befores, np.arange(1, size + 1, dtype=np.int32)).astype(np.int32)
    numbers = np.append(blocks.numbers, np.int32(len(blocks.firsts)))
    firsts = numbers[first_runs]
    counts = np.where(run_counts > 0, numbers[first_runs + run_counts - 1] + 1 - firsts, 0).astype(np.int32)
    return Ranges(firsts, counts, _ups(outline.parents, counts))


def standing_in(outline: Outline, tags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which runs stand in an element whose tag is among some, given by the number of a tag."""
    return standing_within(outline, np.flatnonzero(tags[outline.tags]))


def standing_within(outline: Outline, chosen: NDArray[np.int_] | Ints) -> NDArray[np.bool_]:
    """Which runs stand in one of some elements."""
    size = len(outline.tags)
    steps = np.bincount(chosen, minlength=size + 1) - np.bincount(outline.ends[chosen], minlength=size + 1)
    inside: NDArray[np.bool_] = np.cumsum(steps)[outline.owners] > 0
    return inside


def among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of some numbers are among others, which are in order. NumPy's own takes three times as long for a page."""
    if not len(known):
        return np.zeros(len(values), np.bool_)
    found: NDArray[np.bool_] = known.take(known.searchsorted(values), mode="clip") == values
    return found


def _tops(outline: Outline, breaks: NDArray[np.bool_]) -> Ints:
    """For each element the block it is or stands in, by jumping ever farther up."""
    tops = np.where(breaks, np.arange(len(breaks), dtype=np.int32), outline.parents)
    while not np.array_equal(further := tops[tops], tops):
        tops = further
    return tops


def _ups(parents: Ints, counts: Ints) -> Ints:
    ups = parents.copy()
    ups[0] = 0
    while np.any(same := (counts[ups] == counts) & (ups > 0)):
        ups = np.where(same, ups[ups], ups)
    return ups
