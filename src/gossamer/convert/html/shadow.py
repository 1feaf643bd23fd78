"""What stands in a shadow root that a page declares? It is shown, though it is written as a template.

A browser takes `<template shadowrootmode="open">` for the inside of the element around it (HTML, section 4.12.3). For
us it becomes an element like any other, so its words and links come before those of that element, in the order of the
source. What is in a slot without anything put into it is read as well.
"""

from __future__ import annotations

import re

MARK = b"shadowrootmode"
_TEMPLATES = re.compile(
    rb"<!--(?:.*?-->|.*+)"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])(?:.*?</\1(?=[\s/>])|.*+)"
    rb"""|<(?P<end>/?)template(?=[\s/>])(?P<said>(?:[^<>"']|"[^"<]*+"|'[^'<]*+'|(?!))*+)>""",
    re.IGNORECASE | re.DOTALL,
)
"""And what may hold their names without meaning them. Each part ends at the end of the page at the latest, so that none
is looked for twice."""
_DECLARES = re.compile(rb"\s" + MARK + rb"""\s*=\s*["']?(?:open|closed)(?=["'\s/]|$)""", re.IGNORECASE)
_START, _END = b" <x-shadow>", b"</x-shadow> "
"""With a space, so that words do not run together."""


def unfolded(page: bytes) -> bytes:
    """The page with its shadow roots as elements; the very same where it declares none. Those in a template stay there:
    they are not shown."""
    if MARK not in page:
        return page
    open_ones: list[bool] = []

    def changed(found: re.Match[bytes]) -> bytes:
        if found["said"] is None:
            return found[0]
        if found["end"]:
            return _END if open_ones and open_ones.pop() else found[0]
        open_ones.append((not open_ones or open_ones[-1]) and _DECLARES.search(found["said"]) is not None)
        return _START if open_ones[-1] else found[0]

    return _TEMPLATES.sub(changed, page)
