"""What are divisions meant for that only their names tell? The heading of a page, and code.

Doxygen, which makes the pages of most libraries in C and C++, writes the heading of a page as `div.title` in
`div.headertitle`, and code as `div.fragment` with a division for each line and notes that are shown over its names.
Read by their tags alone, such a page has no heading, and its code is paragraphs of a line each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Ints, among, standing_within
from gossamer.convert.html.outline import NUMBER, Outline, name_hash

Mask = NDArray[np.bool_]

_DIV, _H1, _PRE = (NUMBER[name] for name in ("div", "h1", "pre"))
_HEADER, _TITLE, _CODE, _LINE, _NOTE = (
    name_hash(b"c", name) for name in (b"headertitle", b"title", b"fragment", b"line", b"ttc")
)


class Meant(NamedTuple):
    """An outline with the tags that its elements would have if these said what they are."""

    outline: Outline
    spoken: Mask
    """Runs that are content, if anything is: the heading, and code, of which a few words alone say little."""
    silent: Mask
    """Runs that are none: notes over code, what else stands in the box of a heading, and all that stands before."""

    def keep(self, kept: Mask) -> Mask:
        """What is kept, given what a method kept."""
        return (kept | self.spoken) & ~self.silent if kept.any() else kept


def meant(outline: Outline) -> Meant | None:
    """None of a page that has nothing of the kind."""
    headers, codes = _called(outline, _HEADER), _called(outline, _CODE)
    if not (len(headers) or len(codes)):
        return None
    headings = _inside(outline, headers, _TITLE)[:1]
    codes = np.unique(outline.parents.take(_inside(outline, codes, _LINE)))
    beside = (outline.tags == _DIV) & among(outline.parents, headings)
    tags = outline.tags.copy()
    tags[headings], tags[codes] = _H1, _PRE
    notes = _inside(outline, codes, _NOTE)
    silent = standing_within(outline, np.append(beside.nonzero()[0], notes))
    if len(headings):
        silent[: outline.befores.searchsorted(headings[0] + 1)] = True
    return Meant(outline._replace(tags=tags), standing_within(outline, np.append(headings, codes)), silent)


def _called(outline: Outline, name: int) -> Ints:
    """The divisions with a word among their names."""
    elements = outline.named[outline.names == name]
    divisions: Ints = elements[outline.tags.take(elements) == _DIV]
    return divisions


def _inside(outline: Outline, around: Ints, name: int) -> Ints:
    """Those that stand right in one of some elements, which are in order."""
    elements = _called(outline, name)
    return elements[among(outline.parents.take(elements), around)]
