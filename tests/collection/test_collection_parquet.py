"""Pages as Parquet: what the columns hold, row by row."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from made_shard import BEGAN, A, B, C, came, said

from gossamer.collection.ask import export, parquet
from gossamer.collection.ask.exporting import Pages
from gossamer.collection.documents import Document
from gossamer.collection.page_fields import TEXTS, WHOLE
from gossamer.errors import UsageError
from gossamer.frontier.entries import Entry, State
from gossamer.model import Kind, Link
from gossamer.store.versions import Version


def document(url: str, entry: Entry | None = None, **more: object) -> Document:
    version = Version(BEGAN, 200, Kind.PAGE, "text/html", None, "sha1:X", 8, "Hello", "f", 0, 9, "uuid")
    return Document(url, entry, version, came(url), said(url, **more))


def test_every_page_is_a_row_with_its_dates_as_dates() -> None:
    theirs = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    pages = [
        document(A, Entry(State.DONE, 3, BEGAN), links=(Link(B, "over there"),), published=BEGAN - 86_400),
        document(B),
        document(C),
    ]
    assert parquet.write(pages, out) == 3
    table = theirs.read_table(io.BytesIO(out.getvalue()))
    assert table.column("url").to_pylist() == [A, B, C]
    assert table.column("depth").to_pylist() == [3, None, None]
    moment = datetime.fromtimestamp(BEGAN, UTC)
    assert table.column("fetched").to_pylist() == [moment] * 3
    assert table.column("published").to_pylist() == [datetime.fromtimestamp(BEGAN - 86_400, UTC), None, None]
    assert table.column("links").to_pylist()[0] == [{"url": B, "anchor": "over there", "rel": "", "content": True}]


def test_what_a_row_has_a_page_has_under_the_same_name() -> None:
    page = document(A, Entry(State.DONE, 3, BEGAN), author="Ann", published=BEGAN - 86_400, links=(Link(B, "b"),))
    row = dict(page)
    assert row["published"] == datetime.fromtimestamp(BEGAN - 86_400, UTC)
    assert row.pop("links") == [{"url": link.url, "anchor": "b", "rel": "", "content": True} for link in page.links]
    assert {name: getattr(page, name) for name in row} == row
    assert document(A, published=1e20).published is None


def test_only_the_columns_that_are_named() -> None:
    theirs = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    assert parquet.write([document(A, published=BEGAN)], out, names=("title", "published", "fields")) == 1
    table = theirs.read_table(io.BytesIO(out.getvalue()))
    assert table.column_names == ["title", "published", "fields"]
    assert table.column("published").to_pylist() == [datetime.fromtimestamp(BEGAN, UTC)]


def test_fields_that_no_page_has_are_a_column_of_nothing() -> None:
    theirs = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    assert parquet.write([document(A), document(B)], out, names=("fields",)) == 2
    assert theirs.read_table(io.BytesIO(out.getvalue())).to_pydict() == {"fields": [None, None]}


@pytest.mark.parametrize(("batch", "group", "groups"), [(1, 1, 5), (1 << 20, 1, 1), (1, 1_000, 2), (1, 1 << 20, 1)])
def test_no_more_pages_are_in_memory_than_a_row_group_has(
    monkeypatch: pytest.MonkeyPatch, batch: int, group: int, groups: int
) -> None:
    theirs = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet, "BATCH_BYTES", batch)
    monkeypatch.setattr(parquet, "GROUP_BYTES", group)
    out = io.BytesIO()
    urls = [f"{A}{number}" for number in range(5)]
    assert parquet.write([document(url, links=(Link(B, "x" * 100),)) for url in urls], out) == 5
    file = theirs.ParquetFile(io.BytesIO(out.getvalue()))
    assert file.read().column("url").to_pylist() == urls
    assert file.num_row_groups == groups


def test_no_page_is_no_row() -> None:
    theirs = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    assert parquet.write([], out) == 0
    assert theirs.read_table(io.BytesIO(out.getvalue())).num_rows == 0


GUIDE = "<h1>Keys</h1>\n<p>A key opens a lock. It is small.</p>\n<h2>Prices</h2>\n<p>Two each.</p>"


def test_passages_are_lines_or_rows_with_the_path_of_headings() -> None:
    pages = [document(A, html=GUIDE), document(B, html=GUIDE), document(C, html="")]
    pages[1] = replace(pages[1], version=msgspec.structs.replace(pages[1].version, copy_of=A))
    out = io.BytesIO()
    assert export.passages(pages, out, 5) == 3
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["url"], line["number"], line["headings"], line["text"], line["words"]) for line in lines] == [
        (A, 0, ["Keys"], "Keys\nA key opens a lock.", 6),
        (A, 1, ["Keys"], "It is small.", 3),
        (A, 2, ["Keys", "Prices"], "Prices\nTwo each.", 3),
    ]
    assert lines[1]["address"] == f"{A}#:~:text=It%20is%20small."
    theirs = pytest.importorskip("pyarrow.parquet")
    columns = io.BytesIO()
    assert parquet.write_passages(pages, columns, 5) == 3
    assert theirs.read_table(io.BytesIO(columns.getvalue())).to_pylist() == lines


LAST = {"author": "Ann", "published": BEGAN, "links": (Link(B, "b"),), "fields": (("price", 7), ("tags", ("x", "y")))}


def late(kinds: dict[str, str] = {}) -> Pages:  # noqa: B006 - it is not changed
    """Pages of which only the last, after hundreds, has what most others lack."""
    pages = [document(f"https://a.example/{number}", **(LAST if number == 250 else {})) for number in range(251)]
    return Pages(iter(pages), lambda: kinds)


@pytest.mark.parametrize("rows", [Pages.records, iter], ids=["records", "pages"])
def test_polars_takes_pages_of_which_only_the_last_have_an_author_and_a_date(rows: Callable[[Pages], object]) -> None:
    """By itself it looks at the first hundred rows alone."""
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.DataFrame(rows(late({"price": WHOLE, "tags": TEXTS})))
    assert frame["author"].to_list() == [None] * 250 + ["Ann"]
    assert frame["published"].to_list()[-2:] == [None, datetime.fromtimestamp(BEGAN, UTC)]
    assert frame["links"].to_list()[-2:] == [[], [{"url": B, "anchor": "b", "rel": "", "content": True}]]
    assert frame["fields"].to_list()[-1] == {"price": 7, "tags": ["x", "y"]}


@pytest.mark.parametrize("rows", [Pages.records, list, iter])
def test_pandas_takes_the_same_rows_as_dictionaries(rows: Callable[[Pages], Any]) -> None:
    """Pages without `records()` too: it made columns of names and values of them, and said nothing."""
    pandas = pytest.importorskip("pandas", minversion="3")
    frame = pandas.DataFrame(rows(late()))
    assert frame["published"].to_list()[-1] == datetime.fromtimestamp(BEGAN, UTC)
    assert frame["fields"].to_list()[-1] == {"price": 7, "tags": ["x", "y"]}


def test_duckdb_asks_pages_themselves() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    with duckdb.connect() as base:
        base.register("pages", late())
        found = base.sql("SELECT count(*), max(author) FROM pages").fetchall()
    assert found == [(251, "Ann")]


def test_without_pyarrow_a_table_of_pages_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="pip install pyarrow"):
        polars.DataFrame(late().records())
