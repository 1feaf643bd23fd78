"""Which headings and first sections belong to what was kept?

A heading is short and says the same on many pages, "Synopsis" or "Options", so that a model takes it for a label of the
site. And a page of documentation begins with a section of one line, which looks like what stands around the content.
But headings of one level in one place are of one kind: where one of them is kept, so is each that stands over what is
kept, and so are the sections before the first block that is. A few words of code under a heading say little to the
model, and are what the heading is there for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import HEADINGS, Ints
from gossamer.convert.html.outline import NUMBER, Outline

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_LEAST = -3.0
"""The score of a block that is none for sure."""
_UP, _UP_FIRST = 2, 3
"""Elements around a heading that are its place: many pages give each section an element of its own, and some the first
sections one more."""
_PRE = NUMBER["pre"]
_DEEP = 4
"""Elements of which the innermost may hold code: `pre`, `code`, and those that colour it."""
_AROUND_TAGS = frozenset(NUMBER[name] for name in ("nav", "footer", "aside"))


def with_sections(outline: Outline, numbers: Ints, kept: Mask, scores: Floats) -> Mask:
    """Which blocks are kept, given those that are so far. `numbers`: the block of each run."""
    heads = _headings(outline, numbers)
    kept = _with_code(outline, numbers, kept, scores, heads)
    had = kept.tobytes()
    first = had.find(1)
    missing = [head for head in heads if not had[head[0]]]
    if len(missing) == len(heads) or not any(block < first or 1 in had[block + 1 : block + 2] for block, _ in missing):
        return kept
    page = _Places(outline)
    homes = [page.of(element) for block, element in heads if had[block]]
    near, far = ({home for every in homes for home in every[:up]} for up in (_UP, _UP_FIRST))
    whole = kept.copy()
    for block, element in reversed(missing):
        home, below = page.of(element), block + 1
        if block < first:
            if far.isdisjoint(home) or scores[block:first].min() <= _LEAST:
                break
            whole[block:first] = True
            first = block
        elif below < len(whole) and whole[below] and scores[block] > _LEAST and not near.isdisjoint(home[:_UP]):
            whole[block] = True
    return whole


def _with_code(outline: Outline, numbers: Ints, kept: Mask, scores: Floats, heads: list[tuple[int, int]]) -> Mask:
    """Code right under a heading that is kept is, too."""
    had = kept.tobytes()
    under = [block + 1 for block, _ in heads if had[block] and had[block + 1 : block + 2] == b"\0"]
    owners = outline.owners.take(numbers.searchsorted(under)).tolist() if under else ()
    code = [
        block for block, owner in zip(under, owners, strict=True) if scores[block] > _LEAST and _is_code(outline, owner)
    ]
    if code:
        kept = kept.copy()
        kept[code] = True
    return kept


def _is_code(outline: Outline, element: int) -> bool:
    for _ in range(_DEEP):
        if element < 0 or outline.tags[element] == _PRE:
            return element >= 0
        element = outline.parents[element]
    return False


def _headings(outline: Outline, numbers: Ints) -> list[tuple[int, int]]:
    """The first block and the element of each heading that has words, in order."""
    elements = HEADINGS.take(outline.tags).nonzero()[0]
    runs = outline.befores.searchsorted(elements + 1)
    elements, runs = elements[runs < len(numbers)], runs[runs < len(numbers)]
    owners = outline.owners.take(runs)
    inside = (owners >= elements) & (owners < outline.ends.take(elements))
    return list(zip(numbers.take(runs[inside]).tolist(), elements[inside].tolist(), strict=True))


class _Places:
    """Where headings stand."""

    def __init__(self, outline: Outline) -> None:
        self._tags = outline.tags.data
        self._parents = outline.parents.data

    def of(self, element: int) -> list[tuple[int, int]]:
        """The level of a heading with each element that is its place; none if that is a menu, a footer or an aside."""
        found: list[tuple[int, int]] = []
        level, parent = self._tags[element], self._parents[element]
        while parent >= 0:
            if self._tags[parent] in _AROUND_TAGS:
                return []
            if len(found) < _UP_FIRST:
                found.append((level, parent))
            parent = self._parents[parent]
        return found
