"""A table for each test, with the families of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.store.table.table import Table
from gossamer.store.versions import FAMILIES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table"


@pytest.fixture
def table(path: Path) -> Iterator[Table]:
    with Table.open(path, FAMILIES, writable=True) as table:
        yield table
