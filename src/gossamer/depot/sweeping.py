"""Which objects are of no use any more? Those that none of the last heads names, and whose owner is past."""

from __future__ import annotations

from gossamer.depot.heads import Head, Line
from gossamer.depot.objects import Objects
from gossamer.depot.uploading import life_of

KEEP = 3
"""Heads that stay. Whoever restores a shard reads from one while others follow."""


def sweep(objects: Objects, line: Line, newest: Head) -> int:
    """Delete them; `newest` is the last one of whoever calls, which uploads nothing meanwhile. How many there were.

    Objects of a later life stay: that one may just be uploading, and we are past and do not know it yet.
    """
    numbers = [number for number in line.numbers() if number <= newest.number]
    named = {
        piece.object for head in _kept(line, numbers[-KEEP:]) for kept in head.files.values() for piece in kept.pieces
    }
    for number in numbers[:-KEEP]:
        line.forget(number)
    past = [name for name in objects.names(f"{line.folder}/objects/") if life_of(name) <= newest.life]
    useless = [name for name in past if name not in named]
    for name in useless:
        objects.delete(name)
    return len(useless)


def _kept(line: Line, numbers: list[int]) -> list[Head]:
    return [line.at(number) for number in numbers]
