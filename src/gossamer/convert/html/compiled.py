"""The compiled twin of `scan`, where there is one: it is asked first, and takes a sixth of the time.

It is written in C, in `_scan.c`, and is built when the package is installed where there is a C compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.convert.html._scan import Fields

try:
    from gossamer.convert.html._scan import scan
except ModuleNotFoundError:

    def scan(data: bytes, links_most: int, outlined: bool, /) -> Fields | None:
        """Leave every page to the tree."""
        return None


__all__ = ["scan"]
