"""What stands on the pages of a PDF file: lines of characters, each with its place and size. Nothing says more."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.convert.files.mail.letter import Attached


@dataclass(frozen=True, slots=True)
class Line:
    """Characters that stand beside each other."""

    text: str
    left: float
    right: float
    base: float
    """Of its letters, from the lower edge of the page."""
    size: float
    divided: bool = False
    """Its last word goes on in the next line."""
    links: tuple[tuple[int, int, str], ...] = ()
    """From which of its characters to which, and where to."""
    follows: bool = False
    """It stands beside the line before it, as a cell or a line of another column."""


@dataclass(frozen=True, slots=True)
class PdfPage:
    """What stands on a page."""

    lines: list[Line]
    height: float
    notes: list[str]
    files: list[Attached]
    pictures: bool = False
