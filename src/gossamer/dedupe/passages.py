"""Who shares a passage with this text? An inverted index: for each fingerprint, the texts that have it.

Textbooks find near copies this way: look up every fingerprint of a text, count how often each other text comes, and
tell how much they share. It is exact and finds quotations, but an entry for every fingerprint is far more than a page
can cost in a large collection; there `lookup` has 20 entries for a page. This one is in memory, for thousands of texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Set
from typing import Generic, NamedTuple, TypeVar

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
