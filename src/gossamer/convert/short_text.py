"""Which language is a string of a few words in?

A title, a button or a line of a menu is too short for a model that learnt from whole sentences. This one learnt from
strings of programs, which translators wrote in about a hundred languages. A text is the runs of one to five characters
that it has, none of which goes beyond a word but for the gap at its ends. Each run that is known has a vector, and a
table makes chances of languages of their sum: the idea of fastText (Joulin and others, "Bag of Tricks for Efficient
Text Classification", 2016). What differs: runs are chosen by what they tell of a language, so that few are needed and
no two share a vector; and all runs are found at once, by numpy.

It is trained by `quality/train_language.py`. The weights are in `short_text.npz` beside this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LONGEST = 5
"""Characters of a run."""
APART = "\0"
"""No run goes beyond it."""
_GAP = 32
_SIGNS = re.compile(r"[\s\d_!-@\[-`{-~\u00a0-\u00bf\u2010-\u206f\u3000-\u3003\uff01-\uff20]+")
_MIX = np.uint32(0x9E3779B1)
_LAST_MIX = np.uint32(0x85EBCA6B)
_OF_LENGTH = np.uint32(0x01000193)
_SHIFT = np.uint32(15)


@dataclass(frozen=True)
class Weights:
    """What was learnt."""

    languages: tuple[str, ...]
    runs: NDArray[np.uint32]
    """Hashes of the runs that are known, in order."""
    vectors: NDArray[np.int8]
    table: NDArray[np.float32]
    """A row for each place of a vector, and a column for each language."""
    offsets: NDArray[np.float32]
    """How likely a language is where nothing is known."""


def chances(text: str) -> dict[str, float]:
    """How likely each language is; nothing where no run of the text is known."""
    weights = _weights()
    found = hashes(only_letters(text))[0]
    places = np.minimum(np.searchsorted(weights.runs, found), len(weights.runs) - 1)
    known = places[weights.runs[places] == found]
    if not len(known):
        return {}
    total = weights.vectors[known].sum(axis=0, dtype=np.int32).astype(np.float32) / damping(len(known))
    scores = total @ weights.table + weights.offsets
    shares = np.exp(scores - scores.max())
    return dict(zip(weights.languages, (shares / shares.sum()).tolist(), strict=True))


def damping(runs: float) -> float:
    """A text with four times as many runs is twice as sure."""
    return float(runs**0.5 + 1.0)


def only_letters(text: str) -> str:
    """A text with a gap for all that is in no word, and one at both ends."""
    return f" {_SIGNS.sub(' ', text.lower()).strip()} "


def hashes(text: str) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """Of all runs of a text, or of many between which `APART` stands; and where each begins."""
    letters = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    gaps = letters == _GAP
    running = np.zeros(len(letters), np.uint32)
    is_one = np.ones(len(letters), np.bool_)
    found, places = [], []
    for length in range(1, min(LONGEST, len(letters)) + 1):
        last = letters[length - 1 :]
        running = (running[: len(last)] ^ last) * _MIX
        running ^= running >> _SHIFT
        is_one = is_one[: len(last)] & (last != 0)
        if length > 2:
            is_one &= ~gaps[length - 2 : length - 2 + len(last)]
        here = np.flatnonzero(is_one & ~gaps[: len(last)] if length == 1 else is_one)
        found.append(running[here] * _LAST_MIX + np.uint32(length) * _OF_LENGTH)
        places.append(here)
    return np.concatenate(found), np.concatenate(places)


@cache
def _weights() -> Weights:
    with np.load(Path(__file__).with_name("short_text.npz"), allow_pickle=False) as file:
        return Weights(tuple(file["languages"].tolist()), file["runs"], file["vectors"], file["table"], file["offsets"])
