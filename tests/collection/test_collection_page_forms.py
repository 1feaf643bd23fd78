"""What is told of the fields of a form: those that somebody can fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.collection.ask.page_forms import _field, page_forms
from gossamer.collection.column_families import FAMILIES
from gossamer.convert.html.forms import Control
from gossamer.model import Capture, Visit
from gossamer.store.table.table import Table


@pytest.mark.parametrize(
    ("control", "told"),
    [
        (Control("text", "q"), "q: text"),
        (Control("select", "sort", options=(("a", "A"), ("b", "B"))), "sort: select of 2 options"),
        (Control("select", "sort", options=(("a", "A"),)), "sort: select of 1 option"),
        (Control("text", ""), ""),
        *((Control(kind, "x"), "") for kind in ("hidden", "submit", "image", "button", "reset")),
    ],
)
def test_fields_are_named_and_what_nobody_fills_in_is_not(control: Control, told: str) -> None:
    assert _field(control) == told


def test_a_form_that_was_not_sent_says_why(tmp_path: Path) -> None:
    html = b"""<form action=/find><input name=q></form>
    <form action=/in method=post><input name=u><input name=p type=password></form>"""
    headers = (("content-type", "text/html"),)
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        search, login = page_forms(Capture(Visit("http://a.example/"), 0.0, 0.1, 200, headers, body=html), table)
    assert (search.method.upper(), search.action, search.fields) == ("GET", "http://a.example/find", "q: text")
    assert search.state == "not sent; --forms search or --forms all does it"
    assert login.state.startswith("not sent, ")
