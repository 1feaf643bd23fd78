"""Which objects are of no use any more? Those that none of the last heads names, and whose owner is past."""

from __future__ import annotations

from contextlib import suppress

from gossamer.depot.heads import Head, Line
from gossamer.depot.objects import Objects
from gossamer.depot.uploading import life_of

KEEP = 3
"""Heads that stay. Whoever restores a shard reads from one while others follow."""


def sweep(objects: Objects, line: Line, newest: Head) -> None:
    """Delete them; `newest` is the last one of whoever calls, which uploads nothing meanwhile.

    Objects of a later life stay: that one may just be uploading, and we are past and do not know it yet. Where heads
    are missing that should be there, it has swept already.
    """
    with suppress(FileNotFoundError):
        _sweep(objects, line, newest)


def _sweep(objects: Objects, line: Line, newest: Head) -> None:
    numbers = [number for number in line.numbers() if number <= newest.number]
    heads = [line.at(number) for number in numbers[-KEEP:]]
    named = {piece.object for head in heads for kept in head.files.values() for piece in kept.pieces}
    for number in numbers[:-KEEP]:
        line.forget(number)
    for name in objects.names(f"{line.folder}/objects/"):
        life = life_of(name)
        if name not in named and life is not None and life <= newest.life:
            objects.delete(name)
