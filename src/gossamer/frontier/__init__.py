"""What next? Three verbs: add what was found, hand out what is due, take back what is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.lazy import face

if TYPE_CHECKING:
    from gossamer.frontier.entries import Entry, State
    from gossamer.frontier.frontier import Frontier
    from gossamer.frontier.polite.host_delays import Politeness

__all__ = ["Entry", "Frontier", "Politeness", "State"]

__getattr__ = face(
    __name__, {"Entry": "entries", "Frontier": "frontier", "Politeness": "polite.host_delays", "State": "entries"}
)
