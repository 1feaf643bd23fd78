"""What changed in a page: how many words, and the first of them that came and went.

It is told in lists, where nobody wants to wait: so it takes no longer than reading both texts. Lines that only one of
them has are taken in pairs, and of a pair the words are left out that both begin and end with. Of what is left those
words are told that are counted, so that text and number agree. A line that was on the page before and was only not
main content has not come. For a whole comparison there is `differences`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from gossamer.collection.ask.differences import ALIKE, Words
from gossamer.model import URL, FieldValue, Page
from gossamer.store.archive import Archive
from gossamer.store.versions import Version

FIRST = 240
"""Characters of what came, and of what went, that are told."""
LOOKED_AT = 8
"""Lines that came, of which one may be what a line that went has become."""
BETWEEN = " … "
"""Stands for words that both have."""

Fields: TypeAlias = Sequence[tuple[str, FieldValue]]
"""What the page function found in a page: names and values."""


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
        if not (before or after) or before.split() != after.split():
            return False
        return not self.has_other_fields(url, one, other)

    def has_other_fields(self, url: URL, one: Version, other: Version) -> bool:
        """Has the page function found something else in one than in the other?"""
        return any(other_fields(*(page.fields if page else () for page in self._pages(url, one, other))))

    def told(self, url: URL, before: Version | None, after: Version) -> Told | None:
        """What changed between two versions, or what a new page says; None where it was not kept what it says."""
        new = self.said(url, after)
        if not new:
            return None
        if before is None:
            return Told(Words(len(new.split()), 0), _cut(" ".join(new.split())))
        old = self.said(url, before)
        if before.title != after.title:
            old, new = f"{before.title}\n{old}", f"{after.title}\n{new}"
        pages = self._pages(url, before, after)
        went, came = other_fields(*(page.fields if page else () for page in pages))
        return told(old + went, new + came, *(page.text if page else "" for page in pages))

    def _pages(self, url: URL, *versions: Version) -> list[Page | None]:
        """All that is kept of what they say."""
        return [self.archive.page(url, version) for version in versions]


def other_fields(one: Fields, other: Fields) -> tuple[str, str]:
    """What each has that the other lacks, a line for each field. Nothing where one has none: the page function may be
    younger than it."""
    if not one or not other:
        return "", ""
    return _beside(one, other), _beside(other, one)


def _beside(fields: Fields, others: Fields) -> str:
    """As lines after a text."""
    return "".join(f"\n{name}: {_field(value)}" for name, value in fields if (name, value) not in others)


def _field(value: FieldValue) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def told(old: str, new: str, all_old: str = "", all_new: str = "") -> Told:
    """How much of a text is another one, and the first words of it. `all_old` and `all_new` are all words of the two
    pages, where the texts are their main content."""
    before, after = _lines(old), _lines(new)
    went, came = _only(before, after, all_new, _rows(old)), _only(after, before, all_old, _rows(new))
    pairs = _paired(went, came)
    gone = [went[i] if (j := pairs.get(i)) is None else _trimmed(went[i], came[j])[0] for i in range(len(went))]
    of = {j: i for i, j in pairs.items()}
    fresh = [came[j] if (i := of.get(j)) is None else _trimmed(went[i], came[j])[1] for j in range(len(came))]
    added, removed = (Counter(chain.from_iterable(lines)) for lines in (came, went))
    return Told(
        Words((added - removed).total(), (removed - added).total()),
        _first(fresh, added - removed),
        _first(gone, removed - added),
    )


def _lines(text: str) -> list[list[str]]:
    return [line for each in text.splitlines() if (line := each.split())]


def _rows(text: str) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """The cells of each row of a table. Among all words of a page each cell is a line."""
    rows = (line for line in text.splitlines() if "\t" in line)
    return {tuple(row.split()): [tuple(words) for cell in row.split("\t") if (words := cell.split())] for row in rows}


def _only(
    lines: Sequence[list[str]],
    others: Sequence[list[str]],
    elsewhere: str,
    rows: Mapping[tuple[str, ...], Sequence[tuple[str, ...]]],
) -> list[list[str]]:
    """Lines that the others do not have, or not as often, in their order; nor is one of them elsewhere on the page."""
    left, beside = Counter(map(tuple, others)), set(map(tuple, _lines(elsewhere)))
    beside -= left.keys()  # of those it is known how often they are there
    found = []
    for line in lines:
        key = tuple(line)
        if left[key]:
            left[key] -= 1
        elif not beside.issuperset(rows.get(key, (key,))):
            found.append(line)
    return found


def _paired(went: Sequence[list[str]], came: Sequence[list[str]]) -> dict[int, int]:
    """Which line that went became which that came: one that begins or ends with the same word, and is most alike.

    Only some are looked at for each, so that lines which all begin alike take no time.
    """
    known: dict[tuple[str, str], deque[int]] = {}
    for place, line in enumerate(came):
        for end in _ends(line):
            known.setdefault(end, deque()).append(place)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for place, line in enumerate(went):
        near: list[int] = []
        for places in (known.get(end, deque()) for end in _ends(line)):
            while places and places[0] in taken:
                places.popleft()
            near += islice(places, LOOKED_AT)
        free = [each for each in near if each not in taken]
        best = max(free, key=lambda each: _shared(line, came[each]), default=None)
        if best is not None and _trimmed(line, came[best]) != (line, came[best]):
            pairs[place] = best
            taken.add(best)
    return pairs


def _ends(line: list[str]) -> tuple[tuple[str, str], ...]:
    return ("begins", line[0]), ("ends", line[-1])


def _shared(one: list[str], other: list[str]) -> int:
    return len(one) - len(_trimmed(one, other)[0])


def _trimmed(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Two lines without the words that both begin and end with, if that is enough for one to be the other rewritten."""
    most = min(len(one), len(other))
    head = next((place for place in range(most) if one[place] != other[place]), most)
    tail = next((place for place in range(most - head) if one[-1 - place] != other[-1 - place]), most - head)
    if head + tail < ALIKE * max(len(one), len(other)):
        return one, other
    return one[head : len(one) - tail], other[head : len(other) - tail]


def _first(lines: Sequence[list[str]], counted: Counter[str]) -> str:
    """The words of these lines that are counted; what stands between them both have."""
    runs: list[list[str]] = []
    for line in lines[:FIRST]:
        runs.append([])
        for word in line:
            if counted[word] > 0:
                counted[word] -= 1
                runs[-1].append(word)
            elif runs[-1]:
                runs.append([])
    return _cut(BETWEEN.join(" ".join(run) for run in runs if run))


def _cut(text: str) -> str:
    return text if len(text) <= FIRST else text[: FIRST - 1].rstrip() + "…"
