"""What have I got? One directory, the same verbs as on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.lazy import face

if TYPE_CHECKING:
    from gossamer.collection.ask.formats import FORMATS
    from gossamer.collection.collection import Collection, open
    from gossamer.collection.crawl.credentials import Credentials
    from gossamer.collection.crawl.outside import Outside
    from gossamer.collection.crawl.running import fast_loop
    from gossamer.collection.derive.shard_build import Built
    from gossamer.collection.documents import Document
    from gossamer.collection.imports.import_source import Imported
    from gossamer.collection.progress import Progress
    from gossamer.collection.status import Status

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

__getattr__ = face(
    __name__,
    {
        "FORMATS": "ask.formats",
        "Built": "derive.shard_build",
        "Collection": "collection",
        "Credentials": "crawl.credentials",
        "Document": "documents",
        "Imported": "imports.import_source",
        "Outside": "crawl.outside",
        "Progress": "progress",
        "Status": "status",
        "fast_loop": "crawl.running",
        "open": "collection",
    },
)
