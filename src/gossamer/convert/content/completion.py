"""What was left out that belongs to what was kept? The rest of tables and lists, and what small pages say.

A table or a list is one thing. The cells of a table of prices are short, and each alone looks like a label of a menu.
So if some of a table or a list is kept, or what stands before and behind it in the same place, all of it is, unless a
block of it is surely none. Of a list of which half is kept, of any list of a small page, and of lists of terms, which
menus hardly ever are, nothing is that sure. What more is kept of small pages is told in `small_pages.py` and
`records.py`.

What another block says already is not said again: many sites write the same twice, for narrow windows and wide ones.
Nor is a table of contents of the page (`table_of_contents.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints, standing_in
from gossamer.convert.content.marks import hashes
from gossamer.convert.content.records import Looks, with_records
from gossamer.convert.content.sections import with_sections
from gossamer.convert.content.small_pages import SMALL, of_small
from gossamer.convert.content.table_of_contents import without_table_of_contents
from gossamer.convert.html.outline import NUMBER, TAGS, Outline

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

BETWEEN_LEAST = -2.5
"""The score of a block that is surely no content, though it stands between others that are; as in `scorer/choice.h`."""
_WHOLE_LEAST = -6.0
_SMALL_LEAST = -12.0
_REPEATED_LEAST = 40
"""Bytes of what is not said twice. Shorter ones may be: a label, a name, a price."""
_REPEATING = np.isin(np.arange(len(TAGS)), [NUMBER[name] for name in ("code", "pre", "table")])
_NESTED_MOST = 4
"""Lists in lists that are looked at, from the inside: pages that nest thousands cost time and are no content."""
_TERMS, _TABLE = NUMBER["dl"], NUMBER["table"]
_LIST_TAGS = frozenset(NUMBER[name] for name in ("table", "ul", "ol", "dl"))
_AROUND_TAGS = frozenset(NUMBER[name] for name in ("nav", "footer"))


def completed(outline: Outline, numbers: Ints, kept: Mask, scores: Floats, words: Floats) -> Mask:
    """Which blocks are kept, given those that the scores chose. `numbers`: the block of each run."""
    small = bool(words.sum() <= SMALL)
    if small:
        kept = with_records(outline, numbers, of_small(outline, numbers, kept, scores), scores)
    listed = _whole_lists(outline, numbers, kept, scores, small=small)
    whole = with_sections(outline, numbers, listed, scores)
    return without_table_of_contents(outline, numbers, _without_repetitions(outline, numbers, whole))


def _without_repetitions(outline: Outline, numbers: Ints, kept: Mask) -> Mask:
    """What was said before is not said again in another place of the page.

    In a table and in code it means something, and so it does in the same place: some people say it twice.
    """
    firsts = np.append(True, numbers[1:] != numbers[:-1]).nonzero()[0]
    begins = outline.starts.take(firsts)
    ends = np.append(begins[1:], outline.starts[-1:])
    long = (kept & (ends - begins > _REPEATED_LEAST)).nonzero()[0]
    if len(long) < 2:
        return kept
    said = hashes(outline.text, begins[long], ends[long]).tolist()
    first: dict[int, int] = {}
    again = [place for place, mark in enumerate(said) if first.setdefault(mark, place) != place]
    if not again:
        return kept
    blocks = long.tolist()
    owners = outline.owners[firsts[long]].tolist()
    means_something = standing_in(outline, _REPEATING)[firsts[long]]
    looks = Looks(outline)
    fewer = kept.copy()
    for place in again:
        if not means_something[place] and looks.of(owners[place]) != looks.of(owners[first[said[place]]]):
            fewer[blocks[place]] = False
    return fewer


def _whole_lists(outline: Outline, numbers: Ints, kept: Mask, scores: Floats, *, small: bool) -> Mask:
    """Only lists around an edge are looked at, where a block that is kept stands beside one that is not."""
    edges = (kept[1:] != kept[:-1]).nonzero()[0]
    if not len(edges):
        return kept
    page = _Page(outline, numbers, kept)
    missing = np.where(kept[edges], edges + 1, edges).tolist()
    whole = kept.copy()
    seen: set[int] = set()
    for block in missing:
        for element in page.lists(block):
            if element not in seen:
                seen.add(element)
                first, last = page.span(element, block)
                tag, had = outline.tags[element], int(kept[first:last].sum())
                is_whole = tag == _TERMS or (tag != _TABLE and had >= (1 if small else (last - first) / 2))
                least = (_SMALL_LEAST if small else _WHOLE_LEAST) if is_whole else BETWEEN_LEAST
                if page.is_torn(element, first, last) and scores[first:last].min() > least:
                    whole[first:last] = True
    return whole


class _Page:
    """A page as it is walked through, in plain numbers."""

    def __init__(self, outline: Outline, numbers: Ints, kept: Mask) -> None:
        begins = np.append(True, numbers[1:] != numbers[:-1])
        self._owners = outline.owners[begins].data
        self._tags = outline.tags.tobytes()
        self._parents = outline.parents.data
        self._ends = outline.ends.data
        self._kept = kept.tobytes()

    def lists(self, block: int) -> list[int]:
        """The innermost tables and lists that a block stands in; none if that is a menu or a footer."""
        found: list[int] = []
        element = self._owners[block]
        while element > 0:
            tag = self._tags[element]
            if tag in _AROUND_TAGS:
                return []
            if tag in _LIST_TAGS and len(found) < _NESTED_MOST:
                found.append(element)
            element = self._parents[element]
        return found

    def span(self, element: int, block: int) -> tuple[int, int]:
        """The blocks that stand in an element, given one of them: the first, and one past the last."""
        owners, end = self._owners, self._ends[element]
        first, last = block, block + 1
        while first and element <= owners[first - 1] < end:
            first -= 1
        while last < len(owners) and element <= owners[last] < end:
            last += 1
        return first, last

    def is_torn(self, element: int, first: int, last: int) -> bool:
        """Is a part of it kept, or what stands before and behind it in the same element?"""
        if 1 in self._kept[first:last]:
            return True
        parent, beside = self._parents[element], (first - 1, last)
        return all(
            0 <= block < len(self._kept) and self._kept[block] and self._holds(parent, block) for block in beside
        )

    def _holds(self, element: int, block: int) -> bool:
        owner: int = self._owners[block]
        return element <= owner < int(self._ends[element])
