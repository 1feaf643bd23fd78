"""What is kept of a small page? Nearly all of its main part.

The model was taught with pages of many hundred words, of which most is menus and adverts: to it, a list of names or the
captions of a gallery look like a menu. But a small page has little around its content, and what is cut of it is missed.

Its main part is the only `main` or `article`, if it has one; an element may say by its role that it is one. What stands
elsewhere is none then, but for the title. If the scores are sure of most words of the part, what is surely none is left
out of it; if they are not, all of it is kept. Of a page that says no such part a block is left out only if it is likely
none; where nothing is more likely content than not, the scores know nothing, and all is kept.

Menus and footers that are marked as such are left out, and forms, asides and the like with nothing that is likely
content. The only heading of the first level is the title of the page, and is kept wherever else it stands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.html.outline import NUMBER, WORDS, Outline, name_hash

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

SMALL = 300
"""Words of a page, its menus included."""
_LIKELY = -1.0
"""The score of what may well be content, if it is small."""
_SAID_LEAST = -4.0
"""What is more than that is kept of the part that the page says is its main one, if the scores are sure of most of it;
the next is for it if they are not, and for a page without such a part if they are sure of nothing."""
_UNSURE_LEAST = -12.0
_FAR_BETTER = 3.0
"""By so much a block elsewhere is better than all that stands in a part that is none."""
_CELL_MOST = 24
"""Bytes of what may well be said twice: "yes" in a table, or a price."""
_H1, _HEADER = NUMBER["h1"], NUMBER["header"]
_SAID = NUMBER["main"], NUMBER["article"]
_AROUND_TAGS = frozenset(NUMBER[name] for name in ("nav", "footer"))
_OUTSIDE_TAGS = _AROUND_TAGS | {NUMBER[name] for name in ("aside", "form", "dialog", "button", "select")}
_ROLES = {"main": "main", "navigation": "nav", "contentinfo": "footer", "complementary": "aside", "search": "form"}
_ROLE_TAGS = {name_hash(b"r", role.encode()): NUMBER[tag] for role, tag in _ROLES.items()}
"""An element with such a role is taken for one of that tag."""


def of_small(outline: Outline, numbers: Ints, kept: Mask, scores: Floats) -> Mask:
    """Which blocks are kept of a small page, given those that the scores chose. `numbers`: the block of each run.

    By lists and no arrays: where there is little, they take a third of the time.
    """
    page = _Page(outline, numbers, scores)
    title, part = page.title(), page.said()
    outside = page.outside([title, part, *(owner for owner, score in page.blocks if score > _LIKELY)])
    if part:
        least = _SAID_LEAST if page.is_sure(part, outside) else _UNSURE_LEAST
    elif page.best <= 0:
        least = _UNSURE_LEAST
        outside = page.outside([title], header=True)
    else:
        least = _LIKELY
    texts = page.texts()
    said = {text for text, is_kept in zip(texts, kept.tolist(), strict=True) if is_kept}
    more = [False] * len(texts)
    for block, (owner, score) in enumerate(page.blocks):
        is_title = bool(title) and page.holds(title, owner)
        if outside[owner] or not (is_title or page.holds(part, owner)):
            continue
        is_new = len(texts[block]) <= _CELL_MOST or texts[block] not in said
        more[block] = bool(kept[block]) or (is_new and score > (_UNSURE_LEAST if is_title else least))
        said.add(texts[block])
    return np.array(more, np.bool_) if any(more) else kept


class _Page:
    """A page in plain numbers."""

    def __init__(self, outline: Outline, numbers: Ints, scores: Floats) -> None:
        owners = outline.owners[np.append(True, numbers[1:] != numbers[:-1])].tolist()
        self.blocks: list[tuple[int, float]] = list(zip(owners, scores.tolist(), strict=True))
        """Of each the element it begins in, and its score."""
        self.best = float(scores.max())
        self._tags = _tags(outline)
        self._ends: list[int] = outline.ends.tolist()
        self._outline = outline
        self._numbers = numbers

    def holds(self, element: int, other: int) -> bool:
        return element <= other < self._ends[element]

    def said(self) -> int:
        """The part that the page says is its main one; the body if it says none, or a far better block is elsewhere."""
        for part in (self._tags.index(tag) for tag in _SAID if self._tags.count(tag) == 1):
            if any(score > self.best - _FAR_BETTER and self.holds(part, owner) for owner, score in self.blocks):
                return part
        return 0

    def title(self) -> int:
        """The only heading of the first level, which is what the page is called; 0 where there is none."""
        return self._tags.index(_H1) if self._tags.count(_H1) == 1 else 0

    def outside(self, others: Sequence[int], *, header: bool = False) -> list[bool]:
        """For each element whether it stands in a menu or footer, or in a form or aside with none of the others. With
        `header`, in such a header too: the name of the site, and not that of the page."""
        tags = _OUTSIDE_TAGS | {_HEADER} if header else _OUTSIDE_TAGS
        inside = [*sorted(others), len(self._tags)]
        found = [False] * len(self._tags)
        for element, tag in enumerate(self._tags):
            if found[element] or tag not in tags:
                continue
            end = self._ends[element]
            if tag in _AROUND_TAGS or inside[bisect_left(inside, element)] >= end:
                found[element:end] = [True] * (end - element)
        return found

    def is_sure(self, part: int, outside: Sequence[bool]) -> bool:
        """Whether most words of a part are in blocks that are more likely content than not."""
        sizes: list[float] = np.bincount(self._numbers, self._outline.counts[:, WORDS]).tolist()
        inside = [
            (size, score)
            for size, (owner, score) in zip(sizes, self.blocks, strict=True)
            if self.holds(part, owner) and not outside[owner]
        ]
        return 2 * sum(size for size, score in inside if score > 0) > sum(size for size, _ in inside)

    def texts(self) -> list[bytes]:
        """What each block says."""
        texts: list[bytes] = []
        starts = self._outline.starts.tolist()
        for run, block in enumerate(self._numbers.tolist()):
            part = self._outline.text[starts[run] : starts[run + 1]]
            if block < len(texts):
                texts[block] += part
            else:
                texts.append(part)
        return [text.strip() for text in texts]


def _tags(outline: Outline) -> bytes:
    """By what elements are, or say they are."""
    tags = outline.tags.tobytes()
    names: list[int] = outline.names.tolist()
    if _ROLE_TAGS.keys().isdisjoint(names):
        return tags
    said = bytearray(tags)
    for element, name in zip(outline.named.tolist(), names, strict=True):
        said[element] = _ROLE_TAGS.get(name, said[element])
    return bytes(said)
