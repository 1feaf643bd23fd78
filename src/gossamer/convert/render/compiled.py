"""Tagged text by way of the compiled twin, where there is one: it takes a tenth of the time.

It is written in C, in `_render.c`. What the tags of a page mean is said in Python alone, and handed over as two tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.html.outline import TAGS, Outline
from gossamer.convert.render.kept import BLOCKS, MEAN_NOTHING
from gossamer.convert.render.page import tagged
from gossamer.convert.render.spots import MARKS, SHAPES
from gossamer.convert.render.tables import SECTIONS
from gossamer.tagged import plain

try:
    from gossamer.convert.render import _render
except ImportError:
    _render = None  # type: ignore[assignment]  # there may be no compiler where it is installed

_NAMES = "- h1 h2 h3 h4 h5 h6 dt pre table ul ol dl li dd blockquote em strong code sub sup a del img math"
"""Elements of tagged text, in the order of `writer/types.h`, where the flags below are too."""
_FLAGGED: tuple[Iterable[str], ...] = (
    BLOCKS,
    ("br",),
    MEAN_NOTHING,
    SECTIONS,
    ("p",),
    ("td",),
    ("th",),
    ("table",),
)
_NAME_OF = bytes(_NAMES.split().index({**SHAPES, **MARKS}.get(tag, "-")) for tag in TAGS)
_FLAGS_OF = bytes(sum(1 << bit for bit, names in enumerate(_FLAGGED) if tag in names) for tag in TAGS)


def written(outline: Outline, keep: NDArray[np.bool_], hrefs: Mapping[int, str]) -> tuple[str, str]:
    """What is kept of a page, as tagged text and as words. `hrefs`: what elements say, as `Dressed` has it."""
    if _render is None:
        html = tagged(outline, keep, hrefs)
        return html, plain(html)
    return _render.written((*outline[:8], np.ascontiguousarray(keep), _NAME_OF, _FLAGS_OF), hrefs)


def inside(outline: Outline, keep: NDArray[np.bool_]) -> tuple[bool, ...]:
    """For each link of a page whether it stands in what is kept."""
    if _render is None:
        return tuple(links_inside(outline, keep).tolist())
    return _render.inside(outline.ends, outline.owners, outline.befores, outline.points, np.ascontiguousarray(keep))


def links_inside(outline: Outline, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A link is in the content if one of its words is. One without words is if the words before and after it are."""
    size = len(outline.tags)
    points = np.maximum(outline.points, 0)
    runs = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(outline.owners, minlength=size), out=runs[1:])
    counts = runs[outline.ends[points]] - runs[points]
    first = np.searchsorted(outline.befores, points, side="right")
    kept = np.zeros(len(keep) + 3, np.int32)
    np.cumsum(keep, out=kept[2:-1])
    kept[-1] = kept[-2]
    with_words = kept[first + counts + 1] > kept[first + 1]
    between = kept[first + 2] - kept[first] == 2
    found: NDArray[np.bool_] = np.where(counts > 0, with_words, between) & (outline.points >= 0)
    return found
