"""How does a page rank? For a watch, by the graph that was made before its round; a round takes an hour."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.collection.derive.mirrored import pointed
from gossamer.collection.folder import Folder
from gossamer.errors import StorageError
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection.derive.graphs import Graph


class PageRanks:
    """Looked for when the first page is asked about, and mapped until the round ends."""

    def __init__(self, collection: Path) -> None:
        self._folder = Folder(collection)

    def __call__(self, url: str) -> float:
        """1 is the average, and that of a page which the graph does not know."""
        return self._graph.rank(keys.fingerprint(url)) if self._graph else 1.0

    @cached_property
    def _graph(self) -> Graph | None:
        if pointed(self._folder) is None:
            return None
        from gossamer.collection.derive.graphs import current  # with NumPy, which a first round does without

        try:
            graph = current(self._folder)
            if graph is not None:
                graph.rank(0)  # both files are mapped: another graph may take the place of this one meanwhile
        except (FileNotFoundError, StorageError):
            return None
        return graph
