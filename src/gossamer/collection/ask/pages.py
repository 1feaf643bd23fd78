"""Pages one at a time, as dictionaries, and as a table.

What reads tables of Arrow (Polars, DuckDB, pyarrow) asks for a stream of them, whose columns have the types of `export
parquet`. Polars would guess from dictionaries, by the first hundred, where a column such as `published` may be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gossamer.collection.documents import Document


class Pages(Iterator[Document]):
    """Pages; `given` tells the fields that page functions gave, with their kinds."""

    def __init__(self, pages: Iterator[Document], given: Callable[[], Mapping[str, str]] = dict) -> None:
        self._pages = pages
        self._given = given

    def __repr__(self) -> str:
        return "<Pages: `for page in` goes through them once, `records()` gives them as dictionaries>"

    def __next__(self) -> Document:
        return next(self._pages)

    def records(self) -> Records:
        """Each page as a `dict`: rows for pandas, Polars and the like."""
        return Records(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of all, batch by batch."""
        from gossamer.collection.ask import parquet

        return parquet.stream(self, self._given()).__arrow_c_stream__(requested_schema)


class Records(Iterator[dict[str, Any]]):
    """The same as dictionaries."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def __next__(self) -> dict[str, Any]:
        return dict(next(self._pages))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of all, batch by batch."""
        return self._pages.__arrow_c_stream__(requested_schema)
