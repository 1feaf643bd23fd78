"""Pages as Parquet: columns that pandas, Polars, DuckDB and Spark read without a parser.

pyarrow, because it is the reference implementation of the format; at 50 MB it is an extra, asked for when it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from gossamer.collection.ask import export
from gossamer.collection.documents import DATES, FIELDS, GIVEN, ONE_GIVEN, Document
from gossamer.collection.page_fields import BOOLEAN, NUMBER, TEXT, TEXTS, WHOLE
from gossamer.errors import UsageError

GROUP_BYTES = 32 << 20
"""Bytes of a row group, which is built in memory."""
BATCH_BYTES = 2 << 20
"""Characters of pages that are held as Python has them, which takes several times as much."""
PASSAGES_HELD = 5_000
"""Passages of a row group."""
LINK_BYTES = 200
"""What a link counts as."""


def write(
    pages: Iterable[Document],
    out: BinaryIO,
    *,
    links: bool = True,
    names: Sequence[str] = (),
    fields: Mapping[str, str] | None = None,
) -> int:
    """A row for each page, with the fields of `export jsonl` or those that are named; `fields` are what page functions
    gave, with their kinds: see `page_fields`."""
    arrow, parquet = _library()
    fields = fields or {}
    schema, count = _schema(arrow, names or _all_names(fields), fields), 0
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in _groups(_batches(arrow, schema, export.rows(pages, links=links, names=names), fields)):
            writer.write_table(arrow.Table.from_batches(group, schema))
            count += sum(batch.num_rows for batch in group)
    return count


def stream(pages: Iterable[Document], fields: Mapping[str, str]) -> Any:
    """The same as a stream of Arrow, which is read while pages are."""
    arrow, _ = _library()
    schema = _schema(arrow, _all_names(fields), fields)
    return arrow.RecordBatchReader.from_batches(schema, _batches(arrow, schema, export.rows(pages), fields))


def write_passages(pages: Iterable[Document], out: BinaryIO, words: int) -> int:
    """A row for each passage of each page, with the fields of `export passages`."""
    arrow, parquet = _library()
    text = arrow.string()
    types = {"headings": arrow.list_(text), "number": arrow.int32(), "words": arrow.int32()}
    names = ("url", "address", "title", "headings", "number", "words", "text", "language", "kind", "fetched")
    schema = arrow.schema([(name, types.get(name, text)) for name in names])
    count = 0
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        rows = export.passage_rows(pages, words)
        while held := list(islice(rows, PASSAGES_HELD)):
            writer.write_batch(arrow.RecordBatch.from_pylist(held, schema=schema))
            count += len(held)
    return count


def _all_names(fields: Mapping[str, str]) -> Sequence[str]:
    return (*FIELDS, *([GIVEN] if fields else []))


def _groups(batches: Iterable[Any]) -> Iterator[list[Any]]:
    group: list[Any] = []
    for batch in batches:
        group.append(batch)
        if sum(each.nbytes for each in group) >= GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


def _batches(arrow: Any, schema: Any, rows: Iterable[dict[str, Any]], fields: Mapping[str, str]) -> Iterator[Any]:
    held: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        held.append(_typed(row, fields))
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        size += LINK_BYTES * len(row.get("links", ()))
        if size >= BATCH_BYTES:
            yield arrow.RecordBatch.from_pylist(held, schema=schema)
            held, size = [], 0
    if held:
        yield arrow.RecordBatch.from_pylist(held, schema=schema)


def _typed(row: dict[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    dates = {name: datetime.fromisoformat(row[name]) for name in DATES if row.get(name)}
    given = {name: _as_kind(value, fields.get(name, TEXT)) for name, value in row.get(GIVEN, {}).items()}
    own = {
        name: _as_kind(value, fields.get(name.removeprefix(ONE_GIVEN), TEXT))
        for name, value in row.items()
        if name.startswith(ONE_GIVEN)
    }
    return {**row, **dates, **own, GIVEN: given if fields else None}


def _as_kind(value: Any, kind: str) -> Any:
    """Where the values of a field differ in kind, all are texts."""
    if kind != TEXT or isinstance(value, str):
        return value
    return "; ".join(value) if isinstance(value, list) else str(value)


def _schema(arrow: Any, names: Iterable[str], given: Mapping[str, str]) -> Any:
    text, moment = arrow.string(), arrow.timestamp("ms", tz="UTC")
    link = arrow.struct([("url", text), ("anchor", text), ("rel", text), ("content", arrow.bool_())])
    types = {
        "status": arrow.int16(),
        "depth": arrow.int32(),
        "links": arrow.list_(link),
        **dict.fromkeys(DATES, moment),
    }
    kinds = {BOOLEAN: arrow.bool_(), WHOLE: arrow.int64(), NUMBER: arrow.float64(), TEXTS: arrow.list_(text)}
    columns = [arrow.field(name, kinds.get(kind, text)) for name, kind in given.items()]
    types |= {f"{ONE_GIVEN}{each.name}": each.type for each in columns}
    types[GIVEN] = arrow.struct(columns) if columns else arrow.null()  # a struct of nothing cannot be written
    return arrow.schema([arrow.field(name, types.get(name, text)) for name in names])


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "a table of pages needs pyarrow, which is not here: `pip install '.[parquet]'` where you cloned Gossamer,"
            " or `pip install pyarrow`, brings it; jsonl needs nothing"
        ) from None
    return pyarrow, parquet
