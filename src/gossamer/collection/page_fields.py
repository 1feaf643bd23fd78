"""Which fields have the pages, and how often did the function that gives them fail? One row in the table of each shard.

The names are known here, so that a search knows which words before a colon are fields, and an export its columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from gossamer.frontier.entries import META
from gossamer.model import Capture, FieldValue, Page
from gossamer.rows import Natural, decoder
from gossamer.store.table.table import Table

KEY = b"fields"
DOCNO = "docno"
TEXT, WHOLE, NUMBER, BOOLEAN, TEXTS = "text", "whole", "number", "boolean", "texts"
"""What the values of a field are; a field whose values differ is a text, unless all are numbers."""


class FieldsRow(msgspec.Struct, array_like=True, frozen=True):
    """What the pages of a shard have brought so far."""

    kinds: dict[str, str] = {}
    """By the names of the fields."""
    failed: Natural = 0
    """Pages that the function failed for."""


fields_row = decoder(FieldsRow)


def stored(table: Table) -> FieldsRow:
    """What a shard has, as of the last commit."""
    data = table.get(META, KEY)
    return fields_row(data) if data else FieldsRow()


def put(table: Table, row: FieldsRow) -> None:
    """Part of the next commit."""
    table.put(META, KEY, msgspec.msgpack.encode(row))


class DocumentNumbers:
    """What a collection of TREC calls a document is a field of its page: it is found by `docno:`, and exported."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __call__(self, capture: Capture, page: Page) -> Page:
        """The page with it."""
        number = capture.provenance.docno if capture.provenance else ""
        if not number or page.unread or any(name == DOCNO for name, _ in page.fields):
            return page
        row = stored(self._table)
        if DOCNO not in row.kinds:
            put(self._table, FieldsRow({**row.kinds, DOCNO: TEXT}, row.failed))
        return replace(page, fields=(*page.fields, (DOCNO, number)))


def kind_of(value: FieldValue) -> str:
    """What a value is."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, tuple):
        return TEXTS
    return WHOLE if isinstance(value, int) else NUMBER if isinstance(value, float) else TEXT


def joined(kind: str, other: str | None) -> str:
    """What a field is that has values of both kinds."""
    if other is None or kind == other:
        return kind
    return NUMBER if {kind, other} == {WHOLE, NUMBER} else TEXT


def of_all(tables: Iterable[Table]) -> FieldsRow:
    """All shards together."""
    kinds: dict[str, str] = {}
    failed = 0
    for row in map(stored, tables):
        failed += row.failed
        for name, kind in row.kinds.items():
            kinds[name] = joined(kind, kinds.get(name))
    return FieldsRow(dict(sorted(kinds.items())), failed)
