"""What the header fields of an answer add to a page: links, a canonical address, and what is asked of robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gossamer import robots
from gossamer.convert.html.links import LINKS_MOST, header_pointers, refresh_pointers, resolved
from gossamer.convert.source import Source
from gossamer.model import Link, Page


def with_fields(source: Source, page: Page) -> Page:
    """A page, and what the header fields add to it."""
    links = header_links(source)
    said = robots.read(source.robots, (), source.agent)
    return replace(
        page,
        links=(*page.links, *links)[:LINKS_MOST],
        canonical=canonical(links),
        noindex=said.noindex,
        nofollow=said.nofollow,
        noarchive=said.noarchive,
    )


def header_links(source: Source) -> list[Link]:
    """Links that stand in Link and Refresh fields."""
    if not source.links and not source.refreshes:
        return []
    pointers = header_pointers(source.links) + refresh_pointers(source.refreshes)
    return resolved(pointers, source.url or "", None)


def canonical(links: Sequence[Link]) -> str | None:
    """Only the page as a whole can say so, not a link within it."""
    said = (link for link in links if link.rel and link.place in ("link", "header"))
    return next((link.url for link in said if "canonical" in link.rel.split()), None)
