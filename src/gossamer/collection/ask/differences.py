"""What changed between two texts: lines that came and went, and within a line that was rewritten, the words.

Both are compared by their longest common stretches (Ratcliff and Obershelp, in the standard library). On texts made for
it that takes very long, so what stands everywhere does not count, and too long a stretch is reported as rewritten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

LINES_MOST = 2_000
"""On either side, between what both begin and end with."""
WORDS_MOST = 1_000
"""In a line."""
PAIRS_MOST = 200
"""Lines in one place that are looked into for the words that changed."""
SHORT = 100
"""Lines or words in one place that are compared with all others there, however common they are."""
CONTEXT = 2
"""Lines that are shown around what changed."""
ALIKE = 0.3
"""Lines that have less of their words in common are not the same line rewritten."""

Sign = Literal["=", "-", "+"]
_WORD = re.compile(r"\s*\S+")


class Piece(NamedTuple):
    """Some words of a line."""

    sign: Sign
    """Whether both have them, only the old one, or only the new one."""
    text: str


class Line(NamedTuple):
    """A line of one text or of both; one that was rewritten has pieces of several signs."""

    pieces: tuple[Piece, ...]

    @property
    def sign(self) -> str:
        """`=` for the same, `-` and `+` for gone and new, `~` for rewritten."""
        signs = {piece.sign for piece in self.pieces}
        return signs.pop() if len(signs) == 1 else "~"


class Words(NamedTuple):
    """How many words came and went, wherever they stand."""

    added: int
    removed: int


def words_changed(old: str, new: str) -> Words:
    """Counted without their order, so that it takes no longer than reading them."""
    before, after = Counter(old.split()), Counter(new.split())
    return Words((after - before).total(), (before - after).total())


def difference(old: str, new: str) -> list[Line]:
    """What changed, with some lines around it; nothing when nothing did."""
    lines = list(_lines(old.splitlines(), new.splitlines()))
    shown: set[int] = set()
    for place, line in enumerate(lines):
        if line.sign != "=":
            shown.update(range(max(place - CONTEXT, 0), place + CONTEXT + 1))
    return [line for place, line in enumerate(lines) if place in shown]


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    for sign, before, after in _stretches(old, new, LINES_MOST):
        if sign == "=":
            yield from (Line((Piece("=", text),)) for text in before)
        else:
            pairs = min(len(before), len(after), PAIRS_MOST)
            for one, other in zip(before[:pairs], after[:pairs], strict=True):
                yield from _rewritten(one, other)
            yield from (Line((Piece("-", text),)) for text in before[pairs:])
            yield from (Line((Piece("+", text),)) for text in after[pairs:])


def _rewritten(old: str, new: str) -> Iterator[Line]:
    one, other = _WORD.findall(old), _WORD.findall(new)
    pieces = []
    for sign, before, after in _stretches(one, other, WORDS_MOST):
        if sign == "=":
            pieces.append(Piece("=", "".join(before)))
        else:
            pieces += [Piece("-", "".join(before))] if before else []
            pieces += [Piece("+", "".join(after))] if after else []
    common = sum(len(piece.text) for piece in pieces if piece.sign == "=")
    if common >= ALIKE * max(len(old), len(new)):
        yield Line(tuple(pieces))
    else:
        yield Line((Piece("-", old),))
        yield Line((Piece("+", new),))


def _stretches(
    old: Sequence[str], new: Sequence[str], most: int
) -> Iterator[tuple[Literal["=", "~"], Sequence[str], Sequence[str]]]:
    """Equal stretches and others, in turn."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield "=", old[:head], new[:head]
    if max(len(one), len(other)) > most:
        yield "~", one, other
    elif one or other:
        for tag, i, j, k, m in SequenceMatcher(None, one, other).get_opcodes():
            if tag == "equal":
                yield "=", one[i:j], other[k:m]
            else:
                yield from _looked_into(one[i:j], other[k:m])
    if tail:
        yield "=", old[len(old) - tail :], new[len(new) - tail :]


def _looked_into(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[Literal["=", "~"], Sequence[str], Sequence[str]]]:
    """A stretch that differs may have in common what stands everywhere, and did not count: in a short one it does."""
    if not old or not new or max(len(old), len(new)) > SHORT:
        yield "~", old, new
        return
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield "=" if tag == "equal" else "~", old[i:j], new[k:m]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How much both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
