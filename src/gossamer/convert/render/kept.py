"""The runs of a page that are kept, one after the other, and what stands between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.outline import NUMBER, TAGS, Outline

_BLOCK_NAMES = """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search
    section select summary table tbody td tfoot th thead tr ul
"""
BLOCKS = frozenset(_BLOCK_NAMES.split())
"""Elements that end a paragraph and begin another."""
_IS_BLOCK = np.array([name in BLOCKS for name in TAGS])
_BR = NUMBER["br"]
_NOTHING_NAMES = "other abbr big font ins label mark picture q small span time u"
MEAN_NOTHING = frozenset(_NOTHING_NAMES.split())
"""Elements that tagged text does not have, and that part nothing."""
_MEANS_NOTHING = np.array([name in MEAN_NOTHING for name in TAGS])


class Elements:
    """The tree of an outline in lists, which are faster where single elements are asked for."""

    def __init__(self, outline: Outline) -> None:
        self.tags = outline.tags.tobytes()
        self.parents: list[int] = outline.parents.tolist()
        self.ends: list[int] = outline.ends.tolist()


class Kept:
    """Lists with an entry for each kept run. What stands before a run is counted from the kept one before it.

    Runs that only a span or the like parts are one here. Coloured code has thousands of them.
    """

    def __init__(self, outline: Outline, keep: NDArray[np.bool_]) -> None:
        runs = keep.nonzero()[0]
        befores = outline.befores[runs]
        is_block = _IS_BLOCK[outline.tags]
        steps, breaks = _gaps(runs), _gaps(_counted(outline.tags == _BR)[befores])
        parted = (_gaps(_counted(is_block)[befores]) > 0) | (breaks > 1)
        parted |= _gaps(_around(outline, outline.owners[runs], ~is_block)) != 0
        owners = _around(outline, outline.owners[runs], _MEANS_NOTHING[outline.tags])
        begins = (steps != 1) | parted | (breaks > 0) | (_gaps(owners) != 0)
        begins[:1] = True
        firsts = begins.nonzero()[0]
        lasts = np.append(firsts[1:], len(runs))[: len(firsts)] - 1
        self._text = outline.text
        self._starts: list[int] = outline.starts[runs[firsts]].tolist()
        self._ends: list[int] = outline.starts[runs[lasts] + 1].tolist()
        self.owners: list[int] = owners[firsts].tolist()
        self.befores: list[int] = befores[firsts].tolist()
        words = _counted(outline.counts[runs, 0])
        self.words: list[int] = (words[lasts + 1] - words[firsts]).tolist()
        self.steps: list[int] = steps[firsts].tolist()
        """1 if the run before it is kept too."""
        self.breaks: list[int] = breaks[firsts].tolist()
        """How many line ends stand before it."""
        self.parted: list[bool] = parted[firsts].tolist()
        """Whether a block begins or ends before it. Two line ends in a row part as well."""

    def __len__(self) -> int:
        return len(self.owners)

    def text(self, place: int) -> str:
        """The words of a run."""
        return self._text[self._starts[place] : self._ends[place]].decode()

    def size(self, first: int, end: int) -> int:
        """The bytes of some runs in a row, and of what is dropped among them."""
        return self._ends[end - 1] - self._starts[first] if end > first else 0

    def within(self, element: int, element_end: int) -> tuple[int, int]:
        """The places of the runs that stand in an element: the first and the one after the last."""
        first = bisect_right(self.befores, element)
        end = max(first, bisect_left(self.befores, element_end))
        while end < len(self.owners) and element <= self.owners[end] < element_end:
            end += 1
        return first, end


def _counted(these: NDArray[np.bool_] | NDArray[np.int32]) -> NDArray[np.int32]:
    """How many there are before each place."""
    counts = np.zeros(len(these) + 1, np.int32)
    these.cumsum(out=counts[1:])
    return counts


def _gaps(counts: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """By how much each is greater than the one before."""
    gaps = np.zeros_like(counts)
    np.subtract(counts[1:], counts[:-1], out=gaps[1:])
    return gaps


def _around(outline: Outline, owners: NDArray[np.int32], skipped: NDArray[np.bool_]) -> NDArray[np.int32]:
    """For each of some elements the nearest that is not skipped: itself, or one around it."""
    found = owners.copy()
    inner = (skipped[found] & (found > 0)).nonzero()[0]
    while len(inner):
        around = outline.parents[found[inner]]
        found[inner] = around
        inner = inner[skipped[around] & (around > 0)]
    return found
