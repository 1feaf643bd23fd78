"""Which visits are out, and what does each of them hold until it is back?"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.workbench import Group
from gossamer.frontier.queue.back_queues import Origin
from gossamer.frontier.queue.choice import Due
from gossamer.model import Visit


class Out(NamedTuple):
    """A visit that has been handed out."""

    origin: Origin
    group: Group
    ticket: int
    claimed: bool
    """It may become a page that we do not have yet; see `Quota`."""


class InFlight:
    """Visits from hand-out to answer."""

    def __init__(self, parts: Parts) -> None:
        self._slots = parts.slots
        self._out: dict[Visit, Out] = {}
        self.moving: set[str] = set()
        """Addresses of pages whose visit waits for another IP address of its host: as if they were out."""

    def __len__(self) -> int:
        return len(self._out)

    def __contains__(self, visit: Visit) -> bool:
        return visit in self._out

    def get(self, visit: Visit) -> Out | None:
        """What it holds; None for a visit that is not out."""
        return self._out.get(visit)

    def urls(self) -> set[str]:
        """Addresses that nobody may queue, move or take out of a queue now."""
        return {visit.url for visit in self._out} | self.moving

    def take(self, due: Due, *, claimed: bool) -> None:
        """It is out from now on."""
        visit, origin, group = due
        self._out[visit] = Out(origin, group, self._slots.take(origin.host), claimed)
        self.moving.discard(visit.url)
        origin.host.out += 1
        origin.out += 1

    def give_back(self, visit: Visit) -> Out | None:
        """It is back; None when it was handed out before a kill."""
        out = self._out.pop(visit, None)
        if out is not None:
            self._slots.give(out.ticket, out.origin.host)
            out.origin.host.out -= 1
            out.origin.out -= 1
        return out

    def claim(self, is_new: Callable[[Visit], bool]) -> int:
        """A limit of pages has come: which of them count for it? How many do."""
        self._out = {visit: out._replace(claimed=is_new(visit)) for visit, out in self._out.items()}
        return sum(out.claimed for out in self._out.values())
