"""The parsed document: lexbor, through selectolax.

Lexbor builds the tree that browsers build, at half the cost of lxml, and walks and frees it without recursion. It
reads UTF-8 and never fails. Comparing its nodes with `==` compares their markup, so we do not.

It reads XHTML as well, once an element that XML closes in its own tag (`<script src="x"/>`) has an end tag: an HTML
parser takes such a tag for a start tag, and all the rest of the page for a script.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

__all__ = ["TEXT", "Node", "Tree", "as_html", "parse", "tag_id", "tag_ids"]

Tree = LexborHTMLParser
Node = LexborNode
TEXT = 2
"""The number of text nodes."""
_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr".split())
_CLOSED = re.compile(rb"""<([A-Za-z][A-Za-z0-9-]*+)((?:[^<>"'/]|/(?!>)|"[^"<]*+"|'[^'<]*+'|(?!))*+)/>""")


def parse(data: bytes, *, scripting: bool = True) -> Tree:
    """Build the tree of a document in UTF-8.

    As a browser that runs scripts builds it, because pages are tried out with one; so noscript holds text. Without
    `scripting` it holds elements.
    Without mutation events, which mirror the chosen option of every select in time quadratic in its options.
    """
    return LexborHTMLParser(data, options=LexborDocumentOptions.WO_EVENTS, scripting=scripting)


def tag_id(name: str) -> int:
    """The number by which lexbor knows an element; comparing it is much cheaper than comparing names."""
    return LexborHTMLParser("").create_node(name).tag_id


def tag_ids(names: str) -> frozenset[int]:
    """The same for several."""
    return frozenset(map(tag_id, names.split()))


def as_html(data: bytes) -> bytes:
    """The same document with end tags. The encoding must have ASCII in it."""
    return _CLOSED.sub(_with_end_tag, data)


def _with_end_tag(tag: re.Match[bytes]) -> bytes:
    name, attributes = tag.groups()
    return tag[0] if name.lower() in _VOID else b"<%s%s></%s>" % (name, attributes, name)
