"""What authors of TeX call by short names: macros without arguments, and the words that they stand for.

A body is read where its macro stands, so macros within it are known by then. All bodies of a document are bounded
together, for a few lines could stand for more text than there is room in the world.
"""

from __future__ import annotations

import re

EXPANDED_MOST = 1 << 18
"""Characters of all bodies that are read in the place of macros."""
DEPTH_MOST = 20
"""Macros within macros."""
_BODY_MOST = 2_000
_MACROS_MOST = 5_000
_NAME = re.compile(r"\s*(?:\{\s*\\([A-Za-z@]{1,60})\s*\}|\\([A-Za-z@]{1,60}))\s*(?=\{)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


class Macros:
    """Those that were defined so far."""

    def __init__(self, known: frozenset[str]) -> None:
        """Commands that are `known` keep the meaning that they have: what styles make of them is looks."""
        self._known = known
        self._bodies: dict[str, str] = {}
        self._room = EXPANDED_MOST

    def define(self, text: str, at: int, *, anew: bool = True) -> int | None:
        """Take the definition whose name stands there. Gives its end; None for one with arguments, or of another kind.

        One that is not to be made `anew` stays as it was.
        """
        named = _NAME.match(text, at)
        end = _group_end(text, named.end()) if named else None
        if named is None or end is None:
            return None
        name, body = named[1] or named[2], text[named.end() + 1 : end - 1]
        if "@" in body or name in self._known or (name not in self._bodies and len(self._bodies) >= _MACROS_MOST):
            return end
        if anew or name not in self._bodies:
            self._bodies[name] = body
        return end

    def body(self, name: str, depth: int) -> str | None:
        """What is to be read in the place of a macro that stands within so many others; None if it is none."""
        body = self._bodies.get(name)
        if body is None or depth >= DEPTH_MOST or len(body) > self._room:
            return None
        self._room -= len(body)
        return body


def _group_end(text: str, begin: int) -> int | None:
    """Behind the brace that closes the one that stands there, if that is not far."""
    depth = 0
    for brace in _BRACE.finditer(text, begin, begin + _BODY_MOST):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end()
    return None
