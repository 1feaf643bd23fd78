"""Which parts of records belong to what was kept of them: who wrote a post and when, the price on a card?

A record is one of several things of one kind: a post of a thread, a card of a shop, a row. Its parts have the same
look, by the tags and names on the way down to them, in every record. The name of an author is short and looks like the
label of a menu, but stands once in each record, beside what is kept of it. So parts of one look that stand in a record
of their own each, beside something that is kept, are kept too, unless they are surely none.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.html.outline import NUMBER, Outline

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Look = tuple[tuple[int, bytes], ...]
"""Tags and names on the way down to an element."""

_LEAST = -4.5
"""What parts of one look must score on average."""
_MANY = 2
_WAY_MOST = 24
"""Elements."""
_AROUND_TAGS = frozenset(NUMBER[name] for name in ("nav", "footer", "aside", "form", "button"))


class Looks:
    """What elements look like: the tags and names on the way down to them, as far as they matter."""

    def __init__(self, outline: Outline) -> None:
        self._tags = outline.tags.tobytes()
        self._parents = outline.parents.data
        self._names = outline.names.tobytes()
        self._named: list[int] = outline.named.tolist()
        self._known: dict[int, Look] = {0: (), -1: ()}

    def of(self, element: int) -> Look:
        """Made from that of the element around, which most have in common, unless none is known that is near."""
        passed: list[int] = []
        while (look := self._known.get(element)) is None:
            if len(passed) == _WAY_MOST:
                return tuple(map(self._step, passed))
            passed.append(element)
            element = self._parents[element]
        for each in reversed(passed):
            look = self._known[each] = (self._step(each), *look[: _WAY_MOST - 1])
        return look

    def _step(self, element: int) -> tuple[int, bytes]:
        first = bisect_left(self._named, element)
        names = self._names[4 * first : 4 * bisect_left(self._named, element + 1, first)]
        return self._tags[element], names


def with_records(outline: Outline, numbers: Ints, kept: Mask, scores: Floats) -> Mask:
    """Which blocks are kept, given those that are so far. `numbers`: the block of each run."""
    if kept.all():
        return kept
    owners: list[int] = outline.owners[np.append(True, numbers[1:] != numbers[:-1])].tolist()
    here, marks = kept.tolist(), scores.tolist()
    records = _Records(outline, [owner for owner, is_kept in zip(owners, here, strict=True) if is_kept])
    looks = Looks(outline)
    alike: dict[Look, list[int]] = {}
    for block, owner in enumerate(owners):
        alike.setdefault(looks.of(owner), []).append(block)
    whole = kept.copy()
    for look, blocks in alike.items():
        missing = [block for block in blocks if not here[block]]
        if not missing or len(blocks) < _MANY or sum(marks[block] for block in missing) <= _LEAST * len(missing):
            continue
        found = {records.of(owners[block]) for block in missing}
        if len(found) == len(missing) and 0 not in found and not any(tag in _AROUND_TAGS for tag, _ in look):
            whole[missing] = True
    return whole


class _Records:
    """The smallest elements around others in which something is kept."""

    def __init__(self, outline: Outline, kept: list[int]) -> None:
        self._parents = outline.parents.data
        self._ends = outline.ends.data
        self._kept = [*sorted(kept), len(outline.tags)]

    def of(self, element: int) -> int:
        """0 where that is the body, or far away."""
        for _ in range(_WAY_MOST):
            if element <= 0 or self._kept[bisect_left(self._kept, element)] < self._ends[element]:
                return element
            element = self._parents[element]
        return 0
