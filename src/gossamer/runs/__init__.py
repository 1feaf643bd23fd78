"""Which keys are known, of more than fit in memory? Sorted runs in mapped files, which grow by merging."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple


class Form(NamedTuple):
    """How runs of one kind are kept."""

    name: re.Pattern[str]
    """What their files are called, also those that are not finished."""
    endings: tuple[str, ...]
    """Of the file with the keys, and of the one with the marks where each key has one."""
    block: int
    """Keys between two fences, a power of two."""
    fenced: bool
    """Whether the fences are written behind the keys, and behind them what the owner has for the run."""

    def paths(self, folder: Path, number: int) -> list[Path]:
        """The files of a run."""
        return [folder / f"{number:08}{ending}" for ending in self.endings]
