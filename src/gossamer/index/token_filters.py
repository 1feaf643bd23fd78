"""Which terms does a word give? Its stem; names, words with accents and Korean words with a particle give more.

The parts of a name stand in the text one after the other: `ForeignKey`, `foreign_key`, `foreign-key` and `foreign key`
are the same phrase. What else a word is found by stands apart from the text, so that it does not come between words
that are neighbours: the name in one piece (`foreignkey`), a word without accents, a Korean noun without its particle.

Capitals part words as in the word delimiter of Lucene. Letters and digits are not parted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from gossamer.index.words import APART, LONGEST
from gossamer.lazy import pattern

PARTS_MOST = 8
"""Parts of a word. One that has more is no name but a key or a digest."""
_NAMES = """
    actionscript coffeescript ebay facetime github gitlab ios ipad iphone ipod javascript latex linkedin macos mongodb
    mysql opengl paypal postgresql powerpoint powershell sqlite typescript wordpress youtube
"""
NAMES_OF_ONE_PIECE = frozenset(_NAMES.split())
"""Whoever looks for `java`, `git` or `in` does not mean them."""
_PARTICLES = """
    은 는 이 가 을 를 의 에 에서 에게 에게서 에는 에도 에서는 에서도 께 께서 한테 한테서 으로 로 으로서 로서 으로써
    로써 으로는 로는 으로부터 로부터 와 과 랑 이랑 하고 도 만 만큼 부터 까지 까지는 보다 처럼 같이 마다 조차 마저 밖에
    이나 라도 이라도 라는 이라는 입니다 이다
"""
PARTICLES = tuple(sorted(_PARTICLES.split(), key=len, reverse=True))
"""What stands behind a Korean noun in the same word, the longest first."""
NOUN_LEAST = 2
"""Syllables that are left."""
_NAME = pattern(r"(\.?)(.*?)(\+\+|#)?", re.DOTALL)
_LINK = pattern(r"[^-.]+")
_RUN = pattern(r"[^_]+")
_SEAM = pattern(r"(?<=[as])(?=A)|(?<=[A0])(?=A(?!s(?![as]))[as])")
"""In the shape of a word: where a capital follows a small letter, and before the last of several capitals, as in
`HTTPServer`, but not in `URLs`."""
_BETWEEN = pattern(r"[-_]+|(?<!\d)\.|\.(?!\d)")
"""What a name in one piece does not have. Numbers keep their dots."""
_SIGNS = pattern(r"[-.+#_]")
_LETTERS = dict(
    pair.split("/")
    for pair in "ß/ss ø/o æ/ae œ/oe ł/l đ/d ð/d þ/th ħ/h ŧ/t ı/i ё/е ѐ/е ѝ/и".split()  # noqa: SIM905 - a table
)
"""Those whose accents are a part of them; in Cyrillic, all others are letters of their own, like й."""
_MARK = pattern("[\u0300-\u036f]")
_HANGUL = pattern("[\uac00-\ud7a3]")
_ACCENTED = pattern("[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]")
"""Latin and Greek. Marks of other scripts are letters."""
Stem = Callable[[str], str]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Forms:
    """What a word or a chain of words is found by."""

    spans: tuple[Span, ...]
    """Where its parts begin and end in it."""
    parts: tuple[str, ...]
    """Their terms."""
    lesser: tuple[str, ...]
    """For each of them the term without accents or particle, or nothing."""
    wholes: tuple[str, ...] = ()
    """Names of several parts in one piece, the longest last."""
    folded: str = ""
    """The last of these without accents, where it has any; of a word that is no name, the word."""

    @property
    def whole(self) -> str:
        """The name in one piece; nothing when it is a plain word."""
        return self.wholes[-1] if self.wholes else ""

    @property
    def others(self) -> Iterator[str]:
        """What stands apart from the text."""
        others = dict.fromkeys((*self.lesser, *self.wholes, self.folded))
        return (other for other in others if other and other not in self.parts)


def reduced(word: str, stem: Stem) -> str:
    """The terms of a word as they are indexed. Nearly all words have one. The compiled module takes names in ASCII
    apart by itself, in the same way."""
    rest = word[1:]
    if word.isascii() and word.isalnum() and rest == rest.lower():
        return stem(word.lower())
    if _SIGNS.search(word) or any(map(str.isupper, rest)):
        found = forms(word, stem)
        others = " ".join(found.others)
        return " ".join(filter(None, found.parts)) + (others and APART + others)
    text = _lower(word)
    term = _term(text, stem)
    less = _lesser(text, term, stem)
    return term + (less and APART + less)


def forms(word: str, stem: Stem) -> Forms:
    """All that a word gives; nothing where it has neither letters nor digits."""
    dot, name, tail = _NAME.fullmatch(word).groups("")  # type: ignore[union-attr]  # all words match
    links = [(match.start() + len(dot), match[0]) for match in _LINK.finditer(name)]
    spans = [[(at + begin, at + end) for begin, end in _spans(link)] for at, link in links]
    flat = [span for some in spans for span in some]
    if not flat:
        return Forms((), (), ())
    if not spans[-1]:
        tail = ""
    if tail and len(links[-1][1]) == 1:  # C++ and C#
        flat[-1], name, tail = (flat[-1][0], len(word)), name + tail, ""
    texts = [_lower(word[begin:end]) for begin, end in flat]
    parts = [_term(text, stem) for text in texts]
    lesser = [_lesser(text, term, stem) for text, term in zip(texts, parts, strict=True)]
    names = [link for (_, link), some in zip(links, spans, strict=True) if len(some) > 1]
    names += [name + tail] if tail or len(links) > 1 else []
    whole = [_BETWEEN.sub("", _lower(each)) for each in names]
    wholes = [_term(each, stem) for each in whole] + _signed(dot, [link for _, link in links], flat)
    folded = _lesser(whole[-1], wholes[-1], stem) if whole else lesser[0]
    return Forms(tuple(flat), tuple(parts), tuple(lesser), tuple(dict.fromkeys(wholes)), folded)


def _signed(dot: str, links: Sequence[str], spans: Sequence[Span]) -> list[str]:
    """`.net`, `__init__`: names that keep what they begin with."""
    named = dot or (len(links) == len(spans) == 1 and links[0].strip("_") != links[0])
    return [dot + _lower(links[0])] if named else []


def _spans(link: str) -> list[Span]:
    """Where the parts of a word begin and end."""
    if link.isascii() and link.lower() in NAMES_OF_ONE_PIECE:
        return [(0, len(link))]
    spans = [span for run in _RUN.finditer(link) for span in _seamed(run)]
    return spans if len(spans) <= PARTS_MOST else [(0, len(link))]


def _seamed(run: re.Match[str]) -> Iterator[Span]:
    shape = run[0].translate(_kinds)
    begin = 0
    for seam in _SEAM.finditer(shape):
        yield run.start() + begin, run.start() + seam.start()
        begin = seam.start()
    yield run.start() + begin, run.end()


class _Kinds(dict[int, str]):
    """What kind of letter each is, found when it is met first."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = "A" if letter.isupper() else "0" if not letter.islower() else "s" if letter == "s" else "a"
        return self[code]


_kinds = _Kinds()


def _lower(text: str) -> str:
    """In small letters. Wide letters and ligatures are made plain. The dot of a Turkish I is no letter of its own."""
    return normalize("NFKC", text)[:LONGEST].replace("İ", "i").lower()


def _term(text: str, stem: Stem) -> str:
    return text if _SIGNS.search(text) else "".join(stem(text).split())


def _lesser(text: str, term: str, stem: Stem) -> str:
    """Its other form is reduced as one would be that was asked for."""
    other = without_particle(text) or fold(text)
    if other == text or (found := _term(other, stem)) == term:
        return ""
    return found


def without_particle(word: str) -> str:
    """The noun in a Korean word; nothing where there is no particle behind it. The longest particle counts."""
    if not _HANGUL.match(word[-1:]):
        return ""
    ends = (word[: -len(each)] for each in PARTICLES if word.endswith(each))
    return next((noun for noun in ends if len(noun) >= NOUN_LEAST), "")


def fold(word: str) -> str:
    """The word without its accents, where they are Latin, Greek or Cyrillic."""
    return word if word.isascii() else word.translate(_bases)


class _Bases(dict[int, str]):
    """What each letter is without its accent, found when it is met first."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        base = normalize("NFD", letter)[0] if _ACCENTED.match(letter) else letter
        self[code] = "" if _MARK.match(letter) else _LETTERS.get(letter, base)
        return self[code]


_bases = _Bases()
