"""How is it written for people and language models? As Markdown."""

from __future__ import annotations

from gossamer.markdown.blocks import written
from gossamer.tagged import words

__all__ = ["titled", "written"]


def titled(html: str, title: str) -> str:
    """Tagged text that begins with a title, unless it has a heading of the first level of its own."""
    return f"<h1>{words(title)}</h1>\n{html}" if title and "<h1>" not in html else html
