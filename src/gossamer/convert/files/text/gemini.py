"""Gemtext, the text of Gemini: each line is a paragraph, a heading, an item, a quote, a link, or set as it is."""

from __future__ import annotations

from dataclasses import replace

from gossamer import tagged
from gossamer.convert.files.page import About, page_of, titled
from gossamer.convert.files.text.plain import decoded
from gossamer.convert.html.links import LINKS_MOST
from gossamer.convert.source import Source
from gossamer.model import Link, Page
from gossamer.urls import resolve
from gossamer.urls.schemes import joined, scheme_of


def read(source: Source) -> Page:
    """What gemtext says, and where it points to."""
    found, writer = decoded(source), tagged.Writer()
    links: list[Link] = []
    pre: list[str] | None = None
    for line in found.text.splitlines():
        if line.startswith("```"):
            if pre is not None:
                writer.pre("\n".join(pre))
            pre = [] if pre is None else None
        elif pre is not None:
            pre.append(line)
        elif line.startswith("=>"):
            href, _, words = line[2:].strip().partition(" ")
            links += _link(source, href, words.strip())
            writer.paragraph(tagged.words(words.strip() or href))
        elif line.startswith("#"):
            words = line.lstrip("#")
            writer.heading(min(len(line) - len(words), 3), tagged.words(words.strip()))
        elif line.startswith("* "):
            writer.item(tagged.words(line[2:].strip()))
        elif line.startswith(">"):
            writer.quote(tagged.words(line[1:].strip()))
        elif line.strip():
            writer.paragraph(tagged.words(line.strip()))
    if pre:
        writer.pre("\n".join(pre))
    html = writer.html()
    page = page_of(source, html, titled(About(), html), problem=found.problem)
    cut = len(links) > LINKS_MOST
    return replace(
        page, encoding=found.encoding, declared=found.declared, links=tuple(links[:LINKS_MOST]), links_cut=cut
    )


def _link(source: Source, href: str, words: str) -> list[Link]:
    base = source.url or ""
    url = joined(href, base) if scheme_of(base) else resolve([href], base)[0]
    return [Link(url, words)] if url and href else []
