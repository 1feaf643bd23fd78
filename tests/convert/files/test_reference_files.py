"""On real files of other projects: what must be found is found, and nothing that must not be."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from gossamer.convert import document
from reference import reference

FLOORS = {"docx": 7, "xlsx": 3, "pptx": 15, "odt": 8, "ods": 1, "odp": 1, "xml": 2}
FLOORS |= {"pdf": 24, "doc": 57, "xls": 2, "ppt": 3, "rtf": 34, "msg": 3}
"""Texts found in each format of tika-docs: all of them, but for two of macros, which another case forbids."""
PLAIN_FLOORS = {"docx": 6, "xlsx": 3, "pptx": 8, "csv": 4, "json": 2, "ipynb": 3, "zip": 15, "epub": 9}
PLAIN_FLOORS |= {"pdf": 1, "xls": 3, "msg": 5}
"""The same for markitdown-docs."""


def cases(folder: Path) -> list[tuple[Path, dict[str, list[str]]]]:
    lines = (folder / "cases.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines]
    return [(folder / (case.get("file") or f"files/{case['filename']}"), case) for case in read]


def squashed(text: str) -> str:
    return " ".join(text.split())


def words(text: str) -> str:
    return " ".join(["", *re.findall(r"\w+", text), ""])


def found(folder: Path, key: str, formats: set[str]) -> Counter[str]:
    """How many of the texts that are wanted are there, by format."""
    counts: Counter[str] = Counter()
    for path, case in cases(folder):
        if (kind := path.suffix[1:]) in formats:
            text = document(path.read_bytes(), url=f"https://example.com/{path.name}").text
            unwanted = [each for each in case.get("must_not_contain", ()) if squashed(each) in squashed(text)]
            assert unwanted == [], path.name
            counts[kind] += sum(words(each).strip() in words(text) for each in case[key])
    return counts


def test_what_tika_finds_in_its_files_is_found() -> None:
    assert found(reference("tika-docs"), "must_contain", set(FLOORS)) == FLOORS


def test_what_markitdown_finds_in_its_files_is_found() -> None:
    assert found(reference("markitdown-docs"), "must_include_plain", set(PLAIN_FLOORS)) == PLAIN_FLOORS


def test_numbers_of_items_are_those_that_word_shows() -> None:
    folder = reference("tika-docs")
    path, case = next(each for each in cases(folder) if each[0].name == "testWORD_numbered_list.docx")
    text = squashed(document(path.read_bytes()).text)
    assert [label for label in case["must_contain_rendered"] if label not in text] == []
