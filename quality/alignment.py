"""Which blocks of a page are its content, if that is known as text only?

The words of the page are aligned with those of the text: the longest common subsequence, computed 64 and more words at
a time in the bits of a long integer (H. Hyyrö 2004). Words that are common but stand alone are chance; so a stretch of
four counts, or a whole block. What the text has in another order is found by its 5-grams.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from gold import Case, squashed
from numpy.typing import NDArray

from gossamer.convert.content.blocks import Blocks
from gossamer.convert.html.outline import Outline

_TOKEN = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")
_STRETCH = 4
_GRAM = 5
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Labels:
    """For each of B blocks what is known."""

    tokens: Floats
    """[B] words in it, as scores count them."""
    matched: Floats
    """[B] how many of them are content."""
    targets: Floats
    """[B] the share of them; NaN where it is not known."""
    wanted: float
    """Words of the content in all; 0 where only segments are known."""


def block_texts(outline: Outline, blocks: Blocks) -> list[str]:
    """The text of every block."""
    bounds = outline.starts[np.append(blocks.firsts, len(outline.owners))].tolist()
    return [outline.text[a:b].decode("utf-8", "replace") for a, b in pairwise(bounds)]


def labels(case: Case, texts: Sequence[str]) -> Labels:
    """What a case says of the blocks of its page."""
    words = [_tokens(text) for text in texts]
    sizes = np.array([len(each) for each in words], np.float64)
    if case.text is None:
        targets = _by_segments(case, [squashed(text) for text in texts])
        return Labels(sizes, np.where(targets == 1, sizes, 0), targets, 0)
    gold = _tokens(case.text)
    matched = aligned(words, gold)
    return Labels(sizes, matched, matched / np.maximum(sizes, 1), max(float(len(gold)), float(matched.sum())))


def shares(texts: Sequence[str], answer: str) -> Floats:
    """[B] how much of each block is in an answer."""
    words = [_tokens(text) for text in texts]
    found: Floats = aligned(words, _tokens(answer)) / np.maximum([len(each) for each in words], 1)
    return found


def aligned(blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> Floats:
    """[B] how many words of each block are in the gold text, in its order."""
    words = [word for block in blocks for word in block]
    sizes = np.array([len(block) for block in blocks])
    if not words or not gold:
        return np.zeros(len(blocks))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    partner = _common(words, gold)
    sure = _stretches(partner, owner, sizes)
    _out_of_order(words, gold, partner, sure, np.append(0, np.cumsum(sizes)))
    counts = np.bincount(owner, sure, len(sizes))
    loose = np.bincount(owner, sure | (partner >= 0), len(sizes))
    return np.where(counts >= 0.5 * sizes, np.maximum(counts, loose), counts)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _common(words: Sequence[str], gold: Sequence[str]) -> NDArray[np.intp]:
    """For each word its place in the gold text, -1 where it is not in the longest common subsequence."""
    places: dict[str, int] = collections.defaultdict(int)
    for number, word in enumerate(gold):
        places[word] |= 1 << number
    full = state = (1 << len(gold)) - 1
    rows = []
    for word in words:
        if word in places:
            kept = state & places[word]
            state = ((state + kept) | (state - kept)) & full
        rows.append(state)
    found = np.full(len(words), -1)
    row, column = len(words), len(gold)
    while row and column:
        if rows[row - 1] >> (column - 1) & 1:
            column -= 1
            continue
        row -= 1
        if not row or rows[row - 1] >> (column - 1) & 1:
            column -= 1
            found[row] = column
    return found


def _stretches(partner: NDArray[np.intp], owner: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.bool_]:
    sure = np.zeros(len(partner), np.bool_)
    breaks = np.flatnonzero(np.append(True, (partner[1:] != partner[:-1] + 1) | (partner[1:] < 0)))
    for start, end in zip(breaks, np.append(breaks[1:], len(partner)), strict=True):
        length, size = end - start, sizes[owner[start]]
        alone = owner[end - 1] == owner[start] and length == size
        if partner[start] >= 0 and (length >= _STRETCH or alone or (length > 1 and length >= 0.6 * size)):
            sure[start:end] = True
    return sure


def _out_of_order(
    words: Sequence[str],
    gold: Sequence[str],
    partner: NDArray[np.intp],
    sure: NDArray[np.bool_],
    bounds: NDArray[np.intp],
) -> None:
    """Mark what the gold text has elsewhere, as long as it has it."""
    used = np.zeros(len(gold), np.bool_)
    used[partner[sure]] = True
    left: dict[tuple[str, ...], list[int]] = collections.defaultdict(list)
    for at in range(len(gold) - _GRAM + 1):
        if not used[at : at + _GRAM].any():
            left[tuple(gold[at : at + _GRAM])].append(at)
    for start, end in pairwise(bounds):
        if end - start < _GRAM or sure[start:end].mean() >= 0.3:
            continue
        for at in range(start, end - _GRAM + 1):
            places = left.get(tuple(words[at : at + _GRAM]))
            if places and not used[places[0] + _GRAM - 1]:
                sure[at : at + _GRAM] = True
                used[places[0] : places[0] + _GRAM] = True
            if places:
                places.pop(0)


def _by_segments(case: Case, texts: Sequence[str]) -> Floats:
    """1 for blocks with a segment that is wanted, 0 for those that are not; the longest block if several have it."""
    targets = np.full(len(texts), np.nan)
    for segment in map(squashed, case.unwanted):
        for number, text in enumerate(texts):
            if segment in text and (len(segment) > 0.34 * len(text) or len(text) < 120):
                targets[number] = 0
    for segment in map(squashed, case.wanted):
        holders = [number for number, text in enumerate(texts) if segment in text]
        longest = max(holders, key=lambda number: len(texts[number]), default=0)
        if holders and len(texts[longest]) > 1.5 * len(segment):
            holders = [longest]
        targets[holders] = 1
    return targets
