"""Gossamer turns a part of the web into a collection you own.

import gossamer
web = gossamer.open("my-web")
web.crawl("https://example.org/", pages=1000)
for page in web.pages():
    print(page.url, page.title)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.lazy import face

if TYPE_CHECKING:
    from gossamer.collection import Collection, Credentials, Document, Progress, Status, open
    from gossamer.errors import GossamerError
    from gossamer.model import Capture, Hit, Link, Page
    from gossamer.plan import Plan

__all__ = [
    "Capture",
    "Collection",
    "Credentials",
    "Document",
    "GossamerError",
    "Hit",
    "Link",
    "Page",
    "Plan",
    "Progress",
    "Status",
    "open",
]

__getattr__ = face(
    __name__,
    {
        "Capture": "model",
        "Collection": "collection",
        "Credentials": "collection",
        "Document": "collection",
        "GossamerError": "errors",
        "Hit": "model",
        "Link": "model",
        "Page": "model",
        "Plan": "plan",
        "Progress": "collection",
        "Status": "collection",
        "open": "collection",
    },
)


def __dir__() -> list[str]:
    """Also what is not loaded yet: completion and `help` ask for it."""
    return [*__all__, *globals()]
