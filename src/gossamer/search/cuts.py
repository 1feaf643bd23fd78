"""Where may a text be cut? Between sentences, else between words, never within what readers see as one character."""

from __future__ import annotations

from unicodedata import category

from gossamer.index.analysis import unspaced
from gossamer.lazy import pattern

WORD_MOST = 64
"""Characters within which a word ends."""
TAIL = 60
"""Characters that are left out at the end for the sake of a whole sentence."""
_SENTENCE = pattern(r"""[.!?…][\])"'”’»]*\s+|\n\s*|[。！？]\s*""")
_CLUSTER_MOST = 32
_JOINER = "\u200d"


def sentence_before(text: str, least: int, at: int) -> int | None:
    """Where the sentence begins that this place is in; None when that is further back."""
    ends = [match.end() for match in _SENTENCE.finditer(text, least, at)]
    return ends[-1] if ends else 0 if least <= 0 else None


def sentence_after(text: str, least: int, at: int) -> int | None:
    """Where the first sentence begins from a place on, up to another."""
    if least <= 0:
        return 0
    match = _SENTENCE.search(text, least, at)
    return match.end() if match else None


def start(text: str, least: int, at: int) -> int:
    """Where a word begins, as far back as may be."""
    if least <= 0:
        return 0
    return next((place for place in range(least, min(at, least + WORD_MOST)) if _between(text, place)), at)


def end(text: str, least: int, most: int) -> int:
    """Where a sentence ends, or else a word, as far on as may be; blanks are left out. A word that is too long ends
    where a character does, if nothing must be in the text."""
    if most >= len(text):
        return len(text.rstrip()) if len(text.rstrip()) > least else max(least, 0)
    sentences = [match.start() + 1 for match in _SENTENCE.finditer(text, max(least, most - TAIL), most)]
    if sentences:
        return sentences[-1] if text[sentences[-1] - 1] != "\n" else sentences[-1] - 1
    word = next((place for place in range(most, max(least, most - WORD_MOST), -1) if _between(text, place)), None)
    if word is None:
        return least or _whole(text, most)
    return max(least, len(text[:word].rstrip()) if text[word - 1].isspace() else word)


def _between(text: str, at: int) -> bool:
    """A word ends here, or another begins."""
    before, after = text[at - 1], text[at]
    if before.isspace() or after.isspace():
        return True
    if _clings(text, at):
        return False
    return unspaced(before) or unspaced(after)


def _whole(text: str, at: int) -> int:
    for place in range(at, max(at - _CLUSTER_MOST, 0), -1):
        if not _clings(text, place):
            return place
    return at


def _clings(text: str, at: int) -> bool:
    """What stands here is a part of the character before it: an accent, a vowel sign, a part of a Korean syllable, of a
    flag, or of an emoji that is joined of others."""
    before, here = text[at - 1], text[at]
    if here.isascii():
        return before == _JOINER
    if _JOINER in (before, here) or category(here)[0] == "M":
        return True
    if "\U0001f1e6" <= here <= "\U0001f1ff":  # flags are pairs
        run = 0
        while run < at and "\U0001f1e6" <= text[at - 1 - run] <= "\U0001f1ff":
            run += 1
        return run % 2 == 1
    return "\U0001f3fb" <= here <= "\U0001f3ff" or "\u1160" <= here <= "\u11ff"
