"""XHTML for a parser of HTML: an element that XML closes in its own tag (`<script src="x"/>`) gets an end tag.

An HTML parser takes such a tag for a start tag, and all the rest of the page for a script.
"""

from __future__ import annotations

import re

_VOID = frozenset(b"area base br col embed frame hr img input link meta param source track wbr".split())
_CLOSED = re.compile(rb"""<([A-Za-z][A-Za-z0-9-]*+)((?:[^<>"'/]|/(?!>)|"[^"<]*+"|'[^'<]*+')*+)/>""")


def as_html(data: bytes) -> bytes:
    """The same document with end tags. The encoding must have ASCII in it."""
    return _CLOSED.sub(_with_end_tag, data)


def _with_end_tag(tag: re.Match[bytes]) -> bytes:
    name, attributes = tag.groups()
    return tag[0] if name.lower() in _VOID else b"<%s%s></%s>" % (name, attributes, name)
