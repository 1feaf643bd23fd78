"""TOML: an outline of names and values, as JSON. The standard library reads it; what is no TOML stays as it is."""

from __future__ import annotations

import re
import tomllib

from gossamer import tagged
from gossamer.convert.files.page import About
from gossamer.convert.files.text.json import title_of, write_value
from gossamer.convert.files.text.plain import decoded, text_page
from gossamer.convert.source import Source
from gossamer.model import Page

_LENGTH_MOST = 1 << 20
"""Characters. Its parser is Python, and takes a microsecond for each."""

_PART = re.compile(r"[,=\n]")
_DOTS_MOST = 1_000
"""Of a name: its parser takes the square of their number."""
_TOO_DEEP = "nested too deeply to be read; it was taken for text"


def read(source: Source) -> Page:
    """What TOML says."""
    found = decoded(source)
    writer = tagged.Writer()
    value, problem = _parsed(found.text)
    if problem:
        writer.pre(found.text)
    else:
        problem = write_value(writer, value)
    about = About(title_of(value) or title_of(value.get("project") or value.get("package")))
    return text_page(source, found, writer.html(), about, problem=problem)


def _parsed(text: str) -> tuple[dict[str, object], str]:
    if len(text) > _LENGTH_MOST:
        return {}, f"more than {_LENGTH_MOST:,} characters of TOML; it was taken for text"
    if max(part.count(".") for part in _PART.split(text)) > _DOTS_MOST:
        return {}, _TOO_DEEP
    try:
        return tomllib.loads(text), ""
    except RecursionError:
        return {}, _TOO_DEEP
    except ValueError as error:
        return {}, f"not TOML: {error}"
