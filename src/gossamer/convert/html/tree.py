"""The parsed document: lexbor, through selectolax.

Lexbor builds the tree that browsers build, at half the cost of lxml, and walks and frees it without recursion. It
reads UTF-8 and never fails. Comparing its nodes with `==` compares their markup, so we do not.
"""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

__all__ = ["TEXT", "Node", "Tree", "parse", "tag_id", "tag_ids"]

Tree = LexborHTMLParser
Node = LexborNode


def parse(data: bytes) -> Tree:
    """Build the tree of a document in UTF-8.

    As a browser that runs scripts builds it, for that is what pages are tried out with; so noscript holds text.
    Without mutation events, which mirror the chosen option of every select in time quadratic in its options.
    """
    return LexborHTMLParser(data, options=LexborDocumentOptions.WO_EVENTS, scripting=True)


def tag_id(name: str) -> int:
    """The number by which lexbor knows an element; comparing it is much cheaper than comparing names."""
    return LexborHTMLParser("").create_node(name).tag_id


def tag_ids(names: str) -> frozenset[int]:
    """The same for several."""
    return frozenset(map(tag_id, names.split()))


TEXT = 2
"""The number of text nodes."""
