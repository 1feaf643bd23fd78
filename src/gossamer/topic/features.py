"""What does a text say of its topic? Its words and the pairs of words that stand next to each other, each once.

A short text says as much as a long one: only the beginning counts. Words are cut by a table of bytes, which takes a
fifth of the time of a pattern: what is no letter of ASCII ends a word, and what is beyond ASCII belongs to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import log

BEGINNING = 3_000
"""Characters of a text that are looked at: about 450 words."""
SHORT, LONG = 3, 30
"""Letters of a word that says anything."""
_LETTERS = bytes(
    code if code >= 128 or chr(code).islower() else ord(chr(code).lower()) if chr(code).isalpha() else 32
    for code in range(256)
)
_MARKS = re.compile("[\u2010-\u201f\u2026\u00a0\u00ab\u00bb\u3000-\u3003]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LOUD = (0.0, *(round(1 + log(count), 3) for count in range(1, 33)))
_EMPTY = frozenset({"http", "https", "html", "htm", "php", "asp", "aspx", "jsp", "www", "com", "org", "net", "index"})
"""Words of addresses that say nothing."""


def words(text: str) -> list[str]:
    """The words of the beginning of a text, in its order."""
    text = text[:BEGINNING]
    if not text.isascii():
        text = _MARKS.sub(" ", text).lower()
    return text.encode(errors="replace").translate(_LETTERS).decode().split()


def features(text: str) -> dict[str, float]:
    """Its words, each with how loud it is, and pairs of words; without words that are too short to say anything."""
    found = words(text)
    pairs = (pair for pair in pairwise(found) if _says(pair[0]) and _says(pair[1]))
    loud = {word: loudness(count) for word, count in Counter(found).items() if _says(word)}
    return loud | dict.fromkeys(map(" ".join, pairs), 1.0)


def loudness(count: int) -> float:
    """What a word says that stands there so many times: the second time is not as much as the first."""
    return _LOUD[min(count, len(_LOUD) - 1)]


@lru_cache(maxsize=4_096)
def address_words(url: str) -> tuple[str, ...]:
    """The words in an address, without those that say nothing."""
    return tuple(word for word in words(_CAMEL.sub(" ", url)) if word not in _EMPTY)


def forms(word: str) -> Iterator[str]:
    """The plural of a word, or its singular, as English has them; in other languages it is a word that nobody has."""
    if word.endswith("ies"):
        yield word[:-3] + "y"
    elif word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        yield word[:-1] + "ies"
    else:
        yield word + "s"


def _says(word: str) -> bool:
    return SHORT <= len(word) <= LONG
