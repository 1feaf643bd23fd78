"""A page without what is around it: its main content as tagged text and as words, and which links stand in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert import render
from gossamer.convert.content import Method
from gossamer.convert.content.found import Found
from gossamer.convert.content.marks import numbered
from gossamer.convert.html.meant import meant
from gossamer.convert.html.outline import NUMBER, Outline
from gossamer.convert.html.template import Runs, Template, without

Correction = Callable[[Outline, NDArray[np.bool_]], NDArray[np.bool_]]
"""What a method kept -> what is kept by one who knows more pages of the host."""


class Article(NamedTuple):
    """The main content of a page."""

    html: str = ""
    content: str = ""
    inside: tuple[bool, ...] = ()
    """For each link of the scan whether it stands in it."""
    kind: str = ""
    """What kind of page it is, if the method tells."""


class Where(NamedTuple):
    """What the page points to."""

    hrefs: Mapping[int, str]
    """Of links, by element."""
    addresses: render.Addresses
    """Of what else."""


_HANDLES = frozenset(["¶", "§", "#", "🔗", "⚓"])
"""Links that documentation puts behind its headings, for readers to point at. They are no part of what it says."""
_HANDLE_MOST = 4
"""Bytes."""
_LINK = NUMBER["a"]
_TERMS = NUMBER["dl"]


def article(outline: Outline | None, where: Where, method: Method, correct: Correction | None = None) -> Article:
    """The main content of a page."""
    if outline is None or not len(outline.owners):
        return Article(inside=(False,) * (0 if outline is None else len(outline.points)))
    named = meant(outline)
    if named is not None:
        outline = named.outline
    found = method(outline)
    keep = _without_handles(outline, found.keep if named is None else named.keep(found.keep))
    if correct is not None:
        keep = correct(outline, keep)
    written = render.written(*render.dressed(outline, keep, *where))
    return Article(*written, render.inside(outline, keep), found.kind)


def everything(outline: Outline) -> Found:
    """The method for what has nothing around it."""
    return Found(np.ones(len(outline.owners), np.bool_))


def without_template(template: Template) -> Correction:
    """What is kept by one who knows what stands on many pages of the host."""

    def correct(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return without(Runs(outline.text, outline.starts, *numbered(outline), _terms(outline)), keep, template)

    return correct


def _terms(outline: Outline) -> NDArray[np.int32]:
    """The outermost list of terms that each run stands in."""
    lists = (outline.tags == _TERMS).nonzero()[0].astype(np.int32)
    if not len(lists):
        return np.full(len(outline.owners), -1, np.int32)
    ends = np.maximum.accumulate(outline.ends.take(lists))
    outer = np.append(True, lists[1:] >= ends[:-1])
    lists, ends = lists[outer], outline.ends.take(lists[outer])
    places = lists.searchsorted(outline.owners, "right") - 1
    inside = (places >= 0) & (outline.owners < ends.take(places))
    return np.where(inside, lists.take(places), -1).astype(np.int32)


def _is_handle(text: str) -> bool:
    """Also a sign of a font of icons, which is a character for private use."""
    return text in _HANDLES or (len(text) == 1 and "\ue000" <= text <= "\uf8ff")


def _without_handles(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    starts = outline.starts
    short = starts[1:] - starts[:-1] <= _HANDLE_MOST
    short &= keep
    short &= outline.tags.take(outline.owners) == _LINK
    runs = short.nonzero()[0]
    if not len(runs):
        return keep
    places = zip(runs.tolist(), starts.take(runs).tolist(), starts.take(runs + 1).tolist(), strict=True)
    handles = [run for run, begin, end in places if _is_handle(outline.text[begin:end].decode().strip())]
    if not handles:
        return keep
    kept = keep.copy()
    kept[handles] = False
    return kept
