from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from url_differences import CLASSES, COUNTERPARTS, CRAWLER_COMMONS, W3LIB, cases, reason, table

from reference import reference

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "url-differences.md").read_text("utf-8")


@pytest.mark.parametrize("name", [CRAWLER_COMMONS, W3LIB])
def test_every_difference_has_a_reason(name: str) -> None:
    reference(name)
    unexplained = [case for case in cases(name) if case.ours != case.theirs and reason(case) is None]
    assert unexplained == []


@pytest.mark.parametrize("name", [CRAWLER_COMMONS, W3LIB])
def test_the_page_lists_every_difference_and_no_other(name: str) -> None:
    reference(name)
    assert table(name) in f"{PAGE}\n", "print the tables anew: python tests/urls/url_differences.py"


def test_the_page_explains_every_class() -> None:
    section = PAGE.partition("## The classes")[2].partition("\n## ")[0]
    explained = re.findall(r"^\| ([a-z ]+) \| [A-Z`]", section, re.MULTILINE)
    assert explained == list(CLASSES)


def test_the_page_says_which_functions_have_no_counterpart() -> None:
    lines = (reference(W3LIB) / "cases.jsonl").read_text("utf-8").splitlines()
    others = {json.loads(line)["function"] for line in lines} - COUNTERPARTS.keys()
    assert {name for name in others if f"`{name}`" not in PAGE} == set()
