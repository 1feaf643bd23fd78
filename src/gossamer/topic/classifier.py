"""Is a text on topic? A weight for each word and pair of words, in closed form, and a probability from their sum.

The weight of a word is the logarithm of how much more often it stands in examples than in other pages: naive Bayes over
words that are there or not (McCallum and Nigam 1998), as Chakrabarti, van den Berg and Dom (WWW 1999) judged pages of
the first focused crawler. The sum is divided by the root of how much the text says, so that long pages are not on every
topic, and a logistic curve makes a probability of it (Platt 1999). Where we differ:

- There may be no more than a sentence to learn from, and no counter-example. A few made-up pages stand for the rest of
  the web until real ones come, in which words are as common as on the web (`common_words`).
- A word counts by the part of the examples that have it, as in the centroid of Rocchio (1971): with five examples naive
  Bayes alone would believe what only one of them says nearly as much as what all of them say.
- The curve is fitted on the sums that examples have when they are left out of the counts. That is exact and costs
  nothing, because a weight is made of counts.
- The words are kept as they are and not hashed: a model can be read, and a model of some thousand words is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain, pairwise
from math import exp, log, sqrt
from typing import NamedTuple

from gossamer.function_words import WORDS, function_words
from gossamer.topic.common_words import COMMON, RARE
from gossamer.topic.features import features, forms, loudness, words

MADE_UP = 20.0
"""Pages that stand for the rest of the web."""
SMOOTH = 0.5
"""How many examples have every word, besides those that have it."""
SPEAKS = 0.2
"""A word that weighs less than this says nothing, and is not kept."""
WORDS_MOST = 8_000
"""Words and pairs of words in a model."""
SHORTEST = 60
"""A text that says less counts as if it said so much."""
PAIR = 0.5
"""What a pair of words counts: its words count already."""
TRUST = 1.0
"""How much less a word counts that few examples have: its part of them to this power."""
USUAL = 0.15
"""A word is usual in other pages that so many of them have."""
FITTED = (3, 20)
"""So many examples and other pages are needed for a curve of their own."""
EXPECTED = 0.2
"""The part of pages that are on topic, as far as anybody knows."""
STEEPEST = 12.0
"""The steepest curve: what was seen is never all there is."""
ALIKE = 0.6
"""A page of the topic has about this part of the weight of its description."""


class Reason(NamedTuple):
    """A word, and how much it speaks for the topic, or against it."""

    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Classifier:
    """What was learned: it can be written down, and read."""

    weights: Mapping[str, float]
    slope: float
    middle: float
    """The sum at which a page is as likely on topic as not."""
    seconds: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    """For each word, those that make a pair with it that weighs something."""

    def __post_init__(self) -> None:
        pairs: dict[str, set[str]] = {}
        for name in self.weights:
            first, _, second = name.partition(" ")
            if second:
                pairs.setdefault(first, set()).add(second)
        object.__setattr__(self, "seconds", {first: frozenset(then) for first, then in pairs.items()})

    def score(self, text: str) -> float:
        """How likely a text is on topic, 0 to 1."""
        heard, size = self._heard(text)
        return self._probability(sum(heard.values()), size)

    def judged(self, text: str, most: int = 6) -> tuple[float, tuple[Reason, ...]]:
        """The same, and the words of the text that speak loudest for the topic or against it."""
        heard, size = self._heard(text)
        loudest = nsmallest(most, heard.items(), key=lambda each: (-abs(each[1]), each[0]))
        return self._probability(sum(heard.values()), size), tuple(Reason(*each) for each in loudest)

    def leaning(self, found: Iterable[str]) -> float:
        """Which way a few words speak, as those of a link: above 0 for the topic."""
        weights = self.weights
        return sum(weights.get(word, 0.0) for word in set(found))

    def _heard(self, text: str) -> tuple[dict[str, float], int]:
        """What each word and pair of a text says that weighs something, and how many different words it has."""
        weights, seconds, found = self.weights, self.seconds, words(text)
        counts = Counter(found)
        heard = {word: weights[word] * loudness(counts[word]) for word in counts.keys() & weights.keys()}
        if not seconds.keys().isdisjoint(heard):
            for first, then in pairwise(found):
                if first in seconds and then in seconds[first]:
                    pair = f"{first} {then}"
                    heard[pair] = weights[pair]
        return heard, len(counts)

    def _probability(self, total: float, size: int) -> float:
        return _curve(self.slope * (total / sqrt(max(size, SHORTEST)) - self.middle))


@dataclass(slots=True)
class Counts:
    """In how many texts each word stands; what a model is made of."""

    texts: float = 0.0
    words: dict[str, float] = field(default_factory=dict)

    def add(self, found: Iterable[str], weight: float = 1.0) -> None:
        """One more text, or a part of one."""
        self.texts += weight
        counts = self.words
        for word in found:
            counts[word] = counts.get(word, 0.0) + weight

    def trim(self, most: int) -> None:
        """Forget what is rarest."""
        if len(self.words) > most:
            self.words = dict(Counter(self.words).most_common(most))


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that was counted, and how much of it."""

    features: Mapping[str, float]
    """Its words and pairs, each with how loud it is."""
    weight: float = 1.0


def sample(text: str, weight: float = 1.0) -> Sample:
    """A text as it is counted."""
    return Sample(features(text), weight)


def train(examples: Sequence[Sample], others: Counts, tried: Sequence[Sample] = ()) -> Classifier:
    """Learn from texts on topic and the counts of texts that are not; `tried` are some of the latter, for the curve."""
    topic = Counts()
    for each in examples:
        topic.add(each.features, each.weight)
    told = _about(list(chain(topic.words, _usual(others))))
    weights = {word: weight for word in told if abs(weight := _weight(word, topic, others)) >= SPEAKS}
    weights = dict(sorted(weights.items(), key=lambda each: (-abs(each[1]), each[0]))[:WORDS_MOST])
    left_out = [_left_out(each, topic, others, weights) for each in examples if _is_page(each, topic)]
    seen = [_total(each, weights) for each in tried]
    if len(left_out) >= FITTED[0] and len(seen) >= FITTED[1]:
        slope, middle = _fit(left_out, seen)
    else:
        slope, middle = _guess(left_out or [_likely(each, weights) for each in examples], seen)
    return Classifier(_with_forms(weights), slope, middle)


def _usual(others: Counts) -> Iterator[str]:
    """Words that many other pages have: that they are missing in examples speaks, too."""
    if others.texts >= FITTED[1]:
        yield from (word for word, count in others.words.items() if count / others.texts > USUAL)


def _about(told: Sequence[str]) -> Iterator[str]:
    """Those that are more than grammar of the language that most of them are of. A sentence has few function words, and
    all pages have them: to miss them there says nothing."""
    grammar = function_words([word for word in told if " " not in word], WORDS)
    return (word for word in told if grammar.isdisjoint(word.split(" ")))


def _weight(word: str, topic: Counts, others: Counts, less: float = 0.0) -> float:
    """`less` is what is taken out of the counts of the topic, of a text that has the word."""
    pair = " " in word
    before = RARE * PAIR if pair else COMMON.get(word, RARE)
    elsewhere = max((others.words.get(word, 0.0) + MADE_UP * before) / (others.texts + MADE_UP), before / 4)
    texts = topic.texts - less
    part = (topic.words.get(word, 0.0) - less) / texts
    here = (part * texts + 2 * SMOOTH * elsewhere) / (texts + 2 * SMOOTH)
    weight: float = log(here / elsewhere)
    return weight * float(max(part, elsewhere) ** TRUST) * (PAIR if pair else 1.0)


def _with_forms(weights: Mapping[str, float]) -> dict[str, float]:
    """The plural of a word weighs as much as its singular, where it has no weight of its own."""
    more = {form: weight for word, weight in weights.items() if " " not in word for form in forms(word)}
    return more | dict(weights)


def _is_page(each: Sample, topic: Counts) -> bool:
    """May its sum be what pages have? A sentence has another, and without others there is nothing to judge it by."""
    return len(each.features) >= SHORTEST and topic.texts - each.weight >= 1.0


def _left_out(each: Sample, topic: Counts, others: Counts, known: Mapping[str, float]) -> float:
    """The sum that an example would have, had nobody shown it."""
    weights = {word: _weight(word, topic, others, each.weight) for word in each.features if word in known}
    return _total(each, {word: weight for word, weight in weights.items() if abs(weight) >= SPEAKS})


def _likely(each: Sample, weights: Mapping[str, float]) -> float:
    """The sum that a page would have which has some of the words of the only example."""
    return ALIKE * _total(each, weights)


def _total(each: Sample, weights: Mapping[str, float]) -> float:
    size = sum(1 for word in each.features if " " not in word)
    heard = sum(weights[word] * loud for word, loud in each.features.items() if word in weights)
    return heard / sqrt(max(size, SHORTEST))


def _guess(topic: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """A curve where there is too little for a fit: examples are on it at 0.9, other pages at 0.1 or below."""
    high = max(sum(topic) / len(topic), 0.2) if topic else 1.0
    mean = sum(others) / len(others) if others else 0.0
    spread = sqrt(sum((each - mean) ** 2 for each in others) / len(others)) if others else 0.0
    low = min(mean + 2 * spread, high - 0.2)
    return min(4.4 / (high - low), STEEPEST), (high + low) / 2


def _fit(topic: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """The logistic curve that tells both apart best, if as many are on topic as expected.

    Its targets are not quite 0 and 1: what was seen is never all there is.
    """
    pairs = [(each, 1 - 1 / (len(topic) + 2), EXPECTED / len(topic)) for each in topic]
    pairs += [(each, 1 / (len(others) + 2), (1 - EXPECTED) / len(others)) for each in others]
    slope, shift = 2.0, -2.0 * sum(topic) / len(topic) / 2
    for _ in range(40):
        g0 = g1 = 0.0
        h00 = h11 = 1e-3  # a little against a curve without an end
        h01 = 0.0
        for x, target, weight in pairs:
            p = _curve(slope * x + shift)
            d, v = weight * (p - target), weight * max(p * (1 - p), 1e-6)
            g0, g1 = g0 + d, g1 + d * x
            h00, h01, h11 = h00 + v, h01 + v * x, h11 + v * x * x
        det = h00 * h11 - h01 * h01
        shift -= _step((h11 * g0 - h01 * g1) / det)
        slope -= _step((h00 * g1 - h01 * g0) / det)
    if slope < 0.1:
        return _guess(topic, others)
    return min(slope, STEEPEST), -shift / slope


def _step(by: float) -> float:
    return max(-2.0, min(by, 2.0))


def _curve(x: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(x, 30.0))))
