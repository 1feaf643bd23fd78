"""What one feed or one of its entries says, while it is being gathered."""

from __future__ import annotations

from dataclasses import dataclass, field

_NOTHING_YET = 9


class Record:
    """Values by what they are for. There may be several of one kind; the lowest rank wins, then the first."""

    __slots__ = ("_ranks", "base", "further", "said")

    def __init__(self, base: str) -> None:
        self.base = base
        """What its addresses are relative to."""
        self.said: dict[str, str] = {}
        """Texts are HTML, whatever they were; all else is as it was written."""
        self.further: list[tuple[str, str]] = []
        """Addresses of other pages of the same list, and how they relate to it."""
        self._ranks: dict[str, int] = {}

    def offer(self, role: str, value: str, rank: int = 0) -> None:
        """One more value for `role`."""
        if value and rank < self._ranks.get(role, _NOTHING_YET):
            self._ranks[role], self.said[role] = rank, value


@dataclass(slots=True)
class Records:
    """All that was gathered."""

    feed: Record
    entries: list[Record] = field(default_factory=list)
    problem: str = ""
    """Why something may be missing."""
