"""Groups of copies: in each, every page is a copy of the one that stands for all of them.

Pairs of copies make chains, and at the ends of a chain stand pages that have little in common. So what is linked is cut
into stars: the page that stands for the others by the rule, with those that are copies of it; then the same again with
what is left.

Which page that is, is decided by one rule for search, for the graph and for people: `representative`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gossamer.dedupe.judge import STRICT, Rule, are_copies, resemblances
from gossamer.dedupe.pages import COLUMNS, Columns, columns_of
from gossamer.model import URL

STARS_MOST = 64
"""Groups that are cut from one chain; what is left of a longer one is left alone."""
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
    members = {each.url: each for each in group}
    votes = Counter(each.canonical for each in members.values() if _counts(each, members.get(each.canonical or "")))
    return min(members.values(), key=lambda each: _place(each, votes[each.url]))


def _counts(voter: Candidate, named: Candidate | None) -> bool:
    return named is not None and (named.site == voter.site or named.content == voter.content)


def _place(each: Candidate, votes: int) -> tuple[bool, int, bool, float, int, URL]:
    return not each.redirected, -votes, not each.main, -each.rank, len(each.url), each.url


@dataclass(frozen=True, slots=True)
class Copy:
    """A page that another stands for."""

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


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of one page."""

    url: URL
    """The page that stands for all."""
    copies: tuple[Copy, ...]
    """The most alike first."""


class Member(NamedTuple):
    """A page that is linked to others."""

    candidate: Candidate
    row: bytes | None
    """Its print; None for a page that says too little to have one."""


def cut(members: Sequence[Member], rule: Rule = STRICT) -> Iterator[Group]:
    """The groups among pages that are linked."""
    rest = list(members)
    for _ in range(STARS_MOST):
        if len(rest) < 2:
            return
        chosen = representative(member.candidate for member in rest)
        first = next(member for member in rest if member.candidate is chosen)
        rest = [member for member in rest if member is not first]
        copies = _copies(first, rest, rule)
        rest = [member for member in rest if member.candidate.url not in copies]
        if copies:
            best = sorted(copies.values(), key=by_likeness)
            yield Group(chosen.url, tuple(best))


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
