"""Lists, items and quotes in Markdown: what is put before the lines of a block that stands in them.

Blocks are parted by an empty line. Items that are one paragraph follow each other without; then the list reads well,
and means the same. A list right after another gets other marks, or the two would be one. What stands deeper than
`_DEEPEST` is written as if it stood there, so that the cost of a line is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MARKS = {"ul": ("-", "*"), "ol": (".", ")"), "dl": ("-", "*")}
"""Of lists: the usual one, and the one of a list that follows another."""
_DEEPEST = 24


@dataclass(slots=True, eq=False)
class _Place:
    """What blocks stand in: the document, a quote, a list or one of its items."""

    name: str
    begun: bool = False
    """Something in it has been written."""
    last: str = ""
    """What was written in it last: `text`, `list` or `other`."""
    last_mark: str = ""
    """If that was a list, its mark."""
    mark: str = ""
    """If this is a list."""
    items: int = 0
    is_loose: bool = False
    """An item of this list is more than a paragraph with lists in it."""
    first: str = ""
    """What stands before its first line; before the others, `rest` does."""
    rest: str = ""
    lead: str = ""
    """What stands before its lines but the first: the `rest` of all that it stands in, and its own."""
    kind: str = field(init=False)

    def __post_init__(self) -> None:
        self.kind = "list" if self.name in MARKS else "other"


class Nesting:
    """Gathers the lines of a document."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places = [_Place("document", begun=True)]
        self._count: dict[str, int] = {}

    @property
    def innermost(self) -> str:
        """The name of the place where the next block stands."""
        return self._places[-1].name

    def enter(self, name: str, start: int = 1) -> None:
        """A list (see `MARKS`), an item of one (`li`) or a quote (`blockquote`) begins; `start`: its first number."""
        self._places.append(_Place(name, items=start - 1))
        self._count[name] = self._count.get(name, 0) + 1

    def leave(self, name: str) -> None:
        """The last of that name ends, and with it those that were entered in it."""
        while self._count.get(name):
            left = self._places.pop().name
            self._count[left] -= 1
            if left == name:
                return

    def put(self, block: Sequence[str], kind: str) -> None:
        """Write the lines of a block. Its kind is `text` for a paragraph and `other` for the rest."""
        places = self._places[:_DEEPEST]
        known = len(places)  # how many are begun: the others stand in these
        while not places[known - 1].begun:
            known -= 1
        lead = places[known - 1].lead
        if _is_parted(places, known):
            self.lines.append(lead.rstrip())
        for number in range(known, len(places)):
            around, place = places[number - 1], places[number]
            _begin(place, around)
            around.last, around.last_mark = place.kind, place.mark
            lead += place.first
        places[-1].last = kind
        rest = places[-1].lead
        self.lines.append(lead + block[0])
        self.lines += [rest + line if line else rest.rstrip() for line in block[1:]]


def _is_parted(places: Sequence[_Place], known: int) -> bool:
    """Whether an empty line stands before a block. All places but the first `known` begin with it."""
    around, new = places[known - 1], places[known] if known < len(places) else None
    if not around.last:
        return False
    if around.kind == "list" and new is not None:
        return around.is_loose
    if around.name == "li":
        if around.last == "text" and new is not None and new.kind == "list":
            return False
        places[known - 2].is_loose = True
    return True


def _begin(place: _Place, around: _Place) -> None:
    place.begun = True
    if place.kind == "list":
        usual, other = MARKS[place.name]
        place.mark = other if around.last == "list" and around.last_mark == usual else usual
    elif place.name == "blockquote":
        place.first = place.rest = "> "
    else:
        around.items += 1
        mark = around.mark or "-"
        place.first = f"{around.items}{mark} " if mark in MARKS["ol"] else f"{mark} "
        place.rest = " " * len(place.first)
    place.lead = around.lead + place.rest
