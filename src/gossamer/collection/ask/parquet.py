"""Pages as Parquet: columns that pandas, Polars, DuckDB and Spark read without a parser.

pyarrow, because it is the reference implementation of the format; at 50 MB it is an extra, asked for when it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO

from gossamer.collection.ask import export
from gossamer.collection.documents import Document
from gossamer.errors import UsageError

GROUP_BYTES = 64 << 20
"""Characters of a row group, which is built in memory."""
GROUP_ROWS = 10_000
_DATES = ("fetched", "published", "modified")


def write(pages: Iterable[Document], out: BinaryIO, *, links: bool = True) -> int:
    """A row for each page, with the fields of `export jsonl`."""
    arrow, parquet = _library()
    schema, count = _schema(arrow), 0
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in _groups(export.rows(pages, links=links)):
            writer.write_table(arrow.Table.from_pylist([_typed(row) for row in group], schema=schema))
            count += len(group)
    return count


def _groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    waiting = iter(rows)
    while group := list(islice(waiting, 1)):
        size = len(group[0]["text"])
        while len(group) < GROUP_ROWS and size < GROUP_BYTES and (row := next(waiting, None)) is not None:
            group.append(row)
            size += len(row["text"]) + 100 * len(row["links"])
        yield group


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    dates = {name: datetime.fromisoformat(row[name]) for name in _DATES if row[name]}
    return {**row, **dates}


def _schema(arrow: Any) -> Any:
    text, moment = arrow.string(), arrow.timestamp("ms", tz="UTC")
    link = arrow.struct([("url", text), ("anchor", text), ("rel", text), ("content", arrow.bool_())])
    types = {"status": arrow.int16(), "depth": arrow.int32(), **dict.fromkeys(_DATES, moment)}
    names = ("url", "final_url", "fetched", "status", "media_type", "digest", "title", "text", "content")
    more = ("markdown", "language", "author", "published", "modified", "depth", "copy_of", "near_copy_of")
    fields = [arrow.field(name, types.get(name, text)) for name in (*names, *more)]
    return arrow.schema([*fields, arrow.field("links", arrow.list_(link))])


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "parquet needs pyarrow, which is not installed: `pip install '.[parquet]'` where you cloned Gossamer,"
            " or `pip install pyarrow`, brings it; jsonl needs nothing"
        ) from None
    return pyarrow, parquet
