"""What would a budget keep fresh? A made web with given change rates, and every policy on it, on a virtual clock."""

from __future__ import annotations

from gossamer.freshness.simulation.plan import Plan, read
from gossamer.freshness.simulation.run import Outcome, simulate

__all__ = ["Outcome", "Plan", "read", "simulate"]
