"""What have I got? One directory, the same verbs as on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.collection.build import Built
    from gossamer.collection.collection import Collection, open
    from gossamer.collection.documents import Document
    from gossamer.collection.formats import FORMATS
    from gossamer.collection.incoming import Imported
    from gossamer.collection.running import fast_loop
    from gossamer.collection.session import Outside
    from gossamer.collection.status import Progress, Status

_HOMES = {
    "FORMATS": "formats",
    "Built": "build",
    "Collection": "collection",
    "Document": "documents",
    "Imported": "incoming",
    "Outside": "session",
    "Progress": "status",
    "Status": "status",
    "fast_loop": "running",
    "open": "collection",
}

__all__ = [
    "FORMATS",
    "Built",
    "Collection",
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
