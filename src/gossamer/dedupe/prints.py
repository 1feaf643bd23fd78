"""The print of a text: what is kept of it so that exact and near copies are found."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from gossamer.dedupe.compiled import measure


class Print(NamedTuple):
    """A few bytes that stand for all words of a text, however many."""

    simhash: int
    sketch: bytes
    digest: bytes
    """SHA-256 of its words, joined by one space: equal for texts that differ only in case, spaces and punctuation."""
    words: int


def print_of(text: str) -> Print:
    """All words count, not only the first: many documents begin with the same licence or notice."""
    simhash, sketch, normal, count = measure(text)
    return Print(simhash, sketch, hashlib.sha256(normal).digest(), count)


def text_digest(text: str) -> str:
    """`sha256:` and 64 hexadecimal digits, of the words of a text: see `Print.digest`."""
    return f"sha256:{print_of(text).digest.hex()}"
