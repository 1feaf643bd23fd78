"""Learn which language a string of a few words is in: the weights of `gossamer.convert.short_text`.

    python quality/train_language.py             download what is learnt from, learn, write short_text.npz, and judge
    python quality/train_language.py --judge     only tell how many strings of packages it has not seen are right

It needs apt of Debian 12 (0.5 GB are downloaded, once), the extra `dev`, and about five minutes on one core. With the
same packages and versions it gives the same weights but for rounding: sums of several threads differ in the last digit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from doc_packages import CACHE
from material import Missing
from numpy.typing import NDArray
from scipy import sparse
from translations import Strings, download, strings

from gossamer.convert import short_text
from gossamer.convert.language import language
from gossamer.convert.short_text import APART, LONGEST, Weights, damping, hashes, only_letters

_CODES = """
af am an ar as az be bg bn br bs ca ckb cs cy da de dz el en eo es et eu fa fi fo fr fy ga gd gl gu he hi hr ht hu hy
ia id ie io is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mk ml mn mr ms mt my nds ne nl nn no oc or pa pl ps pt
ro ru rw sa sc sd se si sk sl so sq sr sv sw ta te tg th tk tl tr tt ug uk ur uz vi wa xh yi yo zh zu
"""
LANGUAGES = tuple(_CODES.split())
"""Those whose code others use too; the ones with fewer strings than this are left out."""
LEAST = 100
OF_EACH = 8_000
"""Strings of a language."""
LOOKED_AT = 70
"""Characters of a string."""
RUNS = 20_000
SEEN_LEAST = 20
WIDTH = 32
EPOCHS = 5
AT_ONCE = 2_048
RATE = 0.02
SEED = 1
LENGTHS = ((12, 30), (31, 60), (61, 120))
BYTES_LEAST = 12
JUDGED_LEAST, JUDGED_MOST = 40, 100

Matrix: TypeAlias = Any
"""A sparse matrix of scipy, which ships no types: a row for each text."""


@dataclass
class Parts:
    """What is learnt, as long as it is."""

    vectors: NDArray[np.float32]
    table: NDArray[np.float32]
    offsets: NDArray[np.float32]

    @property
    def all(self) -> tuple[NDArray[np.float32], ...]:
        return self.vectors, self.table, self.offsets


def learnt(said: Mapping[str, list[str]]) -> Weights:
    """The weights, each in one byte."""
    languages = tuple(code for code in LANGUAGES if len(said.get(code, ())) >= LEAST)
    texts = [only_letters(text[:LOOKED_AT]) for code in languages for text in said[code]]
    meant = np.repeat(np.arange(len(languages)), [len(said[code]) for code in languages])
    found, owners = _runs(texts)
    runs = _telling(found, meant[owners], np.bincount(meant))
    parts = _fitted(_matrix(found, owners, runs, len(texts)), meant)
    scale = np.abs(parts.vectors).max(axis=0) / 127
    vectors = np.rint(parts.vectors / scale).astype(np.int8)
    table = (parts.table * scale[:, None]).astype(np.float32)
    return Weights(languages, runs, vectors, table, parts.offsets)


def _runs(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    """All runs of all texts, and the text that each is of."""
    apart = APART * LONGEST
    found, places = hashes(apart.join([*texts, ""]))
    owners = np.repeat(np.arange(len(texts)), [len(text) + LONGEST for text in texts])
    return found, owners[places]


def _telling(found: NDArray[np.uint32], meant: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.uint32]:
    """The runs that say most of a language: how often they are there, times how few languages have them."""
    runs, places, counts = np.unique(found, return_inverse=True, return_counts=True)
    often = counts >= SEEN_LEAST
    chosen = often[places]
    rows = (np.cumsum(often) - 1)[places[chosen]]
    table = np.bincount(rows * len(sizes) + meant[chosen], minlength=int(often.sum()) * len(sizes))
    rates = table.reshape(-1, len(sizes)) / sizes
    total = rates.sum(axis=1)
    shares = rates / total[:, None]
    told = total * (np.log(len(sizes)) + (shares * np.log(shares + 1e-12)).sum(axis=1))
    best = np.sort(np.argsort(-told, kind="stable")[:RUNS])
    return np.asarray(runs[often][best])


def _matrix(found: NDArray[np.uint32], owners: NDArray[np.intp], runs: NDArray[np.uint32], texts: int) -> Matrix:
    places = np.minimum(np.searchsorted(runs, found), len(runs) - 1)
    known = runs[places] == found
    ones = np.ones(int(known.sum()), np.float32)
    counted = sparse.csr_matrix((ones, (owners[known], places[known])), shape=(texts, len(runs)))
    damped = np.array([1 / damping(total) for total in np.asarray(counted.sum(axis=1)).ravel()], np.float32)
    return sparse.csr_matrix(sparse.diags(damped) @ counted)


def _fitted(rows: Matrix, meant: NDArray[np.intp]) -> Parts:
    """By Adam (Kingma and Ba, 2014), with a rate that falls to nothing."""
    chance, languages = np.random.default_rng(SEED), int(meant.max()) + 1
    parts = Parts(
        chance.normal(0, 0.05, (rows.shape[1], WIDTH)).astype(np.float32),
        chance.normal(0, 0.3, (WIDTH, languages)).astype(np.float32),
        np.zeros(languages, np.float32),
    )
    means, squares = ([np.zeros_like(part) for part in parts.all] for _ in range(2))
    steps = [
        batch for _ in range(EPOCHS) for batch in np.array_split(chance.permutation(len(meant)), len(meant) // AT_ONCE)
    ]
    for number, batch in enumerate(steps, 1):
        slopes = _slopes(parts, rows[batch], meant[batch])
        rate = RATE * max(0.02, 1 - number / len(steps))
        for part, mean, square, slope in zip(parts.all, means, squares, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.01 * (slope * slope - square)
            part -= rate * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
    return parts


def _slopes(parts: Parts, rows: Matrix, meant: NDArray[np.intp]) -> tuple[NDArray[np.float32], ...]:
    """Of the mean logarithm of the chance that the right language gets."""
    sums = rows @ parts.vectors
    scores = sums @ parts.table + parts.offsets
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(meant)), meant] -= 1
    shares /= len(meant)
    return rows.T @ (shares @ parts.table.T), sums.T @ shares, shares.sum(axis=0)


def write(found: Weights, place: Path) -> None:
    """As `short_text` reads it."""
    np.savez_compressed(
        place,
        languages=np.array(found.languages),
        runs=found.runs,
        vectors=found.vectors,
        table=found.table,
        offsets=found.offsets,
    )


def judge(said: Strings) -> None:
    """Print how many are right, by length, each language counting alike."""
    for least, most in LENGTHS:
        right, total, languages = 0, 0, 0
        for code in LANGUAGES:
            fit = [text for text in said.judged.get(code, ()) if least <= len(text) <= most and _has_letters(text)]
            if len(fit) >= JUDGED_LEAST:
                languages += 1
                total += len(fit[:JUDGED_MOST])
                right += sum(language(text) == code for text in fit[:JUDGED_MOST])
        print(f"{least} to {most} characters: {right / total:.3f} of {total} strings in {languages} languages")


def _has_letters(text: str) -> bool:
    return sum(len(letter.encode()) for letter in text if letter.isalpha()) >= BYTES_LEAST


def main(arguments: list[str]) -> int:
    """Learn, or only judge."""
    parser = argparse.ArgumentParser(description="Learn which language a string of a few words is in.")
    parser.add_argument("--judge", action="store_true", help="learn nothing")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the packages lie (default {CACHE})")
    asked = parser.parse_args(arguments)
    try:
        download(asked.cache)
        said = strings(asked.cache, OF_EACH)
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    if not asked.judge:
        found = learnt(said.learnt)
        write(found, Path(short_text.__file__).with_suffix(".npz"))
    judge(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
