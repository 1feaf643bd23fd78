"""What is new there? RSS, RDF, Atom, CDF and JSON Feed."""

from __future__ import annotations

from gossamer.convert.feed.feed import Entry, Feed, is_feed, read
from gossamer.convert.feed.page import links_of, page

__all__ = ["Entry", "Feed", "is_feed", "links_of", "page", "read"]
