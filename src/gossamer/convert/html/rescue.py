"""Words that a browser would not show, and that are what a page has to say all the same.

Forums and blogs that are built in the browser keep their text in a noscript element, for readers without scripts; that
is what we are. And a title that is never closed swallows all that follows.
"""

from __future__ import annotations

import re

LITTLE = 500
"""Characters of text. A page with more was not swallowed by its title."""
_NOSCRIPT, _NOSCRIPT_END = b"<noscript", b"</noscript"
_LEAST = 1_000
"""Bytes of a noscript with text. Smaller ones ask to switch scripts on, or count visitors."""
_PARAGRAPHS_LEAST = 3
"""In it. Others are full of styles or of pictures."""
_PARAGRAPH = re.compile(rb"<[pP][\s>]")
_TITLE = re.compile(rb"<title(?=[\s>])[^<>]*+>[^<]*+(?!</title[\s/>])", re.IGNORECASE)
_TITLE_END = re.compile(rb"</title[\s/>]", re.IGNORECASE)


def opened(page: bytes) -> bytes:
    """The page in UTF-8 with each noscript that has paragraphs made a division."""
    parts: list[bytes] = []
    done = at = 0
    while (at := page.find(_NOSCRIPT, at)) >= 0:
        end = page.find(_NOSCRIPT_END, at)
        if end < 0:
            break
        if end - at >= _LEAST and len(_PARAGRAPH.findall(page, at, end)) >= _PARAGRAPHS_LEAST:
            parts += (page[done:at], b"<div", page[at + len(_NOSCRIPT) : end], b"</div")
            done = end + len(_NOSCRIPT_END)
        at = end + len(_NOSCRIPT_END)
    return b"".join((*parts, page[done:])) if parts else page


def closed(page: bytes) -> bytes | None:
    """The page with its title closed before the next tag; None if it is closed."""
    title = _TITLE.search(page)
    if title is None or _TITLE_END.search(page, title.end()):
        return None
    return page[: title.end()] + b"</title>" + page[title.end() :]
