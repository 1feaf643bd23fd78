"""What have I got? One directory, the same verbs as on the command line."""

from __future__ import annotations

from gossamer.collection.build import Built
from gossamer.collection.collection import FORMATS, Collection, fast_loop, open
from gossamer.collection.documents import Document
from gossamer.collection.incoming import Imported
from gossamer.collection.session import Outside
from gossamer.collection.status import Progress, Status

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
