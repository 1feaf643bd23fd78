"""What does it mean to stand in an element of a page? In which list, link or heading of the tagged text is that?

Asked only for elements that have kept words, and answered from what holds for the element around, so that each costs
the same however deep it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from gossamer.convert.html.outline import TAGS
from gossamer.convert.render.kept import Elements, Kept
from gossamer.convert.render.tables import Tables

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_BOLD = _HEADINGS | {"dt"}
SHAPES = {
    **{name: name for name in (*_HEADINGS, "blockquote", "dd", "dl", "dt", "li", "ol", "pre", "table", "ul")},
    **dict.fromkeys(["menu", "dir"], "ul"),
}
"""The element of tagged text that a block may be."""
_SHAPE_OF = tuple(SHAPES.get(name, "") for name in TAGS)
"""By the number of a tag."""
MARKS = {
    **dict.fromkeys(["em", "i", "cite", "dfn", "var"], "em"),
    **dict.fromkeys(["strong", "b"], "strong"),
    **dict.fromkeys(["code", "kbd", "samp", "tt"], "code"),
    **dict.fromkeys(["del", "s", "strike"], "del"),
    **{name: name for name in ("a", "sub", "sup", "img", "math")},
}
_MARK_OF = tuple(MARKS.get(name, "") for name in TAGS)
_ITEMS = {"ul": "li", "ol": "li", "dl": "dd"}
"""What has to be around anything that stands in a list."""
_DEEPEST = 32
"""Lists and quotes in each other. What would be deeper is not one."""
_HEADING_MOST = 1_000
"""Bytes. A longer one was not closed where it should have been."""

Node: TypeAlias = tuple[str, int]
"""The name of an element of tagged text, and the element of the page that it is; below 0 if the page has none."""


class Spot(NamedTuple):
    """Where text stands."""

    path: tuple[Node, ...] = ()
    """Lists, items and quotes, from the outermost on."""
    marks: tuple[Node, ...] = ()
    """Links, emphasis and the like."""
    unit: Node | None = None
    """A heading, a term, a pre or a table, which are written as a whole."""


def fitting(path: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same place, but in an item, if it is in a list."""
    if path and (item := _ITEMS.get(path[-1][0])):
        return (*path, (item, -2 - path[-1][1]))
    return path


class Spots:
    """The spots of one page."""

    def __init__(self, elements: Elements, kept: Kept, hrefs: Mapping[int, str], tables: Tables) -> None:
        self._tags = elements.tags
        self._parents = elements.parents
        self._ends = elements.ends
        self._kept = kept
        self._hrefs = hrefs
        self._tables = tables
        self._known = {-1: Spot()}

    def at(self, element: int) -> Spot:
        """The spot of an element's own text."""
        passed = []
        while (found := self._known.get(element)) is None:
            passed.append(element)
            element = self._parents[element]
        for element in reversed(passed):
            found = self._known[element] = self._within(found, element)
        return found

    def _within(self, around: Spot, element: int) -> Spot:
        tag = self._tags[element]
        if mark := _MARK_OF[tag]:
            return self._marked(around, (mark, element))
        if _SHAPE_OF[tag] == "pre" and around.unit is not None and around.unit[0] == "table":
            return self._marked(around, ("code", element))
        if (name := _SHAPE_OF[tag]) and around.unit is None:
            path = _path(around.path, (name, element))
            return Spot(path, around.marks, self._unit(path, (name, element)))
        return around

    def _marked(self, around: Spot, mark: Node) -> Spot:
        """In a heading or term nothing needs to be bold."""
        name, element = mark
        if (name in ("a", "img") and element not in self._hrefs) or any(name == known for known, _ in around.marks):
            return around
        if name == "strong" and around.unit is not None and around.unit[0] in _BOLD:
            return around
        return Spot(around.path, (*around.marks, mark), around.unit)

    def _unit(self, path: tuple[Node, ...], node: Node) -> Node | None:
        name, element = node
        if name == "table":
            return node if self._tables.of_data(element) else None
        if name == "pre":
            return node
        if name in _HEADINGS or (name == "dt" and path and path[-1][0] == "dl"):
            first, end = self._kept.within(element, self._ends[element])
            return node if self._kept.size(first, end) <= _HEADING_MOST else None
        return None


def _path(path: tuple[Node, ...], node: Node) -> tuple[Node, ...]:
    inner = path[-1][0] if path else ""
    if node[0] in _ITEMS or node[0] == "blockquote":
        longer = (*fitting(path), node)
    elif (node[0] == "li" and inner in ("ul", "ol")) or (node[0] == "dd" and inner == "dl"):
        longer = (*path, node)
    else:
        return path
    return longer if len(longer) <= _DEEPEST else path
