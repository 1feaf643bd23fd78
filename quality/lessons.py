"""Pages made ready to be learned from."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from alignment import Labels
from numpy.typing import NDArray

from gossamer.convert.content import neural
from gossamer.convert.content.features import Features, features
from gossamer.convert.html.outline import TAGS, Outline

_NAME_SITES = 6
"""A name is learned if so many sites use it, and a word likewise."""
_WORD_SITES = 12
HABITS = 8
"""Sets there may be."""
Used = Iterable[tuple[str, NDArray[np.uint32]]]
"""Hashes, and the site that uses them."""


class Lesson(NamedTuple):
    """A page, written or made, and what is known of its blocks."""

    outline: Outline
    labels: Labels
    soft: NDArray[np.float64] | None
    """[B] what another extractor says of blocks whose target is not known."""


class Vocabulary(NamedTuple):
    """Names and words that enough sites use, in ascending order."""

    names: NDArray[np.uint32]
    words: NDArray[np.uint32]


@dataclass(frozen=True)
class Origin:
    """Where a page is from."""

    site: str
    habit: int
    """The number of its set: what one calls content, another calls frame."""
    kind: str
    """One of `neural.KINDS`."""
    weight: float
    """How much the page counts."""


@dataclass(frozen=True)
class Sample:
    """A page that is ready to be learned from."""

    outline: Outline
    features: Features
    labels: Labels
    soft: NDArray[np.float64] | None
    """[B] what another extractor says of blocks whose target is not known."""
    origin: Origin
    names: NDArray[np.int64]
    """Rows of the vectors of tags and names, and the element each stands at."""
    named: NDArray[np.int64]
    words: NDArray[np.int64]
    worded: NDArray[np.int64]
    """The same for words, and the block of each."""


def vocabulary(names: Used, words: Used) -> Vocabulary:
    """What sites have in common."""
    return Vocabulary(_common(names, _NAME_SITES), _common(words, _WORD_SITES))


def _common(used: Used, least: int) -> NDArray[np.uint32]:
    sites: dict[int, set[str]] = collections.defaultdict(set)
    for site, hashes in used:
        for each in np.unique(hashes).tolist():
            sites[each].add(site)
    return np.array(sorted(each for each, users in sites.items() if len(users) >= least), np.uint32)


def sample(lesson: Lesson, origin: Origin, known: Vocabulary, about: Features | None = None) -> Sample:
    """A page as the network learns from it. `about`: its features, if they are known."""
    outline = lesson.outline
    about = about or features(outline)
    hashes, blocks = neural.words(outline, about.blocks, about.words)
    names, named = neural.known(outline.names, known.names)
    words, worded = neural.known(hashes, known.words)
    return Sample(
        outline,
        about,
        lesson.labels,
        lesson.soft,
        origin,
        np.concatenate((outline.tags, names + len(TAGS))).astype(np.int64),
        np.concatenate((np.arange(len(outline.tags)), outline.named[named])).astype(np.int64),
        words.astype(np.int64),
        blocks[worded].astype(np.int64),
    )
