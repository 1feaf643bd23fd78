"""Groups of copies: in each, every page is a copy of the one that stands for all of them.

Pairs of near copies make chains, and at the ends of a chain stand pages that have little in common. So pages that are
linked are taken in order, the one that stands for others by the rule first, and each either joins a page before it, the
most alike of those that it resembles and that say the same, or stands for itself.

Pages of one template resemble each other, and each is about something else: they are alike, and stand for themselves.

Which page stands for others is decided by one rule for search, for the graph and for people: `representative`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from gossamer.dedupe.judge import STRICT, Rule, are_copies, resemblances
from gossamer.dedupe.pages import COLUMNS, Columns, columns_of, print_in
from gossamer.dedupe.subjects import LEAST_WORDS
from gossamer.model import URL

HEADS_MOST = 1_000
"""Pages of a chain that others are compared with; beyond these, only with one that has the same words and title."""
COMPARED = 3
"""Pages whose texts a page is compared with: those that are most alike."""
_INDEX = re.compile(r"(?:index|default)\.(?:html?|php|aspx?|jsp)", re.IGNORECASE)
"""What servers give for a folder."""
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
    the one that ranks highest; then the shortest address, and of those the first in the alphabet. Links to
    `/guide/index.html` count for `/guide/`, where both are there.

    A page may name a page of its own site, or one that says exactly what it says. Otherwise anybody could make a page
    of somebody else's stand back by copying it nearly, and naming itself.
    """
    return _in_order(group)[0]


def _in_order(group: Iterable[Candidate]) -> list[Candidate]:
    """The one that stands for the others first, then the one that would without it, and so on."""
    members = _with_folders({each.url: each for each in group})
    votes = Counter(each.canonical for each in members.values() if _counts(each, members.get(each.canonical or "")))
    return sorted(members.values(), key=lambda each: _place(each, votes[each.url]))


def _with_folders(members: dict[URL, Candidate]) -> dict[URL, Candidate]:
    """The address of a folder has what the file brings that stands for it."""
    for url in list(members):
        folder, slash, name = url.rpartition("/")
        if _INDEX.fullmatch(name) and (short := folder + slash) in members:
            rank = members[short].rank + members[url].rank
            members |= {short: members[short]._replace(rank=rank), url: members[url]._replace(rank=0.0)}
    return members


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

    def as_json(self, title: str) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "title": title}


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
    by_url = {member.candidate.url: member for member in members}
    chain = _Chain(same, rule)
    for candidate in _in_order(member.candidate for member in members):
        chain.take(by_url[candidate.url])
    yield from chain.groups()


class _Chain:
    """Pages that are linked, as they come in order."""

    def __init__(self, same: Same, rule: Rule) -> None:
        self._same = same
        self._rule = rule
        self._heads: list[Member] = []
        """Pages that stand for themselves."""
        self._by_bytes: dict[str, Member] = {}
        self._by_words: dict[bytes, Member] = {}
        """The first of them that has these words."""
        self._under: dict[URL, list[Member]] = {}
        """By the address of such a page, its copies."""
        self._alike: dict[URL, list[Copy]] = {}
        """The same, pages that resemble it and came later."""

    def take(self, member: Member) -> None:
        """It joins a page before it, or stands for itself."""
        if (twin := self._twin(member)) is not None:
            self._under[twin].append(member)
            return
        near = self._near(member)
        best = sorted(near, key=lambda url: by_likeness(near[url]))[:COMPARED]
        if (head := next((url for url in best if self._same(url, member.candidate.url)), None)) is not None:
            self._under[head].append(member)
            return
        self._add(member)
        for url in islice(near, 1):
            mine = replace(near[url], url=member.candidate.url, digest=member.candidate.content, says_same=False)
            self._alike[url].append(mine)

    def groups(self) -> Iterator[Group]:
        """Of each page that has copies, or is alike to others."""
        for head in self._heads:
            url = head.candidate.url
            copies = _copies(head, self._under[url], self._rule).values()
            group = Group(url, *(tuple(sorted(each, key=by_likeness)) for each in (copies, self._alike[url])))
            if group.copies or group.alike:
                yield group

    def _add(self, head: Member) -> None:
        self._heads.append(head)
        self._under[head.candidate.url], self._alike[head.candidate.url] = [], []
        self._by_bytes.setdefault(head.candidate.content, head)
        if head.row is not None:
            self._by_words.setdefault(print_in(head.row).digest, head)

    def _twin(self, member: Member) -> URL | None:
        """One before it that has the same bytes, or the same words and title: there is nothing to compare."""
        head = self._by_bytes.get(member.candidate.content)
        if head is None and member.row is not None and (found := print_in(member.row)).words >= LEAST_WORDS:
            head = self._by_words.get(found.digest)
            head = head if head is not None and head.title == member.title else None
        return head.candidate.url if head is not None else None

    def _near(self, member: Member) -> dict[URL, Copy]:
        """Those of the pages before it that it resembles, in order, and how."""
        return _copies(member, self._heads[:HEADS_MOST], self._rule) if member.row is not None else {}


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
