"""Which lists are the table of contents of the page itself? They say nothing that the page does not say again.

A manual has one beside its text, as long as a chapter. Each item is a heading of the page, so to a model that reads
words it looks like content. But it is known by where it leads: nearly all of it is links, and most stay on the page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints
from gossamer.convert.html.outline import NUMBER, Outline

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

ITEMS_LEAST = 3
"""Links of a list that lead to places of the page. With fewer it is short, and does no harm."""
_LINKED_LEAST, _WITHIN_LEAST = 0.9, 0.5
"""Shares of the words of a list that are links, and that are links to places of the page."""
_LEFT_LEAST = 0.25
"""Share of what was kept that must be left: else the list is what the page is for."""
_LISTS_MOST = 200
_LINK = NUMBER["a"]
_LISTS = np.isin(np.arange(max(NUMBER.values()) + 1), [NUMBER["ul"], NUMBER["ol"]])


def without_table_of_contents(outline: Outline, numbers: Ints, kept: Mask) -> Mask:
    """Which blocks are kept, given those that are so far. `numbers`: the block of each run."""
    links = (outline.tags == _LINK).nonzero()[0]
    within = np.ones(len(outline.tags), np.bool_)
    within[outline.points[outline.points >= 0]] = False  # a link that leads elsewhere is among those of the scan
    inside = links[within[links]]
    if len(inside) < ITEMS_LEAST:
        return kept
    lists = _LISTS.take(outline.tags).nonzero()[0][:_LISTS_MOST]
    held = inside.searchsorted(outline.ends[lists]) - inside.searchsorted(lists)
    lists = lists[held >= ITEMS_LEAST - 1]  # one more may be around the list
    if not len(lists):
        return kept
    owners, words = outline.owners, outline.counts[:, 0]
    around = links.searchsorted(owners, "right") - 1
    linked = (around >= 0) & (owners < outline.ends[links[around]])
    inner = linked & within[links[around]]
    begins, ends = _runs(outline, lists)
    sizes, by_links, by_inner = (_sums(each, begins, ends) for each in (words, words * linked, words * inner))
    chosen = (by_links >= _LINKED_LEAST * sizes) & (by_inner >= _WITHIN_LEAST * sizes)
    fewer = kept.copy()
    done = 0
    for begin, end in zip(begins[chosen].tolist(), ends[chosen].tolist(), strict=True):
        if begin < done:  # within one that is gone
            continue
        if len(np.unique(around[begin:end][inner[begin:end]])) >= ITEMS_LEAST:
            fewer[numbers[begin:end]] = False
            done = end
    had, left = (words[some[numbers]].sum() for some in (kept, fewer))
    return fewer if left >= _LEFT_LEAST * had else kept


def _runs(outline: Outline, elements: Places) -> tuple[Places, Places]:
    """The runs that stand in some elements: the first of each, and one past its last."""
    counts: Places = np.append(0, np.cumsum(np.bincount(outline.owners, minlength=len(outline.tags))))
    firsts: Places = outline.befores.searchsorted(elements, "right")
    return firsts, firsts + counts[outline.ends[elements]] - counts[elements]


def _sums(values: Ints, begins: Places, ends: Places) -> Places:
    """Of the values from each begin to its end."""
    until: Places = np.append(0, np.cumsum(values))
    return until[ends] - until[begins]
