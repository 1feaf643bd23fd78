"""How all tests run: property tests draw the same examples every time, and neither a busy machine nor a full disk
decides whether they pass.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from gossamer.store import disk

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


@pytest.fixture(autouse=True, scope="session")
def _plenty_of_room() -> None:
    """A crawl waits while the disk is nearly full, and this machine's may be. Processes are given a plan for that."""
    disk.room = lambda folder: disk.Room(1 << 40, 1 << 40)
