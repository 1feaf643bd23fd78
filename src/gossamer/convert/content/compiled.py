"""The compiled twin of what is done to blocks, where there is one. It is written in C, in `_score.c`."""

from __future__ import annotations

try:
    from gossamer.convert.content import _score as score
except ImportError:
    score = None  # type: ignore[assignment]  # there may be no compiler where it is installed

__all__ = ["score"]
