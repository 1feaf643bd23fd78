"""Text that any program can take: valid Unicode in normal form C, without NULs and what nobody sees, see
`invisible_characters`.

Readers hand on what documents say, and some say half a character (JSON and RTF can name one half of a surrogate pair)
or an accent apart from its letter. `é` in one piece and `é` in two look the same and are not found by each other. A
no-break space is a space: where lines end is nothing that a text says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from operator import is_not, itemgetter
from typing import Any
from unicodedata import combining, is_normalized, normalize

from gossamer.convert.invisible_characters import HALF, MARKS_MOST, ODD, PILED, UNSEEN, look, without
from gossamer.model import Link, Page
from gossamer.outlinks import Links

_anchor = itemgetter(Link._fields.index("anchor"))
_FIELDS = ("title", "author")
_ALL_FIELDS = (*_FIELDS, "content", "html")
MARKS_WITHIN = (0x300, 0x1F000)
"""Code points."""
_STROKE = "\u0338"
"""Strikes out the sign before it; with the end of a tag it would become one other sign."""


def clean(text: str) -> str:
    """The same text, or the nearest that is valid. What is in order comes back as it is.

    Characters of one byte cost next to nothing: but for two, each of them is in order beside each other.
    """
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    if _fits(text, "latin-1"):
        return text.replace("\xad", "") if "\xad" in text else text
    found = look(text)
    if found & HALF:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        found = look(text)
    if found & UNSEEN:
        text = without(text)
        found = look(text)
    if not found & ODD or is_normalized("NFC", text):  # a look that takes a hundred times as long is spared
        return text
    return normalize("NFC", _piled()(r"\1", text) if found & PILED else text)


@cache
def _piled() -> Callable[[str, str], str]:
    """Puts the first marks of a pile in the place of all. Made when first needed, which is hardly ever: it asks about
    each character."""
    marks = "".join(filter(combining, map(chr, range(*MARKS_WITHIN))))
    return re.compile(f"([{marks}]{{{MARKS_MOST}}})[{marks}]++").sub


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def cleaned(page: Page) -> Page:
    """The same page with all of its text clean.

    Its main content is a part of its text: if the text is in order, so is that, in either form, but for the spaces of a
    pre, which the text has lost before.
    """
    text = clean(page.text)
    fields = _FIELDS if text is page.text and text else _ALL_FIELDS
    changed: dict[str, Any] = {"text": text} if text is not page.text else {}
    for name in fields:
        said = getattr(page, name)
        better = clean(_parted(said) if name == "html" else said)
        if better is not said:
            changed[name] = better
    for name in ("content", "html"):
        said = changed.get(name, getattr(page, name))
        if "\xa0" in said:
            changed[name] = said.replace("\xa0", " ")
    if not _are_clean(page.links):
        anchors = list(map(_anchor, page.links))
        better_anchors = [anchor if _is_plain(anchor) else clean(anchor) for anchor in anchors]
        if any(map(is_not, anchors, better_anchors)):
            changed["links"] = tuple(map(_anchored, page.links, better_anchors))
    return replace(page, **changed) if changed else page


def _are_clean(links: Sequence[Link]) -> bool:
    """Are all anchors in order? They are if they are in one piece, in which each stands as it is."""
    if isinstance(links, Links):
        return clean(links.anchors) is links.anchors
    return _is_plain("".join(map(_anchor, links)))


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def _parted(html: str) -> str:
    return html.replace(f">{_STROKE}", f">&#{ord(_STROKE)};") if _STROKE in html else html


def _anchored(link: Link, anchor: str) -> Link:
    return link if link.anchor is anchor else link._replace(anchor=anchor)
