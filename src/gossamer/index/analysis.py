"""From text to the terms that are indexed and asked for: words in lower case, reduced to their stems.

The stems are those of Snowball for the language of the page, through PyStemmer, which has all its languages in C. The
stemmer inside the index engine costs twice as much as all the rest of indexing. Here a word is stemmed when it is
met first and remembered after that. Characters of scripts without spaces are terms of their own; words in these are
asked for as phrases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from unicodedata import normalize

import Stemmer  # type: ignore[import-not-found]  # it has no types

try:
    from gossamer.index._words import Stems as _Compiled
except ImportError:
    _Compiled = None  # type: ignore[assignment,misc]  # the module is not there

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
REMEMBERED_MOST, REMEMBERED_LEAST = 131_072, 16_384
"""Words of a language whose stems are kept in memory, and of one that is met when some have so many: about 70 bytes for
each, whatever the words are."""
MAIN_LANGUAGES = 4
"""Those that are met first."""
_LONGEST = 64
_ALONE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_CLINGS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(rf"[{_ALONE}]|(?:(?![{_ALONE}])[\w{_CLINGS}])+")


class ByPattern:
    """The words of texts, each as a function reduces it: without the compiled module, which does the same."""

    def __init__(self, stem: Callable[[str], str], most: int, same_start: bool = False) -> None:
        """The stems of `most` words are remembered. `same_start` promises that the stem of an ASCII word begins as the
        word does, but for capitals, so that the compiled module need not ask for most of them."""
        self._stem = lru_cache(maxsize=most)(stem)

    def joined(self, text: str) -> str:
        """The stems of a text, with a space between."""
        return " ".join(filter(None, (stem for _, _, stem in self._each(text))))

    def met(self, text: str, terms: tuple[str, ...]) -> list[tuple[int, int, int]]:
        """Where words with some of the stems stand in a text: begin, end, and which of them it is."""
        numbers = {term: number for number, term in reversed(list(enumerate(terms)))}
        return [(begin, end, numbers[stem]) for begin, end, stem in self._each(text) if stem in numbers]

    def _each(self, text: str) -> Iterator[tuple[int, int, str]]:
        for match in _WORD.finditer(text):
            word = match[0]
            if len(word) <= _LONGEST and (not unspaced(word) or word.isalnum()):
                yield match.start(), match.end(), self._stem(word)


Stems: type[ByPattern | _Compiled] = ByPattern if _Compiled is None else _Compiled


@lru_cache(maxsize=64)
def _stems(language: str | None) -> ByPattern | _Compiled:
    """Wide letters and ligatures are made plain on the way."""
    name = STEMMERS.get(language or "")
    stem: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord if name else str
    return Stems(
        lambda word: "".join(stem(normalize("NFKC", word).lower()).split()),
        REMEMBERED_MOST if _stems.cache_info().currsize < MAIN_LANGUAGES else REMEMBERED_LEAST,
        language not in OTHER_STARTS,
    )


def joined(text: str, language: str | None = None) -> str:
    """What is indexed of a text, in its order: terms with a space between."""
    return _stems(language if language in STEMMERS else None).joined(text)


def places(text: str, language: str | None, wanted: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """Where some terms stand in a text: begin, end, and which of them it is."""
    return _stems(language if language in STEMMERS else None).met(text, wanted)


def terms(text: str, language: str | None = None) -> list[str]:
    """The same as a list."""
    found = joined(text, language)
    return found.split(" ") if found else []


def unspaced(term: str) -> bool:
    """It is a character of a script without spaces."""
    return len(term) == 1 and re.match(f"[{_ALONE}]", term) is not None
