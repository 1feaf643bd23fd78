"""How is what a page says shown? Its tagged text with headings, lists, code and tables, written anew: only elements of
that form come through, text is escaped, and links lead to the kept pages of their targets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from markupsafe import Markup, escape

from gossamer import shown
from gossamer.web.templating import link

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]?[a-z]*)(?: href="([^"<>]*)")?>')
_HEADINGS = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"}
"""The page has a heading of its own above."""
_ELEMENTS = {
    "p", "pre", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "th", "td", "em", "strong", "code",
    "sub", "sup", "a", *_HEADINGS.values(),
}  # fmt: skip


def written(html: str, most: int) -> tuple[Markup, bool]:
    """Tagged text as elements of our page, and whether it was cut after so many characters of text."""
    made: list[Markup] = []
    still_open: list[str] = []
    left = most
    for text, closes, name, href in _parts(html):
        made.append(escape(shown.text(text[:left])))
        left -= len(text)
        if left < 0:
            break
        if name == "br":
            made.append(Markup("<br>"))
        elif name in _ELEMENTS and not closes:
            still_open.append(name)
            made.append(_opened(name, href))
        elif name in still_open:
            made.extend(_closed(still_open, name))
    made.extend(_closed(still_open, still_open[0]) if still_open else ())
    return Markup("").join(made), left < 0


def _parts(html: str) -> Iterator[tuple[str, bool, str, str]]:
    """What stands before each tag; whether the tag closes, its name, and where it leads."""
    place = 0
    for tag in _TAG.finditer(html):
        name = tag[2]
        yield unescape(html[place : tag.start()]), bool(tag[1]), _HEADINGS.get(name, name), unescape(tag[3] or "")
        place = tag.end()
    yield unescape(html[place:]), False, "", ""


def _opened(name: str, href: str) -> Markup:
    if name == "a" and href.startswith(("http://", "https://")):
        return Markup('<a href="{}">').format(link("/page", url=href))
    return Markup("<{}>").format(name)


def _closed(still_open: list[str], name: str) -> Iterator[Markup]:
    """The innermost element of that name, and what is open within it."""
    while still_open:
        last = still_open.pop()
        yield Markup("</{}>").format(last)
        if last == name:
            return
