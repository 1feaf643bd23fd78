"""What does a link promise? How likely the page behind it is on topic, before anybody has seen it.

Shark search (Hersovici and others, WWW 1998) mixes what a page inherits from those that lead to it with what the words
of the link say, in fixed parts. Here the parts are learned while the crawl goes, from links whose pages have come: a
logistic curve over a few signs (Rennie and McCallum 1999 learned such a thing for words), which begins with parts that
were set by hand. The signs are the score of the page that links, the words of the anchor and of the address, how pages
in the same folder and on the same host turned out, whether the link stands in the main content, and how new the host
is: somebody has to look.

Tunnelling (Bergmark, Lagoze and Sbityakov 2002): what is on topic often lies behind pages that are not. A page that is
not on topic hands on a part of what was promised of itself, less with each step, and after `STEPS` far less. Each host
gets a few tries first.
"""

from __future__ import annotations

from math import exp, sqrt, tanh
from typing import NamedTuple

from gossamer.model import Link
from gossamer.topic.classifier import Classifier
from gossamer.topic.features import address_words, words

ON_TOPIC = 0.5
"""A page that scores so much is on topic."""
NEAR = 0.2
"""A page that scores less is none that is nearly on topic: it is a step away from the topic."""
STEPS = 3
"""Pages in a row that are not on topic, behind which hardly anything is promised any more."""
LOST = 0.2
"""What is left of a promise there."""
TRIED = 10
"""Pages of a host after which it was tried: before, the steps do not count."""
DECAY = 0.5
"""What is left of a promise behind a page that is not on topic."""
BEGIN = (-3.0, 2.2, 2.5, 2.0, 0.7, 0.3, 2.0)
"""What each sign weighs before anything is learned: always, inherited, words, folder, host, main content, new host."""
RATE, RARER_RATE = 0.02, 0.1
"""How far one page that has come moves them, and how much rarer the topic is than was thought. That is learned apart,
and not part of a promise: what was promised before must not stand before what is promised later."""
OPEN = 0.3
"""How pages of a host are thought to turn out that nobody has seen: somebody has to look."""
PRIOR = 2.0
"""A folder is judged by itself once it has clearly more pages than this."""
KEPT = 20_000
"""Folders that are remembered, and links whose pages have not come: of each, those met last."""


class Standing(NamedTuple):
    """How a page stands to the topic: what the links on it inherit."""

    inherited: float
    steps: int
    """Pages in a row that were not on topic, this one included."""


def standing(score: float, promise: float, steps: int) -> Standing:
    """That of a page that has come: its score, and what was promised of it after so many steps."""
    if score >= ON_TOPIC:
        return Standing(score, 0)
    return Standing(max(score, DECAY * promise), steps + (score < NEAR))


class Mean:
    """How pages of one place turned out."""

    __slots__ = ("pages", "total")

    def __init__(self) -> None:
        self.pages, self.total = 0, 0.0


class LinkScore:
    """Scores links, and learns from the pages behind them."""

    def __init__(self) -> None:
        self.parts = list(BEGIN)
        self._rarer = 0.0
        self._places: dict[str, Mean] = {}
        self._signs: dict[str, tuple[float, ...]] = {}

    def score(self, link: Link, page: Standing, classifier: Classifier) -> float:
        """What a link on a page promises, 0 to 1: hardly anything too far away from the topic, but for the first pages
        of a host."""
        signs = self._signs_of(link, page, classifier)
        if len(self._signs) >= KEPT:
            self._signs = dict(list(self._signs.items())[KEPT // 2 :])
        self._signs[link.url] = signs
        lost = page.steps > STEPS and self._pages(_places(link.url)[1]) >= TRIED
        return self._mixed(signs) * (LOST if lost else 1.0)

    def again(self, url: str) -> float | None:
        """What a link promises by what is known now of its folder and its host; None where it is no longer known."""
        signs = self._signs.get(url)
        if signs is None:
            return None
        _, inherited, says, _, _, content, _ = signs
        return self._mixed((1.0, inherited, says, *self._around(url, inherited), content, self._newness(url)))

    def learn(self, url: str, score: float) -> None:
        """A page has come, and is so far on topic."""
        signs = self._signs.pop(url, None)
        if signs is not None:
            error = score - self._mixed(signs, self._rarer)
            self._rarer += RARER_RATE * error
            _, *others = (part + RATE * error * sign for part, sign in zip(self.parts, signs, strict=True))
            self.parts = [BEGIN[0], *others]
        for place in _places(url):
            mean = self._places.setdefault(place, Mean())
            mean.pages += 1
            mean.total += score
        if len(self._places) > KEPT:
            self._places = dict(list(self._places.items())[KEPT // 2 :])

    def _signs_of(self, link: Link, page: Standing, classifier: Classifier) -> tuple[float, ...]:
        says = classifier.leaning((*words(link.anchor), *address_words(link.url)))
        around = self._around(link.url, page.inherited)
        return (1.0, page.inherited, tanh(says / 4), *around, float(link.content), self._newness(link.url))

    def _around(self, url: str, inherited: float) -> tuple[float, float]:
        """How pages of its folder and of its host turned out."""
        folder, host = _places(url)
        on_host = self._mean(host, max(inherited, OPEN))
        return self._mean(folder, on_host), on_host

    def _newness(self, url: str) -> float:
        return 1 / sqrt(1 + self._pages(_places(url)[1]))

    def _pages(self, host: str) -> int:
        """How many of its pages have come."""
        mean = self._places.get(host)
        return mean.pages if mean else 0

    def _mean(self, place: str, before: float) -> float:
        mean = self._places.get(place)
        return before if mean is None else (mean.total + PRIOR * before) / (mean.pages + PRIOR)

    def _mixed(self, signs: tuple[float, ...], rarer: float = 0.0) -> float:
        x = rarer + sum(part * sign for part, sign in zip(self.parts, signs, strict=True))
        return 1 / (1 + exp(-max(-30.0, min(x, 30.0))))


def _places(url: str) -> tuple[str, str]:
    """Its folder and its host."""
    path = url.partition("?")[0]
    host_end = path.find("/", 8)
    return path[: path.rfind("/") + 1], path[:host_end] if host_end > 0 else path
