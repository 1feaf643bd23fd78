"""How is what was kept of a page written down? As tagged text, with the structure it stood in."""

from __future__ import annotations

from gossamer.convert.render.compiled import inside, written
from gossamer.convert.render.dressing import Addresses, dressed

__all__ = ["Addresses", "dressed", "inside", "written"]
