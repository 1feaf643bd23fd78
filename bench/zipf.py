"""Made pages in quantity: words by the law of Zipf and Mandelbrot, fast enough for hundreds of thousands of pages.

The vocabulary is that of a large collection: a page of 15,000 characters has some 700 different words among 2,300, and
new words never end. The made web of the tests (`gossamer.testing`) has sentences, but only 2,000 nouns.
"""

from __future__ import annotations

import numpy as np

WORDS = 300_000
_STEEPNESS, _SHIFT = 1.4, 20.0
_TOPIC = 200
_SYLLABLES = [first + second for first in "bdfghklmnprstvz" for second in "aeiou"]
_ENDINGS = ("", "", "s", "ing", "ed", "er", "ly", "ness")


class Zipf:
    """Writes pages: the same number gives the same page."""

    def __init__(self, seed: int = 5) -> None:
        self.words = np.array([_word(rank) for rank in range(WORDS)], dtype=object)
        self.ranks = {word: rank for rank, word in enumerate(self.words)}
        shares = (np.arange(1, WORDS + 1) + _SHIFT) ** -_STEEPNESS
        self._reached = np.cumsum(shares / shares.sum())
        self._seed = seed

    def text(self, number: int, words: int) -> str:
        """A page of so many words, sixteen to a sentence. A third of them are of its topic, so that words recur."""
        random = np.random.default_rng((self._seed, number))
        topic = np.searchsorted(self._reached, random.random(_TOPIC))
        ranks = np.searchsorted(self._reached, random.random(words))
        topical = random.random(words) < 1 / 3
        ranks[topical] = topic[(_TOPIC ** random.random(int(topical.sum()))).astype(int)]
        found = self.words[ranks].tolist()
        return ". ".join(" ".join(found[at : at + 16]) for at in range(0, words, 16))

    def phrase(self, number: int, words: int, among: int) -> str:
        """So many words of about the same frequency each, of the first `among`: a title or a question."""
        drawn = np.random.default_rng((self._seed, 1, number)).random(words)
        return " ".join(self.words[(among**drawn).astype(int)])


def _word(rank: int) -> str:
    """Frequent ones are short; an ending makes words of the same stem."""
    rest, ending = divmod(rank, len(_ENDINGS)) if rank > 50 else (rank, 0)
    letters = _SYLLABLES[rest % len(_SYLLABLES)] + ("ntra" if rank > 50 else "")
    while rest := rest // len(_SYLLABLES):
        letters += _SYLLABLES[rest % len(_SYLLABLES)]
    return letters + _ENDINGS[ending]
