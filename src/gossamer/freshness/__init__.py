"""When do we come back? How often a page changes, and when the next visit to it is worth its price."""

from __future__ import annotations

from gossamer.freshness.poisson import age, change_rate, freshness
from gossamer.freshness.revisit import allocate, next_visit

__all__ = ["age", "allocate", "change_rate", "freshness", "next_visit"]
