"""The command line: a thin face over Collection, the same verbs."""

from __future__ import annotations

from gossamer.cli.main import main

__all__ = ["main"]
