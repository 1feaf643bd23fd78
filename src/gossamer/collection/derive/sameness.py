"""Do two pages of a collection say the same to a reader? Their texts are read for it, of near copies only."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gossamer.dedupe.subjects import Said, Subject, say_the_same
from gossamer.model import URL
from gossamer.store.archive import Archive

KEPT = 64
"""Pages that are kept ready: the first of a template is compared with all others."""


class Sameness:
    """Compares pages by their addresses."""

    def __init__(self, archive: Callable[[URL], Archive]) -> None:
        """`archive` has the pages of the shard that an address belongs to."""
        self._archive = archive
        self._subject = lru_cache(KEPT)(self._read)

    def holds(self, one: URL, other: URL) -> bool:
        """Whether one may stand for the other. A page whose text cannot be read stands for itself."""
        first, second = self._subject(one), self._subject(other)
        return first is not None and second is not None and say_the_same(first, second)

    def _read(self, url: URL) -> Subject | None:
        archive = self._archive(url)
        version = archive.versions.current(url)
        text = archive.content(url, version) if version is not None else ""
        return Subject(Said(url, version.title, text)) if version is not None and text else None
