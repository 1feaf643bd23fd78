"""Which captures a browser may be asked to render: whole web pages that a visit asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gossamer.collection.crawl.rendering import is_page
from gossamer.model import Capture, Failure, Fault, Kind, Visit

PAGE = Capture(Visit("http://a.test/"), 0, 0, 200, (("content-type", "Text/HTML ; charset=utf-8"),))


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml", "TEXT/HTML;charset=x"])
def test_a_whole_web_page_is_one(kind: str) -> None:
    assert is_page(PAGE)
    assert is_page(replace(PAGE, headers=(("content-type", kind),)))


@pytest.mark.parametrize(
    "other",
    [
        {"status": 404},
        {"status": 206},
        {"failure": Failure(Fault.PROTOCOL)},
        {"truncated": "length"},
        {"source": "a.warc:0"},
        {"headers": ()},
        {"headers": (("content-type", "text/plain"),)},
        {"visit": Visit("http://a.test/", Kind.ROBOTS)},
        {"visit": Visit("http://a.test/", method="HEAD")},
    ],
)
def test_what_is_cut_imported_something_else_or_no_answer_is_none(other: dict[str, Any]) -> None:
    assert not is_page(replace(PAGE, **other))
