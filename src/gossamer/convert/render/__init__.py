"""How is what was kept of a page written down? As tagged text, with the structure it stood in."""

from __future__ import annotations

from gossamer.convert.render.compiled import inside, written

__all__ = ["inside", "written"]
