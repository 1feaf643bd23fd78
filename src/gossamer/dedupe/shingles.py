"""Shingles: runs of n words. Two texts resemble each other by the share of shingles that they have in common.

The idea is Broder's (On the resemblance and containment of documents, 1997). All shingles of a text take more room than
the text; two ways to keep some of them, after Croft, Metzler and Strohman (Search Engines, chapter 3) and Schleimer,
Wilkerson and Aiken (Winnowing, SIGMOD 2003):

- `sampled` keeps the hashes that p divides. Simple, but a long passage may lose all of its shingles.
- `winnow` keeps the smallest hash of every window. Of any passage of window + n - 1 words at least one is kept.

Words are compared without case, spaces and punctuation. A word is a run of letters and digits. Some scripts put no
spaces between words; there every character counts as a word, so that shingles of words are shingles of characters.

`Passages` says who shares a passage with a text. It is an inverted index: for each fingerprint, the texts that have it.
Textbooks find near copies this way: look up every fingerprint of a text, count how often each other text comes, and
tell how much they share. It is exact and finds quotations, but an entry for every fingerprint is far more than a page
can cost in a large collection; there `lookup` has 20 entries for a page. This one is in memory, for thousands of texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Sequence, Set
from itertools import islice
from typing import Generic, NamedTuple, TypeVar
from unicodedata import normalize

from gossamer.lazy import pattern
from gossamer.urls import keys

UNSPACED = (
    (0x0E00, 0x0EFF, "Thai, Lao"),
    (0x1000, 0x109F, "Burmese"),
    (0x1780, 0x17FF, "Khmer"),
    (0x3005, 0x3007, "Han: repetition, closing, zero"),
    (0x3040, 0x30FF, "Hiragana, Katakana"),
    (0x31F0, 0x31FF, "Katakana"),
    (0x3400, 0x4DBF, "Han"),
    (0x4E00, 0x9FFF, "Han"),
    (0xF900, 0xFAFF, "Han"),
    (0xFF66, 0xFF9F, "Katakana"),
    (0x20000, 0x3FFFF, "Han"),
)
"""First and last character of scripts without spaces between words."""

_ASCII_WORD = pattern(r"[a-z0-9]+")
_WORD = pattern(r"[^\W_]+")
_ALONE = pattern("([" + "".join(f"{chr(first)}-{chr(last)}" for first, last, _ in UNSPACED) + "])")
LENGTH = 3
"""Words of a shingle, unless asked otherwise."""


def folded(text: str) -> str:
    """In lower case, and composed: a letter with its accent is one character."""
    return text.lower() if text.isascii() else normalize("NFC", text).lower()


def words(text: str) -> list[str]:
    """The words of a text, in their order."""
    plain = folded(text)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    return _WORD.findall(_ALONE.sub(r" \1 ", plain))


def shingles(text: str, n: int = LENGTH) -> set[str]:
    """Every run of n words, joined by one space. A shorter text is one shingle; a text without words has none."""
    return set(_runs(text, n))


def resemblance(one: str | Set[object], other: str | Set[object], n: int = LENGTH) -> float:
    """What two sets have in common, as a share of all they have (Jaccard). A text stands for its shingles."""
    mine, others = _set(one, n), _set(other, n)
    if not mine and not others:
        return 1.0
    common = len(mine & others)
    return common / (len(mine) + len(others) - common)


def containment(one: str | Set[object], other: str | Set[object], n: int = LENGTH) -> float:
    """Which share of the first stands in the second, too: near 1 for a quotation."""
    mine = _set(one, n)
    return len(mine & _set(other, n)) / len(mine) if mine else 1.0


def hashes(text: str, n: int = LENGTH) -> list[int]:
    """64 bits for every run of n words, in their order."""
    return [keys.digest(each.encode()) for each in _runs(text, n)]


def sampled(hashes: Sequence[int], p: int) -> list[int]:
    """Those that p divides, in their order: 0 mod p."""
    return [each for each in hashes if each % p == 0]


def winnow(hashes: Sequence[int], window: int) -> list[tuple[int, int]]:
    """Position and hash of the smallest in every window, the rightmost of equals, each once."""
    kept: list[tuple[int, int]] = []
    rising: deque[int] = deque()
    """Positions that may still become the smallest: hashes rise from left to right."""
    for place, each in enumerate(hashes):
        while rising and hashes[rising[-1]] >= each:
            rising.pop()
        rising.append(place)
        if rising[0] <= place - window:
            rising.popleft()
        full = place + 1 >= min(window, len(hashes))
        if full and (not kept or kept[-1][0] != rising[0]):
            kept.append((rising[0], hashes[rising[0]]))
    return kept


def fingerprints(text: str, n: int = LENGTH, window: int = 4) -> set[int]:
    """The hashes that stand for a text: those that winnowing keeps."""
    return {each for _, each in winnow(hashes(text, n), window)}


def _runs(text: str, n: int) -> list[str]:
    found = words(text)
    if len(found) <= n:
        return [" ".join(found)] if found else []
    return list(map(" ".join, zip(*(islice(found, start, None) for start in range(n)), strict=False)))


def _set(given: str | Set[object], n: int) -> Set[object]:
    return shingles(given, n) if isinstance(given, str) else given


Name = TypeVar("Name", bound=Hashable)


class Shared(NamedTuple, Generic[Name]):
    """What a text has in common with one of the index."""

    name: Name
    common: int
    resemblance: float
    containment: float
    """Share of the text asked for that stands in this one."""


class Passages(Generic[Name]):
    """Fingerprints of texts, by name."""

    def __init__(self) -> None:
        self._having: defaultdict[int, list[Name]] = defaultdict(list)
        self._sizes: dict[Name, int] = {}

    def add(self, name: Name, fingerprints: Set[int]) -> None:
        """A text that is not in it yet."""
        self._sizes[name] = len(fingerprints)
        for each in fingerprints:
            self._having[each].append(name)

    def sharing(self, fingerprints: Set[int]) -> list[Shared[Name]]:
        """The texts that share any of them, those that share most first."""
        counts = Counter(name for each in fingerprints for name in self._having.get(each, ()))
        return [self._shared(name, count, len(fingerprints)) for name, count in counts.most_common()]

    def _shared(self, name: Name, count: int, asked: int) -> Shared[Name]:
        return Shared(name, count, count / (asked + self._sizes[name] - count), count / asked)
