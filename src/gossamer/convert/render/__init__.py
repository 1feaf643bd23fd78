"""How is what was kept of a page written down? As tagged text, with the structure it stood in."""

from __future__ import annotations

from gossamer.convert.render.twin import written

__all__ = ["written"]
