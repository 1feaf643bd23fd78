"""A made database behind a search form, and the fewest requests by which somebody who knows it all could read it."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qsl, urlencode

PAGE = 20
"""Results on a page."""
REGIONS = [f"region{letter}" for letter in "abcdefghijkl"]
SYLLABLES = [consonant + vowel for consonant in "bdfgklmn" for vowel in "aeio"]


def word(number: int) -> str:
    """A made word; each number has its own."""
    found = ""
    for _ in range(3):
        number, rest = divmod(number, len(SYLLABLES))
        found += SYLLABLES[rest]
    return found + "x" * number


@dataclass
class Database:
    """Records with words, a category and a region each."""

    count: int
    kind: str = "both"
    """Which form it has: words, choices or both."""
    shown: int = 300
    """Results that are shown of any question."""
    seed: int = 7
    words: list[tuple[str, ...]] = field(init=False)
    categories: list[str] = field(init=False)
    names: list[str] = field(init=False)
    regions: list[str] = field(init=False)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        vocabulary = self.count // 2 + 200
        self.names = [f"kind{number}" for number in range(max(6, self.count // 250))]
        weights = [1 / (rank + 3) for rank in range(vocabulary)]
        self.words = [tuple(map(word, {*rng.choices(range(vocabulary), weights, k=7)})) for _ in range(self.count)]
        self.categories = rng.choices(self.names, k=self.count)
        self.regions = rng.choices(REGIONS, k=self.count)
        self._by: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number in range(self.count):
            for each in self.words[number]:
                self._by["q", each].append(number)
            self._by["category", self.categories[number]].append(number)
            self._by["region", self.regions[number]].append(number)

    def found(self, asked: dict[str, str]) -> list[int]:
        """The records that a question shows, in their order. Without one there is nothing."""
        given = [
            (name, value.lower()) for name, value in asked.items() if value and name in ("q", "category", "region")
        ]
        if not given:
            return []
        sets = [set(self._by.get(each, ())) for each in given]
        return sorted(set.intersection(*sets))[: self.shown]

    def questions(self) -> Iterator[dict[str, str]]:
        """All that somebody could ask who knows it."""
        texts = [{name: value} for name, value in self._by if name == "q"] if self.kind != "choices" else []
        single = [{name: value} for name, value in self._by if name != "q"] if self.kind != "words" else []
        pairs = [{"category": one, "region": other} for one in self.names for other in REGIONS]
        yield from (*texts, *single, *(pairs if self.kind != "words" else []))

    def oracle(self, part: float) -> int:
        """Requests for so many of the records, if always the question is asked that brings the most for a request."""
        shown = []
        for asked in self.questions():
            numbers = self.found(asked)
            if numbers:
                shown.append((sum(1 << number for number in numbers), math.ceil(len(numbers) / PAGE)))
        have, requests = 0, 0
        gains = sorted(((bits.bit_count() / cost, bits, cost) for bits, cost in shown), reverse=True)
        while have.bit_count() < part * self.count and gains:
            best = 0
            for place, (gain, bits, cost) in enumerate(gains):  # a gain never grows, so most need no second look
                if place and gain <= gains[best][0]:
                    break
                gains[place] = ((bits & ~have).bit_count() / cost, bits, cost)
                if gains[place][0] > gains[best][0]:
                    best = place
            gain, bits, cost = gains.pop(best)
            have, requests = have | bits, requests + cost
            gains.sort(reverse=True)
        return requests

    # ------------------------------------------------------------------ as a site

    def page(self, path: str, query: str = "") -> str | None:
        """What its server answers; None for what is not there."""
        if path == "/":
            links = "".join(f'<li><a href="/r/{number}">{self._title(number)}</a>' for number in range(3))
            return (
                f"<title>The archive</title><h1>The archive</h1><p>All about things.</p>{self.form()}<ul>{links}</ul>"
            )
        if path == "/find":
            return self._answer(dict(parse_qsl(query)))
        name = path.removeprefix("/r/")
        if name.isdigit() and int(name) < self.count:
            number = int(name)
            title = self._title(number)
            return f"<title>{title}</title><h1>{title}</h1><p>Record {number}.</p>{self.form()}"
        return None

    def form(self) -> str:
        """The form on each page."""
        text = '<input type="search" name="q" placeholder="Words">' if self.kind != "choices" else ""
        choices = "" if self.kind == "words" else _select("category", self.names) + _select("region", REGIONS)
        return f'<form action="/find" class="search">{text}{choices}<button>Search</button></form>'

    def _answer(self, asked: dict[str, str]) -> str:
        numbers, start = self.found(asked), int(asked.get("page", "1")) * PAGE - PAGE
        shown = "".join(
            f'<li><a href="/r/{each}">{self._title(each)}</a></li>' for each in numbers[start : start + PAGE]
        )
        again = {name: value for name, value in asked.items() if name != "page"}
        following = urlencode({**again, "page": start // PAGE + 2})
        more = f'<a href="/find?{escape(following)}">next</a>' if start + PAGE < len(numbers) else ""
        said = f"{len(numbers)} results" if numbers else "Nothing was found"
        return (
            f"<title>Results</title><h1>{said} for {escape(asked.get('q', ''))}</h1>{self.form()}<ul>{shown}</ul>{more}"
        )

    def _title(self, number: int) -> str:
        return " ".join(self.words[number])


def _select(name: str, values: list[str]) -> str:
    options = "".join(f"<option value={value}>{value.title()}</option>" for value in values)
    return f'<select name="{name}"><option value="">Any {name}</option>{options}</select>'
