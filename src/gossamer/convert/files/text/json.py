"""JSON: an outline of names and values, as nested lists. JSON Lines are read as a list of their lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from gossamer import tagged
from gossamer.convert.files.page import About
from gossamer.convert.files.text.plain import decoded, text_page
from gossamer.convert.source import Source
from gossamer.model import Page

_VALUES_MOST = 200_000
_DEPTH_MOST = 20
"""Of lists in lists; what lies deeper stands at this depth."""
_TITLES = ("title", "name", "headline")
TOO_DEEP = "nested too deeply to be read; it was taken for text"
_TOO_MANY = f"more than {_VALUES_MOST:,} values; the rest was not read"

Value: TypeAlias = Any
"""What JSON may hold. Whoever reads it asks for its type anyway."""


def read(source: Source) -> Page:
    """What JSON says."""
    return outlined(source, parsed, title_of)


def outlined(source: Source, parse: Callable[[str], tuple[Value, str]], titled: Callable[[Value], str]) -> Page:
    """The outline of what is parsed; the text as it is where it cannot be, and why."""
    found = decoded(source)
    writer = tagged.Writer()
    value, problem = parse(found.text)
    if problem:
        writer.pre(found.text)
    else:
        problem = write_value(writer, value)
    return text_page(source, found, writer.html(), About(titled(value)), problem=problem)


def parsed(text: str) -> tuple[Value, str]:
    """A value, or why there is none."""
    try:
        return json.loads(text), ""
    except RecursionError:
        return None, TOO_DEEP
    except ValueError as error:
        problem = f"not JSON: {error}"
    try:
        lines = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (RecursionError, ValueError):
        return None, problem
    return (lines, "") if lines else (None, problem)


def title_of(value: Value) -> str:
    """What a value calls itself."""
    said = (value.get(name) for name in _TITLES) if isinstance(value, dict) else ()
    return next((each for each in said if isinstance(each, str)), "")


def write_value(writer: tagged.Writer, value: Value) -> str:
    """Write a value as an outline. Gives what was left out, or nothing."""
    if not isinstance(value, dict | list):
        writer.paragraph(tagged.words(_scalar(value)))
        return ""
    for number, (depth, line) in enumerate(_lines(value)):
        if number >= _VALUES_MOST:
            return _TOO_MANY
        writer.item(line, depth)
    return ""


def _lines(value: Value) -> Iterator[tuple[int, str]]:
    """Depth and text of each item. No function calls itself here, because the nesting is the document's."""
    open_values = [_members(value)]
    while open_values:
        member = next(open_values[-1], None)
        if member is None:
            open_values.pop()
            continue
        name, inner = member
        depth = min(len(open_values), _DEPTH_MOST) - 1
        if isinstance(inner, dict | list):
            yield depth, tagged.words(name)
            open_values.append(_members(inner))
        else:
            said = tagged.words(_scalar(inner))
            yield depth, f"{tagged.words(name)}: {said}" if name else said


def _members(value: Value) -> Iterator[tuple[str, Value]]:
    """Names and values. What has members of its own and no name gets a number."""
    if isinstance(value, dict):
        return iter(value.items())
    return ((str(number) if isinstance(each, dict | list) else "", each) for number, each in enumerate(value, 1))


def _scalar(value: Value) -> str:
    """As JSON writes it; dates, which only TOML has, as everybody does."""
    return json.dumps(value) if isinstance(value, bool | int | float | None) else str(value)
