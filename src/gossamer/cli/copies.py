"""Copies as people read them, and as machines do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gossamer.shown import counted, line

if TYPE_CHECKING:
    from gossamer.collection.derive.graphs import Copies
    from gossamer.dedupe.groups import Copy
    from gossamer.dedupe.mirrors import Mirrors


def similar(url: str, copies: Sequence[Copy]) -> str:
    """A line for each copy of a page."""
    if not copies:
        return f"{line(url)}\n  no other page says this, or nearly this"
    return "\n".join([line(url), *map(_line, copies)])


def duplicates(found: Copies) -> str:
    """A block of lines for each group, then the hosts, then the sums."""
    blocks = ["\n".join([line(group.url), *map(_line, group.copies)]) for group in found.groups]
    if found.mirrors:
        blocks.append("\n".join(["mirrors:", *map(_mirrors, found.mirrors)]))
    copies = [copy for group in found.groups for copy in group.copies]
    exact = sum(copy.exact for copy in copies)
    sums = (
        f"{counted(len(found.groups), 'page')} with {counted(len(copies), 'copy', 'copies')}, {exact:,} of them exact"
    )
    return "\n\n".join((*blocks, sums if copies else "no copies"))


def each_as_json(found: Copies) -> Iterator[dict[str, Any]]:
    """For machines: an object for each group, then one for each set of hosts."""
    for group in found.groups:
        yield {"kind": "copies", **asdict(group)}
    for hosts in found.mirrors:
        yield {"kind": "mirrors", **hosts._asdict()}


def _line(copy: Copy) -> str:
    kind, place = "exact" if copy.exact else "near", "same site" if copy.same_site else "other site"
    return f"  {kind:<5}  {copy.resemblance:.2f}  {copy.distance:>2} bits  {place:<10}  {line(copy.url)}"


def _mirrors(found: Mirrors) -> str:
    others = ", ".join(map(line, found.others))
    return f"  {line(found.main)}  also: {others}  ({found.same:,} of {counted(found.paths, 'path')} say the same)"
