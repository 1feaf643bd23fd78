"""The reference sets lie beside the project, where the tests look for them too; they are no part of it."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from reference import ROOT  # the tests are no package, so their folder has to be found first


class Missing(Exception):
    """A set is not there."""


def folder(name: str) -> Path:
    """Where a set lies."""
    if not (ROOT / name).is_dir():
        raise Missing(f"reference material {name!r} is not beside the project")
    return ROOT / name


def cases(name: str, file: str = "cases.jsonl") -> Iterator[dict[str, Any]]:
    """The cases of a set, one JSON object on a line, packed or not."""
    path = folder(name) / file
    data = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(f"{file}.gz").read_bytes())
    return map(json.loads, data.decode("utf-8").splitlines())


def unpacked(path: Path) -> bytes:
    """A file that may be packed."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data
