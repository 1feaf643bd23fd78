"""What have I got? One directory, the same verbs as on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.collection.ask.formats import FORMATS
    from gossamer.collection.collection import Collection, open
    from gossamer.collection.crawl.credentials import Credentials
    from gossamer.collection.crawl.running import fast_loop
    from gossamer.collection.crawl.session import Outside
    from gossamer.collection.derive.build import Built
    from gossamer.collection.documents import Document
    from gossamer.collection.imports.import_source import Imported
    from gossamer.collection.status import Progress, Status

_HOMES = {
    "FORMATS": "ask.formats",
    "Built": "derive.build",
    "Collection": "collection",
    "Credentials": "crawl.credentials",
    "Document": "documents",
    "Imported": "imports.import_source",
    "Outside": "crawl.session",
    "Progress": "status",
    "Status": "status",
    "fast_loop": "crawl.running",
    "open": "collection",
}

__all__ = [
    "FORMATS",
    "Built",
    "Collection",
    "Credentials",
    "Document",
    "Imported",
    "Outside",
    "Progress",
    "Status",
    "fast_loop",
    "open",
]


def __getattr__(name: str) -> object:
    """Load a part when it is asked for: a crawl that only collects does without the half that indexes."""
    if name in _HOMES:
        return getattr(import_module(f"gossamer.collection.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gossamer.collection' has no attribute {name!r}")
