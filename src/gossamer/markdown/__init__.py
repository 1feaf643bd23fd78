"""How is it written for people and language models? As Markdown."""

from __future__ import annotations

import re

from gossamer.markdown.blocks import written
from gossamer.tagged import plain, words

__all__ = ["titled", "written"]

_BEGINS = re.compile(r"<h[2-6]>(.*?)</h[2-6]>", re.DOTALL).match


def titled(html: str, title: str) -> str:
    """Tagged text that begins with a title, unless it does so itself or has a heading of the first level of its own."""
    begins = _BEGINS(html)
    if not title or "<h1>" in html or (begins and plain(begins[1]).split() == title.split()):
        return html
    return f"<h1>{words(title)}</h1>\n{html}"
