"""What next? Three verbs: add what was found, hand out what is due, take back what is done."""

from __future__ import annotations

from gossamer.frontier.entries import Entry, State
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.polite.hosts import Politeness

__all__ = ["Entry", "Frontier", "Politeness", "State"]
