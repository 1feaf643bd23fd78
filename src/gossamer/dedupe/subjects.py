"""Do two pages that resemble each other say the same to a reader, or are they about two things in the same words?

Resemblance cannot tell. An article with three words edited, and a page of a generated manual on which the name of one
class stands in the place of another, differ from their originals by as much. What differs decides:

- An edit changes words here and there. The name of a subject recurs, and each page has its own.
- A subject stands in the title, in the opening line or in the address. Titles of one host are written by one hand:
  where they differ, so do the subjects. Sites that print one article give it headlines of their own: there, the texts
  have to differ as well.
- Where only the title and the heading differ, and every word below them is the same, a reader has read both pages. Not
  so if the headings differ in a number or a sign, as of two photographs, or if the addresses name what differs.
- Dates, counters and what stands behind a title on every page of a site say nothing.

In doubt pages are not the same. A copy that is found beside its original is a nuisance; a page that is found only under
another one is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

from gossamer.dedupe.shingles import folded, words
from gossamer.lazy import pattern
from gossamer.model import URL
from gossamer.urls import keys

LEAST_WORDS = 50
"""On a page that says less, one word may be the subject, or the address alone: then only numbers may differ."""
RECURS = 3
"""How often a word stands on a page that is about it; once more for every thousand words."""
NUMBERS_RECUR = 2 * RECURS
"""The same for numbers: those of dates and counters recur too."""
SHARE = 1 / 3
"""Where so much of what a page has alone are words that recur, it is no edit."""
MORE_WORDS, MORE_SHARE = 24, 0.08
"""What a page may say beyond another of its host, in words or as a share, whichever is more: a note where it was
printed, but no section, because words that only a copy has are not found.
"""
MUCH_MORE = 8
"""So many times as often as the other a page has a word that is as good as its own."""
NAMED_MORE = 3
"""The same for a word of its title or its address."""
SHORT = 200
"""Words of a page whose title has to agree also with that of a page on another host."""
OPENING_MOST = 12
"""Words of a first line that is read as a heading."""
LINE_MOST = 400
"""Characters of a first line."""
IN_PATH_LEAST = 4
"""Letters of a word that is looked for in an address, where words are glued to each other."""
TEXT_MOST = 1_000_000
"""Characters of a text that are looked at."""

_DATE = pattern(
    r"\d{4}[-/.年]\s?\d\d?[-/.月]\s?\d\d?日?|\b\d\d?[-/.]\d\d?[-/.](?:19|20)\d\d\b|\b\d\d?:\d\d(?::\d\d)?\b"
    r"|(?:[^\W\d_]{2,10}, )?\b\d\d?(?:st|nd|rd|th|\.)? (?:de |of )?[^\W\d_]{3,10}\.?,? (?:de )?(?:19|20)\d\d\b"
    r"|(?:[^\W\d_]{2,10}, )?\b[^\W\d_]{3,10}\.? \d\d?(?:st|nd|rd|th)?,? (?:19|20)\d\d\b"
    r"|^\(\d+\)\s|\s\(\d+\)$"
)
"""Dates, times, and a counter before or after a title."""
_EDGE = " \t\"'`.,:;!?()[]{}«»“”‘’„…|·-–—/、。，：；！？（）「」『』"
_SEPARATOR = pattern(r"\s+[-–—|·»:]+\s+|\s*[|»]\s*")
_WEAK_SEPARATOR = pattern(r":\s+|\s*[()\[\]]\s*")
_SENTENCE = (".", "!", "?", "。", "！", "？")
_SIGN = pattern(r"[-+*/%^~=<>!#]*[+*%^~=<>#][-+*/%^~=<>!#]*")
_VERSION = pattern(r"v?\d+(?:\.\d+)+[a-z]?\d*")


class Said(NamedTuple):
    """What a page says, as far as it is compared."""

    url: URL
    title: str
    text: str
    """Its main content, a line for each block."""


class Subject:
    """A page, made ready to be compared with several."""

    def __init__(self, said: Said) -> None:
        self._url, self._text = said.url, said.text[:TEXT_MOST]
        self._line = self._text.lstrip().partition("\n")[0].rstrip()
        self.host = keys.host(said.url)
        self.parts = [folded(part) for part in _SEPARATOR.split(_DATE.sub(" ", said.title.strip()))]
        self.title: Set[str] = frozenset().union(*map(_tokens, self.parts))
        self._title_words = _words(self.title)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word stands there."""
        return Counter(words(self._text))

    @cached_property
    def tokens(self) -> Set[str]:
        """What stands there between spaces."""
        return _tokens(folded(self._text))

    @cached_property
    def opening(self) -> Set[str]:
        """Its first line, where that is a heading."""
        found = _tokens(folded(_DATE.sub(" ", self._line)))
        return frozenset() if len(found) > OPENING_MOST or self._line.endswith(_SENTENCE) else found

    @cached_property
    def body(self) -> list[str]:
        """All that stands there below the heading, if it begins with one."""
        text = self._text.lstrip()
        return folded(text[len(self._line) :] if self.opening else text).split()

    @cached_property
    def first(self) -> Set[str]:
        """The words of its first line."""
        return frozenset(words(self._line[:LINE_MOST]))

    @cached_property
    def path(self) -> str:
        """Its address, without the host."""
        return folded(unquote(self._url.split("/", 3)[3]))

    def is_named(self, word: str, *, whole: bool = False) -> bool:
        """Whether a word stands in its title or in its address; there, to its end."""
        if word in self._title_words:
            return True
        _, found, rest = self.path.partition(word) if len(word) >= IN_PATH_LEAST else ("", "", "")
        return bool(found) and not (whole and rest[:1].isalpha())


class _Pair(NamedTuple):
    """One page, the other, and what the first says more often."""

    one: Subject
    other: Subject
    own: Counter[str]

    def alone(self, least: int = 1, times: int = MUCH_MORE) -> list[tuple[str, int]]:
        """Words that the other as good as lacks, and how much more often the first has them."""
        known = self.other.counts
        return [(word, count) for word, count in self.own.items() if count >= max(least, (times - 1) * known[word])]


def say_the_same(one: Subject, other: Subject) -> bool:
    """Whether one of two near copies may stand for the other."""
    if _versions_differ(one, other):
        return False
    if _only_headings_differ(one, other):
        return True
    if _titles_differ(one, other):
        return False
    sides = [_Pair(one, other, one.counts - other.counts), _Pair(other, one, other.counts - one.counts)]
    changed = {word for side in sides for word in side.own}
    if min(one.counts.total(), other.counts.total()) < LEAST_WORDS:
        return all(word.isdecimal() for word in changed) and not _addresses_differ(one, other)
    if any(_says_more(side) or _has_name(side) for side in sides):
        return False
    return not any(all(map(rule, sides)) for rule in _OF_BOTH)


def _only_headings_differ(one: Subject, other: Subject) -> bool:
    """Two pages of a host have the same words under other titles, and neither numbers nor addresses tell them apart."""
    if one.host != other.host or len(one.body) < LEAST_WORDS or one.body != other.body:
        return False
    own = [(one, _heading(one) - _heading(other)), (other, _heading(other) - _heading(one))]
    if not all(name.isalpha() for _, names in own for name in names):
        return False
    return not all(any(name in page.path for name in names) for page, names in own)


def _heading(page: Subject) -> Set[str]:
    return page.title | page.opening


def _addresses_differ(one: Subject, other: Subject) -> bool:
    """Each has a word in its path that the other has not, on one host."""
    mine, theirs = ({*words(each.path.partition("?")[0])} for each in (one, other))
    return one.host == other.host and bool(mine - theirs) and bool(theirs - mine)


def _versions_differ(one: Subject, other: Subject) -> bool:
    """Each title has a number of a version that the other has not."""
    mine, theirs = (set(filter(_VERSION.fullmatch, each.title)) for each in (one, other))
    return bool(mine - theirs and theirs - mine)


def _titles_differ(one: Subject, other: Subject) -> bool:
    """Each title has a name that the other has not, or one has it where the other has none. Of long pages, those of two
    hosts are not compared.
    """
    same_host, shorter = one.host == other.host, min(one.counts.total(), other.counts.total())
    if not one.title or not other.title or (not same_host and shorter >= SHORT):
        return False
    mine, theirs = _telling(one, other), _telling(other, one)
    if _written(mine) == _written(theirs):
        return False
    if mine and theirs:
        return (same_host and shorter < LEAST_WORDS) or not _is_decoration(one, other)
    return same_host and not _is_addition(one, other)


def _telling(one: Subject, other: Subject) -> Set[str]:
    """What one title has and the other has not, without short words that both texts use alike, as `the` and `a`."""
    return {
        name
        for name in one.title - other.title
        if len(name) > 3 or not name.isalpha() or not one.counts[name] == other.counts[name] > 0
    }


def _is_addition(one: Subject, other: Subject) -> bool:
    """One title is the other with something before or after it, behind a sign that separates the two."""
    shorter, longer = sorted((one.parts, other.parts), key=lambda parts: len(" ".join(parts)))
    whole = {part.strip(_EDGE) for each in longer for part in (each, *_WEAK_SEPARATOR.split(each))}
    return all(part.strip(_EDGE) in whole for part in shorter)


def _is_decoration(one: Subject, other: Subject) -> bool:
    """What the titles have in common is what the texts are about, and no text has more of the rest of its title.

    On one host they must begin alike: what they all end with is its name.
    """
    shared = [ends[0] for ends in _ends(one, other) if ends[0] == ends[1]]
    used = any(one.counts[word] and other.counts[word] for part in shared for word in words(part))
    return used and not _has_more_of_its_title(one, other) and not _has_more_of_its_title(other, one)


def _has_more_of_its_title(one: Subject, other: Subject) -> bool:
    rest = one.title - other.title
    return any(_SIGN.search(name) for name in rest) or any(
        one.counts[word] > other.counts[word] for word in _words(rest)
    )


def _ends(one: Subject, other: Subject) -> Iterator[tuple[str, str]]:
    yield one.parts[0], other.parts[0]
    if one.host != other.host:
        yield one.parts[-1], other.parts[-1]


def _says_more(side: _Pair) -> bool:
    """The page is longer than the other by more than a few lines."""
    one, other, _ = side
    total = one.counts.total()
    return one.host == other.host and total - other.counts.total() > max(MORE_WORDS, MORE_SHARE * total)


def _has_name(side: _Pair) -> bool:
    """The page has a name that the other page does not know, and that recurs in its text, or with which it begins."""
    begins = side.one.first if side.one.host == side.other.host else frozenset()
    return any(
        (count >= RECURS or word in begins) and side.one.is_named(word) and not side.other.is_named(word, whole=True)
        for word, count in side.alone(times=NAMED_MORE)
    )


def _names_itself(side: _Pair) -> bool:
    """The text has a word of the title or the address that the other page lacks. That it opens with its title, as a
    headline, does not count on two hosts.
    """
    one, other, _ = side
    heading = frozenset() if one.host == other.host else _words(one.opening)
    return any(
        count > (word in heading) and one.is_named(word) and not other.is_named(word, whole=True)
        for word, count in side.alone()
    )


def _opens_alone(side: _Pair) -> bool:
    """The opening line has what is nowhere on the other page."""
    one, other, _ = side
    return one.host == other.host and bool(one.opening - other.opening - other.title - other.tokens)


def _recurs(side: _Pair) -> bool:
    """A word that the other page does not have recurs on this one."""
    longer = side.one.counts.total() // 1_000
    return any(count >= (NUMBERS_RECUR if word.isdecimal() else RECURS) + longer for word, count in side.alone(RECURS))


def _replaces(side: _Pair) -> bool:
    """What this page has alone is, for a good part, words that recur."""
    recurring = sum(count for word, count in side.alone(2) if not word.isdecimal())
    return 0 < recurring >= SHARE * side.own.total()


_OF_BOTH: tuple[Callable[[_Pair], bool], ...] = (_names_itself, _opens_alone, _recurs, _replaces)
"""What tells two subjects, where it holds for both pages."""


def _tokens(line: str) -> Set[str]:
    """What stands between spaces, without the punctuation around it: `foreign-key`, `c++` and `3.19.1` are one each."""
    return frozenset(filter(None, (each.strip(_EDGE) for each in line.split())))


def _written(names: Set[str]) -> set[str]:
    """Words, and the signs that tell C++ from C#, and one operator from another."""
    return _words(names).union(*map(_SIGN.findall, names))


def _words(names: Set[str]) -> set[str]:
    return {word for name in names for word in words(name)}
