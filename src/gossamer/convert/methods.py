"""The names of the methods that find main content, for who has to name one: `content` has them, and loads NumPy."""

from __future__ import annotations

METHODS = ("learned", "density", "plateau")
DEFAULT = METHODS[0]
