"""What stands on many pages of a host is not what this page says: it is taken out of the content that was found.

A method sees one page, and takes for content what looks like it: a notice, a list of other articles, a paragraph on
the publisher. Whoever reads page after page of a host knows better (`gossamer.dedupe.blocks` does), and is asked here.
Headings, labels and terms are on many pages too, as "Parameters", "Price" or "--quiet" are, and belong to what follows
them; so does the name of somebody who writes much, with a date beside it. So a heading stays with what it stands over,
a list of terms stays whole if a part of it stays, and so do one or two short blocks among others that stay.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import among
from gossamer.convert.content.marks import hashes

LABEL = 24
"""Bytes of a block that may be a label."""
LEAST = 0.25
"""Part of the content that must be left; a page of which less is left is all template, and stays as it is."""

Ints: TypeAlias = NDArray[np.int32]
Mask: TypeAlias = NDArray[np.bool_]
Hashes: TypeAlias = NDArray[np.uint64]
Template: TypeAlias = Callable[[Hashes], Mask]
"""The hashes of all blocks of the content of a page -> which of them are template. It is asked once for a page."""


class Runs(NamedTuple):
    """The text of a page in m runs; runs of one block stand together."""

    text: bytes
    starts: Ints
    """[m + 1] where each begins in the text."""
    numbers: Ints
    """[m] the block it belongs to."""
    headings: Mask
    """[m] it stands in a heading."""
    terms: Ints
    """[m] the outermost list of terms it stands in; -1 for none."""


def without(runs: Runs, keep: Mask, template: Template) -> Mask:
    """The runs that are kept, without those of the template."""
    kept = keep.nonzero()[0]
    if not len(kept):
        return keep
    numbers = runs.numbers.take(kept)
    opens = np.ones(len(kept) + 1, np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=opens[1:-1])
    places = opens.nonzero()[0]
    first = kept.take(places[:-1])
    begins = runs.starts.take(first)
    ends = runs.starts.take(kept.take(places[1:] - 1) + 1)
    known = template(hashes(runs.text, begins, ends))
    if not known.any():
        return keep
    sizes = ends - begins
    stays = _staying(known, runs.headings.take(first), runs.terms.take(first), sizes <= LABEL)
    if stays.dot(sizes) < LEAST * sizes.sum():
        return keep
    corrected = keep.copy()
    corrected[kept] = stays.repeat(places[1:] - places[:-1])
    return corrected


def _staying(known: Mask, headings: Mask, terms: Ints, short: Mask) -> Mask:
    """Which blocks stay: from the last to the first, for a heading goes with what follows it."""
    stays = ~known
    if stays.any():
        stays |= _labels(known, short)
    if (terms >= 0).any():
        stays |= (terms >= 0) & among(terms, np.sort(terms[stays]))
    places = [*headings.nonzero()[0].tolist(), len(stays)]
    for number, end in reversed(list(pairwise(places))):
        if known[number]:
            stays[number] = stays[number + 1 : max(end, number + 2)].any()
    return stays


def _labels(known: Mask, short: Mask) -> Mask:
    """Which blocks are short and stand alone among others that stay, or two of them between such."""
    edges = np.diff(known.astype(np.int8), prepend=0, append=0)
    begins, ends = (edges == 1).nonzero()[0], (edges == -1).nonzero()[0]
    few = ends - begins == 1
    few |= (ends - begins == 2) & (begins > 0) & (ends < len(known))
    labels = np.zeros(len(known), np.bool_)
    for begin, end in zip(begins[few].tolist(), ends[few].tolist(), strict=True):
        labels[begin:end] = short[begin:end].all()
    return labels
