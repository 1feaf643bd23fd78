"""Learn what main content is: the weights of `gossamer.convert.content.network`.

    python quality/train.py                     learn from all pages, and write weights.npz beside the module
    python quality/train.py --folds 4           only tell how good it would be on sites it has not seen

It needs the extra `train`, the reference sets beside the project or in --folder, and about ten minutes for each
network on one core. With the same seed and versions it gives the same weights.
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
from model import Network, Sample, batch, exported, loss
from numpy.typing import NDArray

from gossamer.convert.content import network, wording
from gossamer.convert.content.features import Features, features
from gossamer.convert.content.learned import likely
from gossamer.convert.outline import TAGS, Outline

FOLDER = Path(__file__).resolve().parents[1].parent / "shared" / "reference"
NETWORKS = 5
EPOCHS = 12
BATCH = 12
RATE = 5e-3
NAME_SITES = 6
"""A name is learned if so many sites use it, and a word likewise."""
WORD_SITES = 12


@dataclass(frozen=True)
class Read:
    """A page, its features, and what is known of it."""

    case: Case
    outline: Outline
    features: Features
    texts: list[str]
    hashes: NDArray[np.uint32]
    worded: NDArray[np.int32]


@dataclass(frozen=True)
class Vocabulary:
    """Names and words that enough sites use, in ascending order."""

    names: NDArray[np.uint32]
    words: NDArray[np.uint32]


def read(folder: Path) -> list[Read]:
    """All pages that have text."""
    found = []
    for name in (*SETS, EXTRA):
        for case in cases(folder, name):
            outline = outline_of(case.page)
            if outline is not None and len(outline.owners):
                about = features(outline)
                hashes, worded = wording.words(outline, about.blocks, about.words)
                found.append(Read(case, outline, about, block_texts(outline, about.blocks), hashes, worded))
    return found


def vocabulary(pages: Sequence[Read]) -> Vocabulary:
    """What pages have in common."""
    return Vocabulary(
        _common([(page.case.site, page.outline.names) for page in pages], NAME_SITES),
        _common([(page.case.site, page.hashes) for page in pages], WORD_SITES),
    )


def _common(used: Sequence[tuple[str, NDArray[np.uint32]]], least: int) -> NDArray[np.uint32]:
    sites: dict[int, set[str]] = collections.defaultdict(set)
    for site, hashes in used:
        for each in np.unique(hashes).tolist():
            sites[each].add(site)
    return np.array(sorted(each for each, users in sites.items() if len(users) >= least), np.uint32)


def sample(page: Read, known: Vocabulary) -> Sample:
    """A page as the network learns from it."""
    case, outline = page.case, page.outline
    names, named = network.known(outline.names, known.names)
    words, worded = network.known(page.hashes, known.words)
    return Sample(
        outline,
        page.features,
        labels(case, page.texts),
        _soft(case, page.texts) if case.text is None else None,
        0.5 if case.set == EXTRA else 1.0,
        np.concatenate((outline.tags, names + len(TAGS))).astype(np.int64),
        np.concatenate((np.arange(len(outline.tags)), outline.named[named])).astype(np.int64),
        words.astype(np.int64),
        page.worded[worded].astype(np.int64),
    )


def _soft(case: Case, texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Where people marked a few segments only, another extractor tells what it makes of the rest."""
    import trafilatura

    answer = trafilatura.extract(case.page.decode("utf-8", "replace"), include_comments=False) or ""
    return shares(texts, answer)


def learn(samples: Sequence[Sample], known: Vocabulary, seed: int) -> Network:
    """One network."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    net = Network(samples, len(known.names), len(known.words))
    vectors = [net.names.weight, net.words.weight]
    rest = [each for name, each in net.named_parameters() if not name.startswith(("names", "words"))]
    groups = [{"params": vectors, "weight_decay": 0.3}, {"params": rest, "weight_decay": 0.03}]
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    steps = EPOCHS * -(-len(samples) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.15)
    for _ in range(EPOCHS):
        order = random.permutation(len(samples))
        for start in range(0, len(order), BATCH):
            pages = batch([samples[number] for number in order[start : start + BATCH]])
            optimizer.zero_grad()
            loss(net(pages), pages).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return net.eval()


def weights_of(samples: Sequence[Sample], known: Vocabulary, seeds: Sequence[int]) -> network.Weights:
    """Several networks, as the package reads them."""
    return exported([learn(samples, known, seed) for seed in seeds], known.names, known.words)


def answer(page: Read, weights: network.Weights) -> str:
    """The text of what would be kept."""
    kept = likely(network.scores(page.outline, page.features, weights))
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
        weights = weights_of(rest, known, range(told.networks))
        answered += [(page.case, answer(page, weights)) for page, is_held in zip(pages, held, strict=True) if is_held]
        print(f"fold {fold}: {sum(held)} pages of sites that were not learned from", flush=True)
    report(answered)


def _fold(site: str, folds: int) -> int:
    return int(hashlib.md5(site.encode()).hexdigest(), 16) % folds


def write(weights: network.Weights, path: Path) -> None:
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
    parser.add_argument("--networks", type=int, default=NETWORKS)
    parser.add_argument("--to", type=Path, default=Path(network.__file__).with_name("weights.npz"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pages = read(arguments.folder)
    known = vocabulary(pages)
    print(f"{len(pages)} pages, {len(known.names)} names, {len(known.words)} words", flush=True)
    samples = [sample(page, known) for page in pages]
    if arguments.folds:
        validate(pages, samples, known, arguments)
        return
    weights = weights_of(samples, known, range(arguments.networks))
    report([(page.case, answer(page, weights)) for page in pages])
    write(weights, arguments.to)


if __name__ == "__main__":
    main()
