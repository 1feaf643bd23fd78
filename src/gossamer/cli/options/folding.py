"""How is help laid out on a terminal? Lines end where it ends, and at 79 columns where it is wider."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Any

_WIDEST = 79
_LEAST = 30
"""Columns. A terminal that says that it has fewer is not believed."""
_ROW = re.compile(r" +\S.*? {2,}(?=\S)")
"""What stands before the second column of a table."""


def width() -> int:
    """Columns that a line of help may have."""
    return max(min(shutil.get_terminal_size().columns - 1, _WIDEST), _LEAST)


def folded(text: str, columns: int) -> str:
    """Prose is filled anew and a row of a table goes on below its second column. Titles and commands, which are to be
    copied, stay as they are."""
    return "\n".join(_blocks(text, columns))


def _blocks(text: str, columns: int) -> Iterator[str]:
    for is_prose, lines in groupby(text.splitlines(), _is_prose):
        if is_prose:
            yield textwrap.fill(" ".join(lines), columns, break_on_hyphens=False)
        else:
            yield from (_row(line, columns) for line in lines)


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith(" ") and not line.endswith(":")


def _row(line: str, columns: int) -> str:
    first = _ROW.match(line)
    if first is None or line.startswith("  gossamer "):
        return line
    return textwrap.fill(
        line[first.end() :],
        columns,
        initial_indent=first[0],
        subsequent_indent=" " * first.end(),
        break_on_hyphens=False,
        break_long_words=False,
    )


class Folded(argparse.HelpFormatter):
    """Lays out all of a help."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, **{**more, "width": width()})

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.indent(folded(text, width - len(indent)), indent)
