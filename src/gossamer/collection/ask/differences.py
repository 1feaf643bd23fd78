"""What changed between two texts: lines that came and went, and within a line that was rewritten, the words.

Both are compared by their longest common stretches (Ratcliff and Obershelp, in the standard library). On texts made for
it that takes very long, so what stands everywhere does not count, and too long a stretch is reported as rewritten. All
comparisons of two texts together have a limit too: what comes after it is reported as rewritten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

LINES_MOST = 2_000
"""On either side, between what both begin and end with."""
WORDS_MOST = 1_000
"""In a line."""
PAIRS_MOST = 200
"""Lines in one place that are looked into for the words that changed."""
SHORT = 100
"""Lines or words in one place that are compared with all others there, however common they are."""
WORK_MOST = 10_000_000
"""Steps of comparing two texts, at the worst; each takes about a quarter of a millionth of a second. A paragraph of 300
words that was rewritten takes up to 100,000."""
POPULAR_FROM = 200
"""Lines or words from which on the standard library passes over those that are more than one in a hundred."""
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
    skipped: int = 0
    """Lines of both that are left out before it."""

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


class _Work:
    """How much may still be compared."""

    def __init__(self, most: int) -> None:
        self._left = most

    def allows(self, old: Sequence[str], new: Sequence[str], *, whole: bool = False) -> bool:
        """Whether there is enough left for these two; it is used up then. `whole` counts what stands everywhere."""
        counts = Counter(new)
        most = len(new) if whole or len(new) < POPULAR_FROM else len(new) // 100 + 1
        meetings = sum(number for each in old if (number := counts[each]) <= most)
        cost = meetings * min(len(old), len(new))
        if cost > self._left:
            return False
        self._left -= cost
        return True


def difference(old: str, new: str) -> list[Line]:
    """What changed, with some lines around it; nothing when nothing did."""
    lines = list(_lines(old.splitlines(), new.splitlines(), _Work(WORK_MOST)))
    shown: set[int] = set()
    for place, line in enumerate(lines):
        if line.sign != "=":
            shown.update(range(max(place - CONTEXT, 0), min(place + CONTEXT + 1, len(lines))))
    places = sorted(shown)
    return [lines[place]._replace(skipped=place - before - 1) for before, place in pairwise([-1, *places])]


def _lines(old: Sequence[str], new: Sequence[str], work: _Work) -> Iterator[Line]:
    for sign, before, after in _stretches(old, new, LINES_MOST, work):
        if sign == "=":
            yield from (Line((Piece("=", text),)) for text in before)
        else:
            pairs = min(len(before), len(after), PAIRS_MOST)
            for one, other in zip(before[:pairs], after[:pairs], strict=True):
                yield from _rewritten(one, other, work)
            yield from (Line((Piece("-", text),)) for text in before[pairs:])
            yield from (Line((Piece("+", text),)) for text in after[pairs:])


def _rewritten(old: str, new: str, work: _Work) -> Iterator[Line]:
    one, other = _WORD.findall(old), _WORD.findall(new)
    pieces = []
    for sign, before, after in _stretches(one, other, WORDS_MOST, work):
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


Stretch: TypeAlias = tuple[Literal["=", "~"], Sequence[str], Sequence[str]]
"""What both have, or what one has in the place of the other."""


def _stretches(old: Sequence[str], new: Sequence[str], most: int, work: _Work) -> Iterator[Stretch]:
    """Equal stretches and others, in turn."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield "=", old[:head], new[:head]
    if max(len(one), len(other)) > most or not work.allows(one, other):
        yield "~", one, other
    elif one or other:
        for tag, i, j, k, m in SequenceMatcher(None, one, other).get_opcodes():
            if tag == "equal":
                yield "=", one[i:j], other[k:m]
            else:
                yield from _looked_into(one[i:j], other[k:m], work)
    if tail:
        yield "=", old[len(old) - tail :], new[len(new) - tail :]


def _looked_into(old: Sequence[str], new: Sequence[str], work: _Work) -> Iterator[Stretch]:
    """A stretch that differs may have in common what stands everywhere, and did not count: in a short one it does."""
    if not old or not new or max(len(old), len(new)) > SHORT or not work.allows(old, new, whole=True):
        yield "~", old, new
        return
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield "=" if tag == "equal" else "~", old[i:j], new[k:m]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How much both begin with."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
