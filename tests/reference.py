"""Where the reference material lies. It is not part of the project; tests without it skip and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1].parent / "shared" / "reference"


def reference(name: str) -> Path:
    """The folder of one reference set, or a skip that names what is missing."""
    folder = ROOT / name
    if not folder.is_dir():
        pytest.skip(f"reference material {name!r} is not beside the project")
    return folder
