"""Can a store be relied on? Of several who create an object at once exactly one may succeed: that is the fence.

Some servers take the condition and ignore it. Two machines would then crawl one shard, and neither would know.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from gossamer.depot.objects import Objects
from gossamer.errors import StoreAway, UsageError

RACERS = 8
RACES = 3


def require_sound(objects: Objects, url: str) -> None:
    """Say why a store will not do, before anything is kept in it."""
    for _ in range(RACES):
        name = f"probe/{os.urandom(8).hex()}"
        try:
            _race(objects, name, url)
        finally:
            with suppress(StoreAway):  # what counts was said before
                objects.delete(name)


def _race(objects: Objects, name: str, url: str) -> None:
    with ThreadPoolExecutor(RACERS) as pool:
        won = list(pool.map(lambda number: objects.create(name, b"racer %d" % number), range(RACERS)))
    if sum(won) != 1:
        raise UsageError(
            f"{url}: {sum(won)} of {RACERS} who created the same object at once succeeded, and one must: two machines"
            " could crawl the same sites; take a store with conditional writes (If-None-Match), or a folder"
        )
    expected = b"racer %d" % won.index(True)
    if objects.get(name) != expected or objects.get_range(name, 2, 3) != expected[2:5]:
        raise UsageError(f"{url}: does not give back what was kept in it; take another store")
    if name not in objects.names("probe/"):
        raise UsageError(f"{url}: does not list what was just kept in it; take another store")
