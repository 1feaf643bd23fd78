"""Is there nothing left to do? A crawl that ends with nothing queued writes down how its files look.

As long as they look the same, nobody has crawled, imported, removed, repaired, damaged or edited anything since, and
the next crawl would find nothing either. It can then say so without its readers, its index and its graph, and without
loading what crawls. Anything else is a crawl like any other.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gossamer import files
from gossamer.collection.lock import FILE as LOCK
from gossamer.errors import GossamerError
from gossamer.files.stamps import stamp
from gossamer.version import VERSION

FILE = "rest"
_BUT = (LOCK, FILE, f"{FILE}{files.PARTIAL}")


def note(folder: Path) -> None:
    """Nothing is left to do. Where that cannot be written down, the next crawl looks for itself."""
    with suppress(OSError, GossamerError):
        files.replace(folder / FILE, _look(folder))


def forget(folder: Path) -> None:
    """Something is being done."""
    with suppress(OSError, GossamerError):
        files.remove(folder / FILE)


def holds(folder: Path) -> bool:
    """Is all as it was when nothing was left to do?"""
    with suppress(OSError, GossamerError):
        return files.read(folder / FILE) == _look(folder)
    return False


def _look(folder: Path) -> bytes:
    return f"{VERSION} {os.uname().nodename} {stamp(folder, _BUT)}\n".encode()
