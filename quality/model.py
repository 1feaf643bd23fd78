"""The network of `gossamer.convert.content.neural`, as PyTorch trains it.

The same computation, for several pages at once: blocks and elements of all pages of a batch are numbered through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from alignment import Labels
from lessons import HABITS, Sample, Vocabulary
from numpy.typing import NDArray
from torch import Tensor, nn

from gossamer.convert.content.neural import KINDS, POOLED, WAYS, Weights
from gossamer.convert.html.outline import TAGS

WIDTH = 32
WIDTH_OF_STUDENT = 48
VECTOR = 8
ROUNDS = 2
_DROPPED = 0.15
"""The share of a block's state that is left out in training, and so on for the next."""
_NAMES_DROPPED = 0.3
_ALL_NAMES_DROPPED = 0.15
_WORDS_DROPPED = 0.2
_HABIT_DROPPED = 0.3
_KIND_WEIGHS = 0.15
"""How much it counts to tell the kind of a page, beside to tell its content."""
_SHIFTED = 0.25
"""By so much of its spread a feature is moved, in all blocks of a page alike: sites differ in what is normal there."""


@dataclass(frozen=True)
class Batch:
    """Several pages in one."""

    count: int
    elements: int
    tensors: dict[str, Tensor]

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]


def batch(samples: Sequence[Sample]) -> Batch:
    """Number everything through."""
    rows: dict[str, list[NDArray[np.generic]]] = {}
    blocks = elements = 0
    for number, sample in enumerate(samples):
        for name, array in _arrays(sample, number, blocks, elements).items():
            rows.setdefault(name, []).append(array)
        blocks += len(sample.features.dense)
        elements += len(sample.outline.tags) + 1
    tensors = {name: torch.from_numpy(np.concatenate(arrays)) for name, arrays in rows.items()}
    return Batch(len(samples), elements, tensors)


def _arrays(sample: Sample, number: int, blocks: int, elements: int) -> dict[str, NDArray[np.generic]]:
    found, labels = sample.features, sample.labels
    size = len(found.dense)
    ends = np.append(sample.outline.ends, 0)[sample.named]
    owners = sample.outline.owners[found.blocks.firsts]
    places = np.concatenate((owners[:, None], found.containers[:, :WAYS]), axis=1)
    inner = np.ones((size, 2), np.float32)
    inner[0, 0] = inner[-1, 1] = 0
    targets, weights = _targets(sample)
    sizes = _sizes(labels) / max(_sizes(labels).sum(), 1e-9)
    origin = sample.origin
    floats = {"dense": found.dense, "inner": inner, "root": np.sqrt(found.words + 1), "targets": targets}
    floats |= {
        "weights": weights,
        "sizes": sizes,
        "tokens": labels.tokens,
        "matched": labels.matched,
        "wanted": [labels.wanted],
    }
    whole = {"lows": found.lows[:, POOLED] + blocks, "highs": found.highs[:, POOLED] + blocks}
    whole |= {"places": places + elements, "named": sample.named + elements, "ends": ends + elements}
    whole |= {"names": sample.names, "words": sample.words, "worded": sample.worded + blocks}
    whole |= {"alike": found.alike + blocks, "kinds": [KINDS.index(origin.kind)], "habits": [origin.habit]}
    whole |= {"pages": np.full(size, number), "name_pages": np.full(len(sample.names), number)}
    return {name: np.asarray(array, np.float32) for name, array in floats.items()} | {
        name: np.asarray(array, np.int64) for name, array in whole.items()
    }


def _targets(sample: Sample) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each block should be, and how much it counts: 1 for a page in all."""
    labels = sample.labels
    known = ~np.isnan(labels.targets)
    size = _sizes(labels)
    if known.all():
        return labels.targets, sample.origin.weight * size / max(size.sum(), 1e-9)
    soft = np.zeros(len(size)) if sample.soft is None else sample.soft
    guessed = size * ~known
    weights = 0.6 * known / max(known.sum(), 1) + 0.4 * guessed / max(guessed.sum(), 1e-9)
    return np.where(known, labels.targets, soft), sample.origin.weight * weights


def _sizes(labels: Labels) -> NDArray[np.float64]:
    """[B] how much a block counts, by its words."""
    sizes: NDArray[np.float64] = np.sqrt(np.minimum(labels.tokens, 100))
    return sizes


class Network(nn.Module):
    """One of the networks."""

    def __init__(self, samples: Sequence[Sample], known: Vocabulary, width: int = WIDTH) -> None:
        super().__init__()
        dense = np.concatenate([sample.features.dense for sample in samples])
        self.register_buffer("mean", torch.from_numpy(dense.mean(0)))
        self.register_buffer("spread", torch.from_numpy(dense.std(0) + 1e-2))
        self.names = nn.Embedding(len(TAGS) + len(known.names), VECTOR)
        self.words = nn.Embedding(len(known.words), VECTOR)
        nn.init.normal_(self.names.weight, std=0.05)
        nn.init.normal_(self.words.weight, std=0.05)
        self.first = nn.Linear(dense.shape[1] + (WAYS + 2) * VECTOR, width)
        parts = 4 + len(POOLED) + 2
        self.rounds = nn.ModuleList(nn.Linear(parts * width, width) for _ in range(ROUNDS))
        self.out = nn.Linear(width, 1)
        self.kinds = nn.Linear(2 * width, len(KINDS))
        self.habits = nn.Embedding(HABITS, ROUNDS * width + 1)
        nn.init.zeros_(self.habits.weight)

    def forward(self, pages: Batch, *, as_set: bool = False) -> tuple[Tensor, Tensor]:
        """[B] scores, and [pages, kinds] how likely each kind is; as the set of a page would say if asked so.

        What one set calls content another calls frame, such as headlines and captions. So each set has a few numbers of
        its own that are added, and the rest learns what all have in common. The package has the rest alone.
        """
        dense = (pages["dense"] - self.mean) / self.spread
        if self.training:
            dense = dense + (_SHIFTED * torch.randn(pages.count, dense.shape[1]))[pages["pages"]]
        state = torch.relu(self.first(torch.cat((dense, *self._ways(pages), self._wording(pages)), 1)))
        habits = self._habits(pages, as_set)
        for number, each in enumerate(self.rounds):
            kept = nn.functional.dropout(state, _DROPPED, self.training)
            around = each(torch.cat(self._around(kept, pages), 1))
            size = state.shape[1]
            state = state + torch.relu(around + habits[:, number * size : (number + 1) * size])
        found = self.out(nn.functional.dropout(state, _DROPPED, self.training))[:, 0] + habits[:, -1]
        mean, most = _page_pools(state, pages["root"][:, None], pages)
        return found, self.kinds(torch.cat((mean, most), 1))

    def _habits(self, pages: Batch, as_set: bool) -> Tensor:
        if not self.training and not as_set:
            return torch.zeros(len(pages["dense"]), self.habits.weight.shape[1])
        found = self.habits(pages["habits"])
        if self.training:
            found = found * (torch.rand(pages.count, 1) > _HABIT_DROPPED)
        chosen: Tensor = found[pages["pages"]]
        return chosen

    def _ways(self, pages: Batch) -> list[Tensor]:
        vectors = self.names(pages["names"])
        if self.training:
            named = pages["names"] >= len(TAGS)
            bare = torch.rand(pages.count) < _ALL_NAMES_DROPPED
            gone = (torch.rand(len(vectors)) < _NAMES_DROPPED) | (named & bare[pages["name_pages"]])
            vectors = vectors * ~gone[:, None]
        steps = torch.zeros(pages.elements, VECTOR).index_add(0, pages["named"], vectors)
        sums = steps.index_add(0, pages["ends"], -vectors).double().cumsum(0).float()
        ways = [sums[pages["places"][:, number]] for number in range(WAYS + 1)]
        return [inner - outer for inner, outer in pairwise(ways)] + ways[-1:]

    def _wording(self, pages: Batch) -> Tensor:
        vectors = self.words(pages["words"])
        if self.training:
            vectors = vectors * (torch.rand(len(vectors), 1) > _WORDS_DROPPED)
        return torch.zeros(len(pages["dense"]), VECTOR).index_add(0, pages["worded"], vectors)

    def _around(self, state: Tensor, pages: Batch) -> list[Tensor]:
        before = torch.cat((state[:1], state[:-1])) * pages["inner"][:, :1]
        after = torch.cat((state[1:], state[-1:])) * pages["inner"][:, 1:]
        root, width = pages["root"][:, None], state.shape[1]
        weighted = torch.cat((state * root, root), 1)
        running = torch.cat((torch.zeros(1, width + 1).double(), weighted.double().cumsum(0)))
        pools = [
            (running[pages["highs"][:, number]] - running[pages["lows"][:, number]]).float()
            for number in range(len(POOLED))
        ]
        alike = torch.zeros_like(weighted).index_add(0, pages["alike"], weighted)[pages["alike"]]
        means = [pool[:, :-1] / pool[:, -1:] for pool in (*pools, alike)]
        mean, most = _page_pools(state, root, pages)
        return [state, before, after, *means, mean[pages["pages"]], most[pages["pages"]]]


def _page_pools(state: Tensor, root: Tensor, pages: Batch) -> tuple[Tensor, Tensor]:
    """[pages, d] the average and the maximum of all blocks of a page."""
    weighted = torch.cat((state * root, root), 1)
    page = torch.zeros(pages.count, weighted.shape[1]).index_add(0, pages["pages"], weighted)
    most = torch.zeros(pages.count, state.shape[1])
    most = most.scatter_reduce(0, pages["pages"][:, None].expand_as(state), state, "amax")
    return page[:, :-1] / page[:, -1:], most


def kind_loss(told: Tensor, pages: Batch) -> Tensor:
    """Cross entropy of the kinds of pages."""
    return _KIND_WEIGHS * nn.functional.cross_entropy(told, pages["kinds"])


def loss(found: Tensor, pages: Batch) -> Tensor:
    """Cross entropy, and 1 - F1 of the words that would be kept: what an answer is scored by."""
    entropy = nn.functional.binary_cross_entropy_with_logits(found, pages["targets"], reduction="none")
    chances = torch.sigmoid(found)
    none = torch.zeros(pages.count)
    right = none.index_add(0, pages["pages"], chances * pages["matched"])
    kept = none.index_add(0, pages["pages"], chances * pages["tokens"])
    whole = pages["wanted"] > 0
    missed = (1 - (2 * right + 1) / (kept + pages["wanted"] + 1)) * whole
    return ((entropy * pages["weights"]).sum() + missed.sum()) / pages.count


def agreement(found: Tensor, told: Tensor, pages: Batch) -> Tensor:
    """Cross entropy with what teachers say. It counts twice, since it stands for both parts of the other loss."""
    entropy = nn.functional.binary_cross_entropy_with_logits(found, torch.sigmoid(told), reduction="none")
    return 2 * (entropy * pages["sizes"]).sum() / pages.count


def exported(network: Network, names: NDArray[np.uint32], words: NDArray[np.uint32]) -> Weights:
    """What was learned, with the scaling of features worked in."""
    first, bias = _scaled(network)
    size, own = network.mean.shape[0], (4 + len(POOLED)) * network.out.in_features
    rounds = np.stack([_weights(each) for each in network.rounds])
    return Weights(
        names,
        words,
        _array(network.names.weight),
        _array(network.words.weight),
        first[:size],
        first[size:],
        bias,
        rounds[:, :own],
        rounds[:, own:],
        np.stack([_array(each.bias) for each in network.rounds]),
        _weights(network.out)[:, 0],
        _array(network.out.bias),
        _weights(network.kinds),
        _array(network.kinds.bias),
    )


def _scaled(network: Network) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weights, mean, spread = _weights(network.first), _array(network.mean), _array(network.spread)
    size = len(mean)
    weights[:size] /= spread[:, None]
    return weights, _array(network.first.bias) - mean @ weights[:size]


def _weights(layer: nn.Linear) -> NDArray[np.float32]:
    return np.ascontiguousarray(_array(layer.weight).T)


def _array(tensor: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = tensor.detach().numpy().copy()
    return found
