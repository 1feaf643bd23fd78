"""TOML: an outline of names and values, as JSON. The standard library reads it; what is no TOML stays as it is."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from gossamer.convert.files.text.json import TOO_DEEP, outlined, title_of
from gossamer.convert.source import Source
from gossamer.model import Page

_LENGTH_MOST = 1 << 20
"""Characters. Its parser is Python, and takes a microsecond for each."""

_PART = re.compile(r"[,=\n]")
_DOTS_MOST = 1_000
"""Of a name: its parser takes the square of their number."""


def read(source: Source) -> Page:
    """What TOML says."""
    return outlined(source, _parsed, _title)


def _title(value: dict[str, Any]) -> str:
    return title_of(value) or title_of(value.get("project") or value.get("package"))


def _parsed(text: str) -> tuple[dict[str, object], str]:
    if len(text) > _LENGTH_MOST:
        return {}, f"more than {_LENGTH_MOST:,} characters of TOML; it was taken for text"
    if max(part.count(".") for part in _PART.split(text)) > _DOTS_MOST:
        return {}, TOO_DEEP
    try:
        return tomllib.loads(text), ""
    except RecursionError:
        return {}, TOO_DEEP
    except ValueError as error:
        return {}, f"not TOML: {error}"
