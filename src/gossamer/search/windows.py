"""Answers are weighed a window at a time, so that their order does not depend on how many of them are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gossamer.search.candidates import Candidates, Matches, identity
from gossamer.search.question import Question

WINDOW = 200
"""Answers by their words that are weighed together by all else. The next so many follow in the same way, so that only
those that are shown are looked at."""


class Total(NamedTuple):
    """How many pages were found, or how many at least."""

    pages: int
    is_least: bool = False

    def and_(self, others: int) -> Total:
        """With some more; where nobody has counted, it stays the least that there are."""
        return self if self.is_least else Total(self.pages + others)


@dataclass(frozen=True, slots=True)
class Window:
    """Answers that are weighed against each other, and before all further ones."""

    question: Question
    """That they answer."""
    matches: Matches
    first: Candidates
    """Of all answers to the question, the best by their words."""
    called: Candidates | None = None
    """Besides, those that are found by what others call them."""

    def __len__(self) -> int:
        return len(self.matches.addresses) + (len(self.called.addresses) if self.called else 0)


def without(windows: Sequence[Window], others: Sequence[Window]) -> list[Window]:
    """The same without what others have."""
    met = {identity(address) for window in others for part in _parts(window) for address in part.addresses}
    return [
        replace(
            window,
            matches=window.matches.without(met),
            called=window.called.without(met) if window.called else None,
        )
        for window in windows
    ]


def _parts(window: Window) -> list[Matches | Candidates]:
    return [window.matches, window.called] if window.called else [window.matches]


def not_counted(called: Matches, total: Total) -> int:
    """How many of the pages that are found by what others call them are not among those that were counted. Where all of
    these have been looked at, none is; else those may be that have some of the words."""
    return len(called.addresses) if total.pages <= WINDOW else int((called.words == 0).sum())
