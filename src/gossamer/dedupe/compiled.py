"""The compiled twin of `measure`, where there is one: it takes a tenth of the time.

It is written in C, in `_prints.c`, and is built when the package is installed where there is a C compiler.
"""

from __future__ import annotations

from gossamer.dedupe.words import folded

try:
    from gossamer.dedupe import _prints
except ImportError:
    from gossamer.dedupe.measure import measure
else:

    def measure(text: str) -> tuple[int, bytes, bytes, int]:
        """See `measure.measure`."""
        return _prints.measure(folded(text))


__all__ = ["measure"]
