"""The page that a file becomes: what every reader of a format ends with.

A file has no navigation around its content, so all of its words are its main content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gossamer import tagged
from gossamer.convert.html.links import ANCHOR_MOST, LINKS_MOST
from gossamer.convert.source import Source
from gossamer.model import Link, Page
from gossamer.urls import fragment, resolve

_TITLE_MOST = 2_000
"""Characters."""
_NO_TITLE = re.compile(
    r"PowerPoint Presentation|PowerPoint-Präsentation|Présentation PowerPoint"
    r"|(?:Slide|Sheet|Tabelle|Feuil|Hoja|Foglio) ?\d+"
)
"""What programs write where nobody thought of a title."""
_HEADING = re.compile(r"<h[1-6]>(.*?)</h[1-6]>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class About:
    """What a file says about itself."""

    title: str = ""
    author: str = ""
    published: float | None = None
    """Seconds since 1970, like the next."""
    modified: float | None = None


class Pointers:
    """Gathers where a document points to, while it is being written."""

    def __init__(self, base: str | None) -> None:
        self._base = base or ""
        self.links: list[Link] = []

    def link(self, line: str, href: str) -> str:
        """The line as a link, which is noted; the line alone, if this is no address on the web."""
        url = resolve([href.strip()], self._base)[0] if href and not href.startswith("#") else None
        if url is None:
            return line
        if len(self.links) <= LINKS_MOST:
            self.links.append(Link(url, " ".join(tagged.plain(line).split())[:ANCHOR_MOST]))
        return tagged.link(line, url + fragment(href.strip()))


def page_of(source: Source, html: str, about: About, pointers: Pointers | None = None, problem: str = "") -> Page:
    """The page of a file whose content is this tagged text."""
    words = tagged.plain(html)
    links = pointers.links if pointers else []
    return Page(
        source.url,
        source.kind.essence,
        title=" ".join(about.title.split())[:_TITLE_MOST],
        text=words,
        links=tuple(links[:LINKS_MOST]),
        content=words,
        html=html,
        author=" ".join(about.author.split()),
        published=about.published,
        modified=about.modified,
        links_cut=len(links) > LINKS_MOST,
        problem=problem,
    )


def titled(about: About, html: str) -> About:
    """What has no title of its own is called after its first heading."""
    if about.title and not _NO_TITLE.fullmatch(about.title):
        return about
    found = _HEADING.search(html)
    heading = tagged.plain(found[1]) if found else ""
    return replace(about, title="" if _NO_TITLE.fullmatch(heading) else heading)
