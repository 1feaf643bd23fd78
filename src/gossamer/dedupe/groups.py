"""Groups of copies: in each, every page is a copy of the one that stands for all of them.

Pairs of near copies make chains, and at the ends of a chain stand pages that have little in common. So what is linked
is cut into stars: the page that stands for the others by the rule, with those that resemble it; then the same again
with what is left.

Pages of one template resemble each other, and each is about something else. So in a star only what says the same as its
first page is a copy of it. The others are alike: each stands for itself, and for those of the star that say what it
says.

Which page that is, is decided by one rule for search, for the graph and for people: `representative`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gossamer.dedupe.judge import STRICT, Rule, are_copies, resemblances
from gossamer.dedupe.pages import COLUMNS, Columns, columns_of, print_in
from gossamer.dedupe.subjects import LEAST_WORDS
from gossamer.model import URL

STARS_MOST = 64
"""Stars that are cut from one chain; what is left of a longer one is left alone."""
HEADS_MOST = 256
"""Pages of a star that others are compared with; beyond these, only with the one that has the same words."""
COMPARED = 3
"""Pages whose texts a page is compared with: those that are most alike."""
_NO_PRINT = bytes(COLUMNS.itemsize)


class Candidate(NamedTuple):
    """What the choice depends on."""

    url: URL
    site: str
    content: str
    """Equal for pages that say exactly the same."""
    redirected: bool = False
    """Another address redirects to it."""
    canonical: URL | None = None
    """The address that the page itself names as the one to use."""
    main: bool = False
    """Its host is the main one of several that serve the same site."""
    rank: float = 0.0
    """What the links to this very address bring it."""


def representative(group: Iterable[Candidate]) -> Candidate:
    """The target of a redirect; then the one that most others name as canonical; then the page of the main host; then
    the one that ranks highest; then the shortest address, and of those the first in the alphabet.

    A page may name a page of its own site, or one that says exactly what it says. Otherwise anybody could make a page
    of somebody else's stand back by copying it nearly, and naming itself.
    """
    return _in_order(group)[0]


def _in_order(group: Iterable[Candidate]) -> list[Candidate]:
    """The one that stands for the others first, then the one that would without it, and so on."""
    members = {each.url: each for each in group}
    votes = Counter(each.canonical for each in members.values() if _counts(each, members.get(each.canonical or "")))
    return sorted(members.values(), key=lambda each: _place(each, votes[each.url]))


def _counts(voter: Candidate, named: Candidate | None) -> bool:
    return named is not None and (named.site == voter.site or named.content == voter.content)


def _place(each: Candidate, votes: int) -> tuple[bool, int, bool, float, int, URL]:
    return not each.redirected, -votes, not each.main, -each.rank, len(each.url), each.url


@dataclass(frozen=True, slots=True)
class Copy:
    """A page that resembles another."""

    url: URL
    exact: bool
    """The bytes are the same."""
    resemblance: float
    """Of what both say, from 0 to 1."""
    distance: int
    """Bits in which the simhashes differ."""
    same_site: bool
    digest: str
    """Of its bytes."""
    says_same: bool = True
    """The other stands for it. Otherwise it is about something else in nearly the same words, and stands for itself."""


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of one page."""

    url: URL
    """The page that stands for all."""
    copies: tuple[Copy, ...]
    """The most alike first."""
    alike: tuple[Copy, ...] = ()
    """Pages that resemble it, and stand for themselves."""


class Member(NamedTuple):
    """A page that is linked to others."""

    candidate: Candidate
    row: bytes | None
    """Its print; None for a page that says too little to have one."""
    title: str = ""


Same = Callable[[URL, URL], bool]
"""Whether two pages that resemble each other say the same to a reader."""


def cut(members: Sequence[Member], same: Same = lambda one, other: True, rule: Rule = STRICT) -> Iterator[Group]:
    """The groups among pages that are linked."""
    rest = list(members)
    for _ in range(STARS_MOST):
        if len(rest) < 2:
            return
        chosen = representative(member.candidate for member in rest)
        first = next(member for member in rest if member.candidate is chosen)
        found = _copies(first, [member for member in rest if member is not first], rule)
        star = [member for member in rest if member.candidate.url in found]
        rest = [member for member in rest if member is not first and member.candidate.url not in found]
        yield from _Star(first, same, rule).groups(star, found)


class _Star:
    """One page, and those that resemble it."""

    def __init__(self, first: Member, same: Same, rule: Rule) -> None:
        self._same = same
        self._rule = rule
        self._heads: list[Member] = []
        """Pages that stand for themselves."""
        self._by_bytes: dict[str, Member] = {}
        self._by_words: dict[bytes, Member] = {}
        """The first of them that has these words."""
        self._under: dict[URL, list[Member]] = {}
        self._add(first)

    def groups(self, star: Sequence[Member], found: dict[URL, Copy]) -> Iterator[Group]:
        """Those that say the same, each under the first in order. `found`: how the star resembles its first page."""
        by_url = {member.candidate.url: member for member in star}
        for candidate in _in_order(member.candidate for member in star):
            member = by_url[candidate.url]
            if (head := self._head(member)) is None:
                self._add(member)
            else:
                self._under[head.candidate.url].append(member)
        first, *others = self._heads
        alike = [replace(found[head.candidate.url], says_same=False) for head in others]
        yield from self._group(first, alike)
        for head in others:
            yield from self._group(head)

    def _group(self, head: Member, alike: Iterable[Copy] = ()) -> Iterator[Group]:
        copies = _copies(head, self._under[head.candidate.url], self._rule).values()
        group = Group(head.candidate.url, *(tuple(sorted(each, key=by_likeness)) for each in (copies, alike)))
        if group.copies or group.alike:
            yield group

    def _add(self, head: Member) -> None:
        self._heads.append(head)
        self._under[head.candidate.url] = []
        self._by_bytes.setdefault(head.candidate.content, head)
        if head.row is not None:
            self._by_words.setdefault(print_in(head.row).digest, head)

    def _head(self, member: Member) -> Member | None:
        """The page that stands for this one; None when it stands for itself."""
        if exact := self._by_bytes.get(member.candidate.content):
            return exact
        found = print_in(member.row) if member.row is not None else None
        twin = self._by_words.get(found.digest) if found is not None else None
        if twin is not None and found is not None and twin.title == member.title and found.words >= LEAST_WORDS:
            return twin
        near = ([twin] if twin is not None else []) + self._nearest(member)
        return next((head for head in near if self._same(head.candidate.url, member.candidate.url)), None)

    def _nearest(self, member: Member) -> list[Member]:
        """The most alike of those that stand for themselves."""
        if len(self._heads) == 1 or member.row is None:
            return self._heads[:1] if member.row is not None else []
        heads = self._heads[:HEADS_MOST]
        near = _copies(member, heads, self._rule)
        kept = [head for head in heads if head.candidate.url in near]
        return sorted(kept, key=lambda head: by_likeness(near[head.candidate.url]))[:COMPARED]


def by_likeness(copy: Copy) -> tuple[bool, float, int, URL]:
    """The most alike first, and of equals the shortest address."""
    return not copy.exact, -copy.resemblance, len(copy.url), copy.url


def _copies(first: Member, others: Sequence[Member], rule: Rule) -> dict[URL, Copy]:
    """Those of the others that are copies of the first."""
    one, many = _columns([first]), _columns(others)
    resemblance = resemblances(one, many)
    distance = np.bitwise_count(one["simhash"] ^ many["simhash"])
    near = are_copies(rule, one, many, resemblance) & (one["words"] > 0) & (many["words"] > 0)
    found = {}
    rows = zip(others, near.tolist(), resemblance.tolist(), distance.tolist(), strict=True)
    for member, is_near, alike, far in rows:
        each, exact = member.candidate, member.candidate.content == first.candidate.content
        if exact or is_near:
            same_site = each.site == first.candidate.site
            told = (1.0, 0) if exact else (alike, far)
            found[each.url] = Copy(each.url, exact, told[0], told[1], same_site, each.content)
    return found


def _columns(members: Sequence[Member]) -> Columns:
    return columns_of(member.row or _NO_PRINT for member in members)
