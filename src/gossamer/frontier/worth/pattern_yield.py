"""How does a kind of address stand in its host? By its yield, and by its part of the visits and of the queue.

Yields are guessed from the last visits, with the yield of the next larger kind as a first guess, so that a new kind
within a bad one is not trusted as much as one that is all new.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.rows import Count

SHARES = (1.0, 1.0, 1 / 4, 1 / 16, 1 / 64)
"""Part of a host's budget that a kind gets, by its level: 0 as good as any, 1 crowding, 2 to 4 ever less new."""
CROWDING = 1
DEEPEST = len(SHARES) - 1
BELOW = (0.3, 0.15, 0.06)
"""Yields, as parts of the best of the host, below which a kind is at level 2, 3 and 4."""
ALL_BEHIND = 0.25
"""Part of a host's visits that kinds behind the others may have together, while there are others."""
WORST_BEST = 0.01
"""Where no kind brings more than this, none is behind the others."""
FADING = 0.94
"""What a visit counts for when one more of its kind was made: the last dozen or two decide."""
PART_FADING = 0.97
"""The same for visits of the next larger kind, when the parts of the smaller ones are taken."""
PRIOR = 4.0
"""Visits that the guess by the larger kind counts for."""
CROWD = 32
"""Addresses that wait before a kind can be crowding."""
FAIR = 1.5
"""Times its equal part of the queue that a kind may have before it is crowding."""


class KindRow(msgspec.Struct, array_like=True):
    """What is known of a kind of address."""

    found: int = 0
    """Addresses that were queued."""
    waiting: int = 0
    """Those of them that have not been asked for yet."""
    live: int = 0
    """Kinds of path within a family that have addresses waiting and are not poor."""
    poor: bool = False
    """It was behind at its last visit."""
    fetched: Count = 0
    fresh: float = 0.0
    """How many of them brought something new."""
    recent: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0
    recent_fresh: float = 0.0
    """The same two, fading."""
    tail: float = 0.0
    """The round of the last address that was put behind."""
    scout: int = 0
    """The round of the last address of a family that stayed near though its kind is behind."""
    part: float = 0.0
    """Of the visits to the next larger kind, fading, as of its visit number `at`."""
    at: int = 0

    @property
    def life(self) -> float:
        """Its yield since the first visit; a few visits prove little."""
        return self.fresh / (self.fetched + 2)

    def count(self, worth: float) -> None:
        """One more visit."""
        self.fetched += 1
        self.fresh += worth
        self.recent = self.recent * FADING + 1
        self.recent_fresh = self.recent_fresh * FADING + worth


class HostKinds(msgspec.Struct, array_like=True):
    """What is known of a host's kinds together."""

    fetched: int = 0
    kinds: int = 0
    now: int = 0
    """The round of the address that was handed out last."""
    farthest: int = 0
    """The round of the farthest address that is as good as any."""
    behind: float = 0.0
    """Part of the visits, fading, that went to kinds that are behind."""
    best: float = 0.0
    """Yield of the best kind since its first visit."""
    best_kind: str = ""
    tail: float = 0.0
    """The round of the last address of a kind that was crowding."""
    live: int = 0
    """Families that have addresses waiting and are not poor."""
    waiting: int = 0
    """Addresses of those families that wait."""
    passed: int = 0
    """Addresses put back since one was handed out."""
    first: dict[str, KindRow] = {}
    """The kinds that were met first, by what follows the host in their names: most hosts never have more."""


def is_fine(host: HostKinds, rows: list[KindRow]) -> bool:
    """Is a kind as good as any? The same as that `levels` are all 0 at the end, and less work."""
    guess = 1.0
    for row in rows:
        guess = (row.recent_fresh + PRIOR * guess) / (row.recent + PRIOR)
    if guess < BELOW[0] * max(host.best, WORST_BEST):
        return False
    return rows[0].waiting < CROWD or not (_is_crowding(rows[0], host) or _is_crowding(rows[1], rows[0]))


def levels(host: HostKinds, rows: list[KindRow]) -> list[int]:
    """How far a kind is behind the best of its host, for each of its sizes."""
    best = max(host.best, WORST_BEST)
    found, guess = [], 1.0
    for row in rows:
        guess = (row.recent_fresh + PRIOR * guess) / (row.recent + PRIOR)
        found.append(_level(guess / best))
    if _is_crowding(rows[0], host):
        found = [max(level, CROWDING) for level in found]
    if _is_crowding(rows[1], rows[0]):
        found[1:] = [max(level, CROWDING) for level in found[1:]]
    return found


def _is_crowding(row: KindRow, above: HostKinds | KindRow) -> bool:
    """Does it take more than its part of the queue?"""
    waiting, kinds = row.waiting, above.live
    return waiting >= CROWD and kinds > 1 and waiting * kinds > FAIR * above.waiting


def wait(host: HostKinds, rows: list[KindRow], by: int) -> None:
    """One address more, or one less, that waits; kinds that are behind do not count as alternatives."""
    family, path = rows[0], rows[1]
    path.waiting += by
    family.waiting += by
    if path.waiting == (by > 0) and not path.poor:
        family.live += by
    if not family.poor:
        host.waiting += by
        host.live += by * (family.waiting == (by > 0))


def turn(row: KindRow, above: HostKinds | KindRow) -> None:
    """A kind falls behind, or recovers."""
    sign = 1 if row.poor else -1
    row.poor = not row.poor
    above.live += sign * bool(row.waiting)
    if isinstance(above, HostKinds):
        above.waiting += sign * row.waiting


def has_share(host: HostKinds, rows: list[KindRow], levels: list[int]) -> bool:
    """Has no size of the kind had more of the last visits than its level lets it have?"""
    taken = 1.0
    above: HostKinds | KindRow = host
    for row, level in zip(rows, levels, strict=True):
        taken *= part(row, above)
        if taken > SHARES[level]:
            return False
        above = row
    return host.behind <= ALL_BEHIND


def _level(worth: float) -> int:
    return 0 if worth >= BELOW[0] else 2 if worth >= BELOW[1] else 3 if worth >= BELOW[2] else 4


def part(row: KindRow, above: KindRow | HostKinds) -> float:
    """Of the last visits to the next larger kind."""
    return row.part * PART_FADING ** (above.fetched - row.at)
