"""A refresh sends the reader where browsers would go."""

from __future__ import annotations

import json

import pytest

from gossamer.convert.html.links import Refresh, parse_refresh
from reference import reference


def test_every_refresh_of_the_reference_is_understood() -> None:
    wrong = []
    for case in json.loads((reference("wpt-meta-refresh") / "cases.json").read_text()):
        found = parse_refresh(case["content"])
        if (None if found is None else found._asdict()) != case["expected"]:
            wrong.append(case)
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5", Refresh(5, None)),
        (".5; url=x", Refresh(0, "x")),
        ("0;url=  next page ", Refresh(0, "next page")),
        ("0; URL = 'a\"b'c", Refresh(0, 'a"b')),
        ('0;url="open', Refresh(0, "open")),
        ("0;url=", Refresh(0, None)),
        ("0;url", Refresh(0, "url")),
        ("0;url=/a\n/b", Refresh(0, "/a/b")),
        ("", None),
        ("soon; url=x", None),
        ("９; url=x", None),
    ],
)
def test_refreshes_are_read_as_the_standard_says(text: str, found: Refresh | None) -> None:
    assert parse_refresh(text) == found


def test_a_refresh_in_ages_is_still_a_refresh() -> None:
    found = parse_refresh("9" * 100_000 + ";url=x")
    assert found is not None
    assert found.url == "x"
