"""What is told of the fields of a form: those that somebody can fill in."""

from __future__ import annotations

import pytest

from gossamer.collection.ask.page_forms import _field
from gossamer.convert.html.forms import Control


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
