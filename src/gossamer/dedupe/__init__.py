"""Have we got this? Exact copies by digests, near copies by prints, templates by their blocks."""

from __future__ import annotations

from gossamer.dedupe.digest import Copies, byte_sum, crc, sha256
from gossamer.dedupe.shingles import (
    Passages,
    containment,
    fingerprints,
    hashes,
    resemblance,
    sampled,
    shingles,
    winnow,
    words,
)
from gossamer.dedupe.simhash_minhash import (
    Print,
    bands,
    chance,
    distance,
    estimate,
    print_of,
    simhash,
    sketch,
    text_digest,
)

__all__ = [
    "Copies",
    "Passages",
    "Print",
    "bands",
    "byte_sum",
    "chance",
    "containment",
    "crc",
    "distance",
    "estimate",
    "fingerprints",
    "hashes",
    "print_of",
    "resemblance",
    "sampled",
    "sha256",
    "shingles",
    "simhash",
    "sketch",
    "text_digest",
    "winnow",
    "words",
]
