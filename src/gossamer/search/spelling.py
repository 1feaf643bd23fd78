"""How far are two words apart, and which of some words is meant by one that is spelled wrong?

The distance is that of Damerau: letters that are wrong, missing, too many, or swapped with their neighbour. A word that
is one letter further away has to be a hundred times as frequent to be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

CORRECTED_MOST = 3
"""Words of a question that others are looked for: one with more unknown words is in another language, or nonsense."""
SHORTEST = 4
"""Letters of a word that is corrected; shorter ones are like too many others."""
LONG = 8
"""Letters of a word that may have two mistakes."""
STEP = 0.01
"""How much less often a word is meant for each letter that it is further away."""
FIRST = 0.2
"""The same for one that begins with another letter: people seldom get the first one wrong."""
ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ", "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ")
ACCENTS = {
    "a": "áàâäãåă", "c": "çčć", "d": "đ", "e": "éèêëęě", "g": "ğ", "i": "íìîïı", "l": "ł", "n": "ñńň", "o": "óòôöõøő",
    "r": "ř", "s": "šśşß", "t": "ťţ", "u": "úùûüůű", "y": "ýÿ", "z": "žźż",
}  # fmt: skip
"""Letters that are often typed without what stands above or below them."""
VOWELS = "aeiouy"
_DIGITS = re.compile(r"\d+")


def reach(word: str) -> int:
    """How many mistakes a word may have."""
    return 0 if len(word) < SHORTEST else 1 if len(word) < LONG else 2


class Meant(NamedTuple):
    """A word that may be meant."""

    likelihood: float = 0.0
    far: int = 0
    word: str = ""


def nearest(word: str, candidates: Mapping[str, int], most: int, least: int = 1) -> Meant:
    """The candidate that is meant, of those that are so far away at least and at most; given with how often each is
    met."""
    letters, digits, best = set(word), _DIGITS.findall(word), Meant()
    for other in sorted(candidates, key=candidates.__getitem__, reverse=True):
        count, there = candidates[other], set(other)
        if count * STEP**least < best.likelihood:
            break  # it would not be meant if it were as near as may be, and the others are rarer still
        if abs(len(other) - len(word)) > most or len(letters - there) > most or len(there - letters) > most:
            continue  # most are sent away here, at a tenth of the cost
        far = distance(word, other, most)
        if least <= far <= most and (not digits or digits == _DIGITS.findall(other)):  # numbers are meant as they are
            best = max(best, Meant(count * STEP**far * (1 if word[0] == other[0] else FIRST), far, other))
    return best


def distance(one: str, other: str, most: int) -> int:
    """Letters that must be changed, left out, put in or swapped with their neighbour; `most` + 1 when it is more."""
    one, other = _unlike(one, other)
    if not one or not other:
        return min(len(one) or len(other), most + 1)
    far, width = most + 1, len(other)
    last, before, row = [far] * (width + 1), [far] * (width + 1), list(range(width + 1))
    for number, letter in enumerate(one, 1):
        last, before, row = before, row, [number] + [far] * width
        for place in range(max(1, number - most), min(width, number + most) + 1):  # what is further off is too far
            there = other[place - 1]
            cost = min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != there))
            if number > 1 and place > 1 and letter == other[place - 2] and one[number - 2] == there:
                cost = min(cost, last[place - 2] + 1)
            row[place] = cost
        if min(row) > most:
            return far
    return min(row[-1], far)


def _unlike(one: str, other: str) -> tuple[str, str]:
    """What is left of two words when their beginning and their end are the same: mostly very little."""
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]


def mistaken(word: str, places: int) -> Iterator[str]:
    """All that one mistake within the first places may have made this word of."""
    letters = _letters(word)
    for at in range(min(places, len(word))):
        before, here, after = word[:at], word[at], word[at + 1 :]
        yield before + after
        if after:
            yield before + after[0] + here + after[1:]
        yield from (before + letter + after for letter in letters + ACCENTS.get(here, "") if letter != here)
        yield from (before + letter + here + after for letter in letters)
    if places >= len(word):
        yield from (word + letter for letter in letters)


def slipped(beginning: str, places: int) -> Iterator[str]:
    """How a beginning may have been meant, by the mistakes that are made most: in the first places a letter is swapped
    with the next or is too many, a vowel is missing or is another, or a letter should stand twice."""
    for at in range(min(places, len(beginning))):
        before, here, after = beginning[:at], beginning[at], beginning[at + 1 :]
        yield before + after
        yield before + after[:1] + here + after[1:]
        yield before + here + here + after
        yield from (before + vowel + here + after for vowel in VOWELS)
        if here in VOWELS:
            yield from (before + vowel + after for vowel in VOWELS)


def _letters(word: str) -> str:
    """Those that a word may have been meant with: the alphabet that it is written in, and its own."""
    alphabet = next((letters for letters in ALPHABETS if any(letter in letters for letter in word)), "")
    return alphabet + "".join(sorted(set(word) - set(alphabet)))


def parted(word: str, shortest: int) -> Iterable[tuple[str, str]]:
    """The two words that a word may be, run together."""
    return ((word[:at], word[at:]) for at in range(shortest, len(word) - shortest + 1))
