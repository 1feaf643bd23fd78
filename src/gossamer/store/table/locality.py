"""Which families of a table share their files? Those of one locality group.

The word is BigTable's (Chang et al., OSDI 2006, 6). A group is one column family of RocksDB, and each of these has a
memory table, a filter and sorted files of its own, and costs half a millisecond whenever a table is opened. Families
that are large or that are read as a queue stand alone; the many small ones share a group, and their names stand before
their keys there. A table that was made when a family stood alone goes on with it as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple


class Grouped(str):
    """The name of a family that shares the files of a group."""

    __slots__ = ("group",)

    def __new__(cls, name: str, group: str) -> Grouped:
        family = super().__new__(cls, name)
        family.group = group
        return family

    group: str


class Place(NamedTuple):
    """Where the rows of a family are."""

    column: str
    """The column family of RocksDB."""
    prefix: bytes = b""
    """What stands before their keys there."""


def places(families: Iterable[str], made: Container[str] = ()) -> dict[str, Place]:
    """Of each family, in a table of which these column families are `made` already."""
    return {family: _place(family, made) for family in families}


def _place(family: str, made: Container[str]) -> Place:
    if isinstance(family, Grouped) and family not in made:
        return Place(family.group, family.encode() + b"\0")
    return Place(family)
