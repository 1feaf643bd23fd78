"""As which terms do the words of a question stand in the index, and how much does each tell?

A word is looked for in each language that pages are written in, as the stemmer of that language reduces it, as long as
pages of it have such a term. A name of several parts, as in programs, is looked for in one piece and in its parts.
However it is written, and whichever field has it, a word is as rare as it is in the texts of the pages: a word that few
titles have is not rare for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from gossamer.function_words import function_words
from gossamer.index.analysis import Unit, units, unspaced
from gossamer.search.spelling import CORRECTED_MOST

PARTS = 0.5
"""What the parts of a name count beside the name in one piece."""
SECOND = 0.5
"""What a form counts that is not the word itself: without its accents, or taken apart."""
PIECE_LEAST = 4
"""Letters of each half of a compound."""
COMPOUNDING = frozenset({"da", "de", "fi", "nl", "no", "sv"})
"""Languages that write compounds as one word."""
_LINKS = ("", "s")
"""Letters that German puts between the halves."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question."""

    terms: Mapping[str, float]
    """What is looked for, with what each counts."""
    forms: tuple[tuple[str, ...], ...]
    """A page has the word when it has all terms of one of these; where one is `near`, next to each other."""
    near: bool = False
    """It is a pair of characters of a script without spaces: they mean something only next to each other."""
    in_order: tuple[str, ...] = ()
    """Its terms as they stand in a text of the commonest language."""
    is_function: bool = False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the index knows about terms."""

    pages: int
    having: Callable[[str], int]
    """How many pages have a term."""
    languages: Sequence[str | None]
    """Of the pages, the commonest first; None for those whose words stay as they are."""
    spoken: Callable[[str, str | None], bool]
    """Do pages of a language have a term?"""
    meant: Callable[[str], str] = lambda term: ""
    """The words that a term which no page has was meant for; nothing where that is not known."""

    def rarity(self, term: str) -> float:
        """How much a term tells."""
        return rarity(self.pages, min(self.pages, self.having(term)))


def rarity(documents: int, having: int) -> float:
    """How much a term tells: the idf of BM25."""
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def words(texts: Sequence[str], lexicon: Lexicon) -> list[Word]:
    """The words of a question, in its order."""
    languages = lexicon.languages or (None,)
    spelled = [units(text, language) for text in texts for language in (None,)]
    plain = [unit.parts[0] for some in spelled for unit in some if len(unit.parts) == 1]
    grammar = function_words(plain, languages)
    guesses = iter(range(CORRECTED_MOST))
    found: list[Word] = []
    for text, bare in zip(texts, spelled, strict=True):
        by_language = [(language, units(text, language)) for language in languages]
        for place, unit in enumerate(bare):
            variants = [(language, some[place]) for language, some in by_language if place < len(some)]
            is_function = unit.parts[0] in grammar and len(unit.parts) == 1
            found += _words(unit, variants, lexicon, guesses, is_function=is_function)
    return found


def _words(
    bare: Unit,
    variants: Sequence[tuple[str | None, Unit]],
    lexicon: Lexicon,
    guesses: Iterator[int],
    *,
    is_function: bool,
) -> Iterator[Word]:
    """`guesses` has an item for each unknown word that may still be guessed at."""
    if len(bare.parts) > 1 and all(map(unspaced, bare.parts)):
        for pair in pairwise(bare.parts):
            yield Word({}, (pair,), near=True, in_order=pair)
        return
    yield _word(bare, variants, lexicon, guesses, is_function=is_function)


def _word(
    bare: Unit,
    variants: Sequence[tuple[str | None, Unit]],
    lexicon: Lexicon,
    guesses: Iterator[int],
    *,
    is_function: bool,
) -> Word:
    first = variants[0][1]
    chosen = dict.fromkeys([first, *(unit for language, unit in variants[1:] if _said(unit, language, lexicon))])
    counts: dict[str, float] = {}
    forms: dict[tuple[str, ...], None] = {}
    for unit in chosen:
        for form, count in _forms(unit, lexicon):
            forms[form] = None
            for term in form:
                counts[term] = max(counts.get(term, 0.0), count)
    if not any(map(lexicon.having, counts)) and next(guesses, None) is not None:
        for form in _guessed(bare, variants, lexicon):
            forms[form] = None
            counts |= dict.fromkeys(form, SECOND)
    return Word(_evened(counts, chosen, lexicon), tuple(forms), in_order=first.parts, is_function=is_function)


def _said(unit: Unit, language: str | None, lexicon: Lexicon) -> bool:
    """Pages of the language have it."""
    return any(term and lexicon.spoken(term, language) for term in (*unit.parts, unit.whole, unit.folded))


def _forms(unit: Unit, lexicon: Lexicon) -> Iterator[tuple[tuple[str, ...], float]]:
    if unit.whole and lexicon.having(unit.whole):
        yield (unit.whole,), 1.0
        if len(unit.parts) > 1:
            yield unit.parts, PARTS
    else:
        yield unit.parts, 1.0
    if unit.folded:
        yield (unit.folded,), SECOND


def _evened(counts: Mapping[str, float], chosen: Mapping[Unit, None], lexicon: Lexicon) -> dict[str, float]:
    """The stems of one word in several languages are as rare as the commonest of them."""
    stems = {unit.parts[0] for unit in chosen if len(unit.parts) == 1}
    if len(stems) < 2:
        return dict(counts)
    least = min(map(lexicon.rarity, stems))
    return {term: count * (least / lexicon.rarity(term) if term in stems else 1.0) for term, count in counts.items()}


def _guessed(bare: Unit, variants: Sequence[tuple[str | None, Unit]], lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """What a word stands for that no page has: a compound for its halves, a slip for what was meant."""
    if len(bare.parts) > 1:
        return
    halves = list(_halves(bare, variants, lexicon))
    yield from halves
    for unit in units(lexicon.meant(bare.parts[0]), variants[0][0]) if not halves else ():
        yield unit.parts


def _halves(bare: Unit, variants: Sequence[tuple[str | None, Unit]], lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """The two words that a compound of which no page has the whole is made of: those that the most pages have."""
    word = bare.parts[0]
    languages = [language for language, _ in variants if language in COMPOUNDING]
    if len(word) < 2 * PIECE_LEAST:
        return
    for language in languages:
        pairs = [
            (left, right)
            for cut in range(PIECE_LEAST, len(word) - PIECE_LEAST + 1)
            for link in _LINKS
            if word[:cut].endswith(link)
            and (left := _stem(word[:cut].removesuffix(link), language))
            and (right := _stem(word[cut:], language))
            and lexicon.having(left)
            and lexicon.having(right)
        ]
        if pairs:
            yield max(pairs, key=lambda pair: min(map(lexicon.having, pair)))


def _stem(word: str, language: str | None) -> str:
    found = units(word, language)
    return found[0].parts[0] if len(found) == 1 and len(found[0].parts) == 1 else ""
