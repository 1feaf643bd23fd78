"""Broken links in the browser and as a file: each with its reason and the pages that link to it."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_site import SITE, client, heron, words
from starlette.testclient import TestClient

import gossamer
from gossamer.collection.ask import remembered
from gossamer.collection.ask.broken import Broken, Source
from gossamer.collection.ask.broken_table import BrokenTable
from gossamer.collection.ask.remembered import Remembered
from gossamer.web import broken_page
from gossamer.web.broken_page import Found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return heron(tmp_path_factory.mktemp("broken") / "web")


@pytest.fixture(scope="module")
def asking(folder: Path) -> Iterator[TestClient]:
    with client(folder) as asking:
        yield asking


def seen(asking: TestClient, code: int = 200, **given: str) -> str:
    answer = asking.get("/broken", params=given)
    assert answer.status_code == code
    return words(answer.text)


def test_every_broken_address_has_its_reason_and_who_links_there(asking: TestClient) -> None:
    found = seen(asking)
    assert "3 broken addresses, 4 links to them" in found
    assert (
        "https://example.org/diary.html http 404 Not Found https://example.org/ calls it “the diary of a release”"
        in found
    )
    assert "https://example.org/about calls it “more” by way of https://example.org/moved" in found


def test_a_site_and_a_reason_choose(asking: TestClient) -> None:
    assert "3 broken addresses" in seen(asking, site="example.org", reason="http 404")
    assert "Nothing like that is broken" in seen(asking, site="example.net")
    assert "Nothing like that is broken" in seen(asking, reason="http 500")
    assert "neither a site nor a host" in seen(asking, 400, site="\0 x")


def test_they_are_turned_like_pages(asking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken_page, "ROWS", 2)
    assert "diary.html" in seen(asking)
    second = seen(asking, page="2")
    assert "page 2 of 2" in second
    assert "missing" in second
    assert "diary.html" not in second
    assert "There are no more" in seen(asking, page="3")
    assert "diary.html" in seen(asking, page="\0")


def test_to_turn_a_page_looks_at_nothing_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken_page, "ROWS", 1)
    monkeypatch.setattr(broken_page, "SOURCES", 1)
    walks, found = [], gossamer.Collection.broken

    def walked(self: gossamer.Collection, **asked: Any) -> Iterator[Broken]:
        walks.append(asked)
        return found(self, **asked)

    monkeypatch.setattr(gossamer.Collection, "broken", walked)
    with client(folder) as asking:
        shown = [seen(asking, page=str(page)) for page in (1, 2, 3, 1)]
        assert ["diary.html" in each for each in shown] == [True, False, False, True]
        assert "and 1 more link; its own page" in shown[2]
        assert len(walks) == 1
        seen(asking, site="example.org")
        assert len(walks) == 2


def test_what_is_due_already_is_left_to_the_next_crawl(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"https://example.org/a": time.time() - 90.0, "https://example.org/b": time.time() + 3_630.0}
    rows = [Broken(url, "connect", 0, again, False, ()) for url, again in times.items()]
    monkeypatch.setattr(gossamer.Collection, "broken", lambda self, **asked: iter(rows))
    with client(folder) as asking:
        found = seen(asking)
    assert "2 broken addresses, 0 links to them; 2 so far only, to be tried again" in found
    assert "connect to be tried again by the next crawl" in found
    assert "connect to be tried again in 1 hour" in found


def test_what_is_remembered_is_bounded_and_gets_old(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, finds = Remembered[Found](), list[str]()

    def get(site: str, state: str = "here:one") -> None:
        def find() -> Found:
            finds.append(site)
            return Found()

        kept.get((site, ""), state, find)

    monkeypatch.setattr(remembered, "PATIENCE", -1)
    for _ in range(2):
        get("a")
    assert finds == ["a"]
    monkeypatch.setattr(remembered, "PATIENCE", 10**9)
    get("b")
    get("b", "here:two")
    assert finds == ["a", "b"], "it is young beside the time that it took"
    get("a", "here:two")
    assert finds == ["a", "b", "a"], "somebody has committed since"
    for site in "cdef":
        get(site)
    get("a", "here:two")
    assert finds[-1] == "a", "it was the oldest, and is forgotten"


def test_of_very_many_the_first_can_be_turned_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken_page, "ROWS", 1)
    monkeypatch.setattr(broken_page, "ROWS_MOST", 2)
    with client(folder) as asking:
        assert "3 broken addresses" in seen(asking, page="2")
        assert "the CSV file has them all" in seen(asking, page="3")


def test_the_table_is_that_of_the_command_line(
    asking: TestClient, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from gossamer.cli.main import main

    assert main(["broken", str(folder), "--csv"]) == 0
    answer = asking.get("/broken.csv")
    assert answer.text == capsys.readouterr().out
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="broken.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["url"] for row in rows} == {f"{SITE}/diary.html", f"{SITE}/guide/triggers", f"{SITE}/missing"}
    assert asking.get("/broken.csv", params={"site": "example.net"}).text.count("\n") == 1
    assert asking.get("/broken.csv", params={"site": "///"}).status_code == 400


def test_a_spreadsheet_calculates_nothing_that_a_stranger_wrote() -> None:
    out = io.StringIO()
    formulas = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "plain")
    BrokenTable(out).add(
        Broken("http://a.example/", "-x", 0, None, False, tuple(Source("http://b.example/", each) for each in formulas))
    )
    rows = list(csv.reader(io.StringIO(out.getvalue())))[1:]
    assert [row[5] for row in rows] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\\t=1", "'\\r=1", "plain"]
    assert rows[0][1] == "'-x"


def test_a_collection_in_which_nothing_is_broken_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: gossamer.Collection, **_: Any) -> Iterator[Broken]:
        return iter(())

    monkeypatch.setattr(gossamer.Collection, "broken", none)
    with client(tmp_path) as asking:
        assert "Every address that was asked for has answered." in seen(asking)


def test_what_takes_too_long_is_said_and_one_looks_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    going, done = Event(), Event()

    def endless(self: gossamer.Collection, **_: Any) -> Iterator[Broken]:
        going.set()
        done.wait(60)
        return iter(())

    monkeypatch.setattr(gossamer.Collection, "broken", endless)
    with client(folder) as asking:
        with monkeypatch.context() as hurried:
            hurried.setattr(broken_page, "LIMIT", 0.2)
            assert "the answer takes longer than 0.2 s" in seen(asking, 503)
        assert going.wait(60)
        monkeypatch.setattr(broken_page, "LIMIT", 60.0)
        for path in ("/broken", "/broken.csv", "/api/v1/broken"):
            answer = asking.get(path)
            assert answer.status_code == 503
            assert "another question that looks at every address is not answered yet" in answer.text
            assert answer.headers["retry-after"]
        assert asking.get("/page", params={"url": f"{SITE}/"}).status_code == 200
        done.set()
