"""A function of the user's that is called with each page: its fields are kept, searched and exported."""

from __future__ import annotations

import io
import json
import sys
import textwrap
import time
import urllib.parse
from collections.abc import Iterator
from enum import IntEnum
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection.ask.selection import Part
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.page_function import ReadPage, _importable
from gossamer.errors import UsageError
from gossamer.model import Capture, SystemClock, Visit

SEED = "http://books.test/"
AT_ONCE: dict[str, Any] = {"delay": 0, "ip_delay": 0, "shards": 1, "sitemaps": "never", "workers": 1}
WORDS = "A book about the sea and those who went out on it, told by a captain who came home again."
PRICES = {"/1": "£12.50", "/2": "£30.00", "/3": "sold out"}
SCRAPER = """
def book(page):
    price = page.first(".price")
    if price is None:
        return None
    return {
        "price": float(price.removeprefix("£")), "tags": page.all("li"), "cover": page.first("img", "src"),
        "new": True, "Shelf": "Sea Stories", "none": None,
    }
"""


opened: list[gossamer.Collection] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while opened:
        opened.pop().close()


def pages(prices: dict[str, str]) -> dict[str, bytes]:
    found = {
        path: f"<title>Book {path}</title><p>{WORDS} {path}</p><b class=price>{price}</b>"
        f"<ul><li>sea<li>ship {path[1:]}</ul><img src=/c{path}.png>".encode()
        for path, price in prices.items()
    }
    return {"/": "".join(f"<a href={path}>a book</a> " for path in found).encode(), **found}


def serving(web: dict[str, bytes]) -> Outside:
    async def fetch(visit: Visit) -> Capture:
        body = web.get(visit.url.removeprefix("http://books.test"))
        status, head = (200, b"HTTP/1.1 200 OK\r\n") if body else (404, b"HTTP/1.1 404 Not Found\r\n")
        fields = (("content-type", "text/html; charset=utf-8"),)
        lines = b"content-type: text/html; charset=utf-8\r\n\r\n"
        request, body = b"GET / HTTP/1.1\r\n\r\n", body or b""
        return Capture(visit, time.time(), 0.01, status, fields, request, head + lines, body, body)

    return Outside(SystemClock(), fetch)


VALUES: dict[str, dict[str, Any]] = {
    "1": {"on": "2026-04-04", "code": "30-12-12", "price": "30 EUR", "tags": ["salt", "deep", "sea"], "size": 1},
    "2": {"on": "2026-04-22", "code": "12-30-55", "price": 30, "tags": ["salt", "deep sea"]},
    "3": {"on": "2026-13-04", "code": "12", "price": 30.5, "tags": "sea"},
}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gossamer.Collection]:
    with gossamer.open(tmp_path_factory.mktemp("values") / "web") as web:
        web.crawl(
            SEED,
            outside=serving(pages(PRICES)),
            on_page=lambda page: VALUES.get(page.url.removeprefix(SEED)),
            **AT_ONCE,
        )
        yield web


def scraper(folder: Path, text: str = SCRAPER) -> str:
    path = folder / "scraper.py"
    path.write_text(textwrap.dedent(text))
    return f"{path}:book"


def crawled(folder: Path, on_page: Any, prices: dict[str, str] | None = None, **more: Any) -> gossamer.Collection:
    web = gossamer.open(folder / "web")
    opened.append(web)
    web.crawl(SEED, outside=serving(pages(prices or PRICES)), on_page=on_page, **AT_ONCE, **more)
    return web


def test_what_a_function_gives_is_kept_searched_and_exported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    web = crawled(tmp_path, scraper(tmp_path))
    given = {"price": 12.5, "tags": ["sea", "ship 1"], "cover": "/c/1.png", "new": True, "Shelf": "Sea Stories"}
    assert web.page(f"{SEED}1").fields == given
    assert web.page(SEED).fields == {}
    assert [hit.url for hit in web.search("price:12.50")] == [f"{SEED}1"]
    assert [hit.url for hit in web.search("price:30 captain")] == [f"{SEED}2"]
    assert [hit.url for hit in web.search('tags:"ship 2"')] == [f"{SEED}2"]
    assert {hit.url for hit in web.search("shelf:stories -price:30")} == {f"{SEED}1"}
    assert {hit.url for hit in web.search("stories")} == {f"{SEED}1", f"{SEED}2"}
    assert not web.search("price:31")
    out = io.BytesIO()
    web.export("jsonl", out)
    rows = {row["url"]: row for row in map(json.loads, out.getvalue().splitlines())}
    assert rows[f"{SEED}1"]["fields"] == given
    assert "fields" not in rows[SEED]
    status = web.status()
    assert (status.fields, status.fields_failed) == (("Shelf", "cover", "new", "price", "tags"), 1)
    warned = [record.getMessage() for record in caplog.records if "scraper.py:book failed" in record.getMessage()]
    assert len(warned) == 1
    assert f"{SEED}3" in warned[0]
    assert "could not convert" in warned[0]
    assert web.page(f"{SEED}3").title == "Book /3"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("on:2026-04-04", {"1"}),
        ('on:"2026-04-04"', {"1"}),
        ('on:"2026 04"', {"1", "2"}),
        ("on:04-2026", set()),
        ("code:12-12", {"1"}),
        ("code:30-12-12", {"1"}),
        ("code:12-30-55", {"2"}),
        ("code:12-30", {"2"}),
        ("price:30", {"1", "2"}),
        ("price:30.5", {"3"}),
        ("tags:deep-sea", {"2"}),
        ("tags:salt-deep", set()),
        ("-code:12-12 captain", {"2", "3"}),
    ],
)
def test_a_value_of_a_field_is_found_by_its_words_in_their_order(
    values: gossamer.Collection, asked: str, found: set[str]
) -> None:
    assert {hit.url.removeprefix(SEED) for hit in values.search(asked)} == found


CHOSEN = ("url", "fields.code", "fields.price", "fields.tags", "fields.nowhere")


def test_one_field_by_its_name_is_told_of_pages_that_have_it(
    values: gossamer.Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(values.path), "jsonl", "--fields", ",".join(CHOSEN)]) == 0
    told = {row.pop("url"): row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert told[SEED] == {}
    assert told[f"{SEED}3"] == {"fields.code": "12", "fields.price": 30.5, "fields.tags": "sea"}
    assert main(["export", str(values.path), "jsonl", "--fields", "url,code"]) == 2
    assert "there is no field 'code'; " in (said := capsys.readouterr().err)
    assert "is written fields.NAME" in said
    assert main(["export", str(values.path), "jsonl", "--fields", "fields."]) == 2


def test_one_field_by_its_name_is_a_column_of_its_kind(values: gossamer.Collection) -> None:
    parquet, out = pytest.importorskip("pyarrow.parquet"), io.BytesIO()
    values.export("parquet", out, part=Part(fields=(*CHOSEN, "fields.size")))
    table = parquet.read_table(io.BytesIO(out.getvalue()))
    assert table.column_names == [*CHOSEN, "fields.size"]
    rows = {row.pop("url"): tuple(row.values()) for row in table.to_pylist()}
    assert rows[SEED] == (None, None, None, None, None)
    assert rows[f"{SEED}1"] == ("30-12-12", "30 EUR", "salt; deep; sea", None, 1)
    assert rows[f"{SEED}3"] == ("12", "30.5", "sea", None, None)
    assert str(table.schema.field("fields.size").type) == "int64"


def test_fields_are_columns_of_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    web = crawled(tmp_path, lambda page: {"price": len(page.url), "title": page.title, "odd": len(page.links) or "x"})
    with (tmp_path / "web.parquet").open("wb") as out:
        web.export("parquet", out)
    row, *_ = parquet.read_table(tmp_path / "web.parquet").to_pylist()
    assert row["fields"] == {"odd": "3", "price": 18, "title": ""}


def test_a_function_of_a_script_is_called_in_this_process_and_is_in_no_plan(tmp_path: Path) -> None:
    seen: list[str] = []

    def note(page: ReadPage) -> dict[str, Any]:
        seen.append(page.url)
        return {"words": len(page.text.split()), "ends": page.source[-1:]}

    web = crawled(tmp_path, note)
    assert len(seen) == 4
    assert web.page(f"{SEED}1").fields["ends"] == ">"
    assert web.plan.on_page == ""


def test_a_file_is_kept_in_the_plan_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = scraper(tmp_path)
    monkeypatch.chdir(tmp_path)
    web = crawled(tmp_path, "scraper:book")
    assert web.plan.on_page == name
    assert web.change(on_page="").on_page == ""
    assert web.change(on_page="scraper.py:book").on_page == name


def test_fields_are_replaced_by_a_revisit_and_made_again_by_a_build(tmp_path: Path) -> None:
    name = scraper(tmp_path)
    web = crawled(tmp_path, name)
    outside = serving(pages({**PRICES, "/1": "£99"}))
    web.crawl(outside=outside, revisit=True)
    assert web.page(f"{SEED}1").fields["price"] == 99
    assert [hit.url for hit in web.search("price:99")] == [f"{SEED}1"]
    assert not web.search("price:12.5")
    other = tmp_path / "other.py"
    other.write_text("def book(page):\n    return {'size': len(page.body)}\n")
    web.change(on_page=f"{other}:book")
    web.build(convert=True)
    assert set(web.page(f"{SEED}2").fields) == {"size"}
    assert not web.search("price:99")


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        ("[1]", "give a dict"),
        ("{'a b': 1}", "'a b' is no name of a field"),
        ("{'a': {1}}", "a is {1}"),
        ("{'a': float('nan')}", "a is nan"),
        ("{'a': [1]}", "a has 1"),
        ("{'a': 'x' * 200_000}", "200,000 characters"),
        ("__import__('sys').exit(3)", "SystemExit"),
        ("(_ for _ in ()).throw(__import__('asyncio').CancelledError())", "CancelledError"),
        ("(_ for _ in ()).throw(type('Mine', (BaseException,), {}))", "Mine"),
    ],
)
def test_nonsense_costs_the_fields_of_a_page_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, gives: str, words: str
) -> None:
    web = crawled(tmp_path, scraper(tmp_path, f"def book(page):\n    return {gives}\n"))
    assert words in caplog.text
    assert (web.status().pages, web.status().fields_failed) == (4, 4)


def test_numbers_and_texts_of_other_libraries_are_kept_as_what_they_are(tmp_path: Path) -> None:
    class Price(float):
        """As numpy.float64 is one."""

    class Name(str):
        pass

    class Shelf(IntEnum):
        UPPER = 2

    given = {
        "price": Price(12.5),
        "half": Fraction(1, 2),
        "shelf": Shelf.UPPER,
        "name": Name("Ada"),
        "tags": [Name("sea")],
    }
    web = crawled(tmp_path, lambda page: given)
    assert web.page(f"{SEED}1").fields == {"price": 12.5, "half": 0.5, "shelf": 2, "name": "Ada", "tags": ["sea"]}
    assert (web.status().fields_failed, web.status().unread) == (0, 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("book", "names no function"),
        ("nowhere.module:book", "cannot be loaded"),
        ("json:nothing", "no function nothing"),
        ("asyncio:open_connection", "async function"),
    ],
)
def test_a_name_that_is_no_function_is_refused_before_anything_is_made(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        crawled(tmp_path, name)
    assert not (tmp_path / "web").exists()


def test_a_crawl_of_several_shards_imports_it_in_each(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="module of its own"):
        gossamer.open(tmp_path / "web").crawl(SEED, on_page=lambda page: None, shards=2)


def test_the_plan_of_somebody_else_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    web = crawled(tmp_path, scraper(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody"))
    with pytest.raises(UsageError, match="on_page"):
        web.crawl(outside=serving(pages(PRICES)), revisit=True)
    web.build(convert=True)
    assert "is not called" in caplog.text
    assert web.page(f"{SEED}1").fields == {}


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (json.dumps, f"{json.__file__}:dumps"),
        (textwrap.TextWrapper.fill, ""),
        (urllib.parse.quote, "urllib.parse:quote"),
        (lambda page: None, ""),
        (wraps(json.dumps)(lambda page: None), ""),
        (len, "builtins:len"),
    ],
)
def test_a_function_is_known_to_other_processes_by_a_name_that_leads_to_it(function: Any, named: str) -> None:
    assert _importable(function) == named


def test_a_function_of_the_program_itself_has_no_name_that_others_could_import(monkeypatch: pytest.MonkeyPatch) -> None:
    def book(page: ReadPage) -> None:
        return None

    monkeypatch.setattr(book, "__module__", "__main__")
    monkeypatch.setattr(book, "__qualname__", "book")
    monkeypatch.setattr(sys.modules["__main__"], "book", book, raising=False)
    assert _importable(book) == ""
