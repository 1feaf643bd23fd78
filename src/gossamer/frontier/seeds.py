"""Seeds, and where they redirect to: http to https, a name to its www. That counts as a seed too, for good."""

from __future__ import annotations

from gossamer.frontier.discovery import Discovery
from gossamer.frontier.entries import META
from gossamer.store.table import Table
from gossamer.urls import keys


class Seeds:
    """Keeps the scope as wide as the seeds have turned out to be."""

    def __init__(self, table: Table, discovery: Discovery) -> None:
        self._table = table
        self._discovery = discovery
        for url in self._landed():
            discovery.scope = discovery.scope.with_seed(url)
        self.origins = {keys.origin(url) for url in discovery.scope.seeds}
        """Where a sitemap is looked for that robots.txt does not name; elsewhere it would be a request too many."""

    def widen(self, target: str) -> None:
        """A seed redirects there."""
        self._discovery.scope = self._discovery.scope.with_seed(target)
        self.origins.add(keys.origin(target))
        landed = self._landed()
        if target not in landed:
            self._table.put(META, b"landed", "\n".join([*landed, target]).encode())

    def _landed(self) -> list[str]:
        return (self._table.get(META, b"landed") or b"").decode(errors="replace").split()
