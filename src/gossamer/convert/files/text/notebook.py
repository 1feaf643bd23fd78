"""Jupyter notebooks: their Markdown as text, their programs as code, and what the programs printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.text import markdown
from gossamer.convert.files.text.json import Value, parsed
from gossamer.convert.files.text.plain import decoded
from gossamer.convert.source import Source
from gossamer.model import Page

_CELLS_MOST = 10_000
_OUTPUT_MOST = 100_000
"""Characters of one output."""


def read(source: Source) -> Page:
    """What a notebook says."""
    found = decoded(source)
    notebook, problem = parsed(found.text)
    writer, pointers = tagged.Writer(), Pointers(source.url)
    wrong = [_write(writer, cell, pointers) for cell in _cells(notebook)]
    if problem:
        writer.pre(found.text)
    html = writer.html()
    about = titled(_about(notebook), html)
    return replace(
        page_of(source, html, about, pointers, found.problem or problem or next(filter(None, wrong), "")),
        encoding=found.encoding,
        declared=found.declared,
    )


def _cells(notebook: Value) -> list[Value]:
    """Those of the third format of notebooks stand in worksheets."""
    if not isinstance(notebook, dict):
        return []
    sheets = _listed(notebook, "worksheets")
    cells = _listed(notebook, "cells") + [cell for sheet in sheets for cell in _listed(sheet, "cells")]
    return [cell for cell in cells if isinstance(cell, dict)][:_CELLS_MOST]


def _write(writer: tagged.Writer, cell: Value, pointers: Pointers) -> str:
    """Write a cell. Gives what was wrong with it."""
    problem = ""
    text = _text(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "markdown":
            problem = markdown.write_markdown(writer, text, pointers)
        case "heading":
            writer.heading(cell["level"] if isinstance(cell.get("level"), int) else 1, tagged.words(text))
        case _:
            writer.pre(text)
    for output in _listed(cell, "outputs"):
        for printed in _printed(output):
            writer.pre(printed[:_OUTPUT_MOST])
    return problem


def _printed(output: Value) -> Iterator[str]:
    """Text alone: pictures and widgets come with a text that says what they are, which is no use."""
    if not isinstance(output, dict):
        return
    data = output.get("data")
    if isinstance(data, dict) and any(kind.startswith("image/") for kind in data):
        return
    yield _text(output.get("text"))
    if isinstance(data, dict):
        yield _text(data.get("text/plain"))


def _about(notebook: Value) -> About:
    said = notebook.get("metadata") if isinstance(notebook, dict) else None
    if not isinstance(said, dict):
        return About()
    authors = (each.get("name") if isinstance(each, dict) else each for each in _listed(said, "authors"))
    return About(_text(said.get("title")), ", ".join(each for each in authors if isinstance(each, str)))


def _listed(value: Value, name: str) -> list[Value]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _text(value: Value) -> str:
    """A text, or its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
