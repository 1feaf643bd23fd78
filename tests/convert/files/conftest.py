"""What tests of files need: most read them in the cell, as everybody does; some must change what is read with."""

from __future__ import annotations

import sys

import pytest

from gossamer.convert.document import read_here
from gossamer.convert.source import Source
from gossamer.model import Page


class Here:
    """In the place of a cell."""

    def now(self, source: Source) -> Page:
        return read_here(source)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read where a test can reach their readers."""
    monkeypatch.setattr(sys.modules["gossamer.convert.document"], "common", Here)
