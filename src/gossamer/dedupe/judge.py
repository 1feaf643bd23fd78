"""Are two pages copies? Candidates are only alike in a few bits; the resemblance of their sketches decides.

Henzinger (SIGIR 2006) found simhash and shingles alone right in half of the cases or less, mostly because pages of one
site share so much that is not their own; both together were right in four of five. So pages of one site have to be more
alike than pages of two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gossamer.dedupe.pages import Columns
from gossamer.dedupe.simhash_minhash import BY_CHANCE
from gossamer.dedupe.simhash_minhash_numpy import BINS

LEAST_WORDS = 16
"""Pages that say less are not compared: "please enable JavaScript" is no copy of another page that says the same."""


class Rule(NamedTuple):
    """From which resemblance on two pages are copies."""

    same_site: float = 0.82
    other_site: float = 0.7


STRICT = Rule()


def resemblances(ones: Columns, others: Columns) -> npt.NDArray[np.float64]:
    """How alike pages are, pair by pair, as their sketches tell; 1 for those that say the same."""
    mine, theirs = ones["sketch"], others["sketch"]
    filled = ((mine | theirs) != 0).sum(axis=-1)
    equal = ((mine == theirs) & (mine != 0)).sum(axis=-1)
    share = (equal / np.maximum(filled, 1) - BY_CHANCE) / (1 - BY_CHANCE)
    return np.where(ones["digest"] == others["digest"], 1.0, np.clip(share, 0.0, 1 - 1 / BINS))


def are_copies(rule: Rule, ones: Columns, others: Columns, alike: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether pages that are so much alike are copies, pair by pair."""
    least: npt.NDArray[np.float64] = np.where(ones["site"] == others["site"], rule.same_site, rule.other_site)
    return alike >= least
