"""What the methods for main content keep of a page."""

from __future__ import annotations

import numpy as np

from gossamer.convert.content import METHODS
from gossamer.convert.html.outline import Outline, by_tree


def outline_of(page: bytes) -> Outline:
    """The outline of a page that has a body."""
    found = by_tree(page)
    assert found is not None
    return found


def kept(page: bytes, method: str) -> str:
    """The words that a method keeps."""
    outline = outline_of(page)
    runs = np.flatnonzero(METHODS[method](outline).keep).tolist()
    return " ".join(outline.text[outline.starts[run] : outline.starts[run + 1]].decode().strip() for run in runs)
