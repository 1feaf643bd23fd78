"""How networks learn: several from people, and one from them all.

Networks that were trained alike agree on what pages have in common and differ by chance in the rest, so that the mean
of several is right more often than one. A network that is told this mean, of pages as they are and of pages that
nobody wrote, comes near to it at the price of one (G. Hinton, O. Vinyals and J. Dean 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from grafting import made
from lessons import Sample, Vocabulary, sample
from model import Batch, Network, agreement, batch, kind_loss, loss
from torch import Tensor

_EPOCHS = 14
_BATCH = 12
_RATE = 5e-3
_GRAFTS = 2
"""Pages that are made of each page."""
_GRAFTED = 0.4
"""How often one of them is learned from instead of the page itself, and how often where teachers know its answer."""
_GRAFTED_WITH_TEACHERS = 0.6
_TOLD = 0.6
"""What teachers say is so much of what a student learns from; the rest is what people say."""

Pages = Sequence[Sequence[Sample]]
"""Each page: itself, and then what was made of it."""


def with_grafts(samples: Sequence[Sample], known: Vocabulary) -> Pages:
    """Pages, each with those that were made of it."""
    random = np.random.default_rng(0)
    pages = [[each] for each in samples]
    for _ in range(_GRAFTS):
        for page, lesson in zip(pages, made(samples, random), strict=True):
            if lesson is not None:
                page.append(sample(lesson, page[0].origin, known))
    return pages


def learn(pages: Pages, net: Network, seed: int, teachers: Sequence[Network] = ()) -> Network:
    """A network that learns from what people say of pages, and from teachers, if there are any."""
    vectors = [net.names.weight, net.words.weight]
    rest = [each for name, each in net.named_parameters() if not name.startswith(("names", "words"))]
    groups = [{"params": vectors, "weight_decay": 0.3}, {"params": rest, "weight_decay": 0.03}]
    optimizer = torch.optim.AdamW(groups, lr=_RATE, fused=True)
    steps = _EPOCHS * -(-len(pages) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps, pct_start=0.15)
    grafted = _GRAFTED_WITH_TEACHERS if teachers else _GRAFTED
    for shown in _batches(pages, grafted, np.random.default_rng(seed)):
        optimizer.zero_grad()
        _error(net, shown, teachers).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return net.eval()


def _batches(pages: Pages, grafted: float, random: np.random.Generator) -> Iterator[Batch]:
    for _ in range(_EPOCHS):
        order = random.permutation(len(pages))
        for start in range(0, len(order), _BATCH):
            yield batch([_form(pages[number], grafted, random) for number in order[start : start + _BATCH]])


def _form(page: Sequence[Sample], grafted: float, random: np.random.Generator) -> Sample:
    if len(page) > 1 and random.random() < grafted:
        return page[random.integers(1, len(page))]
    return page[0]


def _error(net: Network, shown: Batch, teachers: Sequence[Network]) -> Tensor:
    found, kinds = net(shown)
    error = loss(found, shown)
    if teachers:
        with torch.no_grad():
            told = torch.stack([teacher(shown, as_set=True)[0] for teacher in teachers]).mean(0)
        error = _TOLD * agreement(found, told, shown) + (1 - _TOLD) * error
    return error + kind_loss(kinds, shown)
