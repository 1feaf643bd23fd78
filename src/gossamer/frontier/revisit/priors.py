"""How often do pages like this one change? What its part of the host, the host and the whole shard have shown.

Each is the prior of the next: a part (the first segment of the path) that was seen twice goes by its host, a host by
all others. So a page that was seen once has a sensible date.

Every visit of any page tells something of the whole shard, and by that of all groups. A group goes by the rate of the
larger one in steps, so its own is reckoned anew only where that has moved a step, or where enough of the group itself
was seen to move it by half a step.
"""

from __future__ import annotations

from math import exp2, log2

from gossamer.freshness.hints import hinted
from gossamer.freshness.rate_estimator import History, Prior
from gossamer.frontier.entries import RATES, encode
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.frontier.worth.url_patterns import template
from gossamer.rows import decoder
from gossamer.store.table.table import Table

USUAL = 1 / 30
"""Changes a day of a page of which nothing is known at all."""
STRENGTH = 2.0
"""As so many changes counts what is known of the larger group; of pages for a page of theirs, a quarter of that."""
FADES = 0.998
"""About 500 visits of a group count."""
OWN = 4.0
"""As so many changes of pages like it counts one of a page itself, where a hint is weighed."""
ALL = "\0"
"""The key of the whole shard."""
STEPS = 32
"""In which a rate doubles, as the larger group hands it on: finer than anything that could be known."""
MOVES = 2 * STEPS
"""Changes by which a group is known, for each new visit of it that cannot move its rate by half a step."""
KEPT = 8_192
"""Groups that are held in memory."""

history_of = decoder(History)


class _Group:
    """What the pages of one group have shown, and the rate that follows from it."""

    __slots__ = ("_given", "_new", "_rate", "history", "of_pages", "step", "weight")

    def __init__(self, history: History) -> None:
        self.history = history
        self._given = 0.0
        """The rate of the larger group that all below follows from; 0: it has to be reckoned."""
        self._rate = 0.0
        self._new = 0
        """Visits since then."""
        self.step = 0.0
        """The rate in steps."""
        self.of_pages = Prior(0.0, 0.0)
        """What it says of a page in it."""
        self.weight = 0.0
        """Changes by which it is known: seen, or expected in the time without one."""

    def seen(self, interval: float, changed: bool) -> None:
        self.history = self.history.seen(interval, changed, FADES)
        self._new += 1
        if self._new * MOVES >= self.weight:
            self._given = 0.0

    def rate(self, given: float) -> float:
        """By what it has shown, and by the rate of the larger group."""
        if given != self._given:
            self._rate = self.history.rate(Prior.of(given, STRENGTH), near=self._rate)
            self._given, self._new = given, 0
            self.step = USUAL * exp2(round(log2(self._rate / USUAL) * STEPS) / STEPS)
            self.weight = self.history.weight + self.history.same * self._rate
            self.of_pages = Prior.of(self._rate, STRENGTH / 4)
        return self._rate


class Priors:
    """The groups of a shard. Those that were met lately are in memory, and are written with the next commit."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._groups: dict[str, _Group] = {}
        self._changed: set[str] = set()

    def seen(self, url: str, interval: float, changed: bool) -> None:
        """A visit of a page: days since the one before, and whether it had changed."""
        for key in _groups(url):
            self._group(key).seen(interval, changed)
            self._changed.add(key)

    def rate(self, url: str, row: PageChanges) -> float:
        """How often a page changes in a day: by its visits, by pages like it, and by what its site says.

        What its site says counts the less, the more changes were seen, or would have been if there were any: of pages
        of its host, and above all of its own.
        """
        everything, host, part = map(self._group, _groups(url))
        everything.rate(USUAL)
        host.rate(everything.step)
        known = part.rate(host.step)
        history = row.history
        if hint := row.hint:
            own = history.weight + history.same * known
            return history.rate(Prior.of(hinted(known, hint, max(host.weight, part.weight) + OWN * own), STRENGTH / 4))
        return history.rate(part.of_pages)

    def save(self) -> None:
        """Part of the next commit."""
        for key in self._changed:
            self._table.put(RATES, key.encode(), encode(self._groups[key].history))
        self._changed.clear()

    def _group(self, key: str) -> _Group:
        found = self._groups.get(key)
        if found is None:
            if len(self._groups) >= KEPT:
                self.save()
                self._groups.clear()
            row = self._table.get(RATES, key.encode())
            found = self._groups[key] = _Group(history_of(row) if row is not None else History())
        return found


def _groups(url: str) -> tuple[str, str, str]:
    """The largest first."""
    kind = template(url)
    return ALL, kind.host, kind.family
