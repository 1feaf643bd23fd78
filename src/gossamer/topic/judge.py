"""How far are pages and links on topic, and what is learned while they come?

What is not on topic is learned from pages that come and clearly are not, some of each host. So counter-examples may be
missing. What is on topic is learned only where that is asked for: pages that score high are examples from then on, and
count less than those that somebody has named. The model is made anew when twice as many pages have come as before, so
that it costs the less the longer a crawl lasts. All of it can be written down and read back: see `Judge.state`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gossamer.errors import Damaged
from gossamer.model import Link, Page
from gossamer.topic.classifier import Classifier, Counts, Reason, Sample, sample, train
from gossamer.topic.features import BEGINNING, features
from gossamer.topic.link_score import BEGIN, LinkScore, Standing

FIRST = 16
"""Pages after which the model is made anew for the first time."""
LAST = 16_384
"""Pages after which nothing more is learned."""
SAMPLES = 150
"""Pages that are not on topic, against which the curve is fitted."""
SURE = 0.9
"""A page that scores so much is an example, if that is asked for."""
CLEARLY_NOT = 0.3
"""A page that scores less teaches what is not on topic. Of others nobody knows."""
HOST_MOST = 40
"""Pages of a host that teach it: a host may have words of its own on all of its pages, and be on topic."""
LEARNED = 200
"""Examples that are learned at most."""
LEARNED_WEIGHT = 0.3
"""What such an example counts."""
DESCRIPTION_WEIGHT = 2.0
"""What the description counts: its words were chosen."""
VOCABULARY = 30_000
"""Words of other pages that are counted."""
ASKED_ONCE = 500
"""Pages whose score is remembered until it is asked for again."""
FORM = 1
"""The form in which a judge is written down."""


class Judge:
    """Judges pages and links by one topic."""

    def __init__(self, examples: Sequence[Sample], against: Sequence[Sample] = (), *, learns: bool = False) -> None:
        self._given = list(examples)
        self._against = list(against)
        self._learned: list[Sample] = []
        self._others = Counts()
        self._tried: list[Sample] = list(against)
        for each in against:
            self._others.add(each.features, each.weight)
        self.learns = learns
        self.mark = ""
        """Which topic it is: what was learned of another one is of no use."""
        self.pages = 0
        self._next = FIRST
        self._hosts: Counter[str] = Counter()
        self._unclear: list[tuple[float, Sample]] = []
        """Pages at the beginning that may be on topic, with their scores."""
        self.links = LinkScore()
        self.classifier = self._trained()
        self._asked_once: dict[str, tuple[Classifier, tuple[float, tuple[Reason, ...]]]] = {}

    def page(self, page: Page) -> tuple[float, tuple[Reason, ...]]:
        """How far a page is on topic, and the words that say so. Each is asked for twice: when it was read, and when it
        is taken in."""
        text = text_of(page)
        known = self._asked_once.pop(text, None)
        if known is None or known[0] is not self.classifier:
            known = self.classifier, self.classifier.judged(text)
            if len(self._asked_once) >= ASKED_ONCE:
                self._asked_once.clear()
            self._asked_once[text] = known
        return known[1]

    def learn(self, page: Page, score: float) -> bool:
        """A page has come: its words, and the link that led to it, have turned out so. Whether the model is another."""
        self.pages += 1
        if self.pages > FIRST:
            self.links.learn(page.url or "", score)
        if self.pages > LAST:
            return False
        text = text_of(page)
        if self._is_counted(text, score):
            self._count(page, text, score)
        if self.pages < self._next:
            return False
        self._next *= 2
        self._tell_apart()
        self._others.trim(VOCABULARY)
        self.classifier = self._trained()
        return True

    def link(self, link: Link, page: Standing) -> float:
        """What a link on a page promises."""
        return self.links.score(link, page, self.classifier)

    def _is_counted(self, text: str, score: float) -> bool:
        """Every page at first; later, one of ten: more would teach nothing more."""
        return len(text) > 100 and (self.pages <= 1_024 or self.pages % 10 == 0 or (self.learns and score >= SURE))

    def _count(self, page: Page, text: str, score: float) -> None:
        host = (page.url or "").split("/", 3)[2:3]
        self._hosts.update(host)
        if score < CLEARLY_NOT and self._hosts["".join(host)] <= HOST_MOST:
            self._is_not(sample(text))
        elif self._others.texts < FIRST:
            self._unclear.append((score, sample(text)))
        if self.learns and score >= SURE and len(self._learned) < LEARNED:
            self._learned.append(Sample(features(text), LEARNED_WEIGHT))

    def _is_not(self, found: Sample) -> None:
        """A text is not on topic."""
        self._others.add(found.features)
        if len(self._tried) < SAMPLES:
            self._tried.append(found)
        elif (place := self.pages % SAMPLES) >= len(self._against):
            self._tried[place] = found

    def _tell_apart(self) -> None:
        """Where hardly a page was clearly not on topic, the lower half of those that came is taken for that: where all
        seem to be on topic, the examples share their words with all pages there."""
        if self._others.texts < FIRST:
            self._unclear.sort(key=lambda each: each[0])
            for _, found in self._unclear[: self.pages // 2]:
                self._is_not(found)
        self._unclear.clear()

    def _trained(self) -> Classifier:
        return train([*self._given, *self._learned], self._others, self._tried)

    # ---------------------------------------------------------------- kept

    def state(self) -> dict[str, Any]:
        """All that it knows, in values that JSON has; what it goes by comes first, for people."""
        model = self.classifier
        return {
            "form": FORM,
            "mark": self.mark,
            "words": {word: round(weight, 3) for word, weight in model.weights.items()},
            "slope": model.slope,
            "middle": model.middle,
            "links": self.links.parts,
            "pages": self.pages,
            "next": self._next,
            "learns": self.learns,
            "examples": _written(self._given),
            "learned": _written(self._learned),
            "against": _written(self._against),
            "tried": _written(self._tried[len(self._against) :]),
            "others": {"texts": self._others.texts, "words": self._others.words},
        }


def judge_of(description: str, examples: Iterable[str], against: Iterable[str], *, learns: bool = False) -> Judge:
    """One that has read what somebody wrote about a topic, and the texts of the examples."""
    given = [sample(description, DESCRIPTION_WEIGHT)] if description else []
    return Judge([*given, *map(sample, examples)], [*map(sample, against)], learns=learns)


def restored(state: Any) -> Judge:
    """The judge that was written down."""
    try:
        if state["form"] != FORM:
            raise ValueError(f"form {state['form']}")
        judge = Judge(_read(state["examples"]), _read(state["against"]), learns=bool(state["learns"]))
        judge.mark = str(state["mark"])
        judge._learned = _read(state["learned"])
        judge._tried += _read(state["tried"])
        counts = {str(word): float(count) for word, count in state["others"]["words"].items()}
        judge._others = Counts(float(state["others"]["texts"]), counts)
        judge.pages, judge._next = int(state["pages"]), int(state["next"])
        judge.links.parts = [float(part) for part, _ in zip(state["links"], BEGIN, strict=True)]
        weights = {str(word): float(weight) for word, weight in state["words"].items()}
        judge.classifier = Classifier(weights, float(state["slope"]), float(state["middle"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, ZeroDivisionError) as error:
        raise Damaged(f"the topic cannot be read ({error!r}); name it again with --topic") from error
    return judge


def text_of(page: Page) -> str:
    """What a page is judged by: its title and the beginning of its main content, or of all its words."""
    return f"{page.title}\n{page.content or page.text}"[:BEGINNING]


def _written(samples: Iterable[Sample]) -> list[list[Any]]:
    return [[each.weight, dict(each.features)] for each in samples]


def _read(rows: Any) -> list[Sample]:
    return [Sample({str(word): float(loud) for word, loud in found.items()}, float(weight)) for weight, found in rows]
