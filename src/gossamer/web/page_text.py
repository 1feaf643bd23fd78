"""How is what a page says shown? Its tagged text with headings, lists, code and tables, written anew: only elements of
that form come through, text is escaped, and links lead to the kept pages of their targets."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

from markupsafe import Markup, escape

from gossamer import printable
from gossamer.markdown.blocks import TOKEN
from gossamer.markdown.blocks import attributes as said
from gossamer.web.templating import link

_HEADINGS = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"}
"""The page has a heading of its own above."""
_ELEMENTS = {
    "p", "pre", "blockquote", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "th", "td", "em", "strong", "code",
    "sub", "sup", "a", "del", *_HEADINGS.values(),
}  # fmt: skip


def written(html: str, most: int) -> tuple[Markup, bool]:
    """Tagged text as elements of our page, and whether it was cut after so many characters of text."""
    made: list[Markup] = []
    still_open: list[str] = []
    left = most
    for token in TOKEN.finditer(html):
        ends, tag, attributes = token.groups()
        name = _HEADINGS.get(tag, tag)
        if tag is None:
            text = unescape(token[0])
            made.append(escape(printable.text(text[:left])))
            left -= len(text)
            if left < 0:
                break
        elif name == "br":
            made.append(Markup("<br>"))
        elif name in _ELEMENTS and not ends:
            still_open.append(name)
            made.append(_opened(name, attributes))
        elif name in still_open:
            made.extend(_closed(still_open, name))
    made.extend(Markup("</{}>").format(name) for name in reversed(still_open))
    return Markup("").join(made), left < 0


def _opened(name: str, attributes: str) -> Markup:
    href = said(attributes).get("href", "")
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
