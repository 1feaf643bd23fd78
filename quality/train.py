"""Learn what main content is: the weights of `gossamer.convert.content.neural`.

    python quality/train.py                     learn from all pages, and write weights.npz beside the module
    python quality/train.py --folds 4           only tell how good it would be on sites it has not seen

It needs the extra `train`, the reference sets beside the project or in --folder, and about seven minutes on one core,
and four for each fold. With the same versions on the same kind of machine it gives the same weights. `--teachers 5`
takes an hour: one network then learns from five others.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from alignment import block_texts, labels, shares
from gold import EXTRA, SETS, Case, cases, outline_of, score
from learning import learn, with_grafts
from lessons import Lesson, Origin, Sample, Vocabulary, sample, vocabulary
from model import WIDTH, WIDTH_OF_STUDENT, Network, exported
from numpy.typing import NDArray

from gossamer.convert.content import neural
from gossamer.convert.content.completion import completed
from gossamer.convert.content.features import Features, features
from gossamer.convert.content.learned import Model, calm, likely
from gossamer.convert.content.shell import is_shell
from gossamer.convert.html.outline import Outline

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "reference"
TEACHERS = 0


@dataclass(frozen=True)
class Read:
    """A page, its features, and what is known of it."""

    case: Case
    outline: Outline
    features: Features
    texts: list[str]
    hashes: NDArray[np.uint32]


def read(folder: Path) -> list[Read]:
    """All pages that have text."""
    found = []
    for name in (*SETS, EXTRA):
        for case in cases(folder, name):
            outline = outline_of(case.page)
            if outline is not None and len(outline.owners):
                about = features(outline)
                hashes, _ = neural.words(outline, about.blocks, about.words)
                found.append(Read(case, outline, about, block_texts(outline, about.blocks), hashes))
    return found


def sample_of(page: Read, known: Vocabulary) -> Sample:
    """A page as networks learn from it."""
    case = page.case
    soft = _soft(case, page.texts) if case.text is None else None
    habit = (*SETS, EXTRA).index(case.set)
    origin = Origin(case.site, habit, case.kind or neural.KINDS[0], 0.5 if case.set == EXTRA else 1.0)
    return sample(Lesson(page.outline, labels(case, page.texts), soft), origin, known, page.features)


def _soft(case: Case, texts: Sequence[str]) -> NDArray[np.float64]:
    """Where people marked a few segments only, another extractor tells what it makes of the rest."""
    import trafilatura

    answer = trafilatura.extract(case.page.decode("utf-8", "replace"), include_comments=False) or ""
    return shares(texts, answer)


def weights_of(samples: Sequence[Sample], known: Vocabulary, teachers: int) -> neural.Weights:
    """What one network has learned, from several others if there are to be any, as the package reads it."""
    pages = with_grafts(samples, known)

    def network_of(width: int, seed: int) -> Network:
        torch.manual_seed(seed)
        return Network(samples, known, width)

    taught = [learn(pages, network_of(WIDTH, seed), seed) for seed in range(teachers)]
    width = WIDTH_OF_STUDENT if taught else WIDTH
    student = learn(pages, network_of(width, teachers), teachers, taught)
    return exported(student, known.names, known.words)


def answer(page: Read, weights: neural.Weights) -> str:
    """The text of what would be kept."""
    found, words, numbers = page.features, page.features.words, page.features.blocks.numbers
    scores, whole = neural.read(page.outline, found, weights)
    scores = neural.smoothed(scores, found)
    if is_shell(page.outline, scores, words):
        return ""
    kept = completed(page.outline, numbers, likely(scores, words, calm(Model(weights).kinds(whole))), scores, words)
    return "\n".join(text for text, is_kept in zip(page.texts, kept, strict=True) if is_kept)


def report(answered: Sequence[tuple[Case, str]]) -> None:
    """A line for each set, and one for each type of page."""
    groups: dict[str, list[tuple[Case, str]]] = collections.defaultdict(list)
    for case, text in answered:
        groups[case.set].append((case, text))
        if case.kind:
            groups[f"  {case.kind}"].append((case, text))
    for name, each in groups.items():
        print(f"{name:32} {len(each):4} {score(each):.4f}", flush=True)


def validate(pages: Sequence[Read], samples: Sequence[Sample], known: Vocabulary, told: argparse.Namespace) -> None:
    """Learn from some sites and answer for the others."""
    answered: list[tuple[Case, str]] = []
    for fold in range(told.folds if told.only is None else told.only):
        held = [_fold(page.case.site, told.folds) == fold for page in pages]
        rest = [each for each, is_held in zip(samples, held, strict=True) if not is_held]
        weights = weights_of(rest, known, told.teachers)
        answered += [(page.case, answer(page, weights)) for page, is_held in zip(pages, held, strict=True) if is_held]
        print(f"fold {fold}: {sum(held)} pages of sites that were not learned from", flush=True)
    report(answered)


def _fold(site: str, folds: int) -> int:
    return int(hashlib.md5(site.encode()).hexdigest(), 16) % folds


def write(weights: neural.Weights, path: Path) -> None:
    """Half precision is enough."""
    arrays = {
        name: array if array.dtype == np.uint32 else array.astype(np.float16)
        for name, array in weights._asdict().items()
    }
    np.savez_compressed(path, **arrays)
    print(f"{path}: {path.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the reference sets are")
    parser.add_argument("--folds", type=int, default=0, help="cross-validate by site instead of writing weights")
    parser.add_argument("--only", type=int, help="so many of the folds")
    parser.add_argument("--teachers", type=int, default=TEACHERS, help="networks that one network learns from")
    parser.add_argument("--to", type=Path, default=Path(neural.__file__).with_name("weights.npz"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pages = read(arguments.folder)
    known = vocabulary(
        ((page.case.site, page.outline.names) for page in pages), ((page.case.site, page.hashes) for page in pages)
    )
    print(f"{len(pages)} pages, {len(known.names)} names, {len(known.words)} words", flush=True)
    samples = [sample_of(page, known) for page in pages]
    if arguments.folds:
        validate(pages, samples, known, arguments)
        return
    weights = weights_of(samples, known, arguments.teachers)
    write(weights, arguments.to)
    report([(page.case, answer(page, weights)) for page in pages])


if __name__ == "__main__":
    main()
