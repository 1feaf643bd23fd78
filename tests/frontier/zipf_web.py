"""A web in which few pages are linked often and most seldom, by no rule that an address would tell."""

from __future__ import annotations

import random
from collections import Counter
from itertools import accumulate

from small_web import Answer, SmallWeb

LISTED = 30
"""Pages that nothing but one list links to, for each list."""


class ZipfWeb(SmallWeb):
    """Works that are linked by Zipf's law from everywhere, and lists of leaves that are linked from their list only.

    Every fifth work is such a list as well. All lie on any host.
    """

    def __init__(self, *, hosts: int, works: int, links: int = 6, seed: int = 1) -> None:
        chance = random.Random(seed)
        names = [f"http://h{number % hosts}.example/{number}" for number in range(works + works // 5 * LISTED)]
        chance.shuffle(names)
        self.home, known, leaves = names[0], names[:works], names[works:]
        weights = list(accumulate(1 / rank for rank in range(1, works + 1)))
        popular = chance.sample(known, works)
        self.targets: dict[str, tuple[str, ...]] = {}
        for number, url in enumerate(names):
            listed = leaves[number // 5 * LISTED :][:LISTED] if number < works and number % 5 == 0 else []
            drawn = chance.choices(popular, cum_weights=weights, k=links)
            self.targets[url] = tuple(dict.fromkeys([*listed, *drawn]))
        super().__init__({url: Answer(links) for url, links in self.targets.items()}, latency=0.01)

    def pagerank(self, damping: float = 0.85) -> dict[str, float]:
        """By the power method; no page is without links here."""
        rank = dict.fromkeys(self.targets, 1 / len(self.targets))
        for _ in range(50):
            new = dict.fromkeys(self.targets, (1 - damping) / len(self.targets))
            for url, links in self.targets.items():
                for there in links:
                    new[there] += damping * rank[url] / len(links)
            rank = new
        return rank

    def linked(self) -> Counter[str]:
        """How many pages link to each."""
        return Counter(there for links in self.targets.values() for there in links)
