"""Text that reads like English: simple grammar, real words, Zipf's law, and a topic for every host.

Nouns are many (the tail is made of compounds such as "riverlamp"), so that rare words are rare enough
for search and duplicate detection to mean something. A host prefers a dozen nouns of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import getitem

from gossamer.testing.draw import numbers

_LISTS = {
    "noun": """
        river lamp bridge garden window harbour engine market letter mountain teacher forest kitchen
        station paper island winter village machine doctor bottle castle shadow candle farmer ladder
        mirror pocket ribbon saddle tunnel valley wagon anchor basket copper desert feather glacier hammer
        insect jacket kettle lantern meadow needle orchard painter quarry rocket sailor temple umbrella
        violin weaver barrel canyon drawer elbow fountain granite hedge ivory jungle kingdom lemon marble
        nephew oyster parrot quilt raven spider thunder uncle velvet willow yard acorn blanket compass
        dragon evening falcon grain helmet inlet jewel kernel linen mill night ocean pebble queen rope
        silver tower union vine whale yarn zebra bell cloud door field gate hill ink kite leaf moss nest
        oak plum reed stone thread urn vase wheel""",
    "adjective": """
        old small quiet bright early heavy distant green narrow gentle strange hollow wooden patient cold
        golden careful deep pale sudden lonely proud crooked rapid modest ancient empty foreign humble
        bitter curious eastern faithful grey honest idle jolly keen lively mild noble odd plain rare sharp
        tidy useful vast warm young""",
    "verb": """
        carries follows finds keeps opens watches holds crosses builds paints gathers hides mends turns
        sells remembers forgets lifts guards answers brings calls draws enters feeds greets hears joins
        knows leads measures names offers passes questions reaches seeks teaches visits wants""",
    "determiner": "the this every one that our their each another his her some",
    "preposition": "in of near under beside over past with before behind along above without",
    "adverb": "slowly often never always quickly again seldom gladly",
    "conjunction": "and but while because so",
}

WORDS: dict[str, list[str]] = {slot: words.split() for slot, words in _LISTS.items()}

PATTERNS: tuple[tuple[str, ...], ...] = tuple(
    tuple(pattern.split())
    for pattern in (
        "determiner adjective noun verb determiner noun",
        "determiner noun verb preposition determiner adjective noun",
        "determiner noun adverb verb determiner noun preposition determiner noun",
        "adverb determiner noun verb determiner adjective noun preposition determiner noun",
        "determiner noun verb determiner adjective noun conjunction determiner noun verb determiner noun",
        "determiner noun verb determiner noun",
        "determiner adjective noun verb preposition determiner noun preposition determiner noun",
        "determiner noun preposition determiner noun verb determiner adjective noun",
    )
)
"""Sentences as slots to be filled; the first noun is the subject."""


_NOUNS = 2_000
_TOPIC = 13
_TOPICAL = 300
"""A topic is drawn from so many of the most frequent nouns."""
_SPAN = 1 << 16
"""How many numbers a draw can give."""


@dataclass(frozen=True, slots=True)
class Prose:
    """The words of one web."""

    seed: int
    nouns: list[str]
    """The frequent ones first."""
    tables: dict[str, list[str]]
    """For each slot of a sentence, the word for each number that a draw can give."""
    patterns: list[tuple[list[list[str]], int]]
    """Sentences as tables to draw from, and where the subject stands."""

    def topic(self, host: int) -> list[str]:
        """The nouns that a host prefers."""
        drawn = numbers(_TOPIC, self.seed, "topic", host)
        return [self.nouns[number % _TOPICAL] for number in drawn]

    def title(self, topic: list[str], *key: object) -> tuple[str, str, str]:
        """Three words: the path of a page is made of them, and so is the text of links to it."""
        first, second, third = numbers(3, self.seed, "title", *key)
        return self.tables["adjective"][first], topic[second % _TOPIC], self.tables["noun"][third]

    def sentences(self, count: int, topic: list[str], *key: object) -> list[list[str]]:
        """At least `count` words, as sentences that are lists of words. The subject is of the topic."""
        drawn = numbers(count + count // 2 + 32, self.seed, "text", *key)
        found: list[list[str]] = []
        at = 0
        while count > 0:
            tables, subject = self.patterns[drawn[at] % len(self.patterns)]
            end = at + 1 + len(tables)
            words = list(map(getitem, tables, drawn[at + 1 : end]))
            words[subject] = topic[drawn[end] % _TOPIC]
            found.append(words)
            count -= len(words)
            at = end + 1
        return found

    def edited(self, sentences: list[list[str]], share: float, *key: object) -> list[list[str]]:
        """The same sentences with a share of their words replaced, one at least."""
        words = [word for one in sentences for word in one]
        order = numbers(len(words), self.seed, "edit", *key)
        drawn = numbers(len(words), self.seed, "edited", *key)
        for place in sorted(range(len(words)), key=order.__getitem__)[: max(1, round(share * len(words)))]:
            words[place] = self._replaced(words[place], drawn[place])
        flat = iter(words)
        return [[next(flat) for _ in one] for one in sentences]

    def _replaced(self, word: str, number: int) -> str:
        other = self.nouns[number % len(self.nouns)]
        return other if other != word else self.nouns[(number + 1) % len(self.nouns)]


@lru_cache(maxsize=4)
def prose(seed: int) -> Prose:
    """The words of the web with that seed."""
    shuffled = {slot: _shuffled(WORDS[slot], seed, slot) for slot in ("noun", "adjective", "verb")}
    nouns = _with_compounds(shuffled["noun"], seed)
    words = WORDS | shuffled | {"noun": nouns}
    tables = {slot: _by_zipf(ranked) for slot, ranked in words.items()}
    patterns = [([tables[slot] for slot in pattern], pattern.index("noun")) for pattern in PATTERNS]
    return Prose(seed, nouns, tables, patterns)


def paragraphs(sentences: list[list[str]], length: int = 4) -> list[str]:
    """Sentences as people write them: a capital, a full stop, a few to a paragraph."""
    written = [" ".join(words).capitalize() + "." for words in sentences]
    return [" ".join(written[at : at + length]) for at in range(0, len(written), length)]


def _shuffled(words: list[str], *key: object) -> list[str]:
    order = numbers(len(words), *key)
    return [word for _, word in sorted(zip(order, words, strict=True))]


def _with_compounds(nouns: list[str], seed: int) -> list[str]:
    """The plain nouns first, then compounds, which are therefore the rare words."""
    drawn = iter(numbers(6 * _NOUNS, seed, "compounds"))
    found = dict.fromkeys(nouns)
    for first, second in zip(drawn, drawn, strict=True):
        if len(found) == _NOUNS:
            break
        found.setdefault(nouns[first % len(nouns)] + nouns[second % len(nouns)])
    return list(found)


def _by_zipf(words: list[str]) -> list[str]:
    """A table in which the word of rank r fills a share like 1 / r, so that one index is one draw."""
    total = sum(1 / rank for rank in range(1, len(words) + 1))
    table: list[str] = []
    reached = 0.0
    for rank, word in enumerate(words, 1):
        reached += 1 / rank / total
        table.extend([word] * (round(reached * _SPAN) - len(table)))
    return table
