"""A page as an HTML document that stands alone: its tagged text, under a head that says what is known of it.

The names in the head are those that other programs look for: `author` is HTML's own, `dc.format` is Dublin Core's,
`article:published_time` and `article:modified_time` are Open Graph's.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gossamer.model import Page
from gossamer.printable import timestamp


def standalone(page: Page) -> str:
    """The whole document. A title, dates and the like stand there only where they are known."""
    lang = f' lang="{escape(page.language)}"' if page.language else ""
    head = "\n".join(_head(page))
    return f"<!DOCTYPE html>\n<html{lang}>\n<head>\n{head}\n</head>\n<body>\n{page.html}\n</body>\n</html>\n"


def _head(page: Page) -> Iterator[str]:
    yield '<meta charset="utf-8">'
    yield f"<title>{escape(page.title, quote=False)}</title>"
    if page.canonical:
        yield f'<link rel="canonical" href="{escape(page.canonical)}">'
    if page.author:
        yield f'<meta name="author" content="{escape(page.author)}">'
    yield f'<meta name="dc.format" content="{escape(page.media_type)}">'
    for name, moment in (("published_time", page.published), ("modified_time", page.modified)):
        if said := timestamp(moment):
            yield f'<meta property="article:{name}" content="{said}">'
