"""Have we got this? Exact copies are known by the digest of their decoded body, templates by their blocks."""

from __future__ import annotations

from gossamer.dedupe.blocks import Blocks
from gossamer.dedupe.digest import Copies

__all__ = ["Blocks", "Copies"]
