"""Which page of a group of copies stands for all of them? The one rule, for search, for the graph and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gossamer.model import URL


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
