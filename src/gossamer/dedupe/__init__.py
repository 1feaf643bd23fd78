"""Have we got this? Exact copies are known by the digest of their decoded body."""

from __future__ import annotations

from gossamer.dedupe.digest import Copies

__all__ = ["Copies"]
