"""The parsed document: lexbor, through selectolax.

Lexbor builds the tree that browsers build, at half the cost of lxml, and walks and frees it without recursion. It
reads UTF-8 and never fails. Comparing its nodes with `==` compares their markup, so we do not.
"""

from __future__ import annotations

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

__all__ = ["TEXT", "Node", "Tree", "parse", "tag_ids"]

Tree = LexborHTMLParser
Node = LexborNode


def parse(data: bytes) -> Tree:
    """Build the tree of a document in UTF-8.

    Without mutation events, which mirror the chosen option of every select in time quadratic in its options.
    """
    return LexborHTMLParser(data, options=LexborDocumentOptions.WO_EVENTS)


def tag_ids(names: str) -> frozenset[int]:
    """The numbers by which lexbor knows elements; comparing them is much cheaper than comparing names."""
    create = LexborHTMLParser("").create_node
    return frozenset(create(name).tag_id for name in names.split())


TEXT = 2
"""The number of text nodes."""
