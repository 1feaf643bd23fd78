"""What is asked next with a form? Values that bring the most new records for a request, until nothing new comes.

A form is filled in several ways, its arms: as the page has it, with each option of a field, with words, and with pairs
of options. Each is tried; then the one with the most new records of late goes on, and one that brings nothing new for
a while has ended. Which ways are worth it is learned as by Madhavan and others ("Google's Deep Web Crawl", 2008), which
words as by Ntoulas, Zerfos and Cho ("Downloading Textual Hidden Web Content by Keyword Queries", 2005): the words of
the records that have come, by the part of the rest that they promise. Where a site shows only the first so many
results, words with about so many promise most. What is left is estimated by Chao's bound ("Estimating the population
size for capture-recapture data with unequal catchability", 1987): records that one question alone has found tell of
those that none has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from urllib.parse import parse_qsl, urlencode
from zlib import crc32

from gossamer.frontier.forms.form_rows import CHOICE, Arm, FormRow, Question, Values
from gossamer.topic.common_words import COMMON, RARE

DRY = 6
"""Questions in a row without anything new, after which an arm has ended."""
PATIENT = 3
"""So many times longer an arm goes on where much is left, by the estimate: results are often shown in one order, and
then the first pages of a question are what others have brought."""
COVERED = 0.9
LITTLE = 0.1
"""New records for a request; below it nothing more is expected."""
_WORDS_MOST = 3_000
_PAIRS_MOST = 1_000
_LATE = 0.35
"""How much the last question counts in the mean."""
_WORD = re.compile(r"[^\W\d_]{3,30}")
_LONE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,4}")
PLAIN, PROBE, TEXT = "plain", "probe", "words"


def words_of(text: str) -> set[str]:
    """The words that may be asked for."""
    return {*_WORD.findall(text.lower()), *_LONE.findall(text)}


def telling(pages: Counter[str], count: int, most: int = 200) -> tuple[str, ...]:
    """The words that describe pages: which stand in many of these, and in few others."""
    scored = ((seen / max(count, 1)) / (COMMON.get(word, RARE) + 0.05) for word, seen in pages.items())
    ranked = sorted(zip(scored, pages, strict=True), reverse=True)
    return tuple(word for _, word in ranked[:most])


@lru_cache(maxsize=4_096)
def _mixed(text: str) -> int:
    """An order that has nothing to do with what it says, and is the same in every run."""
    return crc32(text.encode())


class Asking:
    """Chooses what is asked with one form, and learns from what comes."""

    def __init__(self, row: FormRow, budget: int) -> None:
        """`budget` are requests that it may take."""
        self.row = row
        self._budget = budget

    def next(self) -> Values | None:
        """What is filled in next; None when nothing more is to be asked, which the row then says."""
        row = self.row
        if row.ended:
            return None
        if row.requests >= self._budget:
            row.ended = f"its budget of {self._budget:,} requests is spent"
            return None
        if row.text and PROBE not in row.arms:
            return self._ask(PROBE, tuple((name, row.nonsense) for name in row.text[:1]))
        while (arm := self._best()) is not None:
            values = self._value(arm)
            if values is not None:
                return self._ask(arm, values)
            row.arms[arm].ended = row.arms[arm].whole = True
        row.ended = "its answers bring nothing new"
        return None

    def answered(self, key: str, *, records: int, new: int, first: bool) -> None:
        """A page with results has come: so many records, so many new. `first` is the answer itself, no later page."""
        row = self.row
        row.requests += 1
        question = row.questions.get(key)
        if question is None:
            return
        question.records += records
        question.new += new
        arm = row.arms[question.arm]
        arm.requests += 1
        arm.new += new
        arm.mean = new if arm.mean < 0 else (1 - _LATE) * arm.mean + _LATE * new
        if new:
            arm.dry = 0
        elif first:
            arm.dry += 1
        patience = DRY if self.is_covered() or not row.records else DRY * PATIENT
        if question.arm == PROBE or arm.dry >= patience or (arm.requests > 3 * patience and arm.mean < LITTLE):
            arm.ended = True

    def is_covered(self) -> bool:
        """Is most of what there is reached, as far as that can be told?"""
        return self.row.covered() >= COVERED

    def learn(self, texts: Iterable[str]) -> None:
        """What records say that were not met before."""
        words = self.row.words
        for text in texts:
            for word in words_of(text):
                words[word] = words.get(word, 0) + 1
        if len(words) > _WORDS_MOST:
            kept = sorted(words.items(), key=lambda each: -each[1])[: _WORDS_MOST // 2]
            self.row.words = dict(kept)

    def _ask(self, arm: str, values: Values) -> Values:
        row = self.row
        state = row.arms.setdefault(arm, Arm())
        state.place += 1
        address = row.address(values)
        key = row.key(address) if address else None
        if key is not None:
            row.questions.setdefault(key, Question(arm))
        return values

    def _best(self) -> str | None:
        """The arm that has brought the most of late; those that were never tried come first."""
        row = self.row
        for arm in self._arms():
            if arm not in row.arms:
                row.arms[arm] = Arm()
                return arm
        going = [name for name, arm in row.arms.items() if not arm.ended and name != PROBE]
        untried = [name for name in going if row.arms[name].mean < 0]
        return next(iter(untried), None) or max(going, key=lambda name: row.arms[name].mean, default=None)

    def _arms(self) -> Iterator[str]:
        row = self.row
        yield PLAIN
        for name, _, _ in row.choices:
            yield f"{CHOICE}{name}"
        if row.text:
            yield TEXT
        if len(row.choices) > 1 and self._choices_help():
            yield "pairs"

    def _choices_help(self) -> bool:
        """Two fields to choose from are worth asking together when each of them brings something, and all at once would
        be too much for the site to show."""
        arms = [self.row.arms.get(f"{CHOICE}{name}") for name, _, _ in self.row.choices]
        return all(arm is not None and arm.ended for arm in arms) and self.row.shown_most() is not None

    def _value(self, arm: str) -> Values | None:
        """What an arm asks next."""
        row = self.row
        place = row.arms[arm].place
        if arm == PLAIN:
            return () if place == 0 else None
        if arm == TEXT:
            word = self._word()
            return None if word is None else ((row.text[0], word),)
        if arm == "pairs":
            return self._pair() if place < _PAIRS_MOST else None
        name, values = next((name, values) for name, _, values in row.choices if arm == f"{CHOICE}{name}")
        return ((name, values[place]),) if place < len(values) else None

    def _pair(self) -> Values | None:
        """Two options together: of those first of which the site has not shown all, and else in no order."""
        row, most = self.row, self.row.shown_most()
        (first, _, ones), (second, _, others) = row.choices[:2]

        def cut(name: str, value: str) -> int:
            single = row.questions.get(urlencode([(name, value)]))
            return single is None or single.records == most

        def place(pair: Values) -> tuple[int, int]:
            return -sum(cut(*each) for each in pair), _mixed(urlencode(pair))

        pairs: Iterator[Values] = (((first, one), (second, other)) for one, other in product(ones, others))
        unasked = (pair for pair in pairs if urlencode(sorted(pair)) not in row.questions)
        return min(unasked, key=place, default=None)

    def _word(self) -> str | None:
        """The word that promises the most new records for a request."""
        row, asked = self.row, {self._asked_word(key) for key in self.row.questions}
        for word in row.own if len(row.words) < 30 else ():
            if word not in asked and (word not in row.words or not row.words):
                return word
        most = row.shown_most()
        share = max(row.records, 1) / max(row.estimate(), 1)

        def promise(word: str) -> float:
            there = row.words[word] / share
            return there if most is None or there <= most else most * most / there

        found = max((word for word in row.words if word not in asked), key=promise, default=None)
        return found or next((word for word in row.own if word not in asked), None)

    def _asked_word(self, key: str) -> str:
        return dict(parse_qsl(key)).get(self.row.text[0], "") if self.row.text else ""
