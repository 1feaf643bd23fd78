"""Pages that nobody wrote: the content of one page in the frame of another, and frames with parts left out.

A few hundred sites are few frames. What is learned from pages whose content and frame never met before is what makes
content content wherever it stands. Subtrees of an outline are slices, so that one is put in the place of another by
joining arrays; blocks begin and end with the elements that are exchanged, and so the labels are joined likewise.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from alignment import Labels
from lessons import Lesson, Sample
from numpy.typing import NDArray

from gossamer.convert.content.blocks import BREAKS, Blocks, Ints, split
from gossamer.convert.html.outline import Outline

_NEARLY_ALL = 0.93
"""The share of the content that a container must hold to stand for it."""
_THINNED = 0.7
"""The share of pages that lose parts of their frame, and how many they lose at most."""
_PARTS_MOST = 3
_PART_LEAST = 3
"""Blocks."""
Floats = NDArray[np.float64]
Anything = TypeVar("Anything", bound=NDArray[Any])
Slice = tuple[int, int]
"""From the first to one past the last."""


class Part(NamedTuple):
    """The subtree of an element: the elements, runs and blocks in it."""

    elements: Slice
    runs: Slice
    blocks: Slice

    @property
    def nothing(self) -> Part:
        """What takes its place when it is left out."""
        return Part(*((first, first) for first, _ in self))


def made(samples: Sequence[Sample], random: np.random.Generator) -> Iterator[Lesson | None]:
    """For each page one in its frame, with the content of a page of the same kind; None where there is no such."""
    lessons = [Lesson(sample.outline, sample.labels, sample.soft) for sample in samples]
    parts = [content_of(lesson) for lesson in lessons]
    alike = collections.defaultdict(list)
    for number, (sample, part) in enumerate(zip(samples, parts, strict=True)):
        if part is not None:
            alike[sample.origin.habit, sample.origin.kind].append(number)
    for sample, lesson, part in zip(samples, lessons, parts, strict=True):
        origin = sample.origin
        others = [number for number in alike[origin.habit, origin.kind] if samples[number].origin.site != origin.site]
        other = random.choice(others) if part is not None and others else None
        whole = None if other is None else grafted(lesson, part, lessons[other], parts[other])
        yield thinned(whole, random) if whole is not None and random.random() < _THINNED else whole


def grafted(frame: Lesson, gap: Part, other: Lesson, graft: Part) -> Lesson:
    """A page with one of its parts replaced by that of another page."""
    labels, others = frame.labels, other.labels
    matched = _joined(labels.matched, gap.blocks, others.matched, graft.blocks)
    return Lesson(
        _outline(frame.outline, gap, other.outline, graft),
        Labels(
            _joined(labels.tokens, gap.blocks, others.tokens, graft.blocks),
            matched,
            _joined(labels.targets, gap.blocks, others.targets, graft.blocks),
            float(matched.sum()) if labels.wanted else 0.0,
        ),
        None if frame.soft is None or other.soft is None else _joined(frame.soft, gap.blocks, other.soft, graft.blocks),
    )


def thinned(lesson: Lesson, random: np.random.Generator) -> Lesson:
    """A page without some of the parts that have no content."""
    for _ in range(random.integers(_PARTS_MOST + 1)):
        blocks = split(lesson.outline)
        size, content = len(blocks.firsts), _within(lesson.outline, blocks, _worth(lesson))
        counts = _within(lesson.outline, blocks, np.ones(size))
        spare = (content <= 0) & (counts >= _PART_LEAST) & (counts < size / 2) & BREAKS[lesson.outline.tags]
        if not spare[1:].any():
            break
        part = _part(lesson.outline, blocks, int(random.choice(np.flatnonzero(spare))))
        rest = lesson if part is None else grafted(lesson, part, lesson, part.nothing)
        if len(split(rest.outline).firsts) == len(rest.labels.tokens):  # or else what stood around it is one block now
            lesson = rest
    return lesson


def content_of(lesson: Lesson) -> Part | None:
    """The smallest part with nearly all content; None where that is the whole page."""
    outline, blocks, worth = lesson.outline, split(lesson.outline), _worth(lesson)
    enough = _within(outline, blocks, worth) >= _NEARLY_ALL * worth.sum()
    holders = np.flatnonzero(enough & BREAKS[outline.tags])
    if not worth.any() or not len(holders):
        return None
    smallest = holders[np.argmin(outline.ends[holders] - holders)]
    part = _part(outline, blocks, int(smallest))
    return None if part is None or part.blocks == (0, len(worth)) else part


def _worth(lesson: Lesson) -> Floats:
    """[B] words that are content, or are said to be where nobody knows."""
    targets = lesson.labels.targets
    guessed = np.zeros(len(targets)) if lesson.soft is None else lesson.soft
    worth: Floats = np.where(np.isnan(targets), guessed, targets) * lesson.labels.tokens
    return worth


def _within(outline: Outline, blocks: Blocks, values: Floats) -> Floats:
    """[n] the sum over the blocks in each element."""
    running = np.append(0, np.cumsum(np.bincount(blocks.tops, values, len(outline.tags))))
    sums: Floats = running[outline.ends] - running[:-1]
    return sums


def _part(outline: Outline, blocks: Blocks, element: int) -> Part | None:
    """The part that an element is; None for one without text, or if a block of it goes on outside."""
    end = int(outline.ends[element])
    runs = np.flatnonzero((outline.owners >= element) & (outline.owners < end))
    if not element or not len(runs):
        return None
    first, last = int(runs[0]), int(runs[-1])
    numbers = blocks.numbers
    begins = not first or numbers[first - 1] != numbers[first]
    ends = last + 1 == len(numbers) or numbers[last + 1] != numbers[last]
    if not begins or not ends:
        return None
    return Part((element, end), (first, last + 1), (int(numbers[first]), int(numbers[last]) + 1))


def _joined(own: Anything, gap: Slice, other: Anything, graft: Slice) -> Anything:
    """One array with a slice of it replaced by a slice of the other."""
    return np.concatenate((own[: gap[0]], other[slice(*graft)], own[gap[1] :]))


def _raised(numbers: Ints, which: NDArray[np.bool_], by: int) -> Ints:
    return np.where(which, numbers + by, numbers)


def _outline(own: Outline, gap: Part, other: Outline, graft: Part) -> Outline:
    """The outline of a page with one of its parts replaced."""
    (first, end), moved = gap.elements, gap.elements[0] - graft.elements[0]
    more = graft.elements[1] + moved - end

    def numbers(mine: Ints, theirs: Ints, which: str) -> Ints:
        """Numbers of elements, as they are now: those in the part that is put in, and those after it."""
        return _joined(_raised(mine, mine >= end, more), getattr(gap, which), theirs + moved, getattr(graft, which))

    parents = numbers(own.parents, other.parents, "elements")
    parents[first : end + more][:1] = own.parents[first]
    after = np.arange(len(own.owners)) >= gap.runs[1]
    kept = tuple(np.searchsorted(own.named, gap.elements)), tuple(np.searchsorted(other.named, graft.elements))
    text, starts = _text(own, gap.runs, other, graft.runs)
    return Outline(
        _joined(own.tags, gap.elements, other.tags, graft.elements),
        parents,
        numbers(own.ends, other.ends, "elements"),
        text,
        starts,
        numbers(own.owners, other.owners, "runs"),
        _joined(_raised(own.befores, after, more), gap.runs, other.befores + moved, graft.runs),
        _joined(own.counts, gap.runs, other.counts, graft.runs),
        _joined(own.names, kept[0], other.names, kept[1]),
        _joined(_raised(own.named, own.named >= end, more), kept[0], other.named + moved, kept[1]),
        np.zeros(0, np.int32),
    )


def _text(own: Outline, gap: Slice, other: Outline, graft: Slice) -> tuple[bytes, Ints]:
    """The text of a page with some of its runs replaced, and where its runs begin."""
    begin, end = own.starts[[*gap]]
    theirs = other.starts[graft[0] : graft[1] + 1]
    shifted = theirs - theirs[0] + begin
    starts = np.concatenate((own.starts[: gap[0]], shifted[:-1], own.starts[gap[1] :] - end + shifted[-1]))
    return own.text[:begin] + other.text[theirs[0] : theirs[-1]] + own.text[end:], starts
