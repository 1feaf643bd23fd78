"""What do sitemaps say, and who believes it? Dates that are right or wrong, read once a day, and trust in each site."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.freshness.many import Floats
from gossamer.freshness.signals import Trust, heard, silence, weight
from gossamer.freshness.simulation.plan import Plan

AT_RANDOM = 0.2
"""The chance that a date moves from one day to the next, where that says nothing."""
BELIEVED = 5.0
"""The weight from which on a date that stood still is taken as knowledge about the rate."""
_SURE = 500.0


class Listener:
    """The dates of all pages as they were read last, and the trust in those of each site."""

    def __init__(self, plan: Plan, chance: np.random.Generator) -> None:
        pages = plan.pages
        self._kind = plan.dates.lastmod
        self._chance = chance
        self._site = np.arange(pages) % plan.dates.sites
        self._dated = (chance.random(pages) < plan.dates.share) & (self._kind != "none")
        self._trusts = [Trust()] * plan.dates.sites
        self._moved = np.zeros(pages, bool)
        self._still = np.zeros(pages)
        """The time after the visit until which the date is known to have stood still."""

    def read(self, now: float, visits: Floats, changes: Floats) -> None:
        """Read all sitemaps: had each page's date moved since its last visit?"""
        if self._kind == "right":
            self._moved |= changes <= now
        elif self._kind == "now":
            self._moved[:] = True
        elif self._kind == "random":
            self._moved |= self._chance.random(len(visits)) < AT_RANDOM
        self._moved &= self._dated
        self._still = np.where(self._moved, self._still, now - visits)

    def quiet(self, pages: NDArray[np.intp], intervals: Floats) -> Floats:
        """For how long a page is known to have been the same, before its date moved, at sites that are believed."""
        believed = np.array([weight(trust) >= BELIEVED for trust in self._trusts])[self._site[pages]]
        return np.where(believed & self._moved[pages], np.minimum(self._still[pages], intervals), 0.0)

    def visited(self, pages: NDArray[np.intp], changed: NDArray[np.bool_]) -> None:
        """Learn whom to trust; the dates of these pages are known again."""
        known = self._dated[pages]
        told = zip(self._site[pages], self._moved[pages], changed, strict=True)
        for site, moved, has_changed in [each for each, dated in zip(told, known, strict=True) if dated]:
            self._trusts[site] = heard(self._trusts[site], bool(moved), bool(has_changed))
        self._moved[pages] = False
        self._still[pages] = 0.0

    def waits(self, pages: NDArray[np.intp], waits: Floats, rates: Floats) -> Floats:
        """The waits, shorter where a date has moved and longer where it stands still: see `signals.as_long_as`."""
        weights = np.array([weight(trust) for trust in self._trusts])[self._site[pages]]
        parts = np.array([silence(trust) for trust in self._trusts])[self._site[pages]]
        expected = rates * waits
        sure = expected > _SURE
        near = np.log1p(np.expm1(np.where(sure, 0.0, expected)) / weights) / rates
        moved = np.where(sure, np.maximum(waits - np.log(weights) / rates, 0.0), near)
        found = np.where(self._moved[pages], moved, waits / parts)
        return np.where(self._dated[pages], found, waits)
