"""Did you mean? A word that the collection does not have, and the most frequent of its words that are spelled alike.

Candidates are the words of titles, headings and anchors: those are spelled with care. One or two letters may be
wrong, missing, too many or swapped (the distance of Damerau); the first letter is seldom one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

SHORTEST = 4
"""Letters of a word that is corrected; shorter ones are like too many others."""
CORRECTED_MOST = 3
"""Words of a question that are corrected: one with more unknown words is in another language, or nonsense."""


def nearest(word: str, candidates: Iterable[tuple[str, int]]) -> str | None:
    """The candidate that is meant, given with how often each is met; None when none is near."""
    reach = 1 if len(word) < 2 * SHORTEST else 2
    best: tuple[int, int, str] | None = None
    for other, count in candidates:
        if other != word and abs(len(other) - len(word)) <= reach:
            far = distance(word, other, reach)
            if far <= reach:
                best = min(best, (far, -count, other)) if best else (far, -count, other)
    return best[2] if best else None


def corrected(
    words: Iterable[str], known: Callable[[str], bool], candidates: Callable[[str], list[tuple[str, int]]]
) -> dict[str, str]:
    """For each word that is not known what may be meant."""
    unknown = (word for word in dict.fromkeys(words) if len(word) >= SHORTEST and not known(word))
    found = ((word, nearest(word, candidates(word[0]))) for word in islice(unknown, CORRECTED_MOST))
    return {word: meant for word, meant in found if meant}


def distance(one: str, other: str, most: int) -> int:
    """Letters that must be changed, left out, put in or swapped with their neighbour; `most` + 1 when it is more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last, before, row = before, row, [number]
        for place, there in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != there))
            if number > 1 and place > 1 and letter == other[place - 2] and one[number - 2] == there:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
