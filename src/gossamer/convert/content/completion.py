"""What was left out that belongs to what was kept? The rest of tables and lists, and nearly all of a small page.

The model was taught with pages of many hundred words, of which most is menus and adverts. Two things it does not know.

A table or a list is one thing. The cells of a table of prices are short, and each alone looks like a label of a menu.
So if some of a table or a list is kept, or what stands before and behind it in the same place, all of it is, unless a
block of it is surely none. Menus are hardly ever lists of terms, so those are nearly always whole.

A small page has little around its content, and what is cut of it is missed. So of a page of a few hundred words a block
is left out only if it is likely none; and if the page says itself which part is the main one, by its only `main` or
`article`, a block of that part only if it surely is none, as its only heading of the first level is on any small page.
Menus and footers that are marked as such are left out.

What another block says already is not said again: many sites write the same twice, for narrow windows and wide ones.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints, standing_in
from gossamer.convert.content.marks import hashes
from gossamer.convert.content.sections import with_sections
from gossamer.convert.html.outline import NUMBER, TAGS, Outline

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

SMALL = 300
"""Words of a page, its menus included."""
BETWEEN_LEAST = -2.5
"""The score of a block that is surely no content, though it stands between others that are; as in `scorer/choice.h`."""
_SMALL_LEAST = -1.0
_SAID_LEAST = -4.0
_TERMS_LEAST = -6.0
_REPEATED_LEAST = 40
"""Bytes of what is not said twice. Shorter ones may be: a label, a name, a price."""
_WAY_MOST = 24
"""Elements."""
_REPEATING = np.isin(np.arange(len(TAGS)), [NUMBER[name] for name in ("code", "pre", "table")])
_CELL_MOST = 24
"""Bytes of what may well be said twice: "yes" in a table, or a price."""


_NESTED_MOST = 4
"""Lists in lists that are looked at, from the inside: pages that nest thousands cost time and are no content."""
_TERMS = NUMBER["dl"]
_H1 = NUMBER["h1"]
_LIST_TAGS = frozenset(NUMBER[name] for name in ("table", "ul", "ol", "dl"))
_AROUND_TAGS = frozenset(NUMBER[name] for name in ("nav", "footer"))
_SAID = NUMBER["main"], NUMBER["article"]


def completed(outline: Outline, numbers: Ints, kept: Mask, scores: Floats, words: Floats) -> Mask:
    """Which blocks are kept, given those that the scores chose. `numbers`: the block of each run."""
    if words.sum() <= SMALL:
        kept = _of_small(outline, numbers, kept, scores)
    whole = with_sections(outline, numbers, _whole_lists(outline, numbers, kept, scores), scores)
    return _without_repetitions(outline, numbers, whole)


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
    said = hashes(outline.text, begins[long], ends[long])
    _, first, which = np.unique(said, return_index=True, return_inverse=True)
    if len(first) == len(long):
        return kept
    again = np.arange(len(long)) != first[which]
    again &= ~standing_in(outline, _REPEATING)[firsts[long]]
    if not again.any():
        return kept
    looks = _Looks(outline)
    owners = outline.owners[firsts[long]].tolist()
    fewer = kept.copy()
    for number in again.nonzero()[0].tolist():
        if looks.of(owners[number]) != looks.of(owners[first[which[number]]]):
            fewer[long[number]] = False
    return fewer


class _Looks:
    """The tags and names on the way down to elements, as far as they matter."""

    def __init__(self, outline: Outline) -> None:
        self._tags = outline.tags.tobytes()
        self._parents = outline.parents.data
        self._names = outline.names.tobytes()
        self._named: list[int] = outline.named.tolist()

    def of(self, element: int) -> list[tuple[int, bytes]]:
        way: list[tuple[int, bytes]] = []
        while element > 0 and len(way) < _WAY_MOST:
            first = bisect_left(self._named, element)
            end = bisect_left(self._named, element + 1, first)
            way.append((self._tags[element], self._names[4 * first : 4 * end]))
            element = self._parents[element]
        return way


def _of_small(outline: Outline, numbers: Ints, kept: Mask, scores: Floats) -> Mask:
    """By lists and no arrays: where there is little, they take a third of the time."""
    part, least = _said(outline)
    end = int(outline.ends[part])
    title, title_end = _title(outline)
    around = _standing_around(outline)
    owners = dict(zip(numbers.tolist(), outline.owners.tolist(), strict=True))
    chosen = [is_kept and not around[owners[block]] for block, is_kept in enumerate(kept.tolist())]
    if not any(chosen):
        chosen = kept.tolist()
    texts = _texts(outline, numbers)
    said = {words for words, is_kept in zip(texts, chosen, strict=True) if is_kept and len(words) > _CELL_MOST}
    for block, score in enumerate(scores.tolist()):
        owner = owners[block]
        enough = _SAID_LEAST if title <= owner < title_end else least
        if score > enough and part <= owner < end and not around[owner] and texts[block] not in said:
            chosen[block] = True
            if len(texts[block]) > _CELL_MOST:
                said.add(texts[block])
    return np.array(chosen, np.bool_)


def _said(outline: Outline) -> tuple[int, float]:
    """The part that the page says is its main one, or all of it; and the score that is enough there."""
    tags = outline.tags.tobytes()
    for tag in _SAID:
        if tags.count(tag) == 1:
            return tags.index(tag), _SAID_LEAST
    return 0, _SMALL_LEAST


def _title(outline: Outline) -> tuple[int, int]:
    """The only heading of the first level, and where it ends: it is what the page is called."""
    tags = outline.tags.tobytes()
    if tags.count(_H1) != 1:
        return 0, 0
    return tags.index(_H1), int(outline.ends[tags.index(_H1)])


def _standing_around(outline: Outline) -> list[bool]:
    """For each element whether it is a menu or a footer, or stands in one."""
    found = [tag in _AROUND_TAGS for tag in outline.tags.tobytes()]
    if any(found):
        for element, parent in enumerate(outline.parents.tolist()):
            found[element] = found[element] or (parent >= 0 and found[parent])
    return found


def _texts(outline: Outline, numbers: Ints) -> list[bytes]:
    """What each block says."""
    texts: list[bytes] = []
    starts = outline.starts.tolist()
    for run, block in enumerate(numbers.tolist()):
        part = outline.text[starts[run] : starts[run + 1]]
        if block < len(texts):
            texts[block] += part
        else:
            texts.append(part)
    return [text.strip() for text in texts]


def _whole_lists(outline: Outline, numbers: Ints, kept: Mask, scores: Floats) -> Mask:
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
                least = _TERMS_LEAST if outline.tags[element] == _TERMS else BETWEEN_LEAST
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
        first, last = block, block + 1
        while first and self._holds(element, first - 1):
            first -= 1
        while last < len(self._owners) and self._holds(element, last):
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
