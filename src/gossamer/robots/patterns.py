"""Which of many patterns match a path, and how long is the longest?

The answer is found without backtracking: between two stars each piece is taken at its first place, so
a pattern costs at most one walk over the path, whatever a hostile site writes. Patterns without a star
inside, nearly all of them, are looked up in a table of prefixes. Very many patterns with stars and a very long path are
not matched to the end: what is left then is read more strictly than written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

STARRED_MOST = 16_384
"""Octets of patterns with stars that a group should hold: even to pass over them takes time.

Real files have a few thousand."""
STEPS_MOST = 2_000_000
"""Steps of one match, about a nanosecond each. A hundred patterns and an ordinary path take a twentieth of it."""
_CALL = 300
"""Steps that one search costs before it compares anything."""


class _Glob(NamedTuple):
    octets: int
    head: bytes
    pieces: tuple[bytes, ...]
    tail: bytes | None
    """What the path must end with; None where the pattern has no `$`."""

    def steps(self, path: bytes) -> int:
        """What a match may cost at the most: the pieces share one walk, on which each octet may be compared with all
        octets of a piece, for that is how short pieces are searched for."""
        return _CALL * (1 + len(self.pieces)) + len(path) * (4 + max(map(len, self.pieces), default=0))


def _matches(path: bytes, at: int, pieces: tuple[bytes, ...], tail: bytes | None) -> bool:
    """Does the rest of a path, from `at` on, hold the pieces in their order and end with the tail?"""
    for piece in pieces:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return tail is None or (path.endswith(tail) and len(path) - len(tail) >= at)


class Patterns:
    """The Allow or the Disallow lines of one group, ready to be matched."""

    __slots__ = ("_exact", "_globs", "_lengths", "_prefixes", "_unread")

    def __init__(self, patterns: Iterable[tuple[bytes, int]], *, unread: bool) -> None:
        """Each pattern comes with its rank: the octets that count when rules compete.

        `unread`: does a pattern match that would take too long to read, where what stands before its star does?
        """
        self._unread = unread
        self._exact: dict[bytes, int] = {}
        self._prefixes: dict[bytes, int] = {}
        globs = {glob for pattern, octets in patterns if (glob := self._add(pattern, octets))}
        self._globs = sorted(globs, key=lambda glob: glob.octets, reverse=True)
        self._lengths = tuple({len(prefix) for prefix in self._prefixes})

    def _add(self, pattern: bytes, octets: int) -> _Glob | None:
        """Into the tables, or back as a glob where there is a star inside."""
        anchored = pattern.endswith(b"$")
        head, *pieces = pattern[:-1].split(b"*") if anchored else pattern.rstrip(b"*").split(b"*")
        if pieces:
            tail = pieces.pop() if anchored else None
            return _Glob(octets, head, tuple(filter(None, pieces)), tail)
        table = self._exact if anchored else self._prefixes
        table[head] = max(octets, table.get(head, 0))
        return None

    def longest(self, path: bytes) -> int:
        """The rank of the longest match, -1 when nothing matches."""
        best = self._exact.get(path, -1)
        for length in self._lengths:
            octets = self._prefixes.get(path[:length], -1)
            if octets > best:
                best = octets
        return self._starred(path, best)

    def _starred(self, path: bytes, best: int) -> int:
        steps = STEPS_MOST
        for glob in self._globs:
            octets, head, pieces, tail = glob
            if octets <= best:
                break
            if not path.startswith(head):
                continue
            steps -= glob.steps(path)
            if _matches(path, len(head), pieces, tail) if steps >= 0 else self._unread:
                return octets
        return best
