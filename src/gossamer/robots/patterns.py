"""Which of many patterns match a path, and how long is the longest?

The answer is found without backtracking: between two stars each piece is taken at its first place, so
a pattern costs at most one walk over the path, whatever a hostile site writes. Patterns without a star
inside, nearly all of them, are looked up in a table of prefixes. Very many patterns with stars and a very long path are
not matched to the end: what is left then is read more strictly than written.

Rules and addresses are brought to one spelling first, and compared octet by octet. RFC 9309 section 2.2.2 wants
needless escapes undone and the others written out. Google's suite for the same standard keeps two things apart that the
RFC calls equal: escaped letters and digits, and octets outside ASCII in an address. So there are two spellings.
`of_pattern` and `of_path` give the careful one, which both agree on; `folded` gives the RFC's. A Disallow holds in
both, an Allow only in the careful one: where they differ, we stay out.

Escaped delimiters (%2F in a path, %26 in a query) stay as they are: RFC 3986 says they mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from string import ascii_letters, digits
from typing import NamedTuple

STARRED_MOST = 16_384
"""Octets of patterns with stars that a group should hold: even to pass over them takes time.

Real files have a few thousand."""
STEPS_MOST = 2_000_000
"""Steps of one match, about a nanosecond each. A hundred patterns and an ordinary path take a twentieth of it."""
_CALL = 300
"""Steps that one search costs before it compares anything."""
_ESCAPE = rb"%[0-9A-Fa-f]{2}"
_NO_URL_CHARACTER = rb"\x00-\x20\x22<>\\^`{|}\x7f"
_IN_PATTERN = re.compile(_ESCAPE + rb"|[" + _NO_URL_CHARACTER + rb"\x80-\xff]|\$(?!\Z)")
_IN_PATH = re.compile(_ESCAPE + rb"|[" + _NO_URL_CHARACTER + rb"*$]")
_FOLDABLE = re.compile(_ESCAPE + rb"|[\x80-\xff]")
_URL = re.compile(r"(?:[^/?;#]*?://|//)?[^/?;#]*([^#]*)")
_NEEDLESS = b"-._~:@!'(),[]"
"""Characters that mean the same escaped and plain: unreserved marks, and what delimits nothing."""


class _Glob(NamedTuple):
    octets: int
    head: bytes
    pieces: tuple[bytes, ...]
    tail: bytes | None
    """What the path must end with; None where the pattern has no `$`."""

    def steps(self, path: bytes) -> int:
        """What a match may cost at the most: the pieces share one walk, on which each octet may be compared with all
        octets of a piece, because that is how short pieces are searched for."""
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

    def __bool__(self) -> bool:
        """Is there any?"""
        return bool(self._exact or self._prefixes or self._globs)

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


def _table(plain: bytes) -> dict[bytes, bytes]:
    """An octet that may not stand -> %XX. Any escape -> the character if it is in `plain`, else %XX."""
    table = {}
    for octet in range(256):
        character, escape = bytes([octet]), b"%%%02X" % octet
        cases = [{digit, digit.lower()} for digit in escape[1:].decode()]
        for high, low in product(*cases):
            table[f"%{high}{low}".encode()] = character if character in plain else escape
        table[character] = escape
    return table


_CAREFUL = _table(_NEEDLESS)
_PATH = _table(_NEEDLESS + (ascii_letters + digits).encode())
_QUERY = _table(_NEEDLESS + (ascii_letters + digits + "/?").encode())


def of_pattern(pattern: bytes) -> bytes:
    """The spelling of a rule's path. `*` and a last `$` keep their meaning."""
    return _IN_PATTERN.sub(lambda match: _CAREFUL[match[0]], pattern)


def of_path(path: bytes) -> bytes:
    """The spelling of an address's path, in which `*` and `$` are characters like any other."""
    return _IN_PATH.sub(lambda match: _CAREFUL[match[0]], path)


def folded(spelled: bytes) -> bytes:
    """All that the RFC calls equal, made equal. A slash is data once the query has begun."""
    if b"%" not in spelled and spelled.isascii():
        return spelled
    path, mark, query = spelled.partition(b"?")
    path = _FOLDABLE.sub(lambda match: _PATH[match[0]], path)
    return path + mark + _FOLDABLE.sub(lambda match: _QUERY[match[0]], query)


def path_of(url: str) -> bytes:
    """Path and query of an address as given, whole or relative to some host; `/` when it has none."""
    found = _URL.match(url)
    path = found[1] if found else ""
    return (path if path.startswith("/") else f"/{path}").encode("utf-8", "surrogatepass")
