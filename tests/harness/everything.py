"""What is all in a collection? For tests that look for what must not be there."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.store.table.table import Table


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All bytes of a collection: files as they are, what is packed in them unpacked, and all rows of its tables."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield str(path), data + (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else b"")
    for shard in range(len(list((folder / "shards").iterdir()))):
        with Table.open(Folder(folder).table(shard), FAMILIES, writable=False) as table:
            for family in FAMILIES:
                for key, row in table.scan(family):
                    yield f"{family} {key!r}", key + row
