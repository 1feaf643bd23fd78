"""What makes tagged text valid, told once for all tests."""

from __future__ import annotations

import re
from html import escape, unescape

HEADINGS = {f"h{level}" for level in range(1, 7)}
LISTS = {"ul", "ol", "dl"}
INLINE = {"a", "em", "strong", "code", "del", "sub", "sup", "br", "img", "math"}
SAYING = {
    "a": 'href="[^"<>]*"',
    "img": 'src="[^"<>]*" alt="[^"<>]*"',
    "ol": 'start="[0-9]{1,9}"',
    "pre": 'lang="[a-z]+"',
}
"""The attributes that elements may have."""
BLOCKS = HEADINGS | LISTS | {"p", "pre", "blockquote", "table"}
INSIDE = {
    **dict.fromkeys(HEADINGS | INLINE | {"p", "pre", "dt"}, INLINE),
    **dict.fromkeys(["", "li", "dd", "blockquote", "td", "th"], BLOCKS | INLINE),
    "ul": {"li"},
    "ol": {"li"},
    "dl": {"dt", "dd"},
    "table": {"tr"},
    "tr": {"td", "th"},
}
"""Which elements may stand directly in which; the empty name is the whole."""
HOLDS_NO_TEXT = LISTS | {"table", "tr"}


def check(html: str) -> None:
    """Every element is closed, in its place, and has no attribute but its own; every `&` and `<` is markup."""
    open_elements = [""]
    for tag, text in re.findall(r"<([^>]*)>|([^<]+)", html):
        if text:
            assert not text.strip() or open_elements[-1] not in HOLDS_NO_TEXT, html
            assert escape(unescape(text), quote=False) == text.replace("&nbsp;", "\xa0"), html
        elif tag.startswith("/"):
            assert open_elements.pop() == tag[1:], html
        else:
            name, _, attributes = tag.partition(" ")
            assert name in INSIDE[open_elements[-1]], f"{name} in {open_elements[-1]}: {html}"
            assert not attributes or re.fullmatch(SAYING.get(name, "-"), attributes), html
            if name not in ("br", "img"):
                open_elements.append(name)
    assert open_elements == [""], html
