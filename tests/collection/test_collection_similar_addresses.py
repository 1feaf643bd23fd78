"""Who asks for an address that is not there is told which may be meant."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.collection.ask.similar_addresses import near, question
from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.store.table.table import Table

SITE = "https://a.test"


def found(folder: Path, there: list[str], asked: str) -> list[str]:
    """What is proposed for an address where these are."""
    with Table.open(folder, FAMILIES, writable=True) as table:
        ledger = Ledger(table)
        for url in there:
            ledger.put(url, Entry(State.DONE, 0, 0.0), None)
        readers: Any = SimpleNamespace(of=lambda url: SimpleNamespace(table=table))
        return near(readers, asked)


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        (f"{SITE}/x", "http://a.test/x"),
        ("http://a.test/x", f"{SITE}/x"),
        ("https://www.a.test/x", f"{SITE}/x"),
        (f"{SITE}/x", "https://www.a.test/x"),
        (f"{SITE}/x/", f"{SITE}/x"),
        (f"{SITE}/x", f"{SITE}/x/"),
        (f"{SITE}/x", f"{SITE}/x?a=1"),
        (f"{SITE}/x?a=1", "http://www.a.test/x/?a=1"),
        (f"{SITE}/", f"{SITE}/none/at/all"),
        (f"{SITE}/one/", f"{SITE}/one/two/three"),
        (f"{SITE}/1/", f"{SITE}/1/2/3/4/5/6"),
        (f"{SITE}/docs/install.html", f"{SITE}/docs/instal.html"),
        (f"{SITE}/docs/install.html", f"{SITE}/docs/install"),
        (f"{SITE}/guide/", f"{SITE}/gudie/"),
    ],
)
def test_what_may_be_meant_is_found(there: str, asked: str, tmp_path: Path) -> None:
    assert found(tmp_path, [there, asked], asked) == [there]


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        (f"{SITE}/x", "https://b.test/x"),
        (f"{SITE}/docs/other.html", f"{SITE}/docs/install"),
        (f"{SITE}/docs/other.html", f"{SITE}/docs/"),
        (f"{SITE}/docs/installing", f"{SITE}/docs/in"),
        (f"{SITE}/else/install.html", f"{SITE}/docs/install.html"),
        (f"{SITE}/" + "x" * 201, f"{SITE}/" + "x" * 202),
        (f"{SITE}/", f"{SITE}/1/2/3/4/5/6"),
    ],
)
def test_what_is_something_else_is_not(there: str, asked: str, tmp_path: Path) -> None:
    assert found(tmp_path, [there], asked) == []


def test_the_likeliest_come_first_and_no_more_than_three_of_a_kind(tmp_path: Path) -> None:
    endings = ("archived", "bookmarked", "continued", "described")
    there = [*(f"{SITE}/d/page.{each}" for each in endings), "http://a.test/d/page", f"{SITE}/d/"]
    assert found(tmp_path, there, f"{SITE}/d/page") == ["http://a.test/d/page", *there[:3], f"{SITE}/d/"]


def test_a_message_names_three_and_never_the_top_of_a_site() -> None:
    assert question([]) == question([f"{SITE}/", "http://a.test/"]) == ""
    names = [f"{SITE}/{name}" for name in "abcd"]
    assert question([f"{SITE}/", names[0]]) == f"; is {SITE}/a meant?"
    assert question(names) == f"; is {SITE}/a or {SITE}/b or {SITE}/c meant?"
