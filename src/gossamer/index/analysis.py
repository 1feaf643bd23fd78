"""From text to the terms that are indexed and asked for: words in lower case, reduced to their stems.

The stems are those of Snowball for the language of the page, through PyStemmer, which has all its languages in C. The
stemmer inside the index engine costs twice as much as all the rest of indexing. Here a word is stemmed when it is
met first and remembered after that. `words` says what a word is, `token_filters` which terms it gives besides.
Characters of scripts without spaces are terms of their own; words in these are asked for as phrases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from struct import iter_unpack
from sys import maxsize

import Stemmer  # type: ignore[import-not-found]  # it has no types

from gossamer.index import words
from gossamer.index.token_filters import NAMES_OF_ONE_PIECE, Forms, Span, Stem, forms, reduced
from gossamer.index.words import APART, Place, unspaced

__all__ = ["APART", "STEMMERS", "Unit", "joined", "packed_places", "places", "terms", "units", "unspaced"]
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""By ISO 639-1 code. Words of other languages stay as they are."""
OTHER_STARTS = frozenset({"ga", "id", "nl", "sr", "tr"})
"""Where stems of words in ASCII may begin otherwise: a prefix is taken off, or letters are changed."""
SAME_TWO = frozenset({None, "en"})
"""Where they begin with the same two letters, but for a few short ones: see `words.ByPattern`."""
REMEMBERED_MOST, REMEMBERED_LEAST = 131_072, 16_384
"""Words of a language whose stems are kept in memory, and of one that is met when some have so many: about 70 bytes for
each, whatever the words are."""
MAIN_LANGUAGES = 4
"""Those that are met first."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a question asks for as one thing: a word, a name of several parts, or characters without spaces between.

    A page has it that has the parts one after the other, or the whole, or the folded form.
    """

    parts: tuple[str, ...]
    """The one term of a plain word."""
    whole: str = ""
    """The name in one piece; nothing for a plain word."""
    folded: str = ""
    """Without accents, and of a Korean word the noun without its particle; nothing when it has none."""


@lru_cache(maxsize=64)
def _stem(language: str | None) -> Stem:
    name = STEMMERS.get(language or "")
    return Stemmer.Stemmer(name, 0).stemWord if name else str


@lru_cache(maxsize=64)
def _stems(language: str | None) -> words.Reduced:
    most = REMEMBERED_MOST if _stems.cache_info().currsize < MAIN_LANGUAGES else REMEMBERED_LEAST
    same_start = 2 if language in SAME_TWO else int(language not in OTHER_STARTS)
    return words.Stems(partial(reduced, stem=_stem(language)), most, same_start, NAMES_OF_ONE_PIECE)


def joined(text: str, language: str | None = None) -> str:
    """What is indexed of a text: terms with a space between, in its order, and behind `APART` the others."""
    return _stems(language if language in STEMMERS else None).joined(text)


def terms(text: str, language: str | None = None) -> list[str]:
    """The terms of a text in its order: where they are neighbours, a page that has the text has them as neighbours."""
    return joined(text, language).partition(APART)[0].split()


def places(text: str, language: str | None, wanted: tuple[str, ...]) -> list[Place]:
    """Where some terms stand in a text: begin, end, and which of them it is. Of a name, its parts that are wanted;
    where none is, but the name in one piece, all of it."""
    return list(iter_unpack("3i", packed_places(text, language, wanted)))


def packed_places(
    text: str, language: str | None, wanted: tuple[str, ...], start: int = 0, end: int = maxsize
) -> bytes:
    """The same for a part of a long text, each place as three numbers of 32 bits."""
    known = language if language in STEMMERS else None
    numbers = {term: number for number, term in reversed(list(enumerate(wanted)))}
    met: dict[str, tuple[Place, ...]] = {}

    def parts(name: str) -> tuple[Place, ...]:
        found = met.get(name)
        if found is None:
            found = met[name] = tuple(_within(_pieces(name, known), numbers))
        return found

    return _stems(known).met(text, wanted, parts, start, end)


@lru_cache(maxsize=16_384)
def _pieces(word: str, language: str | None) -> tuple[tuple[Span, str, str], ...]:
    """Where the parts of a name stand in it, with their terms; nothing when it has one, or something is left out."""
    plain = words.written(word)
    found = forms(plain, _stem(language))
    if len(plain) != len(word) or len(found.spans) == 1:
        return ()
    return tuple(zip(found.spans, found.parts, found.lesser, strict=True))


def _within(pieces: Iterable[tuple[Span, str, str]], numbers: Mapping[str, int]) -> Iterator[Place]:
    """Where the parts that are wanted stand in their name."""
    return (
        (first, last, numbers[part if part in numbers else less])
        for (first, last), part, less in pieces
        if part in numbers or less in numbers
    )


def units(text: str, language: str | None = None) -> Sequence[Unit]:
    """What a text asks for, in its order. Words of questions come again and again, whole paragraphs do not."""
    return _units(text, language) if len(text) <= words.LONGEST else _units.__wrapped__(text, language)


@lru_cache(maxsize=8_192)
def _units(text: str, language: str | None) -> tuple[Unit, ...]:
    stem = _stem(language if language in STEMMERS else None)
    runs: list[list[Forms]] = []
    last = -1  # where a run of characters without spaces has come to
    for begin, end, word in words.found(text):
        found = forms(word, stem) if words.counts(word) else Forms((), (), ())
        if unspaced(word) and begin == last:
            runs[-1].append(found)
        else:
            runs.append([found])
        last = end if unspaced(word) else -1
    return tuple(unit for unit in map(_unit, runs) if unit.parts)


def _unit(run: Sequence[Forms]) -> Unit:
    if len(run) == 1:
        return Unit(run[0].parts, run[0].whole, run[0].folded)
    return Unit(tuple(part for found in run for part in found.parts))
