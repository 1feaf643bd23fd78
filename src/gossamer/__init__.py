"""Gossamer turns a part of the web into a collection you own.

import gossamer
web = gossamer.open("my-web")
web.crawl("https://example.org/", pages=1000)
for page in web.pages():
    print(page.url, page.title)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

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

_HOMES = {
    "Capture": "gossamer.model",
    "GossamerError": "gossamer.errors",
    "Hit": "gossamer.model",
    "Link": "gossamer.model",
    "Page": "gossamer.model",
    "Plan": "gossamer.plan",
}


def __getattr__(name: str) -> object:
    """Load a part when it is asked for, so that `gossamer.urls` alone does not load a database."""
    if name in __all__:
        return getattr(import_module(_HOMES.get(name, "gossamer.collection")), name)
    raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
