"""What changed in a page: how many words, and the first of them that came and went.

It is told in lists, where nobody wants to wait: so it takes no longer than reading both texts. Lines that only one of
them has are taken in pairs, and of a pair the words are left out that both begin and end with. For a whole comparison
there is `differences`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gossamer.collection.ask.differences import ALIKE, Words, words_changed
from gossamer.model import URL
from gossamer.store.archive import Archive
from gossamer.store.versions import Version

FIRST = 240
"""Characters of what came, and of what went, that are told."""
BETWEEN = " … "
"""Stands for words that both have."""


class Told(NamedTuple):
    """What changed."""

    words: Words
    added: str = ""
    """The first words that came."""
    removed: str = ""
    """The first words that went."""


@dataclass(frozen=True, slots=True)
class Texts:
    """What the versions of the pages of a shard say, as it was kept when they were read."""

    archive: Archive

    def said(self, url: URL, version: Version) -> str:
        """The main content, or all words where there is none; nothing where it was not kept."""
        return self.archive.content(url, version)

    def same(self, url: URL, one: Version, other: Version) -> bool:
        """Whether two versions say the same. Where it was not kept what they say, other bytes are another page."""
        if one.digest == other.digest:
            return True
        if one.title != other.title:
            return False
        before, after = self.said(url, one), self.said(url, other)
        return bool(before or after) and before.split() == after.split()

    def told(self, url: URL, before: Version | None, after: Version) -> Told | None:
        """What changed between two versions, or what a new page says; None where it was not kept what it says."""
        new = self.said(url, after)
        if not new:
            return None
        if before is None:
            return Told(Words(len(new.split()), 0), _cut(" ".join(new.split())))
        old = self.said(url, before)
        titles = before.title != after.title
        return told(f"{before.title}\n{old}" if titles else old, f"{after.title}\n{new}" if titles else new)


def told(old: str, new: str) -> Told:
    """How much of a text is another one, and the first words of it."""
    before, after = ([line for each in text.splitlines() if (line := each.split())] for text in (old, new))
    went, came = _only(before, after), _only(after, before)
    pairs = [_trimmed(one, other) for one, other in zip(went, came, strict=False)]
    gone = [one for one, _ in pairs] + went[len(pairs) :]
    fresh = [other for _, other in pairs] + came[len(pairs) :]
    return Told(words_changed(old, new), _first(fresh), _first(gone))


def _only(lines: Sequence[list[str]], others: Sequence[list[str]]) -> list[list[str]]:
    """Lines that the others do not have, or not as often, in their order."""
    left = Counter(map(tuple, others))
    found = []
    for line in lines:
        key = tuple(line)
        if left[key]:
            left[key] -= 1
        else:
            found.append(line)
    return found


def _trimmed(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Two lines without the words that both begin and end with, if that is enough for one to be the other rewritten."""
    most = min(len(one), len(other))
    head = next((place for place in range(most) if one[place] != other[place]), most)
    tail = next((place for place in range(most - head) if one[-1 - place] != other[-1 - place]), most - head)
    if head + tail < ALIKE * max(len(one), len(other)):
        return one, other
    return one[head : len(one) - tail], other[head : len(other) - tail]


def _first(lines: Sequence[list[str]]) -> str:
    return _cut(BETWEEN.join(" ".join(line) for line in lines[:FIRST] if line))


def _cut(text: str) -> str:
    return text if len(text) <= FIRST else text[: FIRST - 1].rstrip() + "…"
